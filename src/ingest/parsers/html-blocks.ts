/** Walks an HTML tree and writes its blocks as Markdown text. Used for pages and for what Word files convert to. */
import type { Link } from '../../util/link-line.ts';
import { LINK_TEXT_UNITS_MAX, type LinkReader, outsideLinks } from '../links.ts';
import type { BlockKind } from '../parsed.ts';
import type { DomElement, DomNode } from './dom.ts';
import { codeLanguage, contactOf, noteMark } from './html-marks.ts';
import { tableText } from './table-text.ts';
import type { BlockDraft, TextBuilder } from './text-builder.ts';

const ELEMENT = 1;
const TEXT = 3;

/** Nesting that is followed; deeper text is taken without structure. */
const DEPTH_MAX = 200;

const SKIPPED = new Set([
  'SCRIPT',
  'STYLE',
  'NOSCRIPT',
  'TEMPLATE',
  'HEAD',
  'TITLE',
  'META',
  'LINK',
  'IFRAME',
  'OBJECT',
  'EMBED',
  'CANVAS',
  'SVG',
  'AUDIO',
  'VIDEO',
  'MAP',
  'SELECT',
  'DATALIST',
  'BUTTON',
  'TEXTAREA',
  'INPUT',
  'DIALOG',
  'PROGRESS',
  'METER',
]);
const BLOCKS = new Set([
  'ADDRESS',
  'ARTICLE',
  'ASIDE',
  'BLOCKQUOTE',
  'BODY',
  'HTML',
  'CENTER',
  'DD',
  'DETAILS',
  'DIV',
  'DL',
  'DT',
  'FIELDSET',
  'FIGCAPTION',
  'FIGURE',
  'FOOTER',
  'FORM',
  'H1',
  'H2',
  'H3',
  'H4',
  'H5',
  'H6',
  'HEADER',
  'HGROUP',
  'HR',
  'LI',
  'MAIN',
  'MENU',
  'NAV',
  'OL',
  'P',
  'PRE',
  'SECTION',
  'SUMMARY',
  'TABLE',
  'TBODY',
  'TD',
  'TFOOT',
  'TH',
  'THEAD',
  'TR',
  'UL',
  'CAPTION',
]);

/** Writes the blocks under `root`, in order; `reader` says which links are kept with them. */
export function writeHtmlBlocks(root: DomNode, builder: TextBuilder, reader: LinkReader = outsideLinks): void {
  new BlockWriter(builder, reader).children(root, 0);
}

/** Links on the way to the next block. */
interface LinkSink {
  read: LinkReader;
  found: Link[];
}

/** Text under a node on one line: for cells, headings and titles. */
export function inlineText(node: DomNode, links?: LinkSink): string {
  return collapse(gather(node, links));
}

class BlockWriter {
  private readonly builder: TextBuilder;
  private readonly links: LinkSink;
  private pending = '';
  private insideLink = false;

  constructor(builder: TextBuilder, read: LinkReader) {
    this.builder = builder;
    this.links = { read, found: [] };
  }

  /** Text and inline elements collect into a paragraph that the next block element closes. */
  children(parent: DomNode, depth: number): void {
    for (let node = parent.firstChild; node; node = node.nextSibling) this.node(node, depth);
    this.flush();
  }

  private node(node: DomNode, depth: number): void {
    if (node.nodeType === TEXT) {
      this.pending += node.nodeValue ?? '';
      return;
    }
    if (node.nodeType !== ELEMENT) return;
    const element = node as DomElement;
    const tag = element.tagName.toUpperCase();
    if (SKIPPED.has(tag) || isHidden(element)) return;
    if (tag === 'BR') this.pending += '\u0001';
    else if (depth > DEPTH_MAX) this.pending += ` ${gather(element, this.links)} `;
    else if (BLOCKS.has(tag)) {
      this.flush();
      this.block(element, tag, depth);
    } else if (hasBlockInside(element)) this.inlineWithBlocks(element, tag, depth);
    else this.pending += inlineOf(element, tag, this.links);
  }

  private inlineWithBlocks(element: DomElement, tag: string, depth: number): void {
    const outermost = tag === 'A' && !this.insideLink;
    if (outermost) {
      const url = this.links.read(element.getAttribute('href') ?? '');
      const text = inlineText(element).slice(0, LINK_TEXT_UNITS_MAX);
      if (url !== undefined) this.links.found.push({ text, url });
      this.insideLink = true;
    }
    for (let node = element.firstChild; node; node = node.nextSibling) this.node(node, depth + 1);
    if (outermost) this.insideLink = false;
  }

  private block(element: DomElement, tag: string, depth: number): void {
    const level = /^H([1-6])$/.exec(tag)?.[1];
    if (level) {
      const text = inlineText(element, this.links);
      if (text !== '') this.write({ kind: 'heading', level: Number(level) }, `${'#'.repeat(Number(level))} ${text}`);
    } else if (tag === 'PRE') this.add('code', fenced(element.textContent ?? '', codeLanguage(element)));
    else if (tag === 'UL' || tag === 'OL' || tag === 'MENU') this.list(element, depth);
    else if (tag === 'TABLE') this.table(element, depth);
    else if (tag === 'BLOCKQUOTE' && !hasBlockInside(element, QUOTE_BREAKERS)) this.quote(element);
    else this.children(element, depth + 1);
  }

  private list(element: DomElement, depth: number): void {
    if (hasBlockInside(element, LIST_BREAKERS)) this.children(element, depth + 1);
    else this.add('list', listLines(element, 0, this.links).join('\n'));
  }

  private table(element: DomElement, depth: number): void {
    // Tables in tables are layout; their rows are not even gathered, which would take quadratic time.
    const inside: LinkSink = { read: this.links.read, found: [] };
    const rows = hasBlockInside(element, TABLE_BREAKERS) ? [] : tableRows(element, inside);
    if (rows.every((row) => row.length <= 1)) {
      this.children(element, depth + 1);
      return;
    }
    const caption = element.querySelector('caption');
    if (caption) this.add('paragraph', inlineText(caption, this.links));
    this.links.found = [...this.links.found, ...inside.found];
    const table = tableText(rows);
    if (table) this.write(table.draft, table.text);
  }

  private quote(element: DomElement): void {
    const lines = paragraphsOf(element, this.links).flatMap((text) => [...text.split('\n'), '']);
    this.add(
      'quote',
      lines
        .slice(0, -1)
        .map((line) => (line === '' ? '>' : `> ${line}`))
        .join('\n'),
    );
  }

  private add(kind: BlockKind, text: string): void {
    this.write({ kind }, text);
  }

  private write(draft: BlockDraft, text: string): void {
    this.builder.add({ ...draft, links: this.links.found }, text);
    this.links.found = [];
  }

  private flush(): void {
    const text = collapse(this.pending);
    this.pending = '';
    if (text !== '') this.add('paragraph', text);
  }
}

const QUOTE_BREAKERS = new Set(['TABLE', 'PRE', 'UL', 'OL', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6']);
const LIST_BREAKERS = new Set(['TABLE', 'PRE', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'ARTICLE', 'SECTION']);
const TABLE_BREAKERS = new Set(['TABLE', 'H1', 'H2', 'H3', 'FORM', 'ARTICLE', 'SECTION']);

function listLines(list: DomElement, indent: number, links: LinkSink): string[] {
  const lines: string[] = [];
  let number = Number(list.getAttribute('start') ?? 1) || 1;
  for (const item of Array.from(list.children)) {
    const tag = item.tagName.toUpperCase();
    if (tag === 'UL' || tag === 'OL') lines.push(...listLines(item, indent + 1, links));
    if (tag !== 'LI' || isHidden(item)) continue;
    const mark = list.tagName.toUpperCase() === 'OL' ? `${number}.` : '-';
    number += 1;
    const nested =
      indent < DEPTH_MAX ? Array.from(item.children).filter((child) => /^(UL|OL)$/i.test(child.tagName)) : [];
    const text = collapse(gather(item, links, new Set(nested)));
    if (text !== '')
      lines.push(`${'  '.repeat(indent)}${mark} ${text.replaceAll('\n', `\n${'  '.repeat(indent + 1)}`)}`);
    for (const inner of nested) lines.push(...listLines(inner, indent + 1, links));
  }
  return lines;
}

/** Columns and rows that one cell may span, and cells of a table that repeat others. */
const SPAN_MAX = 100;
const REPEATED_CELLS_MAX = 10_000;
/** Longer texts are not repeated. */
const REPEATED_UNITS_MAX = 300;

/** Cells by row; the text of a cell counts for every row and column it spans, unless it is all of its row. */
function tableRows(table: DomElement, links: LinkSink): string[][] {
  let left = REPEATED_CELLS_MAX;
  const fromAbove: { text: string; rows: number }[] = [];
  return Array.from(table.querySelectorAll('tr')).map((row) => {
    const cells: string[] = [];
    const fill = () => {
      for (let above = fromAbove[cells.length]; above && above.rows > 0 && left > 0; above = fromAbove[cells.length]) {
        above.rows -= 1;
        left -= 1;
        cells.push(above.text);
      }
    };
    const own = Array.from(row.children).filter((cell) => /^T[DH]$/i.test(cell.tagName));
    for (const cell of own) {
      fill();
      const text = inlineText(cell, links);
      const repeated = text.length > REPEATED_UNITS_MAX || own.length === 1 ? '' : text;
      const columns = Math.min(spanOf(cell, 'colspan'), Math.max(1, left));
      left -= columns - 1;
      for (let column = 0; column < columns; column += 1) {
        fromAbove[cells.length] = { text: repeated, rows: spanOf(cell, 'rowspan') - 1 };
        cells.push(column === 0 ? text : repeated);
      }
    }
    fill();
    return cells;
  });
}

function spanOf(cell: DomElement, name: string): number {
  return Math.min(Math.max(Number.parseInt(cell.getAttribute(name) ?? '1', 10) || 1, 1), SPAN_MAX);
}

function paragraphsOf(element: DomElement, links: LinkSink): string[] {
  const marked = gather(element, links);
  return marked
    .split('\u0002')
    .map(collapse)
    .filter((text) => text !== '');
}

/** A link whose text begins at this part. */
interface OpenLink {
  url: string;
  from: number;
}

/** All text under a node without recursion: U+0001 for line breaks, U+0002 at block borders. */
function gather(root: DomNode, links?: LinkSink, without: ReadonlySet<DomNode> = new Set()): string {
  const parts: string[] = [];
  const stack: (DomNode | string | OpenLink)[] = [root];
  let insideLink = false;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') parts.push(next);
    else if ('url' in next) {
      const text = collapse(parts.slice(next.from).join('')).slice(0, LINK_TEXT_UNITS_MAX);
      links?.found.push({ text, url: next.url });
      insideLink = false;
    } else if (next.nodeType === TEXT) parts.push(next.nodeValue ?? '');
    else if (next.nodeType === ELEMENT && !without.has(next)) {
      const tag = (next as DomElement).tagName.toUpperCase();
      if (tag === 'BR') parts.push('\u0001');
      if (tag === 'BR' || (next !== root && (SKIPPED.has(tag) || isHidden(next as DomElement)))) continue;
      const mark = tag === 'A' ? noteMark(next as DomElement) : '';
      if (mark !== '') {
        parts.push(mark);
        continue;
      }
      if (tag === 'A') stack.push(contactOf(next as DomElement));
      const url = tag === 'A' && !insideLink ? links?.read((next as DomElement).getAttribute('href') ?? '') : undefined;
      if (url !== undefined) {
        stack.push({ url, from: parts.length });
        insideLink = true;
      }
      const block = next !== root && BLOCKS.has(tag);
      if (block) {
        parts.push('\u0002');
        stack.push('\u0002');
      }
      for (let child = next.lastChild; child; child = child.previousSibling) stack.push(child);
    }
  }
  return parts.join('');
}

function inlineOf(element: DomElement, tag: string, links: LinkSink): string {
  if (tag === 'CODE' || tag === 'KBD' || tag === 'SAMP') {
    const text = collapse(gather(element));
    return text === '' || text.includes('`') ? text : `\`${text}\``;
  }
  return gather(element, links);
}

/** White space to single blanks, marks of breaks to line feeds, block borders to blanks. */
function collapse(raw: string): string {
  return raw
    .replace(/[\u00ad\u200b]/g, '')
    .replace(/[ \t\n\r\f\u00a0\u0002]+/g, ' ')
    .replace(/ ?\u0001 ?/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

function fenced(raw: string, language: string): string {
  const code = raw.replace(/^\n+/, '').trimEnd();
  if (code.trim() === '') return '';
  const ticks = '`'.repeat(Math.max(3, ...Array.from(code.matchAll(/`{3,}/g), ([run]) => run.length + 1)));
  return `${ticks}${language}\n${code}\n${ticks}`;
}

function isHidden(element: DomElement): boolean {
  if (element.hasAttribute('hidden')) return true;
  const style = element.getAttribute('style');
  return style !== null && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}

function hasBlockInside(element: DomElement, tags: ReadonlySet<string> = BLOCKS): boolean {
  const stack: DomNode[] = [];
  for (let child = element.firstChild; child; child = child.nextSibling) stack.push(child);
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.nodeType !== ELEMENT) continue;
    if (tags.has((node as DomElement).tagName.toUpperCase())) return true;
    for (let child = node.firstChild; child; child = child.nextSibling) stack.push(child);
  }
  return false;
}

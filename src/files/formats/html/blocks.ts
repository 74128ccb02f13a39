/** Walks an HTML tree and writes its blocks as Markdown text. Used for pages, and for Word files, whose reader writes HTML. */
import { LINK_TEXT_UNITS_MAX, type LinkReader, outsideLinks } from '../../links.ts';
import type { BlockKind } from '../../parsed.ts';
import { headOf, takeTitles, widthOf } from '../data/spread-cells.ts';
import { tableText } from '../data/table-text.ts';
import { type BlockDraft, fenced, type TextBuilder } from '../text-builder.ts';
import { codeText, isLines } from './code.ts';
import { buildTree, type DomElement, type DomNode, fitsTree, rootOf, stripTags } from './dom.ts';
import { alternativeMark, BLOCKS, ELEMENT, HEADING_TAG, hasBlockInside, isSkipped, TEXT } from './elements.ts';
import { collapse, gather, inlineOf, inlineText, itemLabel, paragraphsOf, type Walk } from './inline.ts';
import { type Definition, definitionsOf, isPlainList, LIST_BREAKERS, leadOf, listLines, termText } from './lists.ts';
import { codeLanguage, isNote } from './marks.ts';
import {
  captionOf,
  gridRows,
  hasTextBlocks,
  isBrokenLine,
  isLabel,
  isLayout,
  isOnlyColumn,
  labelCell,
  type TableRow,
  tableRows,
  withoutEmptyColumns,
} from './tables.ts';

/** Maximum depth of the walk. Deeper text is read without structure. */
const DEPTH_MAX = 200;
/** Maximum length of a term. */
const TERM_UNITS_MAX = 200;

interface BlockOptions {
  /** Reads the addresses of links. */
  links?: LinkReader;
  /** Nodes to skip. */
  leftOut?: ReadonlySet<DomNode>;
  /** An element that is written as a heading of level 1, whatever its tag is. */
  title?: DomElement | undefined;
  /** Whether items have labels, which only the reader of Word files writes. */
  labels?: boolean;
}

/** Writes the blocks of HTML, or its paragraphs if it exceeds the limits of a tree. */
export function writeHtml(html: string, builder: TextBuilder, options: BlockOptions = {}): void {
  if (fitsTree(html)) writeHtmlBlocks(rootOf(buildTree(html)), builder, options);
  else for (const text of stripTags(html).split('\n\n')) builder.add({ kind: 'paragraph' }, text);
}

/** Writes the blocks under `root`, in order. */
export function writeHtmlBlocks(root: DomNode, builder: TextBuilder, options: BlockOptions = {}): void {
  new BlockWriter(builder, options).children(root, 0);
}

/** Writes the blocks of one node, without its siblings. */
export function writeHtmlNode(node: DomNode, builder: TextBuilder): void {
  const writer = new BlockWriter(builder, {});
  writer.node(node, 0);
  writer.flush();
}

class BlockWriter {
  private readonly builder: TextBuilder;
  private readonly walk: Walk;
  private readonly title: DomElement | undefined;
  /** Labels that have been written before their notes. */
  private readonly written = new Set<DomNode>();
  private pending = '';
  private insideLink = false;
  /** Text to write before the next block: a term, or the label of a note. */
  private lead = '';
  /** The term of the current definition. */
  private term: string | undefined;
  /** Number of notes around the current node. A heading in a note begins no section. */
  private notes = 0;

  constructor(
    builder: TextBuilder,
    { links = outsideLinks, leftOut = new Set(), title, labels = false }: BlockOptions,
  ) {
    this.builder = builder;
    this.walk = { read: links, found: [], leftOut, labels };
    this.title = title;
  }

  /** Writes the children of a node. Text and inline elements form a paragraph until the next block element. */
  children(parent: DomNode, depth: number): void {
    for (let node = parent.firstChild; node; node = node.nextSibling) this.node(node, depth);
    this.flush();
  }

  node(node: DomNode, depth: number): void {
    if (this.walk.leftOut.has(node) || this.written.has(node)) return;
    if (node.nodeType === TEXT) {
      this.pending += node.nodeValue ?? '';
      return;
    }
    if (node.nodeType !== ELEMENT) return;
    const element = node as DomElement;
    const tag = element.tagName.toUpperCase();
    if (isSkipped(element)) return;
    if (tag === 'BR') this.pending += '\u0001';
    else if (element === this.title) this.pageTitle(element, depth);
    else if (depth > DEPTH_MAX) this.pending += ` ${gather(element, this.walk)} `;
    else if (BLOCKS.has(tag)) {
      this.flush();
      this.block(element, tag, depth);
    } else if (this.hasBlocks(element)) this.inlineWithBlocks(element, tag, depth);
    else this.pending += alternativeMark(element) + inlineOf(element, tag, this.walk);
  }

  private hasBlocks(element: DomElement): boolean {
    return hasBlockInside(element) || (this.title !== undefined && isAbove(element, this.title));
  }

  private inlineWithBlocks(element: DomElement, tag: string, depth: number): void {
    const outermost = tag === 'A' && !this.insideLink;
    if (outermost) {
      const url = this.walk.read(element.getAttribute('href') ?? '');
      const text = inlineText(element).slice(0, LINK_TEXT_UNITS_MAX);
      if (url !== undefined) this.walk.found.push({ text, url });
      this.insideLink = true;
    }
    for (let node = element.firstChild; node; node = node.nextSibling) this.node(node, depth + 1);
    if (outermost) this.insideLink = false;
  }

  private block(element: DomElement, tag: string, depth: number): void {
    const level = HEADING_TAG.exec(tag)?.[1];
    if (level) this.heading(element, Number(level));
    else if (tag === 'PRE') this.add('code', fenced(codeText(element), codeLanguage(element)));
    else if (tag === 'UL' || tag === 'OL' || tag === 'MENU') this.list(element, depth);
    else if (tag === 'DL') this.definitions(element, depth);
    else if (tag === 'TABLE') this.table(element, depth);
    else if (isLines(element)) this.add('code', fenced(codeText(element)));
    else if (tag === 'BLOCKQUOTE' && !hasBlockInside(element, QUOTE_BREAKERS)) this.quote(element);
    else if (tag === 'BLOCKQUOTE' || isNote(element)) this.note(element, depth);
    else if (!this.grid(element)) {
      this.pending = itemLabel(element, this.walk);
      this.children(element, depth + 1);
    }
  }

  private pageTitle(element: DomElement, depth: number): void {
    const parts = Array.from(element.children).filter((child) => BLOCKS.has(child.tagName.toUpperCase()));
    this.heading(element, 1, new Set(parts));
    for (const part of parts) this.node(part, depth + 1);
    this.flush();
  }

  private heading(element: DomElement, level: number, without: ReadonlySet<DomNode> = new Set()): void {
    this.flush();
    const text = collapse(gather(element, this.walk, without));
    if (text === '') return;
    const title = text.replace(/\s+/g, ' ');
    if (this.notes === 0) this.write({ kind: 'heading', level, title }, `${'#'.repeat(level)} ${text}`);
    else if (isLabel(text)) this.label(title);
    else this.add('paragraph', text);
  }

  /** Writes a note. Its headings become labels, not headings of the page. */
  private note(element: DomElement, depth: number): void {
    this.notes += 1;
    const first = element.children[0];
    const label = first && /^(?:P|DIV)$/i.test(first.tagName) && !this.walk.leftOut.has(first) ? first : undefined;
    const text = label && isTitle(label) ? inlineText(label) : '';
    if (isLabel(text)) this.label(text);
    for (let node = element.firstChild; node; node = node.nextSibling) {
      if (node !== label || !isLabel(text)) this.node(node, depth + 1);
    }
    this.flush();
    this.closeLead();
    this.notes -= 1;
  }

  private label(text: string): void {
    this.closeLead();
    this.lead = /[:：]$/.test(text) ? text : `${text}:`;
  }

  private list(element: DomElement, depth: number): void {
    if (!isPlainList(element) || hasBlockInside(element, LIST_BREAKERS)) this.children(element, depth + 1);
    else this.add('list', listLines(element, 0, this.walk).join('\n'));
  }

  /** Writes short definitions as lines of one list, and a longer definition as blocks with its term. */
  private definitions(element: DomElement, depth: number): void {
    const entries = definitionsOf(element, this.walk);
    if (!entries || entries.some(({ terms }) => terms.some((term) => hasBlockInside(term, DEFINITION_BREAKERS)))) {
      this.children(element, depth + 1);
      return;
    }
    let lines: string[] = [];
    const close = () => {
      this.add('list', lines.join('\n'));
      lines = [];
    };
    for (const entry of entries) {
      const line = this.definitionLine(entry);
      if (line !== undefined) lines.push(...(line === '' ? [] : [line]));
      else {
        close();
        this.definition(entry, depth);
      }
    }
    close();
  }

  /** Returns a definition as one line, or undefined if it has blocks or several paragraphs. */
  private definitionLine({ terms, parts }: Definition): string | undefined {
    if (parts.some((part) => hasBlockInside(part, DEFINITION_BREAKERS))) return undefined;
    const before = this.walk.found.length;
    const paragraphs = parts.map((part) => paragraphsOf(part, this.walk));
    if (paragraphs.some(({ length }) => length > 1) || paragraphs.length > 1) {
      this.walk.found.length = before;
      return undefined;
    }
    const texts = paragraphs.flat();
    const lead = texts.length === 0 ? termText(terms, this.walk) : leadOf(terms, this.walk);
    const line = [lead, ...texts].filter((text) => text !== '').join(' ');
    return line === '' ? '' : `- ${line.replaceAll('\n', '\n  ')}`;
  }

  private definition({ terms, parts }: Definition, depth: number): void {
    const outer = this.term;
    this.closeLead();
    this.term = termText(terms, { ...this.walk, found: [] }).slice(0, TERM_UNITS_MAX) || undefined;
    this.lead = leadOf(terms, this.walk);
    for (const part of parts) this.children(part, depth + 1);
    this.closeLead();
    this.term = outer;
  }

  private table(element: DomElement, depth: number): void {
    if (isLayout(element)) {
      this.children(element, depth + 1);
      return;
    }
    const label = labelCell(element);
    if (label) {
      this.labelled(element, label, depth);
      return;
    }
    const inside: Walk = { ...this.walk, found: [] };
    const rows = withoutEmptyColumns(tableRows(element, inside));
    const width = widthOf(rows.map(({ cells }) => cells));
    const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
    if (filled.length === 0) return;
    const texts = hasTextBlocks(element);
    if (texts ? width <= 1 || filled.length === 1 : width <= 1 && !isOnlyColumn(rows)) {
      this.children(element, depth + 1);
      return;
    }
    const caption = captionOf(element);
    if (caption) this.add('paragraph', inlineText(caption, this.walk));
    this.walk.found.push(...inside.found);
    if (isBrokenLine(filled))
      this.add(
        'paragraph',
        filled
          .flatMap(({ cells }) => cells)
          .join(' ')
          .replace(/\s+/g, ' '),
      );
    else if (filled.length === 1 && width === 2) this.add('paragraph', filled[0]!.cells.join(' — '));
    else this.rows(filled);
  }

  private grid(element: DomElement): boolean {
    const inside: Walk = { ...this.walk, found: [] };
    const table = tableText(gridRows(element, inside) ?? []);
    if (!table) return false;
    this.walk.found.push(...inside.found);
    this.write(table.draft, table.text);
    return true;
  }

  /** Writes rows as tables, one for each heading row. */
  private rows(rows: readonly TableRow[]): void {
    let kept: TableRow[] = [];
    let group = '';
    let terms = false;
    const close = () => {
      const cells = kept.map((row) => row.cells);
      const { titles, signs } = headOf(kept, widthOf(cells));
      for (const title of takeTitles(cells, titles)) this.add('paragraph', title);
      const table = tableText(cells, signs);
      // Below the name of a group, two columns are terms and their meanings, without a header row.
      if (terms && cells.length > 0 && cells.every(({ length }) => length === 2)) {
        const lines = cells.map((pair) => `- ${pair.filter((cell) => cell !== '').join(' — ')}`);
        this.add('list', lines.map((line) => line.replace(/\s+/g, ' ')).join('\n'));
      } else if (table) this.write(group === '' ? table.draft : { ...table.draft, tableHeader: group }, table.text);
      kept = [];
    };
    for (const row of rows) {
      if (row.heading) {
        close();
        group = row.cells.join(' ');
        terms = !row.headed;
        this.add('paragraph', group);
      } else if (kept.length > 0 && row.continues) {
        const last = kept.at(-1)!.cells;
        last[last.length - 1] = `${last.at(-1)} — ${row.cells.join(' ').trim()}`;
      } else kept.push({ ...row, cells: [...row.cells] });
    }
    close();
  }

  /** Writes a note that is laid out as a table. */
  private labelled(table: DomElement, label: DomElement, depth: number): void {
    this.flush();
    this.label(inlineText(label, this.walk));
    this.notes += 1;
    this.written.add(label);
    this.children(table, depth + 1);
    this.closeLead();
    this.notes -= 1;
  }

  private quote(element: DomElement): void {
    const lines = paragraphsOf(element, this.walk).flatMap((text) => [...text.split('\n'), '']);
    this.add(
      'quote',
      lines
        .slice(0, -1)
        .map((line) => (line === '' ? '>' : `> ${line}`))
        .join('\n'),
    );
  }

  private add(kind: BlockKind, text: string): void {
    if (text.trim() === '') return;
    if (kind !== 'paragraph') this.closeLead();
    const lead = this.lead;
    this.lead = '';
    this.write({ kind }, lead === '' ? text : `${lead} ${text}`);
  }

  /** Writes a lead as a paragraph of its own, because no paragraph follows. */
  private closeLead(): void {
    const text = this.lead.replace(/ —$/, '');
    this.lead = '';
    if (text !== '') this.write({ kind: 'paragraph' }, text);
  }

  private write(draft: BlockDraft, text: string): void {
    this.closeLead();
    const term = this.term === undefined || draft.kind === 'heading' ? {} : { term: this.term };
    this.builder.add({ ...draft, ...term, links: this.walk.found }, text);
    this.walk.found = [];
  }

  flush(): void {
    const text = collapse(this.pending);
    this.pending = '';
    if (text !== '') this.add('paragraph', text);
  }
}

const QUOTE_BREAKERS = new Set(['TABLE', 'PRE', 'UL', 'OL', 'DL', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6']);
/** A definition with one of these elements is not one line. */
const DEFINITION_BREAKERS = new Set([...QUOTE_BREAKERS, 'BLOCKQUOTE', 'FIGURE', 'SECTION', 'ARTICLE', 'DETAILS']);

/** True if the first element of a note is its title: its class says so, and it contains no blocks. */
function isTitle(element: DomElement): boolean {
  return /title|label|heading|caption/i.test(element.getAttribute('class') ?? '') && !hasBlockInside(element);
}

function isAbove(element: DomElement, below: DomElement): boolean {
  for (let above = below.parentElement; above; above = above.parentElement) if (above === element) return true;
  return false;
}

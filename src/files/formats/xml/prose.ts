/** Writes prose in XML (DocBook, JATS, patents, TEI and others) as headings, paragraphs, lists, tables and code. */
import { oneLine } from '../../../util/code-points.ts';
import { type SpanCell, spanOf, spreadTable } from '../data/spread-cells.ts';
import { tableText } from '../data/table-text.ts';
import type { TextBuilder } from '../text-builder.ts';
import { writeOut } from './papers.ts';
import { attribute, childAt, childElements, findElements, textOf, type XmlElement } from './tree.ts';

const PARAGRAPHS = /^(?:p|para|simpara|formalpara|claim-text|ab|l)$/i;
const HEADINGS = /^(?:title|heading|head|article-title|book-title|invention-title|h)$/i;
const SECTIONS =
  /^(?:sec|section|sect\d|chapter|part|appendix|preface|div\d?|abstract|ack|ref-list|refsect\d|boxed-text)$/i;
const LISTS = /^(?:list|itemizedlist|orderedlist|simplelist|ul|ol)$/i;
const CODE = /^(?:programlisting|screen|literallayout|codeblock|verse-group|preformat)$/i;
const ROWS = /^(?:row|tr)$/i;
const CELLS = /^(?:entry|td|th|cell)$/i;
/** Matches pictures, formulas, and elements meant for machines. */
const SKIPPED =
  /^(?:graphic|inline-graphic|math|us-math|math-us|permissions|history|journal-id|article-id|issn|isbn|object-id|counts)$/i;
const AUTHORS = /^(?:contrib|author|editor|inventor|personname)$/i;
const REFERENCES = /^(?:ref|biblioentry|bibl|biblstruct)$/i;

const SEPARATE_BLOCKS = [PARAGRAPHS, HEADINGS, LISTS, CODE, AUTHORS, REFERENCES, ROWS];
const FACT_UNITS_MAX = 200;
const FACT_ELEMENTS_MAX = 100;

/** A file with at least this share of its text in paragraphs is prose. */
const PROSE_SHARE_MIN = 0.3;
const HEADING_LEVEL_MAX = 6;
const HEADING_UNITS_MAX = 300;

export function isProse(top: XmlElement): boolean {
  const all = visible(textOf(top));
  return all > 0 && paragraphUnits(top) >= all * PROSE_SHARE_MIN;
}

/** Writes prose, and returns its title: the first heading outside of sections. */
export function writeProse(top: XmlElement, builder: TextBuilder): string | undefined {
  joinChoices(top);
  writeOut(top);
  return new ProseWriter(builder).write(top);
}

class ProseWriter {
  private readonly builder: TextBuilder;
  private title: string | undefined;

  constructor(builder: TextBuilder) {
    this.builder = builder;
  }

  write(top: XmlElement): string | undefined {
    this.children(top, 0);
    return this.title;
  }

  private children(parent: XmlElement, level: number): void {
    // Consecutive facts of a few words share a paragraph.
    let facts: string[] = [];
    const flush = () => {
      this.add('paragraph', facts.join(', '));
      facts = [];
    };
    for (const child of childElements(parent)) {
      if (SKIPPED.test(child.name)) continue;
      if (isFact(child)) {
        const text = oneLine(spacedText(child));
        if (text !== '') facts.push(text);
        continue;
      }
      flush();
      this.element(child, level);
    }
    flush();
  }

  private element(element: XmlElement, level: number): void {
    const { name } = element;
    if (HEADINGS.test(name)) this.heading(element, level);
    else if (CODE.test(name)) this.add('code', `\`\`\`\n${textOf(element).replace(/^\n+/, '').trimEnd()}\n\`\`\``);
    else if (LISTS.test(name)) this.list(element);
    else if (/^t(able|group)$/i.test(name) && this.table(element)) return;
    else if (AUTHORS.test(name)) this.add('paragraph', authorText(element));
    else if (REFERENCES.test(name)) this.add('paragraph', oneLine(spacedText(element)));
    else if (PARAGRAPHS.test(name) || hasOwnText(element)) this.paragraph(element, level);
    else this.children(element, SECTIONS.test(name) ? level + 1 : level);
  }

  private heading(element: XmlElement, level: number): void {
    const text = oneLine(textOf(element));
    if (text === '' || text.length > HEADING_UNITS_MAX) {
      this.add('paragraph', text);
      return;
    }
    if (level === 0) this.title ??= text;
    const depth = Math.min(level + 1, HEADING_LEVEL_MAX);
    this.builder.add({ kind: 'heading', level: depth }, `${'#'.repeat(depth)} ${text}`);
  }

  /** Writes a paragraph, which may contain lists and tables. */
  private paragraph(element: XmlElement, level: number): void {
    const isBlock = ({ name }: XmlElement) =>
      LISTS.test(name) ||
      CODE.test(name) ||
      PARAGRAPHS.test(name) ||
      /^(?:table|informaltable|table-wrap|fig)$/i.test(name);
    let inline: XmlElement = { ...element, children: [] };
    const flush = () => {
      this.add('paragraph', oneLine(textOf(inline)));
      inline = { ...element, children: [] };
    };
    for (const child of element.children) {
      if (typeof child === 'string' || !isBlock(child)) {
        if (typeof child === 'string' || !SKIPPED.test(child.name)) inline.children.push(child);
        continue;
      }
      flush();
      this.element(child, level);
    }
    flush();
  }

  private list(list: XmlElement): void {
    const ordered = /^o/i.test(list.name);
    const items = childElements(list).filter((item) => !HEADINGS.test(item.name));
    const lines = items.map((item) => oneLine(spacedText(item))).filter((text) => text !== '');
    this.add('list', lines.map((text, index) => `${ordered ? `${index + 1}.` : '-'} ${text}`).join('\n'));
  }

  /** Writes a table. Returns false if the element has no rows. */
  private table(element: XmlElement): boolean {
    const columns = descendants(element, /^colspec$/i).map((column) => attribute(column, 'colname'));
    const elements = descendants(element, ROWS);
    const heads = new Set(descendants(element, /^thead$/i).flatMap((head) => descendants(head, ROWS)));
    const cells = elements.map((row) => spanCells(row, columns));
    const signsOfRows = elements.map((row) => (heads.has(row) ? 'head' : undefined));
    const { titles, rows, signs } = spreadTable(cells, signsOfRows);
    const table = tableText(rows, signs);
    if (!table) return false;
    const caption = childAt(element, 'caption') ?? childAt(element, 'title');
    if (caption) this.add('paragraph', oneLine(spacedText(caption)));
    for (const title of titles) this.add('paragraph', title);
    this.builder.add(table.draft, table.text);
    return true;
  }

  private add(kind: 'paragraph' | 'list' | 'code', text: string): void {
    this.builder.add({ kind }, text);
  }
}

/** Returns the cells of a row with the columns and rows that they span, as HTML and JATS or as DocBook say it. */
function spanCells(row: XmlElement, names: readonly string[]): SpanCell[] {
  return childElements(row)
    .filter((cell) => CELLS.test(cell.name))
    .map((cell) => {
      const [first, last] = ['namest', 'nameend'].map((name) => names.indexOf(attribute(cell, name)));
      const columns = first! >= 0 && last! > first! ? last! - first! + 1 : attribute(cell, 'colspan');
      const below = Number(attribute(cell, 'morerows')) + 1;
      return {
        text: oneLine(spacedText(cell)),
        columns: spanOf(`${columns}`),
        rows: spanOf(below > 1 ? `${below}` : attribute(cell, 'rowspan')),
      };
    });
}

/** Counts the units of text in paragraphs. Paragraphs within paragraphs count once. */
function paragraphUnits(top: XmlElement): number {
  return descendants(top, PARAGRAPHS).reduce((sum, paragraph) => sum + visible(textOf(paragraph)), 0);
}

/** Puts signs between the parts of choices in menus and of keys that are pressed together. */
function joinChoices(top: XmlElement): void {
  for (const choice of descendants(top, /^(?:menuchoice|menucascade|keycombo)$/)) {
    const joint = choice.name === 'keycombo' ? '+' : ' → ';
    const parts = childElements(choice).filter(({ name }) => name !== 'shortcut');
    choice.children = parts.flatMap((part, i) => (i === 0 ? [part] : [joint, part]));
  }
}

/** Returns the elements whose name matches, at any depth, in order. Elements inside a found element are not searched. */
function descendants(root: XmlElement, name: RegExp): XmlElement[] {
  const found: XmlElement[] = [];
  const stack = childElements(root).reverse();
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (name.test(next.name)) found.push(next);
    else stack.push(...childElements(next).reverse());
  }
  return found;
}

function authorText(element: XmlElement): string {
  const parts = [
    'given-names',
    'first-name',
    'firstname',
    'forename',
    'surname',
    'last-name',
    'lastname',
    'collab',
    'orgname',
  ];
  const words = parts.flatMap((name) =>
    findElements(element, name)
      .slice(0, 1)
      .map((part) => oneLine(textOf(part))),
  );
  return words.join(' ') || oneLine(spacedText(element));
}

/** True for a short element without paragraphs, headings, lists and other blocks. */
function isFact(element: XmlElement): boolean {
  if (SEPARATE_BLOCKS.some((names) => names.test(element.name))) return false;
  const stack = [element];
  let units = 0;
  let elements = 0;
  for (let next = stack.pop(); next; next = stack.pop()) {
    elements += 1;
    for (const child of next.children) {
      if (typeof child === 'string') units += visible(child);
      else if (SEPARATE_BLOCKS.some((names) => names.test(child.name))) return false;
      else stack.push(child);
    }
    if (units > FACT_UNITS_MAX || elements > FACT_ELEMENTS_MAX) return false;
  }
  return true;
}

function hasOwnText(element: XmlElement): boolean {
  return element.children.some((child) => typeof child === 'string' && child.trim() !== '');
}

/** Returns the text of an element, with blanks between child elements if the element has no text of its own. */
function spacedText(element: XmlElement): string {
  const mixed = hasOwnText(element);
  return element.children
    .map((child) => (typeof child === 'string' ? child : SKIPPED.test(child.name) ? '' : spacedText(child)))
    .join(mixed ? '' : ' ');
}

function visible(text: string): number {
  return text.replace(/\s+/g, '').length;
}

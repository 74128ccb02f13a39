/** Writes prose in XML (DocBook, JATS, patents, TEI, laws and others) as headings, paragraphs, lists, tables and code. */
import { oneLine } from '../../../util/code-points.ts';
import { type SpanCell, spanOf, spreadTable } from '../data/spread-cells.ts';
import { tableText } from '../data/table-text.ts';
import { fenced, type TextBuilder } from '../text-builder.ts';
import { writeOut } from './papers.ts';
import { attribute, childAt, childElements, findElements, hasOwnText, textOf, type XmlElement } from './tree.ts';

const PARAGRAPHS = /^(?:p|para|simpara|formalpara|claim-text|ab|l)$/i;
const HEADINGS =
  /^(?:title|heading|head|article-title|book-title|invention-title|h|sti\.art|titel|langue|gliederungstitel)$/i;
/** Matches the number of a section, paragraph or item, which stands before its heading or text. */
const NUMBERS = /^(?:num|label|no\.p|no\.parag|ti\.art|enbez|gliederungsbez|dt)$/i;
const SECTIONS =
  /^(?:sec|section|sect\d|chapter|part|appendix|preface|div\d?|abstract|ack|ref-list|refsect\d|boxed-text|division)$/i;
/** Levels of headings of German laws, whose parts are not nested. */
const FLAT_LEVELS: Record<string, number> = { langue: 0, gliederungstitel: 1, enbez: 2, titel: 2 };
const LISTS = /^(?:list|itemizedlist|orderedlist|simplelist|ul|ol)$/i;
const CODE = /^(?:programlisting|screen|literallayout|codeblock|verse-group|preformat)$/i;
const ROWS = /^(?:row|tr)$/i;
const CELLS = /^(?:entry|td|th|cell)$/i;
/** Matches pictures, formulas, and elements meant for machines. */
const SKIPPED =
  /^(?:(?:inline-)?graphic|(?:us-)?math|math-us|permissions|history|(?:journal|article|object)-id|is[sb]n|counts|gliederungskennzahl)$/i;
/** Matches notes that stand within a sentence. */
const FOOTNOTES = /^(?:footnote|authorialnote|note|fn)$/i;
const AUTHORS = /^(?:contrib|author|editor|inventor|personname)$/i;
const REFERENCES = /^(?:ref|biblioentry|bibl|biblstruct)$/i;

const SEPARATE_BLOCKS = [PARAGRAPHS, HEADINGS, NUMBERS, LISTS, CODE, AUTHORS, REFERENCES, ROWS];
/** Elements around whose text there are blanks, also within a sentence. */
const APART = [PARAGRAPHS, HEADINGS, NUMBERS, LISTS, CODE, ROWS, /^(?:dd|item|txt|ti|sti|alinea)$/i];
const FACT_UNITS_MAX = 200;
const FACT_ELEMENTS_MAX = 100;

/** A file with at least this share of its text in paragraphs is prose. */
const PROSE_SHARE_MIN = 0.3;
const HEADING_LEVEL_MAX = 6;
const HEADING_UNITS_MAX = 300;

export function isProse(top: XmlElement): boolean {
  const all = visible(textOf(top));
  // Some laws have numbers, but no paragraphs.
  const names = findElements(top, 'num').length > 0 ? /^(?:p|content|chapeau|continuation)$/i : PARAGRAPHS;
  return all > 0 && unitsOf(top, names) >= all * PROSE_SHARE_MIN;
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
  /** Numbers that wait for the heading or text behind them, and the short names of a German law. */
  private number = '';
  private readonly shortNames = new Set<string>();

  constructor(builder: TextBuilder) {
    this.builder = builder;
  }

  write(top: XmlElement): string | undefined {
    this.children(top, 0);
    return this.title;
  }

  private children(parent: XmlElement, level: number): void {
    const hasNumberAsTitle = isSection(parent) && !childElements(parent).some(({ name }) => HEADINGS.test(name));
    // Consecutive facts of a few words share a paragraph.
    let facts: string[] = [];
    const flush = () => {
      this.add('paragraph', facts.join(', ').replace(/([,;:.—–]), /g, '$1 '));
      facts = [];
    };
    for (const child of childElements(parent)) {
      if (SKIPPED.test(child.name) || (parent.name === 'meta' && child.name === 'analysis')) continue;
      if (/^(?:jurabk|amtabk|kurzue)$/.test(child.name)) this.shortNames.add(oneLine(textOf(child)));
      else if (NUMBERS.test(child.name)) {
        flush();
        const number = oneLine(spacedText(child, false));
        if (hasNumberAsTitle) this.heading(child, FLAT_LEVELS[child.name] ?? level);
        else if (number !== '') this.number += ` ${number}`;
      } else if (this.number === '' && child.name !== 'meta' && isFact(child)) {
        const text = oneLine(spacedText(child));
        if (text !== '') facts.push(text);
      } else {
        flush();
        this.element(child, level);
      }
    }
    flush();
    if (this.number !== '') this.add('paragraph', ' ');
  }

  private element(element: XmlElement, level: number): void {
    const { name } = element;
    if (isSection(element) && !hasOwnText(element)) this.children(element, level + 1);
    else if (HEADINGS.test(name)) this.heading(element, FLAT_LEVELS[name] ?? level);
    else if (CODE.test(name)) this.add('code', fenced(textOf(element)));
    else if (LISTS.test(name)) this.list(element);
    else if (/^t(able|group)$/i.test(name) && this.table(element)) return;
    else if (AUTHORS.test(name)) this.add('paragraph', authorText(element));
    else if (REFERENCES.test(name)) this.add('paragraph', oneLine(spacedText(element)));
    else if (PARAGRAPHS.test(name) || hasOwnText(element)) this.paragraph(element, level);
    else this.children(element, level);
  }

  private heading(element: XmlElement, level: number): void {
    const names = element.name === 'langue' && this.shortNames.size > 0 ? ` (${[...this.shortNames].join(', ')})` : '';
    const text = `${this.number} ${oneLine(spacedText(element, false))}${names}`.trim();
    this.number = '';
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
      /^(?:table|informaltable|table-wrap|fig|dl)$/i.test(name);
    let inline: XmlElement = { ...element, children: [] };
    const flush = () => {
      this.add('paragraph', oneLine(spacedText(inline, false)));
      inline = { ...element, children: [] };
    };
    for (const child of element.children) {
      if (typeof child === 'string' || !isBlock(child)) {
        inline.children.push(child);
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
    // Laws begin a list with the words above its items.
    if (/^intro$/i.test(items[0]?.name ?? '')) this.add('paragraph', oneLine(spacedText(items.shift()!)));
    const lines = items.map((item) => oneLine(spacedText(item))).filter((text) => text !== '');
    this.add('list', lines.map((text, index) => `${ordered ? `${index + 1}.` : '-'} ${text}`).join('\n'));
  }

  /** Writes a table. Returns false if the element has no rows. */
  private table(element: XmlElement): boolean {
    const columns = findElements(element, /^colspec$/i).map((column) => attribute(column, 'colname'));
    const elements = findElements(element, ROWS);
    const heads = new Set(findElements(element, /^thead$/i).flatMap((head) => findElements(head, ROWS)));
    const cells = elements.map((row) => spanCells(row, columns));
    const signsOfRows = elements.map((row) => (heads.has(row) ? 'head' : undefined));
    const { titles, rows, signs } = spreadTable(cells, signsOfRows);
    const table = tableText(rows, signs);
    if (!table) return false;
    const caption = childAt(element, 'caption') ?? childAt(element, 'title');
    if (caption) this.add('paragraph', oneLine(spacedText(caption)));
    for (const title of titles) this.add('paragraph', title);
    if (this.number !== '') this.add('paragraph', ' ');
    this.builder.add(table.draft, table.text);
    return true;
  }

  private add(kind: 'paragraph' | 'list' | 'code', text: string): void {
    if (text === '') return;
    if (this.number !== '' && kind !== 'paragraph') this.add('paragraph', ' ');
    this.builder.add({ kind }, `${this.number} ${text}`.trim());
    this.number = '';
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

/** Counts the units of text in elements of these names. Such elements within one another count once. */
function unitsOf(top: XmlElement, names: RegExp): number {
  return findElements(top, names).reduce((sum, paragraph) => sum + visible(textOf(paragraph)), 0);
}

/** Puts signs between the parts of choices in menus and of keys that are pressed together. */
function joinChoices(top: XmlElement): void {
  for (const choice of findElements(top, /^(?:menuchoice|menucascade|guiseq|keycombo|keyseq)$/)) {
    const joint = choice.name.startsWith('key') ? '+' : ' → ';
    const parts = childElements(choice).filter(({ name }) => name !== 'shortcut');
    choice.children = parts.flatMap((part, i) => (i === 0 ? [part] : [joint, part]));
  }
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

/** True for an element with a level of headings of its own. */
function isSection(element: XmlElement): boolean {
  if (SECTIONS.test(element.name)) return true;
  const names = childElements(element).map(({ name }) => name);
  if (!names.some((name) => NUMBERS.test(name))) return false;
  return (
    names.some((name) => HEADINGS.test(name)) ||
    /^(?:article|metadaten|schedule|sub(?:part|chapter))$/i.test(element.name)
  );
}

/** Returns the text of an element, with blanks around blocks. If `spaced`, there are blanks between all elements, and no formulas. */
function spacedText(element: XmlElement, spaced = true): string {
  const mixed = hasOwnText(element);
  const parts = element.children.map((child, i) => {
    if (typeof child === 'string') return child;
    if (spaced && SKIPPED.test(child.name)) return '';
    const text = spacedText(child, spaced);
    if (mixed && i > 0 && FOOTNOTES.test(child.name)) return ` (${text.trim()})`;
    if (!APART.some((names) => names.test(child.name))) return text;
    const next = element.children[i + 1];
    return typeof next === 'string' && /^[.,;:)]/.test(next) ? ` ${text}` : ` ${text} `;
  });
  return parts.join(spaced && !mixed ? ' ' : '');
}

function visible(text: string): number {
  return text.replace(/\s+/g, '').length;
}

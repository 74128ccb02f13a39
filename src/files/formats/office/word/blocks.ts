/** Writes the body of a Word file as HTML: paragraphs, lists, tables, and what is apart from the text. */
import { ITEM_LABEL } from '../../html/elements.ts';
import { childAt, childElements, localAttribute, type XmlElement } from '../../xml/tree.ts';
import { alternativeOf, escapeHtml, htmlOf, type LineReader } from './lines.ts';
import type { Counted, Counter } from './numbering.ts';
import { isHiding, isOn, tagOf, valueIn, type WordStyles } from './styles.ts';

interface WordBody {
  styles: WordStyles;
  counter: Counter;
  lines: LineReader;
  /** The HTML of charts, diagrams and included files, by relationship id. */
  parts: ReadonlyMap<string, string>;
}

interface Cell {
  html: string;
  columns: number;
  rows: number;
}

/** Elements whose content is read as if they were not there. */
const WRAPPERS = new Set('sdt sdtContent customXml ins moveTo smartTag'.split(' '));

export class BlockWriter {
  private readonly word: WordBody;
  private readonly inCell: boolean;
  private html = '';
  /** The tags of the open lists. */
  private readonly lists: string[] = [];
  private code: string[] = [];
  /** Notes of the open list and of the last block, which they follow. */
  private notes: string[] = [];

  constructor(word: WordBody, inCell = false) {
    this.word = word;
    this.inCell = inCell;
  }

  /** Returns the HTML of what is inside an element. The depth of the tree is limited, so the writer may recurse. */
  of(parent: XmlElement): string {
    this.blocks(parent);
    this.end();
    return this.html;
  }

  private blocks(parent: XmlElement): void {
    /** The content of paragraphs that go on in the next one, which says how they look. */
    let open: XmlElement['children'] = [];
    let properties: XmlElement | undefined;
    const close = () => {
      if (open.length > 0) this.paragraph(properties, open);
      open = [];
    };
    for (const child of childElements(parent)) {
      if (child.name === 'p') {
        for (const node of child.children) open.push(node);
        properties = childAt(child, 'pPr');
        if (!goesOn(properties)) close();
        continue;
      }
      if (child.name === 'tbl' || child.name === 'altChunk' || WRAPPERS.has(child.name)) close();
      if (child.name === 'tbl') this.table(child);
      else if (child.name === 'altChunk') this.part(localAttribute(child, 'id'));
      else if (child.name === 'oMathPara') this.paragraph(undefined, [child]);
      else if (child.name === 'AlternateContent') this.blocks(alternativeOf(child));
      else if (WRAPPERS.has(child.name)) this.blocks(child);
    }
    close();
  }

  private paragraph(properties: XmlElement | undefined, content: XmlElement['children']): void {
    const { styles, counter, lines } = this.word;
    const line = lines.read(content, properties);
    const hasText = line.pieces.some(({ text }) => text.trim() !== '');
    const vanish = childAt(properties, 'rPr', 'vanish');
    const isMarkHidden = vanish ? isOn(vanish) : isHiding(styles, valueIn(properties, 'pStyle'));
    const counted = hasText || !(line.hasLost || isMarkHidden) ? counter.next(properties) : undefined;
    const tag = tagOf(styles, properties);
    // A column of a table may consist of numbers alone.
    if (tag === 'pre') this.codeLine(htmlOf(line));
    else if (hasText || (this.inCell && counted?.label)) {
      if (tag === 'p' && counted) this.item(counted, htmlOf(line));
      else this.block(`<${tag}>${escapeHtml(counted?.label ? `${counted.label} ` : '')}${htmlOf(line)}</${tag}>`);
    }
    this.notes.push(...line.notes);
    for (const box of line.boxes) {
      if (box.name === 'txbxContent') this.blocks(box);
      else this.part(localAttribute(box, box.name === 'chart' ? 'id' : 'dm'));
    }
  }

  private block(html: string): void {
    this.end();
    this.html += html;
  }

  private part(id: string): void {
    this.block(this.word.parts.get(id) ?? '');
  }

  private codeLine(html: string): void {
    if (this.code.length === 0) this.end();
    this.code.push(html);
  }

  private item({ tag, level, label }: Counted, html: string): void {
    if (this.code.length > 0) this.end();
    const { lists } = this;
    while (lists.length > level || (lists.length === level && lists.at(-1) !== tag)) this.endList();
    if (lists.length === level) this.html += '</li>';
    while (lists.length < level) {
      const next = lists.length === level - 1 ? tag : 'ul';
      this.html += lists.push(next) < level ? `<${next}><li>` : `<${next}>`;
    }
    this.html += label === undefined ? `<li>${html}` : `<li ${ITEM_LABEL}="${escapeHtml(label)}">${html}`;
  }

  private endList(): void {
    this.html += `</li></${this.lists.pop()}>`;
  }

  /** Ends the open list and code, and writes the notes before the next block. Notes in a cell follow the table. */
  private end(): void {
    while (this.lists.length > 0) this.endList();
    if (this.code.length > 0) this.html += `<pre>${this.code.join('\n')}</pre>`;
    this.code = [];
    if (this.inCell) return;
    for (const note of this.notes) this.html += `<p>${note}</p>`;
    this.notes = [];
  }

  private table(table: XmlElement): void {
    this.end();
    const columns = new Map<number, Cell>();
    const rows = partsOf(table, 'tr')
      .filter((row) => !childAt(row, 'trPr', 'del'))
      .map((row) => ({
        isHead: isOn(childAt(row, 'trPr', 'tblHeader')),
        cells: this.cells(row, columns),
      }));
    const first = rows.findIndex(({ isHead }) => !isHead);
    const heads = first === -1 ? rows.length : first;
    const written = rows.map(({ cells }, index) => rowHtml(cells, index < heads ? 'th' : 'td'));
    const head = heads === 0 ? '' : `<thead>${written.splice(0, heads).join('')}</thead>`;
    this.html += `<table>${head}<tbody>${written.join('')}</tbody></table>`;
  }

  /** Returns the cells of a row. A cell that goes on from above makes that one longer. `columns` are the last cells by column. */
  private cells(row: XmlElement, columns: Map<number, Cell>): Cell[] {
    const cells: Cell[] = [];
    let column = 0;
    for (const source of partsOf(row, 'tc')) {
      const properties = childAt(source, 'tcPr');
      const merge = childAt(properties, 'vMerge');
      const above = merge && valueIn(properties, 'vMerge') !== 'restart' ? columns.get(column) : undefined;
      const cell = above ?? { html: '', columns: Number(valueIn(properties, 'gridSpan')) || 1, rows: 0 };
      cell.rows += 1;
      if (!above) {
        const writer = new BlockWriter(this.word, true);
        cell.html = writer.of(source);
        this.notes.push(...writer.notes);
        cells.push(cell);
        columns.set(column, cell);
      }
      column += cell.columns;
    }
    return cells;
  }
}

/** Returns whether a paragraph goes on in the next one: its mark was deleted or moved away, or it is a large first letter. */
function goesOn(properties: XmlElement | undefined): boolean {
  const frame = childAt(properties, 'framePr');
  if (frame && /^(?:drop|margin)$/.test(localAttribute(frame, 'dropCap'))) return true;
  return (childAt(properties, 'rPr', 'del') ?? childAt(properties, 'rPr', 'moveFrom')) !== undefined;
}

/** Returns the rows of a table or the cells of a row. */
function partsOf(parent: XmlElement, name: string): XmlElement[] {
  return childElements(parent).flatMap((child) =>
    child.name === name ? [child] : WRAPPERS.has(child.name) ? partsOf(child, name) : [],
  );
}

function rowHtml(cells: readonly Cell[], tag: string): string {
  const written = cells.map(
    ({ html, columns, rows }) => `<${tag} colspan="${columns}" rowspan="${rows}">${html}</${tag}>`,
  );
  return `<tr>${written.join('')}</tr>`;
}

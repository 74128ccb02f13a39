/** Writes the body of a Word file as HTML: paragraphs, lists, tables, and what is apart from the text. */
import { ITEM_LABEL } from '../../html/elements.ts';
import { childAt, localAttribute, type XmlElement } from '../../xml/tree.ts';
import { isOn } from '../hidden.ts';
import { escapeHtml, htmlOf, type LineReader } from './lines.ts';
import type { Counted, Counter } from './numbering.ts';
import type { WordPart } from './parts.ts';
import { isHiding, tagOf, valueIn, type WordStyles } from './styles.ts';
import { blocksIn, partsOf } from './walk.ts';

interface WordBody {
  styles: WordStyles;
  counter: Counter;
  lines: LineReader;
  /** Charts, diagrams and included files by relationship id. */
  parts: ReadonlyMap<string, WordPart>;
}

interface Cell {
  html: string;
  columns: number;
  rows: number;
}

export class BlockWriter {
  private readonly word: WordBody;
  private readonly inCell: boolean;
  private html = '';
  /** The tags of the open lists. */
  private readonly lists: string[] = [];
  private code: string[] = [];
  /** 1 below a title: headings are parts of what it names. */
  private titles = 0;
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
    for (const { name, element, properties, content } of blocksIn(parent)) {
      if (name === 'tbl') this.table(element);
      else if (name === 'altChunk') this.part(localAttribute(element, 'id'));
      else this.paragraph(properties, content);
    }
  }

  private paragraph(properties: XmlElement | undefined, content: XmlElement['children']): void {
    const { styles, counter, lines } = this.word;
    const line = lines.read(content, properties);
    const hasText = line.pieces.some(({ text }) => text.trim() !== '');
    const vanish = childAt(properties, 'rPr', 'vanish');
    const isMarkHidden = vanish ? isOn(vanish) : isHiding(styles, valueIn(properties, 'pStyle'));
    const counted = hasText || !(line.hasLost || isMarkHidden) ? counter.next(properties) : undefined;
    const tag = this.tagOf(properties, hasText);
    // A column of a table may consist of numbers alone.
    const label = counted?.label ? `${escapeHtml(counted.label)} ` : '';
    if (tag === 'pre') this.codeLine(`${label}${htmlOf(line)}`);
    else if (hasText || (this.inCell && counted?.label)) {
      if (tag === 'p' && counted) this.item(counted, htmlOf(line));
      else this.block(`<${tag}>${label}${htmlOf(line)}</${tag}>`);
    }
    for (const note of line.notes) this.notes.push(note);
    for (const box of line.boxes) {
      if (box.name === 'txbxContent') this.blocks(box);
      else this.part(localAttribute(box, box.name === 'chart' ? 'id' : 'dm'));
    }
  }

  private tagOf(properties: XmlElement | undefined, hasText: boolean): string {
    const tag = tagOf(this.word.styles, properties);
    if (tag === 'title' && hasText) this.titles = 1;
    if (tag === 'title') return 'h1';
    return tag.replace(/^h[1-6]$/, () => `h${Math.min(Number(tag[1]) + this.titles, 6)}`);
  }

  private block(html: string): void {
    this.end();
    this.html += html;
  }

  /** Writes a part where the document refers to it for the first time. */
  private part(id: string): void {
    const part = this.word.parts.get(id);
    this.block(part?.html ?? '');
    if (part) part.html = '';
  }

  private codeLine(html: string): void {
    if (this.code.length === 0) this.end();
    this.code.push(html);
  }

  private item({ tag, level, label }: Counted, html: string): void {
    if (this.code.length > 0) this.end();
    const { lists } = this;
    const kept = lists[level - 1] === tag ? level : level - 1;
    for (let open = lists.length; open > kept; open -= 1) this.endList();
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
    const merged = new Map<number, Cell>();
    const rows = partsOf(table, 'tr').map((row) => ({
      isHead: isOn(childAt(row, 'trPr', 'tblHeader')),
      cells: this.cells(row, merged),
    }));
    const first = rows.findIndex(({ isHead }) => !isHead);
    const heads = first === -1 ? rows.length : first;
    const written = rows.map(({ cells }, index) => rowHtml(cells, index < heads ? 'th' : 'td'));
    const head = heads === 0 ? '' : `<thead>${written.splice(0, heads).join('')}</thead>`;
    this.html += `<table>${head}<tbody>${written.join('')}</tbody></table>`;
  }

  /** Returns the cells of a row. A cell that goes on from above makes that one longer. `merged` are cells that may go on, by column. */
  private cells(row: XmlElement, merged: Map<number, Cell>): Cell[] {
    let column = Number(valueIn(row, 'trPr', 'gridBefore')) || 0;
    const sources = partsOf(row, 'tc');
    // A text over several columns that is alone in its row stays alone, so that it is a title or a note.
    const isAlone = sources.length === 1 && Number(valueIn(sources[0], 'tcPr', 'gridSpan')) > 1;
    const cells: Cell[] = column > 0 && !isAlone ? [{ html: '', columns: column, rows: 1 }] : [];
    for (const source of sources) {
      const properties = childAt(source, 'tcPr');
      const merge = childAt(properties, 'vMerge');
      const above = merge && valueIn(properties, 'vMerge') !== 'restart' ? merged.get(column) : undefined;
      const cell = above ?? { html: '', columns: Number(valueIn(properties, 'gridSpan')) || 1, rows: 0 };
      cell.rows += 1;
      if (!above) {
        const writer = new BlockWriter(this.word, true);
        cell.html = writer.of(source);
        for (const note of writer.notes) this.notes.push(note);
        cells.push(cell);
        if (merge) merged.set(column, cell);
        else merged.delete(column);
      }
      column += cell.columns;
    }
    return cells;
  }
}

function rowHtml(cells: readonly Cell[], tag: string): string {
  const span = (name: string, count: number) => (count > 1 ? ` ${name}="${count}"` : '');
  const written = cells.map(
    ({ html, columns, rows }) => `<${tag}${span('colspan', columns)}${span('rowspan', rows)}>${html}</${tag}>`,
  );
  return `<tr>${written.join('')}</tr>`;
}

/** Writes the paragraphs of RTF files and old Word files as headings, lists, tables and notes. */
import type { Link } from '../../../../text/link-line.ts';
import { tableText } from '../../data/table-text.ts';
import type { TextBuilder } from '../../text-builder.ts';
import { itemMark } from '../number-label.ts';

/** Properties of a paragraph at its end. */
export interface ParagraphStyle {
  /** Level of a heading, 1 to 6, and 0 for the title. */
  heading?: number;
  /** The list of the paragraph, and the depth in that list. */
  list?: number;
  level?: number;
  /** Indentation in twips. */
  indent: number;
  inTable: boolean;
}

const LEVEL_MAX = 8;
/** Indentation of one level in most programs. */
const LEVEL_TWIPS = 360;
const BULLET = /^\s*([•·◦▪‣⁃–—-]|o(?=\t)|\uf0b7|\d{1,4}[.)]|[a-z][.)]|[ivx]{1,6}[.)])\t+\s*/iu;
/** Matches a mark that numbers its paragraph: `(1)`, `§ 7`, `b)`. The mark `o` is a bullet. */
const LABEL = /\p{N}|^\(?\p{L}{1,8}[.)]/u;

export class ParagraphBlocks {
  private readonly builder: TextBuilder;
  private items: string[] = [];
  private lastNumber = 0;
  /** True if the items of the open list are numbered. */
  private numbered = false;
  private cell: string[] = [];
  private row: string[] = [];
  private rows: string[][] = [];
  private notes: string[] = [];
  /** 1 below a title: headings are parts of what it names. */
  private titles = 0;
  /** Links of text that is not written yet. */
  private links: Link[] = [];

  constructor(builder: TextBuilder) {
    this.builder = builder;
  }

  /** Ends a paragraph. `mark` is the bullet or number of a list item. */
  paragraph(raw: string, style: ParagraphStyle, mark: string, links: readonly Link[] = []): void {
    const text = tidy(raw);
    if (style.inTable) {
      if (this.rows.length + this.row.length + this.cell.length === 0) this.endList();
      if (text !== '') this.cell.push(text);
      this.links.push(...links);
      return;
    }
    this.endTable();
    if (text === '') return;
    const typed = style.heading === undefined ? BULLET.exec(raw) : null;
    const label = LABEL.test(mark) ? `${mark} ` : '';
    if (style.heading !== undefined) this.add('heading', label + text, links, style.heading);
    else if (style.list !== undefined || mark !== '') this.item(text, style, mark, links);
    else if (typed) this.item(tidy(raw.slice(typed[0].length)), style, typed[1]!, links);
    else {
      this.endList();
      this.add('paragraph', text, links);
    }
  }

  endCell(): void {
    this.row.push(this.cell.join(' '));
    this.cell = [];
  }

  endRow(): void {
    if (this.cell.length > 0) this.endCell();
    if (this.row.length > 0) this.rows.push(this.row);
    this.row = [];
  }

  /** Keeps a note until its paragraph is written. */
  note(number: number, text: string): void {
    this.notes.push(`[^${number}]: ${tidy(text)}`);
  }

  end(): void {
    this.endRow();
    this.endTable();
    this.endList();
    this.writeNotes();
  }

  private item(text: string, { level, indent }: ParagraphStyle, mark: string, links: readonly Link[]): void {
    const depth = Math.min(LEVEL_MAX, level ?? Math.max(0, Math.round(indent / LEVEL_TWIPS) - 1));
    const number = /^\d+/.exec(mark)?.[0];
    this.lastNumber = number ? Number(number) : mark === '' && this.lastNumber > 0 ? this.lastNumber + 1 : 0;
    const label = LABEL.test(mark) ? mark : this.lastNumber > 0 ? `${this.lastNumber}.` : '';
    const numbered = label !== '';
    if (depth === 0 && this.items.length > 0 && numbered !== this.numbered) this.writeItems();
    if (depth === 0) this.numbered = numbered;
    const sign = numbered ? itemMark(label) : '-';
    this.links.push(...links);
    this.items.push(`${'  '.repeat(depth)}${sign} ${text.replaceAll('\n', ' ')}`);
  }

  private add(kind: 'heading' | 'paragraph', text: string, links: readonly Link[], outline = 0): void {
    this.endList();
    const level = outline === 0 ? 1 : Math.min(outline + this.titles, 6);
    if (kind === 'paragraph') this.builder.add({ kind, links }, text);
    else {
      if (outline === 0) this.titles = 1;
      this.builder.add({ kind, level, links }, `${'#'.repeat(level)} ${text.replaceAll('\n', ' ')}`);
    }
    this.writeNotes();
  }

  private endList(): void {
    this.lastNumber = 0;
    this.writeItems();
  }

  private writeItems(): void {
    if (this.items.length === 0) return;
    this.builder.add({ kind: 'list', links: this.takeLinks() }, this.items.join('\n'));
    this.items = [];
    this.writeNotes();
  }

  private endTable(): void {
    if (this.rows.length === 0) return;
    this.endList();
    const table = tableText(this.rows);
    const links = this.takeLinks();
    if (table) this.builder.add({ ...table.draft, links }, table.text);
    this.rows = [];
    this.writeNotes();
  }

  private takeLinks(): Link[] {
    const links = this.links;
    this.links = [];
    return links;
  }

  private writeNotes(): void {
    for (const note of this.notes) this.builder.add({ kind: 'paragraph' }, note);
    this.notes = [];
  }
}

/** Returns the text with single blanks instead of tabs and runs of blanks. Line breaks stay. */
function tidy(raw: string): string {
  return raw
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

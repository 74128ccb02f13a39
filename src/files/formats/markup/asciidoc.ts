/** Reads AsciiDoc: sections, description lists, blocks, tables. */

import { OutlineWriter } from '../outline-writer.ts';
import type { TextBuilder } from '../text-builder.ts';
import { asciidocPaths, attributeOf, selectedLines } from './asciidoc-include.ts';
import { type Attributes, asciidocInline, withAttributes } from './asciidoc-inline.ts';
import type { IncludedFiles } from './included-files.ts';
import type { LinkMarks } from './link-marks.ts';

/** UTF-16 units of the value of an attribute. */
const ATTRIBUTE_UNITS_MAX = 1000;
const ATTRIBUTES_MAX = 1000;
/** UTF-16 units that attributes may add to a document. */
const ATTRIBUTES_UNITS_MAX = 1_000_000;
const LISTS_MAX = 20;

const FENCE = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|```.*)$/;
const FRAME = /^(?:={4,}|\*{4,}|_{4,}|--|!={3,})$/;
const TABLE = /^([|!,:])={3,}$/;
const ITEM = /^\s*(\*{1,5}|-|\.{1,5}|•|\d{1,4}\.|[a-zA-Z]\.|<(?:\d{1,3}|\.)>)[ \t]+(\S.*)$/;
const TERM = /^\s*(\S.{0,500}?)(:{2,4}|;;)(?:[ \t]+(.*))?$/;
const ADMONITION = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION)(?::[ \t]|$)/;

interface List {
  /** The mark of its items. */
  mark: string;
  /** Number of frames around the list. */
  depth: number;
  count: number;
}

/** Writes the blocks of a source and of the files that it includes. Returns the author of the source. */
export function writeAsciidoc(source: string, builder: TextBuilder, marks: LinkMarks, files: IncludedFiles): string {
  const writer = new OutlineWriter(builder, marks);
  const reader = new AsciidocReader(source, writer, marks, files);
  reader.read();
  writer.end();
  return reader.author;
}

class AsciidocReader {
  author = '';
  private readonly lines: string[];
  private readonly files: IncludedFiles;
  /** Indices of the lines after the included files that are open. */
  private readonly includeEnds: number[] = [];
  private readonly writer: OutlineWriter;
  private readonly marks: LinkMarks;
  private readonly attributes: Attributes = { values: new Map(), unitsRemaining: ATTRIBUTES_UNITS_MAX };
  private readonly lists: List[] = [];
  private paragraph: string[] = [];
  /** The next block continues the item above (`+`). */
  private isAttached = false;
  /** True after an empty line since the last item or paragraph. */
  private isAfterGap = false;
  private levelOffset = 0;
  private label = '';
  private language = '';
  private at = 0;

  constructor(source: string, writer: OutlineWriter, marks: LinkMarks, files: IncludedFiles) {
    this.lines = withFootnotes(source).split('\n').map(trimmedEnd);
    this.files = files;
    this.writer = writer;
    this.marks = marks;
  }

  read(): void {
    while (this.at < this.lines.length) this.line(this.lines[this.at++]!);
    this.end();
  }

  private line(line: string): void {
    if (line === '') {
      this.end();
      this.isAfterGap = true;
    } else if (line === '+') {
      this.end();
      this.isAttached = true;
    } else if (FENCE.test(line)) this.fence(line);
    else if (FRAME.test(line)) this.end();
    else if (TABLE.test(line)) this.table(line);
    else if (line.startsWith('//')) return;
    else if (/^:!?[\w-]{1,60}!?:/.test(line)) this.attribute(line);
    else if (/^(?:ifdef|ifndef|ifeval|endif|tag|end)::/.test(line)) this.condition(line);
    else if (/^include::/.test(line)) {
      if (this.include(this.at - 1)) this.at -= 1;
    } else if (/^(?:toc|image|video|audio|\[\[)::?/.test(line) && !/^image::/.test(line)) return;
    else if (/^\[.{0,300}\]$/.test(line)) this.blockAttributes(line);
    else if (/^={1,6}[ \t]+\S/.test(line) && this.paragraph.length === 0) this.heading(line);
    else if (this.isUnderlined(line)) this.underlined(line);
    else if (/^\.[^\s.]/.test(line) && this.paragraph.length === 0) this.blockTitle(line);
    else this.textLine(line);
  }

  private textLine(line: string): void {
    const item = ITEM.exec(line);
    const term = item ? null : TERM.exec(line);
    if (item && (this.paragraph.length === 0 || this.lists.length > 0)) this.item(item[1]!, item[2]!);
    else if (term && this.paragraph.length === 0 && !/^https?:/.test(line))
      this.term(term[1]!, term[2]!, term[3] ?? '');
    else if (term && this.lists.length > 0 && !/\s/.test(line[0]!)) this.term(term[1]!, term[2]!, term[3] ?? '');
    else if (/^[ \t]/.test(line) && this.paragraph.length === 0 && this.lists.length === 0) this.literal(line);
    else {
      if (this.paragraph.length === 0) this.closeDetachedLists();
      this.paragraph.push(line.trim().replace(/ \+$/, ''));
    }
  }

  /** Closes the lists before a paragraph after an empty line, unless it is attached to an item. */
  private closeDetachedLists(): void {
    if (this.isAfterGap && !this.isAttached && !this.isPending()) this.closeLists(0);
    this.isAfterGap = false;
    this.isAttached = false;
  }

  /** Returns whether the last term has no text yet. Its text may follow an empty line. */
  private isPending(): boolean {
    const list = this.lists.at(-1);
    return list !== undefined && isTermMark(list.mark) && this.writer.depth > list.depth && !this.writer.isUsed;
  }

  private inline(text: string): string {
    return asciidocInline(withAttributes(text, this.attributes), this.marks);
  }

  /** Ends the paragraph. */
  private end(): void {
    if (this.paragraph.length === 0) return;
    const text = this.paragraph.join('\n');
    this.paragraph = [];
    const admonition = ADMONITION.exec(text);
    const label = admonition ? admonition[1]! : this.label;
    this.label = '';
    const body = admonition ? text.slice(admonition[0].length) : text;
    this.writer.paragraph(this.inline(label === '' ? body : `${label[0]}${label.slice(1).toLowerCase()}: ${body}`));
  }

  private heading(line: string): void {
    const level = line.search(/[^=]/);
    const title = line.slice(level).trim();
    let end = title.length;
    while (title[end - 1] === '=') end -= 1;
    // The signs may be repeated after the title.
    this.section(level, /[ \t]/.test(title[end - 1] ?? '') ? title.slice(0, end).trimEnd() : title);
  }

  private section(ownLevel: number, title: string): void {
    this.closeLists(0);
    this.isAfterGap = false;
    const level = Math.min(Math.max(ownLevel + this.levelOffset, 1), 6);
    this.writer.heading(level, this.inline(title));
    if (level === 1) this.header();
  }

  /** Reads author and revision below the title of the document. */
  private header(): void {
    const next = this.lines[this.at] ?? '';
    if (!/^[\p{Lu}][\p{L}'.-]*(?: [\p{L}'.-]+){0,3}(?: <[^<>\s]{1,200}>)?(?:; .{1,300})?$/u.test(next)) return;
    this.author = next.replace(/ <[^<>]*>/g, '');
    this.writer.paragraph(next);
    this.at += 1;
    if (/^v?\d[\w.]{0,20}(?:,.{0,100})?$/.test(this.lines[this.at] ?? '')) this.at += 1;
  }

  /** Returns whether the line is a title with a line of signs of about equal length below it. */
  private isUnderlined(line: string): boolean {
    const next = this.lines[this.at] ?? '';
    return (
      this.paragraph.length === 0 &&
      /^([=\-~^+])\1{2,}$/.test(next) &&
      Math.abs(next.length - line.length) <= 2 &&
      /[\p{L}\p{N}]/u.test(line)
    );
  }

  private underlined(line: string): void {
    const sign = this.lines[this.at++]![0]!;
    this.section('=-~^+'.indexOf(sign) + 1, line);
  }

  private blockTitle(line: string): void {
    this.closeDetachedLists();
    this.writer.paragraph(this.inline(line.slice(1)));
  }

  private blockAttributes(line: string): void {
    this.end();
    // Attributes start a separate block.
    if (this.isAfterGap && !this.isAttached) this.closeLists(0);
    const name = /^\[([A-Z]+)/.exec(line)?.[1] ?? '';
    if (ADMONITION.test(name)) this.label = name;
    const code = /^\[(?:source|,)\s*,?\s*([\w+#-]{1,30})?/.exec(line);
    if (code) this.language = code[1] ?? '';
  }

  private attribute(line: string): void {
    const found = /^:(!?)([\w-]{1,60})(!?):[ \t]*(.*)$/.exec(line);
    if (!found) return;
    const name = found[2]!.toLowerCase();
    if (found[1] || found[3]) this.attributes.values.delete(name);
    else if (this.attributes.values.size < ATTRIBUTES_MAX)
      this.attributes.values.set(name, withAttributes(found[4]!, this.attributes).slice(0, ATTRIBUTE_UNITS_MAX));
    if (name === 'author') this.author ||= found[4]!;
    if (name === 'leveloffset') {
      const offset = Number(found[1] || found[3] ? 0 : found[4]) || 0;
      this.levelOffset = /^[+-]/.test(found[4]!) ? this.levelOffset + offset : offset;
    }
  }

  /** Replaces the include at a line by the lines of the file. Returns false if the line is no include of a known file. */
  private include(at: number): boolean {
    const found = /^include::([^[\]]{1,500})\[([^\]]{0,500})\]$/.exec(this.lines[at] ?? '');
    if (!found) return false;
    while ((this.includeEnds.at(-1) ?? Number.POSITIVE_INFINITY) <= at) {
      this.includeEnds.pop();
      this.files.leave();
    }
    const file = this.files.find(withAttributes(found[1]!, this.attributes), asciidocPaths);
    if (!file) return false;
    const own = selectedLines(withFootnotes(file.text), found[2]!);
    const offset = /^[+-]\d$/.exec(attributeOf(found[2]!, 'leveloffset') ?? '')?.[0];
    const back = offset?.startsWith('-') ? `+${offset[1]}` : `-${offset?.[1]}`;
    const lines = offset === undefined ? own : [`:leveloffset: ${offset}`, ...own, '', `:leveloffset: ${back}`];
    const rest = this.lines.splice(at).slice(1);
    for (const line of lines) this.lines.push(line);
    for (const line of rest) this.lines.push(line);
    for (const [index, end] of this.includeEnds.entries()) this.includeEnds[index] = end + lines.length - 1;
    this.files.enter(file);
    this.includeEnds.push(at + lines.length);
    return true;
  }

  /** Keeps text that depends on an attribute. */
  private condition(line: string): void {
    const inside = /^if(n?)def::[^[\]]{0,200}\[(.+)\]$/.exec(line);
    if (inside) this.textLine(inside[2]!);
  }

  private fence(line: string): void {
    this.end();
    const close = line.startsWith('```') ? '```' : line;
    const from = this.at;
    while (this.at < this.lines.length && this.lines[this.at] !== close) if (!this.include(this.at)) this.at += 1;
    const code = this.lines.slice(from, this.at);
    this.at += 1;
    const language = line.startsWith('```') ? line.slice(3).trim() : this.language;
    this.language = '';
    if (line.startsWith('/')) return;
    this.closeDetachedLists();
    this.writer.code(code.map((one) => withAttributes(one, this.attributes)).join('\n'), language);
  }

  private literal(line: string): void {
    const from = this.at - 1;
    while (this.at < this.lines.length && this.lines[this.at] !== '') this.at += 1;
    const lines = this.lines.slice(from, this.at);
    const margin = lines.reduce((least, one) => Math.min(least, one.length - one.trimStart().length), line.length);
    this.closeDetachedLists();
    this.writer.code(lines.map((one) => one.slice(margin)).join('\n'));
  }

  private item(mark: string, text: string): void {
    this.end();
    const kind = /^\d|^[a-zA-Z]\./.test(mark) ? '1.' : mark.startsWith('<') ? '<1>' : mark;
    const list = this.listOf(kind);
    list.count += 1;
    this.writer.closeTo(list.depth);
    this.writer.openItem(kind.startsWith('.') || kind === '1.' || kind === '<1>' ? `${list.count}.` : '-');
    this.isAfterGap = false;
    this.paragraph.push(text.replace(/^\[[ x*]\] /, ''));
  }

  private term(term: string, mark: string, text: string): void {
    this.end();
    const list = this.listOf(mark);
    this.writer.openTerm(list.depth, this.inline(term));
    this.isAfterGap = false;
    if (text !== '') this.paragraph.push(text);
  }

  /** Returns the list that an item continues, or a new list inside the innermost one. */
  private listOf(mark: string): List {
    const index = this.lists.findIndex((list) => list.mark === mark);
    if (index !== -1) {
      this.lists.length = index + 1;
      return this.lists[index]!;
    }
    if (this.isAfterGap && !this.isAttached && this.lists.length >= LISTS_MAX) this.closeLists(0);
    const list = { mark, depth: this.writer.depth, count: 0 };
    this.lists.push(list);
    return list;
  }

  private closeLists(depth: number): void {
    this.end();
    this.lists.length = Math.min(this.lists.length, depth);
    this.writer.closeTo(depth);
  }

  private table(line: string): void {
    this.end();
    const rows: string[][] = [];
    let columns = 0;
    for (; this.at < this.lines.length && this.lines[this.at] !== line; this.at += 1) {
      while (this.include(this.at));
      const row = this.lines[this.at] ?? '';
      if (!row.startsWith('//')) columns = this.row(row, line[0]!, rows, columns);
    }
    this.at += 1;
    this.closeDetachedLists();
    this.writer.table(rows);
  }

  private row(line: string, separator: string, table: string[][], columns: number): number {
    if (separator === ',' || separator === ':') {
      if (line !== '') table.push(line.split(separator).map((cell) => this.inline(cell.trim())));
      return columns;
    }
    const open = table.at(-1);
    const start = /^(?:\d*(?:\.\d+)?[+*])?[<^>.]{0,3}[aehlmsdv]?[|!]/.exec(line);
    if (start?.[0].at(-1) !== separator) {
      if (open && line !== '') open.push(`${open.pop() ?? ''} ${this.inline(line.trim())}`);
      return columns;
    }
    const cells = line
      .slice(start![0].length)
      .split(separator === '!' ? '!' : / ?(?<!\\)(?:(?<= )(?:\d*(?:\.\d+)?[+*])?[<^>.]{0,3}[aehlmsdv]?)?\|/)
      .map((cell) => this.inline(cell.trim()));
    // Each cell may have its own line; the first row shows how many cells form a row.
    if (open && columns > 1 && open.length < columns && cells.length === 1) open.push(...cells);
    else table.push(cells);
    return Math.max(columns, cells.length);
  }
}

function trimmedEnd(line: string): string {
  return line.trimEnd();
}

/** Returns the source with its footnotes in brackets. */
function withFootnotes(source: string): string {
  return source.replace(
    /footnote:[\w-]{0,60}\[([^[\]]{1,2000})\]/g,
    (_note, text: string) => ` (${text.replace(/\s+/g, ' ')})`,
  );
}

function isTermMark(mark: string): boolean {
  return /^(?::+|;;)$/.test(mark);
}

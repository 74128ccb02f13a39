/** Parses info files of makeinfo: nodes of text whose structure follows from indentation. */
import type { ParsedFile } from '../../parsed.ts';
import { OutlineWriter } from '../outline-writer.ts';
import { TextBuilder } from '../text-builder.ts';

/** The character between nodes. */
const NODE_MARK = '\x1f';
const LEVELS: Record<string, number> = { '*': 1, '=': 2, '-': 3, '.': 4 };
/** Indentation of examples, and of text below a term. */
const STEP = 5;
/** Minimum average length of lines of a quotation. */
const PROSE_UNITS_MIN = 50;
const TERM_LINES_MAX = 30;
/** A longer line that is followed by another one is not a term. */
const TERM_UNITS_MAX = 60;
/** Maximum nesting of frames. */
const DEPTH_MAX = 20;
const DIRECTORY = /^(?:INFO-DIR-SECTION|START-INFO-DIR-ENTRY)/;
/** A mark of an index or a picture for programs, between two backspaces. */
const COOKIE = /^.?\x08\[.{0,500}\x08\]/;
const MENU = /^\* (?:Menu:|[^:]{1,200}::(?:\s|$))/;
/** The line after which a menu lists all nodes. */
const ALL_NODES = /^ *\W{0,4}The Detailed Node Listing/;

/** Parses an info file. Menus, indexes and tag tables are skipped, because they only lead to places in the file. */
export function parseInfo(source: string): ParsedFile {
  const builder = new TextBuilder();
  const writer = new OutlineWriter(builder);
  let title: string | undefined;
  for (const node of source.split(NODE_MARK)) {
    const body = node.replace(/^\n/, '');
    if (/^(?:Tag Table|Indirect|End Tag Table|Local Variables):?/.test(body)) continue;
    const name = /^File: ([^,\n]{1,200}),[ \t]+Node: ([^,\n]{1,500})/.exec(body);
    const lines = body.split('\n').slice(name ? 1 : 0);
    if (name?.[2] === 'Top') title ??= headingOf(lines);
    title ??= name?.[1]?.replace(/\.info$/, '');
    new NodeReader(lines, writer).read();
  }
  writer.end();
  return builder.file('txt', { title });
}

function headingOf(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => line.trim() !== '');
  return at >= 0 && isUnderline(lines[at + 1]) ? lines[at]!.trim() : undefined;
}

function isUnderline(line: string | undefined): boolean {
  return line !== undefined && /^([*=.-])\1+$/.test(line);
}

function endsGroup(line: string): boolean {
  return line.trim() === '' || DIRECTORY.test(line) || MENU.test(line) || COOKIE.test(line);
}

class NodeReader {
  private readonly lines: readonly string[];
  private readonly writer: OutlineWriter;
  /** For each open frame, the indentation of its content. */
  private readonly indents: number[] = [];
  private code: string[] = [];
  private at = 0;

  constructor(lines: readonly string[], writer: OutlineWriter) {
    this.lines = lines;
    this.writer = writer;
  }

  read(): void {
    while (this.at < this.lines.length) {
      const line = this.lines[this.at]!;
      const next = this.lines[this.at + 1];
      if (line.trim() === '' || COOKIE.test(line)) this.at += 1;
      else if (isUnderline(next) && !/^\s/.test(line)) this.heading(line, next!);
      else if (MENU.test(line)) this.skipMenu();
      else if (ALL_NODES.test(line)) this.at = this.lines.length;
      else if (DIRECTORY.test(line)) this.skipDirectory();
      else if (/^ {3}-{10} Footnotes -{10}$/.test(line)) this.at += 1;
      else this.group();
    }
    this.endCode();
    this.writer.closeTo(0);
  }

  private heading(line: string, underline: string): void {
    this.endCode();
    this.indents.length = 0;
    this.writer.heading(LEVELS[underline[0]!]!, references(line));
    this.at += 2;
  }

  private skipMenu(): void {
    this.at += 1;
    for (; this.at < this.lines.length; this.at += 1) {
      const line = this.lines[this.at]!;
      if (line.trim() !== '' && !/^\* |^ {8,}|^\s+\(line\s+\d+\)/.test(line)) return;
    }
  }

  private skipDirectory(): void {
    const isEntry = this.lines[this.at]!.startsWith('START');
    this.at += 1;
    while (isEntry && this.at < this.lines.length && !/^END-INFO-DIR-ENTRY/.test(this.lines[this.at++]!));
  }

  /** Reads lines up to the next empty line. */
  private group(): void {
    const from = this.at;
    while (this.at < this.lines.length && !endsGroup(this.lines[this.at]!)) this.at += 1;
    const lines = this.lines.slice(from, this.at).map((line) => line.replaceAll('\t', '        ').trimEnd());
    this.write(lines);
  }

  private write(lines: readonly string[]): void {
    const least = lines.reduce((most, line) => Math.min(most, indentOf(line)), Number.POSITIVE_INFINITY);
    this.closeBelow(least);
    const base = this.indents.at(-1) ?? 0;
    const first = lines[0]!;
    if (this.indents.length >= DEPTH_MAX) {
      this.endCode();
      this.writer.paragraph(lines.map((line) => line.trim()).join('\n'));
      return;
    }
    const item = /^ *(?:([•*∗–-])|(\d{1,3}[.)]|[a-z]\.)) +(?=\S)/.exec(first);
    if (/^ ?-- \S/.test(first.slice(base))) {
      this.term(lines, base, (line) => /^ ?-- |^ {10}/.test(line.slice(base)));
      return;
    }
    if (item && indentOf(first) > base && indentOf(first) < base + STEP) {
      this.endCode();
      this.open(item[0].length);
      this.writer.openItem(item[2] ?? '-');
      this.write([' '.repeat(item[0].length) + first.slice(item[0].length), ...lines.slice(1)]);
      return;
    }
    const isTerm = (line: string) => indentOf(line) === base;
    const firstIndented = lines.findIndex((line) => !isTerm(line));
    if (
      firstIndented > 0 &&
      firstIndented <= TERM_LINES_MAX &&
      indentOf(lines[firstIndented]!) >= base + STEP &&
      least === base
    ) {
      if (isTermText(lines.slice(0, firstIndented))) this.term(lines, base, isTerm);
      else {
        this.write(lines.slice(0, firstIndented));
        this.write(lines.slice(firstIndented));
      }
      return;
    }
    if (least >= base + STEP && !isProse(lines, base)) {
      if (this.code.length > 0) this.code.push('');
      this.code.push(...lines.map((line) => line.slice(Math.min(indentOf(line), base + STEP))));
      return;
    }
    this.endCode();
    const isFlowing = lines.slice(1).every((line) => indentOf(line) === least);
    const text = lines.map((line) => line.trim());
    this.writer.paragraph(references(isFlowing ? text.join(' ') : text.join('\n')));
  }

  private term(lines: readonly string[], base: number, isTerm: (line: string) => boolean): void {
    this.endCode();
    const count = lines.findIndex((line) => !isTerm(line));
    const heads = count === -1 ? lines : lines.slice(0, count);
    const terms: string[] = [];
    for (const line of heads) {
      const text = line.trim();
      if (text.startsWith('-- ') || terms.length === 0 || indentOf(line) === base) terms.push(text.replace(/^-- /, ''));
      else terms.push(`${terms.pop()} ${text}`);
    }
    for (const [index, term] of terms.entries()) this.openTerm(base, references(term), index === 0);
    if (count !== -1) this.write(lines.slice(count));
  }

  private openTerm(base: number, term: string, isFirst: boolean): void {
    const depth = this.indents.length - (isFirst ? 0 : 1);
    this.writer.openTerm(depth, term);
    if (isFirst) this.open(base + STEP);
  }

  private open(indent: number): void {
    this.indents.push(indent);
  }

  /** Closes frames that do not contain lines with this indentation. */
  private closeBelow(indent: number): void {
    let depth = this.indents.length;
    while (depth > 0 && indent < this.indents[depth - 1]!) depth -= 1;
    if (depth === this.indents.length) return;
    this.endCode();
    this.indents.length = depth;
    this.writer.closeTo(depth);
  }

  private endCode(): void {
    if (this.code.length === 0) return;
    this.writer.code(this.code.join('\n'));
    this.code = [];
  }
}

/** Returns whether lines before indented lines are terms. A sentence before an example is not. */
function isTermText(lines: readonly string[]): boolean {
  const last = lines.at(-1)!;
  if (lines.length > 1 && lines[0]!.trim().length > TERM_UNITS_MAX) return false;
  return !(/[a-z)’][.:]$/.test(last) && (lines.length > 1 || last.trim().includes(' ')));
}

/** Returns whether indented lines are a quotation and not an example. */
function isProse(lines: readonly string[], base: number): boolean {
  if (lines.length < 2 || lines.some((line) => / {3}\S/.test(line.trim()))) return false;
  if (lines.slice(1).some((line) => indentOf(line) !== indentOf(lines[1]!)) || indentOf(lines[1]!) > base + STEP)
    return false;
  const full = lines.slice(0, -1);
  return full.reduce((sum, line) => sum + line.trim().length, 0) / full.length >= PROSE_UNITS_MIN;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Replaces `*Note Name::` and `*note Label: Node.` by words. */
function references(text: string): string {
  return text
    .replace(/\b([Ss]ee|also|in)[ \n]+\*[Nn]ote(?=[ \n])/g, '$1 *')
    .replace(
      /(?<=\b(?:[Ss]ee|also|in) )\*[ \n]+([^:*]{1,300})(?:::|: ?(?:\([^()]{1,100}\))?[^.,:*]{0,300}(?=[.,]))/g,
      '$1',
    )
    .replace(
      /\*([Nn])ote[ \n]+([^:*]{1,300})::/g,
      (_note, sign: string, name: string) => `${sign === 'N' ? 'S' : 's'}ee ${name}`,
    )
    .replace(
      /\*([Nn])ote[ \n]+([^:*]{1,300}): ?(?:\([^()]{1,100}\))?[^.,:*]{0,300}(?=[.,])/g,
      (_note, sign: string, name: string) => `${sign === 'N' ? 'S' : 's'}ee ${name}`,
    );
}

/** Reads reStructuredText with the directives of Sphinx: blocks by their indentation. */
import { ownValue } from '../../../util/own-value.ts';
import { readWordList, readWordPairs } from '../../../util/package-files.ts';
import { OutlineWriter } from '../outline-writer.ts';
import type { TextBuilder } from '../text-builder.ts';
import type { IncludedFiles } from './included-files.ts';
import type { LinkMarks } from './link-marks.ts';
import { optionsOf, rstPaths, selectedLines } from './rst-include.ts';
import { type Inline, rstInline } from './rst-inline.ts';
import { csvTable, listTable, rstTable } from './rst-tables.ts';

const RULE = /^([=\-`:.'"~^_*+#<>!$%&])\1{2,}\s*$/;
const DIRECTIVE = /^\.\. +(?:\|[^|]{1,100}\| +)?([\w:+.-]{1,60})::(?:[ \t]+(.*))?$/;
const ITEM = /^(?:([-*+•‣])|(#\.|\(?(?:\d{1,4}|[a-zA-Z]|[ivxIVX]{2,6})[.)]))(?:[ \t]+(?=\S)|$)/;
const FIELD = /^:((?:[^:\\\n]|\\.|:(?!\s|$)){1,120}):(?:[ \t]+(.*))?$/;
const OPTION =
  /^(?:-{1,2}|\/)[A-Za-z0-9?][\w-]*(?:[ =]<?[\w.-]+>?)?(?:, *(?:-{1,2}|\/)[\w-]+(?:[ =]<?[\w.-]+>?)?)*(?: {2,}|$)/;
/** Maximum nesting of blocks; deeper blocks are read as plain lines. */
const DEPTH_MAX = 25;

const CODE_DIRECTIVES = new Set(readWordList('rst/code-directives.txt'));
const IGNORED_DIRECTIVES = new Set(readWordList('rst/ignored-directives.txt'));
const OBJECT_DIRECTIVES = new Set(readWordList('rst/object-directives.txt'));
const LABELS = readWordPairs('rst/labels.txt');

/** Writes the blocks of a source and of the files that it includes. */
export function writeRst(source: string, builder: TextBuilder, marks: LinkMarks, files: IncludedFiles): void {
  const writer = new OutlineWriter(builder, marks);
  const inline = rstInline([source, ...files.texts()].join('\n'), marks);
  new RstReader(writer, inline, files).blocks(source.split('\n').map(plainLine), 0);
  writer.end();
}

function plainLine(line: string): string {
  return line.replaceAll('\t', '        ').trimEnd();
}

class RstReader {
  private readonly writer: OutlineWriter;
  private readonly inline: Inline;
  private readonly files: IncludedFiles;
  private readonly styles: string[] = [];

  constructor(writer: OutlineWriter, inline: Inline, files: IncludedFiles) {
    this.writer = writer;
    this.inline = inline;
    this.files = files;
  }

  /** Reads blocks. The lines must have no indentation of their parent block. */
  blocks(lines: readonly string[], depth: number): void {
    if (depth > DEPTH_MAX) {
      this.writer.paragraph(lines.map((line) => line.trim()).join('\n'));
      return;
    }
    for (let at = 0; at < lines.length; ) at = lines[at] === '' ? at + 1 : this.block(lines, at, depth);
  }

  /** Reads the block at a line. Returns the index of the line after it. */
  private block(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!;
    if (line.startsWith(' ')) {
      const { body, next } = indented(lines, at, 0);
      this.blocks(body, depth + 1);
      return next;
    }
    const title = this.title(lines, at, depth);
    if (title !== undefined) return title;
    const table = rstTable(lines, at);
    if (table) {
      this.table(table.rows);
      return table.last + 1;
    }
    if (RULE.test(line) && (lines[at + 1] ?? '') === '') return at + 1;
    if (/^\.\.(?: |$)/.test(line)) return this.explicit(lines, at, depth);
    if (/^__ /.test(line)) return at + 1;
    if (/^>>> /.test(line)) return this.run(lines, at, (text) => this.writer.code(text));
    if (/^\| /.test(line)) return this.run(lines, at, (text) => this.text(text.replace(/^\| ?/gm, '')));
    if (ITEM.test(line) && !this.isWrapped(lines, at)) return this.item(lines, at, depth);
    const field = FIELD.exec(line);
    if (field) return this.field(lines, at, field[1]!, field[2] ?? '', depth);
    const option = OPTION.exec(line);
    if (option && (option[0].length < line.length || (lines[at + 1] ?? '').startsWith(' ')))
      return this.entry(lines, at, option[0].trim(), line.slice(option[0].length), depth);
    const next = lines[at + 1] ?? '';
    if (next.startsWith(' ') && !line.endsWith('::')) return this.entry(lines, at, line, '', depth);
    return this.paragraph(lines, at);
  }

  private title(lines: readonly string[], at: number, depth: number): number | undefined {
    if (depth > 0) return undefined;
    const [line, next = '', third = ''] = lines.slice(at, at + 3);
    const isOver = RULE.test(line!) && next.trim() !== '' && third === line;
    const isUnder =
      !isOver && RULE.test(next) && next.length >= Math.min(line!.length, next.length) && !RULE.test(line!);
    if (!isOver && !(isUnder && next.length >= line!.length - 2)) return undefined;
    const style = isOver ? `${line![0]}${line![0]}` : next[0]!;
    if (!this.styles.includes(style)) this.styles.push(style);
    this.writer.heading(this.styles.indexOf(style) + 1, this.inline((isOver ? next : line!).trim()));
    return at + (isOver ? 3 : 2);
  }

  /** Returns whether the line belongs to a paragraph and only looks like an item. */
  private isWrapped(lines: readonly string[], at: number): boolean {
    const next = lines[at + 1] ?? '';
    return next !== '' && !next.startsWith(' ') && !ITEM.test(next);
  }

  private item(lines: readonly string[], at: number, depth: number): number {
    const found = ITEM.exec(lines[at]!)!;
    const { body, next } = indented(lines, at + 1, 0);
    const outer = this.writer.depth;
    this.writer.openItem(found[2] ?? '-');
    this.blocks([lines[at]!.slice(found[0].length), ...body], depth + 1);
    this.writer.closeTo(outer);
    return next;
  }

  /** Writes a term with the indented lines below it. */
  private entry(lines: readonly string[], at: number, term: string, text: string, depth: number): number {
    const { body, next } = indented(lines, at + 1, 0);
    const outer = this.writer.depth;
    this.writer.openTerm(outer, this.inline(term));
    this.blocks(text === '' ? body : [text, ...body], depth + 1);
    this.writer.closeTo(outer);
    return next;
  }

  private field(lines: readonly string[], at: number, name: string, value: string, depth: number): number {
    const { body, next } = indented(lines, at + 1, 0);
    const isShort = body.length === 0 || !body.includes('');
    if (!isShort) return this.entry(lines, at, name, value, depth);
    const text = [value, ...body].filter((line) => line !== '').join(' ');
    if (text !== '') this.text(`${name}: ${text}`);
    return next;
  }

  private run(lines: readonly string[], at: number, write: (text: string) => void): number {
    let end = at;
    while (end < lines.length && lines[end] !== '') end += 1;
    write(lines.slice(at, end).join('\n'));
    return end;
  }

  private paragraph(lines: readonly string[], at: number): number {
    let end = at + 1;
    while (end < lines.length && lines[end] !== '' && !lines[end]!.startsWith('.. ')) end += 1;
    const text = lines
      .slice(at, end)
      .map((line) => line.trim())
      .join('\n');
    if (!text.endsWith('::')) {
      this.text(text);
      return end;
    }
    if (text !== '::') this.text(text.replace(/\s*::$/, ':'));
    const { body, next } = indented(lines, end, 0);
    this.writer.code(body.join('\n'));
    return next;
  }

  private text(text: string): void {
    this.writer.paragraph(this.inline(text));
  }

  private table(rows: readonly (readonly string[])[]): void {
    this.writer.table(rows.map((row) => row.map((cell) => this.inline(cell))));
  }

  /** Reads directives, footnotes, targets and comments. */
  private explicit(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!;
    // An empty comment ends what is before it, so that the indented lines after it are a block quote.
    if (/^\.\. *$/.test(line) && (lines[at + 1] ?? '') === '') return at + 1;
    const { body, next } = indented(lines, at + 1, 0);
    const directive = DIRECTIVE.exec(line);
    const note = /^\.\. \[(#?[\w-]{1,40}|#|\*)\] *(.*)$/.exec(line);
    if (directive) this.directive(directive[1]!, directive[2] ?? '', body, depth);
    else if (note)
      this.text([`[^${note[1]!.replace('#', '')}]:`, note[2], ...body].filter((part) => part !== '').join(' '));
    return next;
  }

  private directive(name: string, argument: string, body: readonly string[], depth: number): void {
    const plain = name.slice(name.lastIndexOf(':') + 1);
    if (name === 'include' || name === 'literalinclude') this.include(name, argument, body, depth);
    if (IGNORED_DIRECTIVES.has(name) || name === 'include' || name === 'literalinclude') return;
    if (name === 'class' && body.length === 0 && isStyle(argument)) return;
    if (OBJECT_DIRECTIVES.has(plain)) {
      // Signatures continue up to an empty line or the first option.
      let count = 0;
      while (count < body.length && body[count] !== '' && !/^:[\w-]{1,60}:/.test(body[count]!)) count += 1;
      this.object([argument, ...body.slice(0, count)], withoutOptions(body.slice(count)), depth);
      return;
    }
    const rest = withoutOptions(body);
    if (CODE_DIRECTIVES.has(plain))
      this.writer.code(
        [...(plain === 'math' || plain === 'parsed-literal' ? [argument] : []), ...rest].join('\n'),
        plain === 'math' ? '' : language(plain, argument),
      );
    else if (name === 'list-table' || name === 'csv-table') {
      if (argument !== '') this.text(argument);
      const header = /^:header: (.*)$/m.exec(body.join('\n'))?.[1];
      this.table(name === 'list-table' ? listTable(rest) : csvTable([...(header ? [header] : []), ...rest]));
    } else this.note(name, argument, rest, depth);
  }

  private include(name: string, argument: string, body: readonly string[], depth: number): void {
    // The name may be on the line after the directive.
    const target = (argument || (body[0] ?? '')).trim();
    const options = optionsOf(argument === '' ? body.slice(1) : body);
    // A name in angle brackets is a file of the docutils themselves.
    const file = target === '' || target.startsWith('<') ? undefined : this.files.find(target, rstPaths);
    if (!file) return;
    const lines = selectedLines(file.text, options);
    if (name === 'literalinclude' || options.has('literal') || options.has('code')) {
      this.writer.code(lines.join('\n'), options.get('language') ?? options.get('code') ?? '');
      return;
    }
    this.files.enter(file);
    this.blocks(lines.map(plainLine), depth);
    this.files.leave();
  }

  /** Writes the description of an object such as `.. option::`. Each signature is a term. */
  private object(signatures: readonly string[], body: readonly string[], depth: number): void {
    const outer = this.writer.depth;
    for (const signature of signatures
      .join('\n')
      .replace(/\\\n\s*/g, '')
      .split('\n')) {
      if (signature.trim() !== '') this.writer.openTerm(outer, this.inline(signature.trim()));
    }
    this.blocks(body, depth + 1);
    this.writer.closeTo(outer);
  }

  /** Writes a note in its section, with its label. */
  private note(name: string, argument: string, body: readonly string[], depth: number): void {
    const label = ownValue(LABELS, name);
    const isVersion = /^(?:version|deprecated)/.test(name);
    if (name === 'rubric' || label === undefined || (argument === '' && !isTextLine(body[0]))) {
      const caption =
        label === undefined
          ? /^(?:figure|only|container|tabs?|csv|glossary|hlist)$/.test(name)
            ? ''
            : argument
          : `${label}:`;
      if (caption !== '') this.text(caption);
      this.blocks(body, depth + 1);
      return;
    }
    if (isVersion) {
      const [version = '', ...words] = argument.split(' ');
      const text = words.join(' ') || (isTextLine(body[0]) ? body[0]! : '');
      const used = words.length === 0 && text !== '' ? 1 : 0;
      this.blocks([`${label} ${version}${text === '' ? '.' : `: ${text}`}`, ...body.slice(used)], depth + 1);
    } else if (argument !== '') this.blocks([`${label}: ${argument}`, ...body], depth + 1);
    else this.blocks([`${label}: ${body[0]}`, ...body.slice(1)], depth + 1);
  }
}

function isTextLine(line: string | undefined): boolean {
  return line !== undefined && /^[\p{L}\p{N}:`*_"'(]/u.test(line) && !ITEM.test(line) && !FIELD.test(line);
}

/** Returns whether `.. class::` names a style for the next block (Docutils). A class of Sphinx has a text or arguments. */
function isStyle(argument: string): boolean {
  return /^[a-z][a-z0-9 -]*$/.test(argument);
}

function language(name: string, argument: string): string {
  return /^(?:code|code-block|sourcecode)$/.test(name) ? (argument.trim().split(/\s/)[0] ?? '') : '';
}

/** Returns a body without the options at its start and the empty lines after them. */
function withoutOptions(body: readonly string[]): string[] {
  let at = 0;
  while (at < body.length && /^:[\w-]{1,60}:/.test(body[at]!)) {
    at += 1;
    while (at < body.length && body[at]!.startsWith(' ')) at += 1;
  }
  while (at < body.length && body[at] === '') at += 1;
  return body.slice(at);
}

/** Returns the indented lines from `at` without their indentation; `next` is the index after them. */
function indented(lines: readonly string[], at: number, indent: number): { body: string[]; next: number } {
  let next = at;
  let margin = Number.POSITIVE_INFINITY;
  for (let i = at; i < lines.length; i += 1) {
    const line = lines[i]!;
    if (line === '') continue;
    const own = line.length - line.trimStart().length;
    if (own <= indent) break;
    margin = Math.min(margin, own);
    next = i + 1;
  }
  return { body: lines.slice(at, next).map((line) => line.slice(margin)), next };
}

/** Parses Texinfo sources: sections, tables of terms, lists, definitions and examples. */
import { ownValue } from '../../../util/own-value.ts';
import { readWordList } from '../../../util/package-files.ts';
import type { ParsedFile } from '../../parsed.ts';
import { OutlineWriter } from '../outline-writer.ts';
import { TextBuilder } from '../text-builder.ts';
import { type TexinfoValues, texinfoText } from './inline.ts';

const LEVELS: Record<string, number> = Object.fromEntries(
  [
    'top majorheading',
    'part chapter unnumbered appendix chapheading centerchap',
    'section unnumberedsec appendixsec appendixsection heading',
    'subsection unnumberedsubsec appendixsubsec subheading',
    'subsubsection unnumberedsubsubsec appendixsubsubsec subsubheading',
  ].flatMap((names, index) => names.split(' ').map((name) => [name, Math.max(1, index)])),
);

/** Environments for other outputs, for navigation, or without text for readers. */
const IGNORED_ENVIRONMENTS = new Set(readWordList('texinfo/ignored-environments.txt'));
const EXAMPLES = new Set(
  'example smallexample lisp smalllisp display smalldisplay format smallformat verbatim'.split(' '),
);
const TABLES = new Set(['table', 'ftable', 'vtable']);
const LISTS = new Set(['itemize', 'enumerate']);
/** Definition commands by their fixed category. An empty category means that the first argument is the category. */
const CATEGORIES: Record<string, string> = {
  '': 'deffn deftp defvr deftypefn deftypevr defcv defop deftypeop deftypecv defblock defline',
  Function: 'defun deftypefun',
  Macro: 'defmac',
  'Special Form': 'defspec',
  Variable: 'defvar deftypevar',
  'User Option': 'defopt',
  Method: 'defmethod deftypemethod',
  'Instance Variable': 'defivar',
};
const DEFINITIONS = Object.fromEntries(
  Object.entries(CATEGORIES).flatMap(([category, names]) =>
    names.split(' ').flatMap((name) => [name, `${name}x`].map((one) => [one, category])),
  ),
);

/** Maximum nesting of environments. */
const DEPTH_MAX = 30;
/** UTF-16 units that values may add to a file. */
const VALUES_UNITS_MAX = 1_000_000;

interface Environment {
  name: string;
  /** Number of frames around it. */
  depth: number;
  count: number;
  rows: string[][];
}

/** Parses a source; never fails for bad markup. Included files are named in warnings, because they are separate sources. */
export function parseTexinfo(source: string): ParsedFile {
  const builder = new TextBuilder();
  const page = new TexinfoReader(source, new OutlineWriter(builder));
  page.read();
  const title = page.title === '' ? undefined : page.title;
  const missing = [...page.includes].slice(0, INCLUDES_NAMED_MAX);
  return builder.file(
    'txt',
    { title, author: page.author || undefined },
    { warnings: missing.map((name) => `The file includes ${name}, which is read separately.`) },
  );
}

const INCLUDES_NAMED_MAX = 10;

class TexinfoReader {
  title = '';
  author = '';
  readonly includes = new Set<string>();
  private readonly lines: readonly string[];
  private readonly writer: OutlineWriter;
  private readonly values: TexinfoValues = { named: new Map(), unitsRemaining: VALUES_UNITS_MAX };
  private readonly open: Environment[] = [];
  private paragraph: string[] = [];
  private at = 0;

  constructor(source: string, writer: OutlineWriter) {
    this.lines = source.split('\n');
    this.writer = writer;
  }

  read(): void {
    while (this.at < this.lines.length) {
      const line = this.lines[this.at++]!;
      if (/^@bye\b/.test(line)) break;
      if (/^\\input\b/.test(line)) continue;
      const found = /^[ \t]*@([a-z]{1,30})(?:[ \t]+(.*)|\{[^{}]{0,1000}\}[ \t]*|)$/.exec(line);
      if (!found || !this.command(found[1]!, withoutComment(found[2] ?? '').trim())) this.textLine(line);
    }
    this.end();
    this.writer.end();
  }

  private text(source: string): string {
    return texinfoText(source, this.values);
  }

  private textLine(line: string): void {
    const body = withoutComment(line);
    if (body.trim() !== '') this.paragraph.push(body.trim());
    else if (line.trim() === '') this.end();
  }

  /** Ends the paragraph. */
  private end(): void {
    const text = this.paragraph.join(' ');
    this.paragraph = [];
    const table = this.open.at(-1);
    if (table?.name === 'multitable') this.cells(table, text);
    else this.writer.paragraph(this.text(text));
  }

  private command(name: string, rest: string): boolean {
    const level = ownValue(LEVELS, name);
    if (level !== undefined) this.heading(level, rest);
    else if (IGNORED_ENVIRONMENTS.has(name)) this.skip(name);
    else if (EXAMPLES.has(name)) this.example(name);
    else if (TABLES.has(name) || LISTS.has(name) || name === 'multitable') this.begin(name);
    else if (Object.hasOwn(DEFINITIONS, name)) this.definition(name, rest);
    else if (name === 'item' || name === 'itemx' || name === 'headitem') this.item(name, rest);
    else if (name === 'tab') this.tab(rest);
    else if (name === 'end') this.close(rest);
    else if (name === 'ifset' || name === 'ifclear') {
      if (this.values.named.has(rest) !== (name === 'ifset')) this.skip(name);
    } else if (name === 'set') this.set(rest);
    else if (name === 'clear') this.values.named.delete(rest);
    else if (name === 'settitle') this.title ||= this.text(rest);
    else if (name === 'author') this.author ||= this.text(rest);
    else if (name === 'include' || name === 'verbatiminclude') this.includes.add(rest);
    else if (name === 'center' || name === 'exdent') this.paragraph.push(rest);
    else if (name === 'quotation' || name === 'smallquotation') this.quotation(rest);
    else if (name === 'sp' || name === 'cartouche') this.end();
    else return IGNORED_COMMANDS.has(name);
    return true;
  }

  /** Starts a quotation. `@quotation Note` has a label. */
  private quotation(label: string): void {
    this.end();
    if (label !== '') this.paragraph.push(`${label}:`);
  }

  private heading(level: number, rest: string): void {
    this.end();
    this.open.length = 0;
    this.writer.heading(level, this.text(rest));
  }

  private skip(name: string): void {
    let depth = 1;
    const begin = new RegExp(`^[ \\t]*@${name}\\b`);
    const end = new RegExp(`^[ \\t]*@end[ \\t]+${name}\\b`);
    for (; this.at < this.lines.length && depth > 0; this.at += 1) {
      const line = this.lines[this.at]!;
      if (end.test(line)) depth -= 1;
      else if (begin.test(line) && name !== 'tex' && name !== 'html') depth += 1;
    }
  }

  private example(name: string): void {
    this.end();
    const code: string[] = [];
    const end = new RegExp(`^[ \\t]*@end[ \\t]+${name}\\b`);
    for (; this.at < this.lines.length && !end.test(this.lines[this.at]!); this.at += 1) {
      const line = this.lines[this.at]!;
      if (name === 'verbatim') code.push(line);
      else if (!/^@(?:group|end group|noindent|c|comment|cindex|findex|kindex|vindex|need|page)\b/.test(line.trim()))
        code.push(line);
    }
    this.at += 1;
    const text = code.join('\n');
    this.writer.code(name === 'verbatim' ? text : this.text(text));
  }

  private begin(name: string): void {
    this.end();
    if (this.open.length < DEPTH_MAX) this.open.push({ name, depth: this.writer.depth, count: 0, rows: [] });
  }

  private item(name: string, rest: string): void {
    this.end();
    const environment = this.open.at(-1);
    if (!environment) this.paragraph.push(rest);
    else if (environment.name === 'multitable') {
      environment.rows.push([]);
      this.paragraph.push(rest);
    } else if (TABLES.has(environment.name)) this.writer.openTerm(environment.depth, this.text(rest));
    else if (name === 'item') {
      environment.count += 1;
      this.writer.closeTo(environment.depth);
      this.writer.openItem(environment.name === 'enumerate' ? `${environment.count}.` : '-');
      if (rest !== '') this.paragraph.push(rest);
    }
  }

  private tab(rest: string): void {
    this.end();
    this.paragraph.push(rest);
  }

  private cells(table: Environment, text: string): void {
    const row = table.rows.at(-1);
    if (!row || text === '') return;
    for (const cell of text.split(/(?:^|[ \t])@tab\b/)) row.push(this.text(cell).trim());
  }

  private definition(name: string, rest: string): void {
    this.end();
    const isAdditional = name.endsWith('x');
    if (!isAdditional) this.begin(name);
    const depth = this.open.at(-1)?.depth ?? 0;
    const category = DEFINITIONS[name]!;
    // The category may have several words in braces.
    const found = /^(?:\{([^{}]{1,200})\}|(\S+))[ \t]*(.*)$/.exec(rest);
    const [kind, call] = category === '' ? [found?.[1] ?? found?.[2] ?? '', found?.[3] ?? ''] : [category, rest];
    this.writer.openTerm(depth, this.text(`${kind}: ${call}`));
  }

  private close(name: string): void {
    this.end();
    const index = this.open.findLastIndex((environment) => environment.name === name);
    if (index === -1) return;
    const environment = this.open[index]!;
    this.open.length = index;
    if (environment.name === 'multitable') this.writer.table(environment.rows);
    this.writer.closeTo(environment.depth);
  }

  private set(rest: string): void {
    const found = /^(\S{1,100})(?:[ \t]+(.{0,1000}))?/.exec(rest);
    if (found) this.values.named.set(found[1]!, this.text(found[2] ?? '').slice(0, 1000));
  }
}

function withoutComment(line: string): string {
  return line.replace(/@(?:c|comment)(?:[ \t].*)?$/, '');
}

/** Commands that stand alone on a line and have no text for readers. */
const IGNORED_COMMANDS = new Set(readWordList('texinfo/ignored-commands.txt'));

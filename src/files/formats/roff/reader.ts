/** Reads roff source as requests and lines of text. Resolves comments, conditions, strings and macros of the page. Pure. */

import { type RoffRegister, type RoffValues, roffText } from './text.ts';

/** A request or a line of text. `name` is empty for text. */
export interface RoffLine {
  name: string;
  /** Arguments as written, with escapes but without quotes. */
  args: string[];
  /** Which of the arguments were quoted. */
  quoted: boolean[];
  /** The line of text, or the text after the request. */
  raw: string;
}

/** Lines that macros of a page may add, as a multiple of the page's lines. */
const EXPANSION_FACTOR = 4;
const EXPANSION_LINES_MIN = 10_000;
const EXPANSION_DEPTH_MAX = 8;
/** Maximum nesting of conditions on one line. */
const CONDITIONS_MAX = 50;
/** UTF-16 units that strings may add to a page, as a multiple of the page's length. */
const STRING_UNITS_FACTOR = 4;
const STRING_UNITS_MIN = 100_000;

interface Source {
  lines: readonly string[];
  at: number;
  args: readonly string[];
}

export class RoffReader {
  private readonly sources: Source[];
  private readonly strings = new Map<string, string>();
  private readonly registers = new Map<string, RoffRegister>();
  private readonly macros = new Map<string, readonly string[]>();
  private readonly isCallerMacro: (name: string) => boolean;
  /** Result of the last `.ie` condition. */
  private lastCondition = false;
  private linesRemaining: number;
  private unitsRemaining: number;

  /**
   * Opens a reader. `isCallerMacro` returns whether the caller reads a macro itself, whatever the page defines under its name.
   */
  constructor(source: string, isCallerMacro: (name: string) => boolean) {
    const lines = joinContinued(source.split('\n'));
    this.sources = [{ lines, at: 0, args: [] }];
    this.isCallerMacro = isCallerMacro;
    this.linesRemaining = Math.max(EXPANSION_LINES_MIN, lines.length * EXPANSION_FACTOR);
    this.unitsRemaining = Math.max(STRING_UNITS_MIN, source.length * STRING_UNITS_FACTOR);
  }

  /** Returns the text of a part of a line. */
  text(source: string): string {
    const values: RoffValues = {
      strings: this.strings,
      registers: this.registers,
      arguments: this.sources.at(-1)?.args ?? [],
      unitsRemaining: this.unitsRemaining,
    };
    const text = roffText(source, values);
    this.unitsRemaining = values.unitsRemaining;
    return text;
  }

  /** Returns the next line for the caller, or undefined at the end. */
  next(): RoffLine | undefined {
    for (let raw = this.nextRaw(); raw !== undefined; raw = this.nextRaw()) {
      const line = this.read(raw);
      if (line) return line;
    }
    return undefined;
  }

  /** Returns the next line as written, for tables. */
  nextRaw(): string | undefined {
    for (let source = this.sources.at(-1); source; source = this.sources.at(-1)) {
      if (source.at < source.lines.length) return source.lines[source.at++];
      if (this.sources.length === 1) return undefined;
      this.sources.pop();
    }
    return undefined;
  }

  private read(raw: string, depth = 0): RoffLine | undefined {
    const control = /^[.'][ \t]*([^\s"\\]{0,40}|\\\S{0,40})(?:[ \t]+|$|(?=["\\]))/.exec(raw);
    if (!control) return /^[.']/.test(raw) ? undefined : textLine(raw);
    const name = control[1]!;
    if (name === '' || name.startsWith('\\')) return undefined;
    return this.request(name, withoutComment(raw.slice(control[0].length)), depth);
  }

  private request(name: string, rest: string, depth: number): RoffLine | undefined {
    switch (name) {
      case 'if':
      case 'ie':
      case 'while':
        return this.condition(name, rest, depth);
      case 'el':
        return this.branch(!this.lastCondition, rest, depth);
      case 'ds':
      case 'ds1':
      case 'as':
        this.define(name, rest);
        return undefined;
      case 'nr':
        this.count(rest);
        return undefined;
      case 'de':
      case 'de1':
      case 'am':
      case 'am1':
      case 'ig':
        this.skipDefinition(name, rest);
        return undefined;
      case 'return':
        if (this.sources.length > 1) this.sources.pop();
        return undefined;
    }
    const body = this.isCallerMacro(name) ? undefined : this.macros.get(name);
    if (body) {
      this.expand(body, splitArguments(rest).args);
      return undefined;
    }
    // Requests of roff have small letters, other than macros. Those that are not read here only affect the printed page.
    if (/^[a-z]/.test(name) && !this.isCallerMacro(name)) return undefined;
    return { name, raw: rest, ...splitArguments(rest) };
  }

  private expand(body: readonly string[], args: readonly string[]): void {
    this.linesRemaining -= body.length + 1;
    if (this.linesRemaining < 0 || this.sources.length > EXPANSION_DEPTH_MAX) return;
    const outer = args.map((arg) => (arg.includes('\\$') ? this.text(arg) : arg));
    this.sources.push({ lines: body, at: 0, args: outer });
  }

  private define(name: string, rest: string): void {
    const found = /^(\S{1,100})(?:[ \t]+"?(.*))?$/.exec(rest);
    // pod2man makes its dash from a Greek letter.
    if (!found || found[1] === '--') return;
    const value = (found[2] ?? '').slice(0, 2000);
    const before = name === 'as' ? (this.strings.get(found[1]!) ?? '') : '';
    this.strings.set(found[1]!, `${before}${value}`.slice(0, 4000));
  }

  private count(rest: string): void {
    const found = /^(\S{1,100})[ \t]+([+-]?)(\d{1,9})[a-z]?(?:[ \t]+(-?\d{1,9}))?$/.exec(this.text(rest).trim());
    if (!found) return;
    const before = this.registers.get(found[1]!) ?? { value: 0, step: 0 };
    const number = Number(found[3]);
    const value = found[2] === '' ? number : before.value + (found[2] === '+' ? number : -number);
    this.registers.set(found[1]!, { value, step: found[4] === undefined ? before.step : Number(found[4]) });
  }

  private skipDefinition(kind: string, rest: string): void {
    const [name = '', end = ''] = rest.split(/\s+/);
    const mark = kind === 'ig' ? name : end;
    const body: string[] = [];
    for (let raw = this.nextRaw(); raw !== undefined; raw = this.nextRaw()) {
      if (/^[.']/.test(raw) && raw.slice(1).trim() === (mark === '' ? '.' : mark)) break;
      body.push(raw.replaceAll('\\\\', '\\'));
    }
    if (kind !== 'ig' && name !== '') this.macros.set(name, joinContinued(body));
  }

  private condition(name: string, rest: string, depth: number): RoffLine | undefined {
    const { holds, end } = this.holds(rest);
    // A loop is read at most once: it draws lines but adds no text.
    if (name === 'ie') this.lastCondition = holds;
    return this.branch(holds, rest.slice(end), depth);
  }

  private branch(isTaken: boolean, rest: string, depth: number): RoffLine | undefined {
    const trimmed = rest.trimStart();
    const opens = trimmed.startsWith('\\{');
    if (isTaken) {
      const inside = opens ? trimmed.slice(2).trimStart() : trimmed;
      const isEmpty = inside === '' || inside === '\\';
      return isEmpty || depth >= CONDITIONS_MAX ? undefined : this.read(inside, depth + 1);
    }
    for (let open = braces(trimmed); open > 0; ) {
      const raw = this.nextRaw();
      if (raw === undefined) break;
      open += braces(raw);
    }
    return undefined;
  }

  private holds(rest: string): { holds: boolean; end: number } {
    const not = /^!+/.exec(rest)?.[0].length ?? 0;
    const isNot = not % 2 === 1;
    const tail = rest.slice(not);
    const result = (holds: boolean, length: number) => ({ holds: holds !== isNot, end: not + length });
    const letter = /^([ntoev])(?![\w(])/.exec(tail)?.[1];
    if (letter !== undefined) return result(letter === 'n', 1);
    const named = /^([dr])[ \t]*([^\s\\]{1,40})/.exec(tail);
    if (named) return result(named[1] === 'd' && this.isDefined(named[2]!), named[0].length);
    const other = /^[cFmSA][ \t]*\S{1,40}/.exec(tail);
    if (other) return result(false, other[0].length);
    const quoted = /^(['"`~^])((?:(?!\1).){0,500})\1((?:(?!\1).){0,500})\1/.exec(tail);
    if (quoted) return result(this.text(quoted[2]!) === this.text(quoted[3]!), quoted[0].length);
    const expression = /^(?:\\\{|[^\s])(?:(?!\\\{)\S){0,300}/.exec(tail)?.[0] ?? '';
    if (expression.startsWith('\\{')) return result(false, 0);
    return result(isPositive(this.text(expression)), expression.length);
  }

  private isDefined(name: string): boolean {
    return this.strings.has(name) || this.macros.has(name);
  }
}

/** Returns whether a simple numeric expression is above 0. Other expressions count as false. */
function isPositive(expression: string): boolean {
  const plain = expression.replace(/[()]/g, '');
  const found = /^(-?\d{1,9})[a-zA-Z]?(?:(>=|<=|==?|<>|>|<)(-?\d{1,9})[a-zA-Z]?)?$/.exec(plain);
  if (!found) return false;
  const [left, right] = [Number(found[1]), Number(found[3])];
  if (found[2] === '>') return left > right;
  if (found[2] === '<') return left < right;
  if (found[2] === '>=') return left >= right;
  if (found[2] === '<=') return left <= right;
  if (found[2] === '<>') return left !== right;
  return found[2] === undefined ? left > 0 : left === right;
}

function textLine(raw: string): RoffLine {
  return { name: '', args: [], quoted: [], raw };
}

/** Joins lines that end in a backslash with the next line. */
function joinContinued(lines: readonly string[]): string[] {
  const joined: string[] = [];
  let open: string[] | undefined;
  for (const line of lines) {
    let end = line.length;
    while (line[end - 1] === '\\') end -= 1;
    const continues = (line.length - end) % 2 === 1;
    const part = continues ? line.slice(0, -1) : line;
    if (open) open.push(part);
    if (continues) open ??= [part];
    else {
      joined.push(open ? open.join('') : line);
      open = undefined;
    }
  }
  if (open) joined.push(open.join(''));
  return joined;
}

function withoutComment(rest: string): string {
  for (let at = rest.indexOf('\\'); at !== -1 && at < rest.length - 1; at = rest.indexOf('\\', at + 2)) {
    if (rest[at + 1] === '"' || rest[at + 1] === '#') return rest.slice(0, at).trimEnd();
  }
  return rest.trimEnd();
}

/** Returns the number of blocks that a line opens minus those that it closes. */
function braces(line: string): number {
  let count = 0;
  for (let at = line.indexOf('\\'); at !== -1; at = line.indexOf('\\', at + 2)) {
    if (line[at + 1] === '{') count += 1;
    else if (line[at + 1] === '}') count -= 1;
  }
  return count;
}

/** Splits arguments at blanks. A quoted argument may contain blanks and doubled quotes. */
function splitArguments(rest: string): { args: string[]; quoted: boolean[] } {
  const args: string[] = [];
  const quoted: boolean[] = [];
  let at = 0;
  while (at < rest.length) {
    if (rest[at] === ' ' || rest[at] === '\t') {
      at += 1;
      continue;
    }
    const isQuoted = rest[at] === '"';
    const parts: string[] = [];
    let from = isQuoted ? at + 1 : at;
    let to = from;
    for (; to < rest.length; to += 1) {
      const sign = rest[to];
      if (isQuoted && sign === '"') {
        if (rest[to + 1] !== '"') break;
        parts.push(rest.slice(from, to + 1));
        to += 1;
        from = to + 1;
      } else if (!isQuoted && (sign === ' ' || sign === '\t')) break;
      else if (sign === '\\') to += 1;
    }
    parts.push(rest.slice(from, Math.min(to, rest.length)));
    args.push(parts.join(''));
    quoted.push(isQuoted);
    at = to + (isQuoted ? 1 : 0);
  }
  return { args, quoted };
}

/**
 * Parses the regexes of tenants: RE2 syntax without features that have no use here. The engine parses a regex too, but it does not
 * tell the maximum length of a match, the size of the compiled form, or how a match can begin. A stream needs the last one to hold
 * back text that may become a match.
 */

/** An unbounded repetition repeats at most so many times. */
export const UNBOUNDED_REPEATS = 64;
/** Longest text that a pattern may match, in characters. */
export const MATCH_LENGTH_MAX = 200;
/** Maximum size of one compiled pattern: its characters and classes, each counted as often as it may repeat. */
const PATTERN_STEPS_MAX = 200;
const REPEATS_MAX = 200;
const DEPTH_MAX = 50;

/** Says why a pattern is refused, for the person who wrote it. */
export class PatternProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatternProblem';
  }
}

type Node =
  | { kind: 'atom'; source: string }
  | { kind: 'assertion'; source: string }
  | { kind: 'group'; open: string; body: Node }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'choice'; parts: Node[] }
  | { kind: 'repeat'; body: Node; min: number; max: number; lazy: boolean };

export interface Pattern {
  /** The pattern for the engine, with an upper bound for every repetition. */
  source: string;
  /** A pattern that matches every prefix of a match, including the empty prefix. */
  beginnings: string;
  longest: number;
  steps: number;
}

/** Returns the parsed pattern. @throws PatternProblem if the pattern is refused. */
export function parsePattern(pattern: string): Pattern {
  const flags = /^\(\?([ims]+)\)/.exec(pattern)?.[0] ?? '';
  const node = new Reader(pattern, flags.length).read();
  const { shortest, longest, steps } = measure(node);
  if (shortest === 0) throw new PatternProblem('matches the empty text: it would match everywhere');
  if (longest > MATCH_LENGTH_MAX)
    throw new PatternProblem(
      `can match ${longest} characters, at most ${MATCH_LENGTH_MAX}: give its repetitions smaller upper bounds ` +
        `(\`+\` and \`*\` count as ${UNBOUNDED_REPEATS})`,
    );
  if (steps > PATTERN_STEPS_MAX)
    throw new PatternProblem(
      `is too large: ${steps} steps, at most ${PATTERN_STEPS_MAX}: give its repetitions smaller upper bounds`,
    );
  return { source: flags + sourceOf(node), beginnings: flags + beginningsOf(node), longest, steps };
}

const LOOKS: Readonly<Record<string, string>> = {
  '(?=': 'look-ahead `(?=`',
  '(?!': 'negative look-ahead `(?!`',
  '(?<=': 'look-behind `(?<=`',
  '(?<!': 'negative look-behind `(?<!`',
  '(?>': 'atomic group `(?>`',
  '(?(': 'conditional `(?(`',
  '(?#': 'comment `(?#`',
  '(?R': 'recursion `(?R`',
  '(?&': 'recursion `(?&`',
};
/** What a blank of a pattern matches in the canonical form of a text: one blank, several blanks, a line break. */
const ANY_BLANK = String.raw` \t\n`;
const GROUP_OPEN = /\((?!\?)|\(\?(?:P?<[A-Za-z_]\w{0,31}>|[ims]*(?:-[ims]+)?:)/y;
const ESCAPE =
  /\\(?:[dDwWsS]|[pP](?:\{\^?\w{1,32}\}|[A-Z])|x(?:[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{1,6}\})|[nrtfva]|[^\w\s])/uy;
const ASSERTION = /\^|\$|\\[bBAz]/y;
const CLASS_PART = /\[:\^?[a-z]+:\]|\\./uy;
const REPEAT = /(?:([*+?])|\{(\d{1,5})(,?)(\d{0,5})\})(\??)(\+?)/y;

class Reader {
  readonly #text: string;
  #at: number;
  #depth = 0;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  read(): Node {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new PatternProblem(`has a \`)\` without its \`(\` at ${this.#at}`);
    return node;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#text[this.#at] === '|') {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at]!)) parts.push(this.#repeated());
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  #repeated(): Node {
    const at = this.#at;
    if (this.#take(REPEAT)) throw new PatternProblem(`has nothing to repeat at ${at}`);
    const body = this.#single();
    const match = this.#take(REPEAT);
    if (!match) return body;
    const [, sign, from = '', comma, to = '', lazy, possessive] = match;
    if (possessive) throw new PatternProblem(`uses a possessive quantifier at ${at}, which the engine does not have`);
    const min = sign === undefined ? Number(from) : sign === '+' ? 1 : 0;
    const open = sign === '*' || sign === '+' || (comma === ',' && to === '');
    const max = open ? Math.max(min, UNBOUNDED_REPEATS) : sign === '?' ? 1 : Number(to || from);
    if (max > REPEATS_MAX) throw new PatternProblem(`repeats more than ${REPEATS_MAX} times at ${at}`);
    if (min > max) throw new PatternProblem(`has a repetition from ${min} to ${max} at ${at}`);
    const next = this.#at;
    if (this.#take(REPEAT)) throw new PatternProblem(`repeats a repetition at ${next}: put it into a group`);
    return { kind: 'repeat', body, min, max, lazy: lazy === '?' };
  }

  #single(): Node {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at)!);
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    const assertion = this.#take(ASSERTION);
    if (assertion) return { kind: 'assertion', source: assertion[0] };
    if (char === '\\') return { kind: 'atom', source: this.#escape() };
    this.#at += char.length;
    if (char === ' ') return { kind: 'atom', source: `[${ANY_BLANK}]` };
    return { kind: 'atom', source: '{}]'.includes(char) ? `\\${char}` : char };
  }

  #escape(): string {
    const at = this.#at;
    const match = this.#take(ESCAPE);
    if (match) return match[0];
    const next = this.#text[at + 1] ?? '';
    if (/[1-9]/.test(next))
      throw new PatternProblem(`uses the backreference \`\\${next}\`, which a linear-time engine does not have`);
    if (next === 'k' || next === 'g')
      throw new PatternProblem(`uses the backreference \`\\${next}\`, which a linear-time engine does not have`);
    if (next === '') throw new PatternProblem('ends with a single backslash');
    throw new PatternProblem(`uses the escape \`\\${next}\`, which is not known`);
  }

  #group(): Node {
    const at = this.#at;
    const open = this.#take(GROUP_OPEN);
    if (!open) {
      const rest = this.#text.slice(at, at + 4);
      const what = Object.entries(LOOKS).find(([start]) => rest.startsWith(start))?.[1];
      throw new PatternProblem(
        what
          ? `uses ${what}, which a linear-time engine does not have`
          : `has a group of an unknown kind at ${at}: \`${rest}\``,
      );
    }
    if (++this.#depth > DEPTH_MAX) throw new PatternProblem(`has groups more than ${DEPTH_MAX} deep`);
    const body = this.#choice();
    if (this.#text[this.#at] !== ')') throw new PatternProblem(`has a \`(\` without its \`)\` at ${at}`);
    this.#at++;
    this.#depth--;
    // The name and the capture of a group have no use here.
    return { kind: 'group', open: /^\(\?[ims-]*:$/.test(open[0]) ? open[0] : '(?:', body };
  }

  #class(): Node {
    const start = this.#at;
    this.#at += this.#text[start + 1] === '^' ? 2 : 1;
    if (this.#text[this.#at] === ']') this.#at++;
    while (this.#at < this.#text.length && this.#text[this.#at] !== ']') {
      if (!this.#take(CLASS_PART)) this.#at++;
    }
    if (this.#at >= this.#text.length) throw new PatternProblem(`has a \`[\` without its \`]\` at ${start}`);
    this.#at++;
    const source = this.#text.slice(start, this.#at);
    return { kind: 'atom', source: source.includes(' ') ? `${source.slice(0, -1)}${ANY_BLANK}]` : source };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at += match[0].length;
    return match;
  }
}

function measure(node: Node): { shortest: number; longest: number; steps: number } {
  if (node.kind === 'atom') return { shortest: 1, longest: 1, steps: 1 };
  if (node.kind === 'assertion') return { shortest: 0, longest: 0, steps: 1 };
  if (node.kind === 'group') return measure(node.body);
  if (node.kind === 'repeat') {
    const { shortest, longest, steps } = measure(node.body);
    return { shortest: shortest * node.min, longest: longest * node.max, steps: steps * Math.max(1, node.max) };
  }
  const parts = node.parts.map(measure);
  const sum = (of: 'shortest' | 'longest' | 'steps') => parts.reduce((total, part) => total + part[of], 0);
  if (node.kind === 'sequence') return { shortest: sum('shortest'), longest: sum('longest'), steps: sum('steps') };
  return {
    shortest: Math.min(...parts.map((part) => part.shortest)),
    longest: Math.max(...parts.map((part) => part.longest)),
    steps: sum('steps') + parts.length,
  };
}

function sourceOf(node: Node): string {
  switch (node.kind) {
    case 'atom':
    case 'assertion':
      return node.source;
    case 'group':
      return `${node.open}${sourceOf(node.body)})`;
    case 'sequence':
      return node.parts.map(sourceOf).join('');
    case 'choice':
      return node.parts.map(sourceOf).join('|');
    case 'repeat':
      return `(?:${sourceOf(node.body)}){${node.min},${node.max}}${node.lazy ? '?' : ''}`;
  }
}

function beginningsOf(node: Node): string {
  switch (node.kind) {
    case 'atom':
    case 'assertion':
      return `(?:${node.source})?`;
    case 'group':
      return `${node.open}${beginningsOf(node.body)})`;
    case 'choice':
      return `(?:${node.parts.map(beginningsOf).join('|')})`;
    case 'repeat':
      if (node.max === 0) return '';
      if (node.body.kind === 'atom') return `(?:${node.body.source}){0,${node.max}}`;
      return `(?:${sourceOf(node.body)}){0,${node.max - 1}}${beginningsOf(node.body)}`;
    case 'sequence':
      return node.parts.reduceRight(
        (rest, part) =>
          part.kind === 'atom' || part.kind === 'assertion'
            ? `(?:${part.source}${rest})?`
            : `(?:${wrapped(part)}${rest}|${beginningsOf(part)})`,
        '',
      );
  }
}

function wrapped(node: Node): string {
  return node.kind === 'choice' ? `(?:${sourceOf(node)})` : sourceOf(node);
}

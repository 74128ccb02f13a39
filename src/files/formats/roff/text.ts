/** Converts escapes of roff to plain text in one pass. Pure. */
import { ownValue } from '../../../util/own-value.ts';
import { readWordList } from '../../../util/package-files.ts';

/** Values of strings (`\*x`), registers (`\nx`) and macro arguments (`\$1`). */
export interface RoffValues {
  strings: ReadonlyMap<string, string>;
  registers: ReadonlyMap<string, RoffRegister>;
  /** Arguments of the macro that is being expanded. */
  arguments: readonly string[];
  /** UTF-16 units that strings and arguments may still add to this file. */
  unitsRemaining: number;
}

/** A counter of a page. */
export interface RoffRegister {
  value: number;
  /** The amount that `\n+x` adds. */
  step: number;
}

/** Maximum nesting of strings. */
const STRING_DEPTH_MAX = 4;
/** Maximum nesting of escapes. */
const DEPTH_MAX = 50;

/** A mark that joins the line to the next one without a blank. */
export const JOIN = '\ue0c8';

/** Returns the text of a line without escapes. A trailing `\c` becomes JOIN. */
export function roffText(source: string, values: RoffValues, depth = 0): string {
  if (!source.includes('\\')) return source;
  const out: string[] = [];
  let from = 0;
  for (let at = source.indexOf('\\'); at !== -1; at = source.indexOf('\\', from)) {
    out.push(source.slice(from, at));
    const [text, next] = readEscape(source, at + 1, values, depth);
    out.push(text);
    from = next;
  }
  out.push(source.slice(from));
  return out.join('');
}

/** Returns the text of the escape whose name is at `at`, and the index after it. */
function readEscape(source: string, at: number, values: RoffValues, depth: number): [string, number] {
  const name = source[at];
  if (name === undefined) return ['', at];
  const simple = SIMPLE[name];
  if (simple !== undefined) return [simple, at + 1];
  switch (name) {
    case '"':
    case '#':
      return ['', source.length];
    case 'c':
      return [JOIN, source.length];
    case '(':
      return [special(source.slice(at + 1, at + 3)), Math.min(source.length, at + 3)];
    case '[': {
      const [value, next] = readName(source, at);
      return [special(value), next];
    }
    case '*': {
      const [value, next] = readName(source, at + 1);
      return [stringText(value.split(' ', 1)[0]!, values, depth), next];
    }
    case '$': {
      const [value, next] = readName(source, at + 1);
      return [argumentText(value, values), next];
    }
    case 'n': {
      const sign = /[+-]/.test(source[at + 1] ?? '') ? source[at + 1]! : '';
      const [value, next] = readName(source, at + 1 + sign.length);
      return [registerText(value, sign, values), next];
    }
    case 'f':
    case 'F':
    case 'g':
    case 'k':
    case 'm':
    case 'M':
    case 'O':
    case 'V':
    case 'Y':
      return ['', readName(source, at + 1)[1]];
    case 's':
      return ['', sizeEnd(source, at + 1)];
    case 'N': {
      const [value, next] = readQuoted(source, at + 1);
      const code = Number(value);
      return [code >= 32 && code < 256 ? String.fromCharCode(code) : '', next];
    }
    case 'C': {
      const [value, next] = readQuoted(source, at + 1);
      return [special(value), next];
    }
    case 'o':
    case 'Z': {
      const [value, next] = readQuoted(source, at + 1);
      if (depth >= DEPTH_MAX) return ['', next];
      return [roffText(name === 'o' ? value.slice(0, 1) : value, values, depth + 1), next];
    }
    case 'h': {
      const [value, next] = readQuoted(source, at + 1);
      return [value.startsWith('-') || value === '0' ? '' : ' ', next];
    }
    case 'A':
    case 'B':
    case 'b':
    case 'D':
    case 'H':
    case 'l':
    case 'L':
    case 'R':
    case 'S':
    case 'v':
    case 'w':
    case 'x':
    case 'X':
      return ['', readQuoted(source, at + 1)[1]];
    default:
      return [name, at + 1];
  }
}

/** Reads a name written as `x`, `(xx` or `[name]`, and returns the index after it. */
function readName(source: string, at: number): [string, number] {
  if (source[at] === '(') return [source.slice(at + 1, at + 3), Math.min(source.length, at + 3)];
  if (source[at] !== '[') return [source.slice(at, at + 1), Math.min(source.length, at + 1)];
  const end = source.indexOf(']', at);
  return end === -1 ? ['', source.length] : [source.slice(at + 1, end), end + 1];
}

/** Returns the text between two equal delimiters, and the index after the second one. */
function readQuoted(source: string, at: number): [string, number] {
  const sign = source[at];
  if (sign === undefined) return ['', at];
  const end = source.indexOf(sign, at + 1);
  return end === -1 ? [source.slice(at + 1), source.length] : [source.slice(at + 1, end), end + 1];
}

/** Returns the index after a size: `\s-1`, `\s+(10`, `\s'12'`, `\s[12]`, `\s36`. Only sizes from 10 to 39 have two digits. */
function sizeEnd(source: string, at: number): number {
  const found = /[+-]?(?:\(\d\d|\[[^\]]{0,20}\]|'[^']{0,20}'|[+-]?[1-3]\d|[+-]?\d)/y;
  found.lastIndex = at;
  return found.test(source) ? found.lastIndex : at;
}

function stringText(name: string, values: RoffValues, depth: number): string {
  const value = values.strings.get(name) ?? ownValue(STRINGS, name) ?? '';
  return depth < STRING_DEPTH_MAX && takeUnits(value, values) ? roffText(value, values, depth + 1) : '';
}

function argumentText(name: string, values: RoffValues): string {
  if (values.unitsRemaining === 0) return '';
  const isAll = name === '*' || name === '@';
  const value = isAll ? values.arguments.join(' ') : (values.arguments[Number(name) - 1] ?? '');
  return takeUnits(value, values) ? value : '';
}

/** Returns whether the value may still be added. After the first refusal no value is added. */
function takeUnits(value: string, values: RoffValues): boolean {
  values.unitsRemaining = value.length > values.unitsRemaining ? 0 : values.unitsRemaining - value.length;
  return values.unitsRemaining > 0;
}

function registerText(name: string, sign: string, values: RoffValues): string {
  if (name === '.g') return '1';
  if (name === '.$') return String(values.arguments.length);
  const register = values.registers.get(name);
  if (!register) return '0';
  if (sign !== '') register.value += sign === '+' ? register.step : -register.step;
  return String(register.value);
}

function special(name: string): string {
  const character = ownValue(SPECIAL, name);
  if (character !== undefined) return character;
  const codes = /^u([0-9A-F]{4,6}(?:_[0-9A-F]{4,6}){0,4})$/i.exec(name)?.[1];
  if (codes !== undefined) return codes.split('_').map(codePoint).join('').normalize('NFC');
  const accent = /^(?:([A-Za-z])([`'^~:,o/])|([`'^~:,o/])([A-Za-z]))$/.exec(name);
  const [base, mark] = accent ? [accent[1] ?? accent[4]!, ACCENTS[accent[2] ?? accent[3]!]] : [];
  if (base !== undefined && mark !== undefined) return `${base}${mark}`.normalize('NFC');
  return name.length === 1 ? name : '';
}

function codePoint(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff && (code & 0xfff800) !== 0xd800 ? String.fromCodePoint(code) : '';
}

const SIMPLE: Record<string, string> = {
  '-': '-',
  '&': '',
  '|': '',
  '^': '',
  '/': '',
  ',': '',
  ':': '',
  '%': '',
  ')': '',
  '{': '',
  '}': '',
  '!': '',
  '?': '',
  a: '',
  d: '',
  p: '',
  r: '',
  u: '',
  z: '',
  ' ': ' ',
  '~': ' ',
  '0': ' ',
  t: '\t',
  e: '\\',
  E: '\\',
  '\\': '\\',
  '.': '.',
  "'": '´',
  '`': '`',
  _: '_',
};

const ACCENTS: Record<string, string> = {
  '`': '\u0300',
  "'": '\u0301',
  '^': '\u0302',
  '~': '\u0303',
  ':': '\u0308',
  ',': '\u0327',
  o: '\u030a',
};

/** Strings that macro packages define. */
const STRINGS: Record<string, string> = {
  lq: '“',
  rq: '”',
  R: '®',
  Tm: '™',
  Aq: "'",
  '--': '-',
  PI: 'π',
  'L"': '"',
  'R"': '"',
  'C+': 'C++',
  'C`': '"',
  "C'": '"',
  '<=': '≤',
  '>=': '≥',
  Lq: '“',
  Rq: '”',
  ua: '↑',
  aa: '´',
  ga: '`',
  q: '"',
  Pi: 'π',
  Ne: '≠',
  Le: '≤',
  Ge: '≥',
  Lt: '<',
  Gt: '>',
  Pm: '±',
  If: '∞',
  Ba: '|',
  Am: '&',
};

/** Names of special characters and the characters. */
const SPECIAL: Record<string, string> = Object.fromEntries(
  readWordList('roff/special-characters.txt').map((line) => line.split(' ')),
);

/** Converts escapes of roff to plain text in one pass. Pure. */
import { ownValue } from '../../../util/own-value.ts';
import { readWordPairs } from '../../../util/package-files.ts';

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
  if (name === '"' || name === '#') return ['', source.length];
  if (name === 'c') return [JOIN, source.length];
  if (name === 's') return ['', sizeEnd(source, at + 1)];
  if (name === 'n') {
    const sign = /[+-]/.test(source[at + 1] ?? '') ? source[at + 1]! : '';
    const [value, next] = readName(source, at + 1 + sign.length);
    return [registerText(value, sign, values), next];
  }
  if (name === '(' || name === '[') {
    const [value, next] = readName(source, at);
    return [special(value), next];
  }
  if (NAMED.includes(name)) {
    const [value, next] = readName(source, at + 1);
    if (name === '*') return [stringText(value.split(' ', 1)[0]!, values, depth), next];
    return [name === '$' ? argumentText(value, values) : '', next];
  }
  if (!QUOTED.includes(name)) return [name, at + 1];
  const [value, next] = readQuoted(source, at + 1);
  return [quotedText(name, value, values, depth), next];
}

/** Escapes before a name, and before a quoted text. */
const NAMED = '*$fFgkmMOVY';
const QUOTED = 'ABCDHLNRSXZbhlovwx';

function quotedText(name: string, value: string, values: RoffValues, depth: number): string {
  if (name === 'C') return special(value);
  if (name === 'N')
    return /^(?:3[2-9]|[4-9]\d|1\d\d|2[0-4]\d|25[0-5])$/.test(value) ? String.fromCharCode(Number(value)) : '';
  if (name === 'h') return value.startsWith('-') || value === '0' ? '' : ' ';
  const isText = (name === 'o' || name === 'Z') && depth < DEPTH_MAX;
  return isText ? roffText(name === 'o' ? value.slice(0, 1) : value, values, depth + 1) : '';
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

/** Texts of escapes of one sign or letter. */
const SIMPLE: Record<string, string> = {
  ...Object.fromEntries([...'&|^/,:%){}!?adpruz'].map((name) => [name, ''])),
  ...Object.fromEntries([...'-.`_\\'].map((name) => [name, name])),
  ...Object.fromEntries([...' ~0'].map((name) => [name, ' '])),
  t: '\t',
  e: '\\',
  E: '\\',
  "'": '´',
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
const STRINGS = readWordPairs('roff/strings.txt');

/** Names of special characters and the characters. */
const SPECIAL = readWordPairs('roff/special-characters.txt');

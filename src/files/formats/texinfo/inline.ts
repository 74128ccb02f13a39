/** Converts commands in a line of Texinfo to plain text in one pass. Pure. */

import { ownValue } from '../../../util/own-value.ts';
import { readWordPairs } from '../../../util/package-files.ts';
import { LETTER_COMMANDS } from '../tex-letters.ts';

/** Maximum nesting of braces; deeper braces are read as text. */
const DEPTH_MAX = 60;

const SIGNS: Record<string, string> = { ...readWordPairs('texinfo/signs.txt'), ...LETTER_COMMANDS, tie: ' ' };

const ACCENTS: Record<string, string> = {
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '"': '\u0308',
  '~': '\u0303',
  '=': '\u0304',
  ',': '\u0327',
  v: '\u030c',
  u: '\u0306',
  H: '\u030b',
  ringaccent: '\u030a',
  dotaccent: '\u0307',
  ogonek: '\u0328',
  udotaccent: '\u0323',
};

/** Commands whose arguments are not part of the text. */
const IGNORED_ARGUMENTS = new Set(
  'anchor image caption shortcaption hyphenation titlefont errormsg sortas seeentry seealso'.split(' '),
);

/** Values that `@value{x}` inserts. */
export interface TexinfoValues {
  readonly named: Map<string, string>;
  /** UTF-16 units that values may still add to the file. */
  unitsRemaining: number;
}

/** Returns the text of a line or paragraph. */
export function texinfoText(source: string, values: TexinfoValues): string {
  if (!/[@{}`'-]/.test(source)) return source;
  return readUntil(source, 0, values, 0, false).text;
}

/** Returns the text up to the closing brace, and the index after it. */
function readUntil(source: string, from: number, values: TexinfoValues, depth: number, isCode: boolean) {
  const out: string[] = [];
  let at = from;
  let plain = from;
  const flush = (to: number) => {
    if (to > plain) out.push(isCode ? source.slice(plain, to) : quotes(source.slice(plain, to)));
  };
  while (at < source.length) {
    const sign = source[at];
    if (sign === '}') {
      flush(at);
      at += 1;
      plain = at;
      if (depth > 0) return { text: out.join(''), next: at };
    } else if (sign === '{') {
      flush(at);
      at += 1;
      plain = at;
      if (depth < DEPTH_MAX) {
        const inner = readUntil(source, at, values, depth + 1, isCode);
        out.push(inner.text);
        at = inner.next;
        plain = at;
      }
    } else if (sign === '@') {
      flush(at);
      const [text, next] = command(source, at + 1, values, depth, isCode);
      out.push(text);
      at = next;
      plain = at;
    } else at += 1;
  }
  flush(source.length);
  return { text: out.join(''), next: source.length };
}

function command(source: string, at: number, values: TexinfoValues, depth: number, isCode: boolean): [string, number] {
  const name = /[A-Za-z]{1,40}|[\s\S]/y;
  name.lastIndex = at;
  const word = name.exec(source)?.[0] ?? '';
  const next = at + word.length;
  const accent = ownValue(ACCENTS, word);
  if (accent !== undefined && !Object.hasOwn(SIGNS, word)) {
    const [base, end] =
      source[next] === '{' && depth < DEPTH_MAX
        ? argument(source, next, values, depth, isCode)
        : [source[next] ?? '', next + 1];
    return [`${base}${accent}`.normalize('NFC'), end];
  }
  if (!/^[A-Za-z]/.test(word))
    return [/[@{}&\\?!.]/.test(word) ? word : word === '*' ? '\n' : /\s/.test(word) ? ' ' : '', next];
  if (word === 'verb' && source[next] === '{') {
    const end = source.indexOf(`${source[next + 1]}}`, next + 2);
    if (end !== -1) return [source.slice(next + 2, end), end + 2];
  }
  if (source[next] !== '{' || depth >= DEPTH_MAX) return [ownValue(SIGNS, word) ?? '', next];
  const asCode = isCode || CODE_COMMANDS.has(word);
  const [text, end] = argument(source, next, values, depth, asCode);
  return [textOfCommand(word, text, values), end];
}

const CODE_COMMANDS = new Set('code samp file command option env kbd key verb math url uref email t w'.split(' '));

function argument(source: string, at: number, values: TexinfoValues, depth: number, isCode: boolean): [string, number] {
  const { text, next } = readUntil(source, at + 1, values, depth + 1, isCode);
  return [text, next];
}

function textOfCommand(word: string, text: string, values: TexinfoValues): string {
  const sign = ownValue(SIGNS, word);
  if (sign !== undefined) return sign;
  if (IGNORED_ARGUMENTS.has(word)) return '';
  const parts = text.split(/,[ \n]*/).map((part) => part.trim());
  switch (word) {
    case 'samp':
      return `‘${text}’`;
    case 'footnote':
      return ` (${text.trim()})`;
    case 'value':
      return namedValue(text, values);
    case 'U':
      return /^[0-9a-fA-F]{2,6}$/.test(text.trim()) ? pointOf(text.trim()) : '';
    case 'xref':
    case 'ref':
    case 'pxref':
    case 'inforef': {
      const label = parts[2] || parts[1] || parts[0] || '';
      const book = parts[4] ? ` in ${parts[4]}` : '';
      return `${word === 'ref' ? '' : word === 'xref' ? 'See ' : 'see '}${label}${book}`;
    }
    case 'uref':
    case 'url':
    case 'email':
    case 'indicateurl':
      return parts[1] ? `${parts[1]} <${parts[0]}>` : (parts[2] ?? parts[0] ?? '');
    case 'acronym':
    case 'abbr':
      return parts[1] ? `${parts[0]} (${parts[1]})` : text;
    case 'inlineraw':
      return '';
    case 'inlinefmt':
    case 'inlineifset':
      return parts.slice(1).join(', ');
    default:
      return text;
  }
}

function namedValue(name: string, values: TexinfoValues): string {
  const value = values.named.get(name.trim());
  if (value === undefined || value.length > values.unitsRemaining) return name;
  values.unitsRemaining -= value.length;
  return value;
}

function pointOf(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code > 31 && code <= 0x10ffff && (code & 0xfff800) !== 0xd800 ? String.fromCodePoint(code) : '';
}

function quotes(text: string): string {
  return text
    .replace(/``|''/g, '"')
    .replace(/(?<!-)---(?!-)/g, '—')
    .replace(/(?<=\w)--(?=\w)/g, '–');
}

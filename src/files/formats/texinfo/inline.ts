/** Converts commands in a line or paragraph of Texinfo to plain text in one pass. Pure. */

import { ownValue } from '../../../util/own-value.ts';
import { LETTER_COMMANDS } from '../tex-letters.ts';

/** Maximum nesting of commands; deeper ones are read as text. */
const DEPTH_MAX = 60;
/** An accent before a letter, a command with or without an argument, a sign, a brace, or text. */
const TOKEN = /@(['`^"~=,])([A-Za-z])|@([A-Za-z]{1,40})(\{)?|@([\s\S])|[{}]|[^@{}]+/g;
const ACCENTS: Readonly<Record<string, string>> = {
  ...{ "'": '\u0301', '`': '\u0300', '^': '\u0302', '"': '\u0308', '~': '\u0303', '=': '\u0304', ',': '\u0327' },
  ...{ v: '\u030c', u: '\u0306', H: '\u030b', ringaccent: '\u030a', dotaccent: '\u0307', ogonek: '\u0328' },
};
const SIGNS: Readonly<Record<string, string>> = {
  ...{ dots: '…', enddots: '…', copyright: '©', registeredsymbol: '®', bullet: '•', minus: '−', tie: ' ', comma: ',' },
  ...{ result: '⇒', expansion: '↦', print: '⊣', error: 'error→', equiv: '≡', point: '⋆', arrow: '→', TeX: 'TeX' },
  ...{ LaTeX: 'LaTeX', atchar: '@', lbracechar: '{', rbracechar: '}', backslashchar: '\\', hashchar: '#' },
  ...{ euro: '€', pounds: '£', geq: '≥', leq: '≤', textdegree: '°', ...LETTER_COMMANDS, ampchar: '&' },
};
/** Commands whose arguments are not part of the text. */
const IGNORED = new Set(
  'anchor image caption shortcaption hyphenation errormsg sortas seeentry seealso inlineraw'.split(' '),
);

/** Returns the text. @param values are those that `@value{x}` inserts. */
export function texinfoText(source: string, values: ReadonlyMap<string, string>): string {
  const open = [{ command: '', text: '' }];
  const add = (text: string): void => {
    open.at(-1)!.text += text;
  };
  const close = (): void => {
    const { command, text } = open.pop()!;
    add(command === '' ? text : textOfCommand(command, text, values));
  };
  for (const [token, accent, letter, command = '', brace, sign] of source.matchAll(TOKEN)) {
    if (accent !== undefined) add(`${letter}${ACCENTS[accent]}`.normalize('NFC'));
    else if (brace !== undefined || token === '{')
      open.push({ command: open.length < DEPTH_MAX ? command : '', text: '' });
    else if (command !== '') add(ownValue(SIGNS, command) ?? '');
    else if (sign !== undefined) add(/[@{}&\\?!.]/.test(sign) ? sign : /[*\s]/.test(sign) ? ' ' : '');
    else if (token === '}') open.length > 1 && close();
    else add(quotes(token));
  }
  while (open.length > 1) close();
  return open[0]!.text;
}

function textOfCommand(command: string, text: string, values: ReadonlyMap<string, string>): string {
  const accent = ownValue(ACCENTS, command);
  if (accent !== undefined) return `${text}${accent}`.normalize('NFC');
  const sign = ownValue(SIGNS, command);
  if (sign !== undefined) return sign;
  if (IGNORED.has(command)) return '';
  const parts = text.split(',').map((part) => part.trim());
  if (command === 'samp') return `‘${text}’`;
  if (command === 'footnote') return ` (${text.trim()})`;
  if (command === 'value') return values.get(text.trim()) ?? text;
  if (/^(?:[px]?x?ref|inforef)$/.test(command)) {
    const label = parts[2] || parts[1] || parts[0] || '';
    const book = parts[4] ? ` in ${parts[4]}` : '';
    return `${command === 'ref' ? '' : command === 'xref' ? 'See ' : 'see '}${label}${book}`;
  }
  if (/^(?:uref|url|email)$/.test(command))
    return parts[1] ? `${parts[1]} <${parts[0]}>` : (parts[2] ?? parts[0] ?? '');
  if (/^(?:acronym|abbr)$/.test(command) && parts[1]) return `${parts[0]} (${parts[1]})`;
  return text;
}

function quotes(text: string): string {
  return text.replace(/``|''/g, '"').replace(/(?<!-)---(?!-)/g, '—');
}

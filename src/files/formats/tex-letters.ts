/** Writes the letters that LaTeX composes by commands (`{\"u}`, `\c{c}`, `\ss`) as Unicode. Pure. */
import { readWordPairs } from '../../util/package-files.ts';

/** Combining characters by the command of the accent. */
const ACCENTS: Readonly<Record<string, string>> = {
  '"': '\u0308',
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '~': '\u0303',
  '=': '\u0304',
  '.': '\u0307',
  u: '\u0306',
  v: '\u030c',
  H: '\u030b',
  r: '\u030a',
  c: '\u0327',
  k: '\u0328',
  d: '\u0323',
  b: '\u0331',
};
/** Letters by the name of the command that TeX and Texinfo have for them. */
export const LETTER_COMMANDS = readWordPairs('tex/letters.txt');
const LETTERS: Readonly<Record<string, string>> = { ...LETTER_COMMANDS, i: 'ı', j: 'ȷ' };

/**
 * An accent with its letter: `\"u`, `\"{u}`, `\'\i`, `\c{c}`, `\v c`. A command that is a letter needs a brace or a blank behind it. A line
 * break, whose second backslash begins no command, is found first.
 */
const ACCENT =
  /\\\\|\\(?:(["'`^~=.])[ \t]?|([uvHrckdb])(?:[ \t]+|(?=\{)))(?:\{\\?(\p{L})[ \t]?\}|\\([ij])(?![a-zA-Z])(?:\{\})?[ \t]?|(\p{L}))/gu;
const LETTER = /\\\\|\\(ss|ae|AE|oe|OE|aa|AA|dh|DH|th|TH|dj|DJ|[oOlLij])(?:\{\}|(?![a-zA-Z])[ \t]?)/g;
/** Commands of tab stops inside `tabbing`, three of which are accents elsewhere. */
const TAB_STOP = /\\\\|\\[=>'`<+-]/g;
/** A brace around one composed letter. */
const BRACED = /\{([^\p{ASCII}]\p{M}?)\}/gu;

/** Returns the source with composed letters. The commands of other things stay. */
export function withTexLetters(source: string): string {
  if (!source.includes('\\')) return source;
  return source
    .split(/(?=\\(?:begin|end)\{tabbing\})/)
    .map((part) =>
      part.startsWith('\\begin{tabbing}') ? part.replace(TAB_STOP, (mark) => (mark === '\\\\' ? mark : ' ')) : part,
    )
    .join('')
    .replace(ACCENT, (whole, sign: string, name: string, braced?: string, dotless?: string, plain?: string) => {
      const letter = braced ?? dotless ?? plain;
      return letter === undefined ? whole : `${letter}${ACCENTS[sign ?? name]!}`.normalize('NFC');
    })
    .replace(LETTER, (whole, name: string) => LETTERS[name] ?? whole)
    .replace(BRACED, '$1');
}

/** Normalizes text and splits it into tokens. The kind of a token tells how its script is analyzed. */
import { normalize } from '../fold.ts';

export type TokenKind = 'cjk' | 'thai' | 'word' | 'symbol' | 'operator';

const LETTERS = '[\\p{L}\\p{M}\\p{N}]';
const CJK = `[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{sc=Hang}]&&${LETTERS}]`;
const THAI = `[[\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]&&${LETTERS}]`;
const WORD = `[${LETTERS}--${CJK}--${THAI}]`;
const EMOJI = '\\p{Extended_Pictographic}';

/**
 * A mark that makes a name of the word behind it: `-e`, `--depth`, `.gitignore`, `@media`, `#include`, `$HOME`, `%j`. A mark is no
 * sigil within a word, behind the same mark, or behind a bracket as in `f().then`.
 */
export const SIGIL = `(?<![${LETTERS}_])(?:(?<![\\-+])--?|(?<![.\\)\\]\\}])\\.|(?<!@)@|(?<![#&])#|(?<!\\$)\\$|(?<!%)%)`;
/** Two or three marks between blanks, quotes or brackets: `->`, `<=>`, `$!`, `&&`. And `?.` before a name: it has no blanks around it. */
const MARKS = '[!#$%&*+\\-.\\/:<=>?@\\\\^\\|~]';
const OPERATOR = `(?<![${LETTERS}${MARKS}])${MARKS}{2,3}(?![${LETTERS}${MARKS}])|\\?\\.(?=\\p{L})`;

/** A comma between the digits of a number: `10,000` and `3,5`, but not `1,2,3`. */
const COMMA = '(?<=\\d),(?=\\d{3})|(?<=(?<![,.\\d])[.\\d]+),(?=\\d+(?![,\\d]))';
const CONNECTOR = `[._\\-]+|::|${COMMA}`;
/** Marks at the end of a word: `C++`, `C#`. */
export const WORD_END = `\\+\\+|#(?!${LETTERS})`;
/** A word may hold connectors (`foo.bar`, `std::vec`, `ERR_4012`) and end like `C++` or `C#`. */
const CONNECTED_WORD = `${WORD}+(?:(?:${CONNECTOR})${WORD}+)*(?:${WORD_END})?`;

const TOKENS = new RegExp(`(${CJK}+)|(${THAI}+)|(${SIGIL})?(${CONNECTED_WORD})|(${EMOJI})|(${OPERATOR})`, 'gv');

/** The kind of a token by the group of the pattern. */
const KINDS: readonly (TokenKind | undefined)[] = [
  ...[undefined, 'cjk', 'thai', undefined, 'word', 'symbol', 'operator'],
] as const;
const SIGIL_GROUP = 3;
const WORD_GROUP = 4;

/**
 * Length of the windows in which text is matched, because the matcher keeps a stack as deep as a token is long. A window ends at a
 * blank if it has one.
 */
const WINDOW_UNITS_MAX = 16_384;

/**
 * Calls `visit` for every run of letters, marks and digits, for every emoji and every operator, in order. `sigil` is the mark before
 * a word, or ''. Time is linear in the text.
 */
export function forEachToken(text: string, visit: (kind: TokenKind, token: string, sigil: string) => void): void {
  for (let start = 0; start < text.length; ) {
    const end = windowEnd(text, start);
    for (const match of normalize(text.slice(start, end)).matchAll(TOKENS)) {
      if (match[WORD_GROUP] !== undefined) visit('word', match[WORD_GROUP], match[SIGIL_GROUP] ?? '');
      else visit(KINDS[match.findIndex((token, i) => i > 0 && token !== undefined)]!, match[0], '');
    }
    start = end;
  }
}

function windowEnd(text: string, start: number): number {
  const window = text.slice(start, start + WINDOW_UNITS_MAX);
  if (window.length < WINDOW_UNITS_MAX) return text.length;
  const blank = Math.max(window.lastIndexOf(' '), window.lastIndexOf('\n'));
  return start + (blank > 0 ? blank : window.length);
}

/** Normalises text and splits it into runs, by the way their script is analyzed. */
import { normalize } from './fold.ts';

export type TokenKind = 'cjk' | 'thai' | 'hangul' | 'word' | 'symbol';

const LETTERS = '[\\p{L}\\p{M}\\p{N}]';
const CJK = `[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}]&&${LETTERS}]`;
const THAI = `[[\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]&&${LETTERS}]`;
const HANGUL = `[[\\p{sc=Hang}]&&${LETTERS}]`;
const WORD = `[${LETTERS}--${CJK}--${THAI}--${HANGUL}]`;
const SYMBOL = '\\p{Extended_Pictographic}';

/** A word may hold single connectors (`foo.bar`, `ERR_4012`, `10,000`, `3,5` but not `1,2,3`) and end like `C++` or `C#`. */
const TOKENS = new RegExp(
  `(${CJK}+)|(${THAI}+)|(${HANGUL}+)|(${WORD}+(?:(?:[._\\-]+|(?<=\\d),(?=\\d{3})|(?<=(?<![,.\\d])[.\\d]+),(?=\\d+(?![,\\d])))${WORD}+)*(?:\\+\\+|#(?!${LETTERS}))?)|(${SYMBOL})`,
  'gv',
);

const KINDS: readonly TokenKind[] = ['cjk', 'thai', 'hangul', 'word', 'symbol'];

/** The pattern's matcher keeps a stack as deep as a token is long: text is matched in windows, cut at a blank if there is one. */
const WINDOW_UNITS_MAX = 16_384;

/** Calls `visit` for every run of letters, marks and digits, and for every emoji, in order. Time is linear in the text. */
export function forEachToken(text: string, visit: (kind: TokenKind, token: string) => void): void {
  for (let start = 0; start < text.length; ) {
    const end = windowEnd(text, start);
    for (const match of normalize(text.slice(start, end)).matchAll(TOKENS)) {
      const group = match[4] !== undefined ? 4 : match.findIndex((token, i) => i > 0 && token !== undefined);
      visit(KINDS[group - 1]!, match[0]);
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

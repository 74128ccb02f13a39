/** Splits normalised text into runs, by the way their script is analyzed. */

export type TokenKind = 'cjk' | 'thai' | 'hangul' | 'word' | 'symbol';

const LETTERS = '[\\p{L}\\p{M}\\p{N}]';
const CJK = `[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}]&&${LETTERS}]`;
const THAI = `[[\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]&&${LETTERS}]`;
const HANGUL = `[[\\p{sc=Hang}]&&${LETTERS}]`;
const WORD = `[${LETTERS}--${CJK}--${THAI}--${HANGUL}]`;
const SYMBOL = '\\p{Extended_Pictographic}';

/** A word may hold single connectors (`foo.bar`, `ERR_4012`, `10,000`) and end like `C++` or `C#`. */
const TOKENS = new RegExp(
  `(${CJK}+)|(${THAI}+)|(${HANGUL}+)|(${WORD}+(?:(?:[._\\-]+|(?<=\\d),(?=\\d{3}))${WORD}+)*(?:\\+\\+|#(?!${LETTERS}))?)|(${SYMBOL})`,
  'gv',
);

const KINDS: readonly TokenKind[] = ['cjk', 'thai', 'hangul', 'word', 'symbol'];

/** Calls `visit` for every run of letters, marks and digits, and for every emoji, in order. */
export function forEachToken(text: string, visit: (kind: TokenKind, token: string) => void): void {
  for (const match of text.matchAll(TOKENS)) {
    for (let group = 1; group <= KINDS.length; group++) {
      const token = match[group];
      if (token !== undefined) {
        visit(KINDS[group - 1]!, token);
        break;
      }
    }
  }
}

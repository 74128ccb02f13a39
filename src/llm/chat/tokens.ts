/**
 * Estimates tokens for budgets. Models count differently, and the tables of a tokenizer take 60 MB. The estimate is a high one for every
 * script: up to three times what a good tokenizer needs. files/chunk/token-estimate.ts has the mean estimate for cutting chunks.
 */

/** Tokens of a message in addition to its text. */
export const MESSAGE_OVERHEAD_TOKENS = 6;

/** Tokens per UTF-16 unit: high estimates over several tokenizers. */
const LATIN_LETTER = 0.3;
const BLANK = 0.1;
const DIGIT = 0.7;
const MARK = 0.8;
const OTHER_LETTER = 0.7;
const WIDE_LETTER = 1.2;
const RARE = 2;

/** Returns a number of tokens that common tokenizers do not exceed for ordinary text. */
export function tokensAtMost(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) tokens += weightOf(text.charCodeAt(i));
  return Math.ceil(tokens);
}

/** Returns the longest start of `text` with an estimate of at most `tokensMax`, without half a surrogate pair at the end. */
export function cutToTokens(text: string, tokensMax: number): string {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) {
    tokens += weightOf(text.charCodeAt(i));
    if (tokens > tokensMax) return text.slice(0, i).replace(/[\ud800-\udbff]$/, '');
  }
  return text;
}

function weightOf(unit: number): number {
  if (unit < 0x80) {
    if ((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)) return LATIN_LETTER;
    if (unit === 0x20) return BLANK;
    return unit >= 0x30 && unit <= 0x39 ? DIGIT : MARK;
  }
  if (unit < 0x0250) return LATIN_LETTER * 2;
  if (unit < 0x0590) return OTHER_LETTER; // Greek, Cyrillic, Armenian
  if (unit < 0x1100) return WIDE_LETTER; // Hebrew, Arabic, Indic, Thai …
  if (unit >= 0x2e80 && unit < 0xd800) return WIDE_LETTER; // CJK, Hangul
  return RARE / 2; // halves of surrogate pairs, symbols
}

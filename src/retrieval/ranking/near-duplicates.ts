/** Recognises texts with nearly the same words: other versions of a page, or copies with another layout or in another format. Pure. */

/** Minimum share of common word sequences for two texts to count as copies. */
export const NEAR_DUPLICATE_SHARE_MIN = 0.9;
const SEQUENCE_WORDS = 3;
/** Words after this number are not compared. */
const COMPARED_WORDS_MAX = 2_000;
/** Texts with fewer words are copies only if they are equal. */
const COMPARED_WORDS_MIN = 8;

/** Tolerance for rounding: a number that equals the limit must pass. */
const ROUNDING = 1e-9;

/** The facts by which two texts are compared. */
export interface Fingerprint {
  /** Hashes of the word sequences, ascending, each once. */
  sequences: Uint32Array;
  /** Every word with a digit, in order. A text that has a number, a date or a code that the other one lacks is no copy of it. */
  numbers: readonly string[];
}

/** A word. In scripts without blanks between words, each character counts as a word. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /\p{N}/u;

export function fingerprint(text: string): Fingerprint {
  const words = (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).slice(0, COMPARED_WORDS_MAX);
  const hashes = words.map(hashOfWord);
  const numbers = words.filter((word) => NUMBER.test(word));
  const count = hashes.length < COMPARED_WORDS_MIN ? 0 : hashes.length - SEQUENCE_WORDS + 1;
  const sequences = new Set<number>();
  for (let i = 0; i < count; i += 1) {
    let hash = 0;
    for (let k = 0; k < SEQUENCE_WORDS; k += 1) hash = Math.imul(hash, HASH_FACTOR) ^ hashes[i + k]!;
    sequences.add(hash);
  }
  return { sequences: Uint32Array.from(sequences).sort(), numbers };
}

/**
 * Returns true if a text says nearly the same as another one that is shown: both share at least NEAR_DUPLICATE_SHARE_MIN of their sequences
 * (Jaccard), and the other one has the numbers of the text in the same order. It may have more: a manual as PDF or Info also has numbers of
 * sections and of pages. So no number is hidden that is not shown.
 */
export function isNearCopy(text: Fingerprint, shown: Fingerprint): boolean {
  if (text.sequences.length === 0 || shown.sequences.length === 0) return false;
  if (!isWithin(text.numbers, shown.numbers)) return false;
  // At most so many sequences may be in only one of the texts. The loop ends early for texts that differ.
  const [left, right] = [text.sequences, shown.sequences];
  const all = left.length + right.length;
  const singlesMax = (all * (1 - NEAR_DUPLICATE_SHARE_MIN)) / (1 + NEAR_DUPLICATE_SHARE_MIN) + ROUNDING;
  let [i, j, singles] = [0, 0, 0];
  while (i < left.length && j < right.length && singles <= singlesMax) {
    const [l, r] = [left[i]!, right[j]!];
    if (l === r) {
      i += 1;
      j += 1;
    } else {
      singles += 1;
      if (l < r) i += 1;
      else j += 1;
    }
  }
  return singles + (left.length - i) + (right.length - j) <= singlesMax;
}

/** Returns true if `more` has the words of `fewer` in their order, with or without others between them. */
function isWithin(fewer: readonly string[], more: readonly string[]): boolean {
  let found = 0;
  for (const word of more) if (word === fewer[found]) found += 1;
  return found === fewer.length;
}

/** FNV-1a. */
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

function hashOfWord(word: string): number {
  let hash = HASH_START;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), HASH_FACTOR);
  return hash;
}

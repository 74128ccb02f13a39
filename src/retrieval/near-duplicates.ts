/** Texts that say the same in nearly the same words: other versions of a page, copies with another layout. Pure. */

/** Share of common word sequences from which on two texts count as one. */
export const NEAR_DUPLICATE_SHARE_MIN = 0.9;
/** Words in a sequence. */
const SEQUENCE_WORDS = 3;
/** More of a text is not compared. */
const COMPARED_WORDS_MAX = 2_000;
/** Texts of fewer words are copies only when they are equal. */
const COMPARED_WORDS_MIN = 8;

/** A whole number that is exactly the limit must not fall behind it. */
const ROUNDING = 1e-9;

/** What two texts are compared by. */
export interface Fingerprint {
  /** Hashes of the word sequences, ascending, each once. */
  sequences: Uint32Array;
  /** Every word with a digit, in order: texts that differ in a number, a date or a code never count as one. */
  numbers: string;
}

/** Where words are not separated, each character counts as one. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|[\p{L}\p{M}\p{N}]+/gu;

export function fingerprint(text: string): Fingerprint {
  const words = (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).slice(0, COMPARED_WORDS_MAX);
  const hashes = words.map(hashOf);
  const sequences = new Set<number>();
  if (words.length >= COMPARED_WORDS_MIN) {
    for (let i = 0; i + SEQUENCE_WORDS <= hashes.length; i += 1) {
      let hash = 0;
      for (let k = 0; k < SEQUENCE_WORDS; k += 1) hash = Math.imul(hash, 0x01000193) ^ hashes[i + k]!;
      sequences.add(hash >>> 0);
    }
  }
  return {
    sequences: Uint32Array.from(sequences).sort(),
    numbers: words.filter((word) => /\p{N}/u.test(word)).join(' '),
  };
}

/** True when the sequences have at least NEAR_DUPLICATE_SHARE_MIN in common (Jaccard) and the numbers are the same. */
export function areNearDuplicates(a: Fingerprint, b: Fingerprint): boolean {
  if (a.numbers !== b.numbers || a.sequences.length === 0 || b.sequences.length === 0) return false;
  // Of all sequences at most so many may be in one text only: the loop ends early for texts that differ.
  const [left, right] = [a.sequences, b.sequences];
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

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash;
}

/**
 * Overlapping groups of neighbouring letters: what words have in common that a stemmer keeps apart, such as a compound and its parts.
 * Pure.
 */

/** How many letters say about as much as each other in their script. */
const GROUP_LETTERS = 4;
const GROUP_LETTERS_THAI = 3;
const GROUP_LETTERS_EAST_ASIAN = 2;

/**
 * The groups of the words that `isKept` keeps, each with its weight: one for each group where words are not told apart, else one for
 * each word, however long. Of a word shorter than a group only digits are taken, whole.
 */
export function letterGroups(text: string, isKept: (word: string) => boolean): Map<string, number> {
  const groups = new Map<string, number>();
  for (const word of plainOf(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    if (!isKept(word)) continue;
    const size = groupSize(word);
    const weight = size === GROUP_LETTERS ? 1 / Math.max(1, word.length - size + 1) : 1;
    if (word.length < size && /\p{N}/u.test(word)) groups.set(word, weight);
    for (let end = size; end <= word.length; end++) {
      const group = word.slice(end - size, end);
      groups.set(group, Math.max(weight, groups.get(group) ?? 0));
    }
  }
  return groups;
}

/** Text in which groups are looked for. */
export function plainOf(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').toLowerCase();
}

function groupSize(word: string): number {
  if (/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}]/u.test(word)) return GROUP_LETTERS_EAST_ASIAN;
  return /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u.test(word) ? GROUP_LETTERS_THAI : GROUP_LETTERS;
}

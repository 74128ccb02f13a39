/**
 * Cuts words into overlapping groups of neighbouring letters. Words share groups although a stemmer gives them different terms, such as
 * a compound and its parts.
 */
import { uniteHan } from '../../text/analysis/han-variants.ts';

/** Letters of a group by script: the groups of all scripts say about as much. */
const GROUP_LETTERS = 4;
const GROUP_LETTERS_THAI = 3;
const GROUP_LETTERS_EAST_ASIAN = 2;

/**
 * Returns the groups of the words that `isTopic` accepts, each with its weight. In scripts with spaces the groups of a word weigh 1
 * together, in other scripts each group weighs 1. A word shorter than a group has no groups, unless it contains a digit: then the whole
 * word is a group.
 */
export function letterGroups(text: string, isTopic: (word: string) => boolean): Map<string, number> {
  const groups = new Map<string, number>();
  for (const word of plainOf(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    if (!isTopic(word)) continue;
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

/** Returns the text in the form in which groups are searched for: normalized and in lower case. */
export function plainOf(text: string): string {
  return uniteHan(text.normalize('NFKC').replace(/\s+/g, ' ').toLowerCase());
}

function groupSize(word: string): number {
  if (/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}]/u.test(word)) return GROUP_LETTERS_EAST_ASIAN;
  return /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u.test(word) ? GROUP_LETTERS_THAI : GROUP_LETTERS;
}

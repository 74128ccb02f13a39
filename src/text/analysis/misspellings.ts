/** Spellings near a word, and the number of typing errors between two words. */
import { lazy } from '../../util/lazy.ts';
import { readWordLists } from '../../util/package-files.ts';

/** Shorter words have too many neighbours with another meaning ("cost" and "most"). Longer words have too many spellings. */
const CORRECTED_UNITS_MIN = 5;
const CORRECTED_UNITS_MAX = 24;

/** Letters by script. No letter is in two of the lists. */
const alphabets = lazy(() => [...readWordLists('typed-letters').values()]);

/** Returns whether a word can be corrected: it has only letters and marks, and it is neither too short nor too long. */
export function isCorrectable(word: string): boolean {
  const { length } = word;
  return length >= CORRECTED_UNITS_MIN && length <= CORRECTED_UNITS_MAX && /^[\p{L}\p{M}]+$/u.test(word);
}

/** Returns every spelling that is one error away: two neighbours swapped, a letter too many, another letter, a letter missing. */
export function spellingsNear(word: string): Set<string> {
  const alphabet = alphabets().find((letters) => letters.includes(word[1]!)) ?? [];
  const found = new Set<string>();
  for (let i = 0; i < word.length - 1; i += 1) {
    found.add(word.slice(0, i) + word[i + 1]! + word[i]! + word.slice(i + 2));
  }
  for (let i = 0; i < word.length; i += 1) found.add(word.slice(0, i) + word.slice(i + 1));
  for (let i = 0; i <= word.length; i += 1) {
    for (const letter of alphabet) {
      found.add(word.slice(0, i) + letter + word.slice(i));
      if (i < word.length) found.add(word.slice(0, i) + letter + word.slice(i + 1));
    }
  }
  found.delete(word);
  return found;
}

/** Returns the fewest errors between two words; `max + 1` if there are more than `max`. A swap of neighbours is one error. */
export function errorsBetween(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    if (Math.min(...row) > max) return max + 1;
    [before, last] = [last, row];
  }
  return Math.min(last[b.length]!, max + 1);
}

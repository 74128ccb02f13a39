/** Spellings near a word. */
import { lazy } from '../../util/lazy.ts';
import { readWordLists } from '../../util/package-files.ts';
import { fold } from '../fold.ts';

/** Shorter words have too many neighbours with another meaning ("cost" and "most"). Longer words have too many spellings. */
const CORRECTABLE = /^[\p{L}\p{M}]{5,24}$/u;

/** Letters by script. No letter is in two of the lists. */
const alphabets = lazy(() => [...readWordLists('typed-letters').values()].map((lines) => [...lines.join('')]));

/**
 * Returns the folded spellings that are one error away: two neighbours swapped, a letter too many, another letter, a letter missing.
 * Returns none for a short word and for a word with other characters than letters.
 */
export function spellingsNear(word: string): ReadonlySet<string> {
  const letters = fold(word.toLowerCase());
  const found = new Set<string>();
  if (!CORRECTABLE.test(letters)) return found;
  const alphabet = alphabets().find((list) => list.includes(letters[1]!)) ?? [];
  for (let i = 0; i <= letters.length; i += 1) {
    const [before, after] = [letters.slice(0, i), letters.slice(i)];
    found.add(before + after.slice(1));
    if (after.length > 1) found.add(before + after[1]! + after[0]! + after.slice(2));
    for (const letter of alphabet) found.add(before + letter + after).add(before + letter + after.slice(1));
  }
  found.delete(letters);
  return found;
}

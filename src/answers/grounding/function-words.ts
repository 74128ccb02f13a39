/** Words that hold sentences together, by their use. */
import { pairsIn } from '../word-lists.ts';

/** `data/answers/function-words` explains the uses. */
export type WordUse = 'joins' | 'agent' | 'pronoun' | 'preposition' | 'range' | 'filler';

const USES = readUses();

function readUses(): Map<string, Set<string>> {
  const uses = new Map<string, Set<string>>();
  for (const [word, names] of pairsIn('function-words'))
    uses.set(word, new Set([...(uses.get(word) ?? []), ...names.split(' ')]));
  return uses;
}

/** Returns true when a word in lower case has this use in one of the languages. */
export function hasUse(word: string, use: WordUse): boolean {
  return USES.get(word)?.has(use) === true;
}

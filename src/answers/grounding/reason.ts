/** Explains in plain words why a passage does not support a sentence. */
import { type Claim, hasName, type NameIndex, termsOf } from './claims.ts';
import { missesNumber, type Readings } from './numbers.ts';

/** Maximum words that a reason names. */
const LISTED_WORDS_MAX = 5;

/** A passage as it is compared with claims. */
export interface Passage {
  numbers: readonly Readings[];
  names: NameIndex;
  terms: ReadonlySet<string>;
  language: string | null;
}

/**
 * Returns one sentence that names the first kind of thing that `passage` lacks.
 *
 * @param resembles true when the passage has the numbers, the names and most of the words. Then a negation or the wording differs.
 * @param holds true when the passage also negates the same clauses. Then only the wording differs.
 */
export function reasonOf(claim: Claim, passage: Passage, { resembles, holds }: { resembles: boolean; holds: boolean }) {
  if (holds) return 'The passage says it otherwise: a word, a number or their order differs.';
  if (resembles) return 'The passage and the sentence differ in a negation.';
  const numbers = claim.wording.filter(
    ({ readings }) => readings !== null && missesNumber([readings], passage.numbers),
  );
  if (numbers.length > 0) return lacks('number', numbers);
  if (missesNumber(claim.numbers, passage.numbers)) return 'The passage lacks a number of the sentence.';
  const names = claim.names.filter((name) => !hasName(name, passage.names, passage.language));
  if (names.length > 0) return lacks('name', names);
  const words = claim.wording.filter(({ isContent, word }) => {
    const terms = [...termsOf(word, passage.language)];
    return isContent && terms.length > 0 && !terms.some((term) => passage.terms.has(term));
  });
  return words.length > 0 ? lacks('word', words) : 'The passage lacks most of what the sentence says.';
}

/** Returns a sentence such as `The passage lacks the numbers 28, 30.` */
function lacks(noun: string, found: readonly { word: string }[]): string {
  const words = [...new Set(found.map(({ word }) => word))];
  const listed = words.slice(0, LISTED_WORDS_MAX).join(', ');
  const more = words.length > LISTED_WORDS_MAX ? ' and more' : '';
  return `The passage lacks the ${noun}${words.length > 1 ? 's' : ''} ${listed}${more}.`;
}

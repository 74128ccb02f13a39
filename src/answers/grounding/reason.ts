/** Why a passage does not support a sentence, in plain words. Pure. */
import { type Claim, hasName, type NameIndex, termsOf } from './claims.ts';
import { missesNumber, type Readings } from './numbers.ts';

/** Maximum words that a reason names. */
const NAMED_MAX = 5;

/** What a passage says, as it was compared with the claim. */
export interface Passage {
  numbers: readonly Readings[];
  names: NameIndex;
  terms: ReadonlySet<string>;
  language: string | null;
}

/**
 * Returns one sentence that names the first kind of thing that `passage` lacks.
 *
 * @param resembles the passage has the numbers, the names and most of the words: then polarity or wording differ.
 * @param holds and it negates where the claim does: then the wording differs.
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

/** `The passage lacks the numbers 28 and 30.` */
function lacks(noun: string, found: readonly { word: string }[]): string {
  const words = [...new Set(found.map(({ word }) => word))];
  const named = words.slice(0, NAMED_MAX).join(', ');
  const more = words.length > NAMED_MAX ? ' and more' : '';
  return `The passage lacks the ${noun}${words.length > 1 ? 's' : ''} ${named}${more}.`;
}

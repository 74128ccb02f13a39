/** Finds texts that have a phrase word for word. Pure. */
import { fold } from '../../text/fold.ts';

const QUOTED = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」/gu;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without blanks between words. */
const UNSPACED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr} ]+$/u;
/** A query without quotes is a phrase if it has at least so many words. */
const PHRASE_WORDS_MIN = 3;

/** Returns the phrases that a query has in quotes. */
export function quotedIn(query: string): string[] {
  return [...query.matchAll(QUOTED)].map((groups) =>
    groups
      .slice(1)
      .find((text) => text !== undefined)!
      .trim(),
  );
}

/**
 * Returns a test of whether a text has every phrase in quotes, or else the whole query. Case, accents, marks and line breaks do not
 * count. Returns undefined if the query has no phrase: no quotes and at most two words.
 */
export function phraseTest(query: string): ((text: string) => boolean) | undefined {
  const quoted = quotedIn(query)
    .map(wordsOf)
    .filter((phrase) => phrase !== '');
  const whole = wordsOf(query);
  const phrases = quoted.length > 0 ? quoted : whole.split(' ').length < PHRASE_WORDS_MIN ? [] : [whole];
  if (phrases.length === 0) return undefined;
  return (text) => {
    const words = ` ${wordsOf(text)} `;
    return phrases.every((phrase) => words.includes(UNSPACED.test(phrase) ? phrase : ` ${phrase} `));
  };
}

function wordsOf(text: string): string {
  return fold((text.normalize('NFKC').toLowerCase().match(WORDS) ?? []).join(' '));
}

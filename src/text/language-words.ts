/** Very frequent function words by language. In a short text, a few of them tell the language more surely than n-grams do. */
import { lazy } from '../util/lazy.ts';
import { readWordLists } from '../util/package-files.ts';

/** So many words at the beginning of a list of stop words are the most frequent function words of the language. */
const FREQUENT_STOP_WORDS = 25;

/** Returns the languages that use each function word. Languages with few or no stop words have a list of function words of their own. */
const languagesByWord = lazy(() => {
  const languages = new Map<string, string[]>();
  const frequent = [...readWordLists('stop-words')].map(
    ([language, words]) => [language, words.slice(0, FREQUENT_STOP_WORDS)] as const,
  );
  for (const [language, words] of new Map([...frequent, ...readWordLists('function-words')])) {
    for (const word of words) languages.set(word, [...(languages.get(word) ?? []), language]);
  }
  return languages;
});

/** Minimum share of function words in a running text of a language. */
const SHARE_MIN = 0.08;
/** The minimum share and lead that suffice if a language has far more function words than any other. */
const CLEAR_SHARE_MIN = 0.02;
const CLEAR_LEAD = 2;
const HITS_MIN = 2;
const CLEAR_HITS_MIN = 3;
/** A language needs HITS_MIN words that have two letters or more and are not English too. A single letter may name a variable or a key. */
const TELLING_UNITS_MIN = 2;
/** Words. Parts of addresses, hashes, tags and names with dots are none: "com" and "em" are Portuguese, "de" is French. */
const WORDS = /(?<![.@/=&?#_<\p{N}\p{L}\p{M}])[\p{L}\p{M}]+(?![\p{L}\p{M}\p{N}]|[.@/_][\p{L}\p{N}]|:\/\/)/gu;

/**
 * Returns the language whose function words fill most of the sample; undefined if none stands out. It is never one of the
 * `excluded` languages.
 */
export function languageByWords(sample: string, excluded: ReadonlySet<string>): string | undefined {
  // Names hold function words, too: Los Angeles, De Niro. Running text has most function words in lower case.
  const text = /\p{Ll}/u.test(sample) ? sample : sample.toLowerCase();
  const hits = new Map<string, number>();
  const telling = new Map<string, number>();
  const words = text.match(WORDS) ?? [];
  for (const word of words) {
    const languages = languagesByWord().get(word);
    if (!languages) continue;
    for (const language of languages) {
      hits.set(language, (hits.get(language) ?? 0) + 1);
      if (word.length >= TELLING_UNITS_MIN && (language === 'en' || !languages.includes('en'))) {
        telling.set(language, (telling.get(language) ?? 0) + 1);
      }
    }
  }
  const [first, second] = [...hits]
    .filter(([language]) => (telling.get(language) ?? 0) >= HITS_MIN && !excluded.has(language))
    .sort((a, b) => b[1] - a[1]);
  if (!first || first[1] < HITS_MIN || first[1] === second?.[1]) return undefined;
  const isClear = first[1] >= CLEAR_HITS_MIN && first[1] >= CLEAR_LEAD * (second?.[1] ?? 0);
  return first[1] >= words.length * (isClear ? CLEAR_SHARE_MIN : SHARE_MIN) ? first[0] : undefined;
}

/** Returns whether the sample holds a function word of the language in lower case, of two letters or more. */
export function hasFunctionWord(sample: string, language: string): boolean {
  const words = sample.match(/[\p{L}\p{M}]{2,}/gu) ?? [];
  return words.some((word) => languagesByWord().get(word)?.includes(language));
}

/**
 * Words that carry no topic, by language, in lower case. Only queries drop them. The lists are short (the commonest function words
 * and question words), because BM25 gives a frequent word little weight anyway.
 */
import { lazy } from '../../util/lazy.ts';
import { readWordLists } from '../../util/package-files.ts';

const NONE: ReadonlySet<string> = new Set();

const listsByLanguage = lazy(
  () => new Map([...readWordLists('stop-words')].map(([language, words]) => [language, new Set(words)])),
);

/** Returns the stop words of a language, in lower case and not stemmed; the empty set if the language has no list. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  return listsByLanguage().get(language) ?? NONE;
}

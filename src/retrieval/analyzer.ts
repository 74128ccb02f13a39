/**
 * Turns text into search terms: the same for index and query, for every script. Pure.
 *
 * Terms leave here encoded (analysis/encode.ts), so that each is one lexeme of PostgreSQL's `simple` configuration.
 */
import { encodeTerm } from './analysis/encode.ts';
import { cjkTerms, hangulTerms, thaiTerms } from './analysis/segments.ts';
import { stopWordsOf } from './analysis/stop-words.ts';
import { forEachToken } from './analysis/tokens.ts';
import { takeApart, wordTerms } from './analysis/words.ts';

/** Stands for "not known": each script's most common language is assumed. */
export const UNDETERMINED = 'und';

/**
 * Terms of a chunk in reading order, joined by blanks. Time and size are linear in the text.
 *
 * `language` is the ISO 639-1 code of the text, or null when it is not known. Stop words stay in: a query drops them
 * unless it has nothing else ("to be or not to be").
 */
export function analyzeForIndex(text: string, language: string | null): string {
  const terms: string[] = [];
  analyze(
    text,
    (word) => terms.push(...wordTerms(word, language ?? UNDETERMINED)),
    (term) => terms.push(term),
  );
  return terms.join(' ');
}

/**
 * Distinct terms of a query. `languages` are those of the searched corpus (`und` for sources without one): the query's own
 * is not known, so its words are stemmed as in each of them. Stop words are dropped for the languages whose stop words
 * the query has most of, unless nothing would remain.
 */
export function analyzeQuery(text: string, languages: readonly string[]): string[] {
  const searched = languages.length > 0 ? languages : [UNDETERMINED];
  const words: string[] = [];
  const terms = new Set<string>();
  analyze(
    text,
    (word) => words.push(word),
    (term) => terms.add(term),
  );
  for (const word of withoutStopWords(words, searched, terms.size > 0)) {
    for (const language of searched) for (const term of wordTerms(word, language)) terms.add(term);
  }
  return [...terms];
}

function analyze(text: string, addWord: (word: string) => void, addTerm: (term: string) => void): void {
  forEachToken(text, (kind, token) => {
    if (kind === 'cjk') cjkTerms(token, addTerm);
    else if (kind === 'hangul') hangulTerms(token, addTerm);
    else if (kind === 'thai') thaiTerms(token, addTerm);
    else if (kind === 'symbol') addTerm(encodeTerm(token));
    else {
      const { words, joined, exact } = takeApart(token);
      words.forEach(addWord);
      if (joined) addWord(joined);
      if (exact) addTerm(encodeTerm(exact));
    }
  });
}

/** Latin-script stop words of English are looked for as well: names and code make every corpus partly English. */
function withoutStopWords(
  words: readonly string[],
  languages: readonly string[],
  mayBeEmpty: boolean,
): readonly string[] {
  const lists = [...new Set(languages.map((language) => (language === UNDETERMINED ? 'en' : language)))].map(
    stopWordsOf,
  );
  const lower = words.map((word) => word.toLowerCase());
  const counts = lists.map((list) => lower.filter((word) => list.has(word)).length);
  const most = Math.max(...counts);
  const used = lists.filter((_, i) => counts[i] === most);
  const kept = words.filter((_, i) => !used.some((list) => list.has(lower[i]!)));
  return kept.length > 0 || mayBeEmpty ? kept : words;
}

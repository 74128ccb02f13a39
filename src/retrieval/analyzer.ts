/**
 * Turns text into search terms: the same for index and query, for every script. Pure.
 *
 * Terms leave here encoded (analysis/encode.ts), so that each is one lexeme of PostgreSQL's `simple` configuration.
 */
import { withoutAsking } from './analysis/asking.ts';
import { encodeTerm } from './analysis/encode.ts';
import { TERM_WEIGHT } from './analysis/looser-forms.ts';
import { isQueryStopWord } from './analysis/query-stop-words.ts';
import { cjkTerms, hangulTerms, thaiTerms } from './analysis/segments.ts';
import { stopWordsOf } from './analysis/stop-words.ts';
import { forEachToken } from './analysis/tokens.ts';
import { lowerCase, takeApart, wordTerms } from './analysis/words.ts';

/** Stands for "not known": each script's most common language is assumed. */
export const UNDETERMINED = 'und';

/** The most that a term counts when it is one only in a language that the query does not seem to be in. */
const UNLIKELY_WEIGHT = 1;

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
    (word) => {
      for (const { term } of wordTerms(word, language ?? UNDETERMINED)) terms.push(term);
    },
    (term) => terms.push(term),
  );
  return terms.join(' ');
}

/** Distinct terms of a text, without function words and without looser forms: what it says. */
export function analyzeQuery(text: string, languages: readonly string[]): string[] {
  const terms = new Set<string>();
  forEachQueryTerm(text, languages, isFunctionWord, (term, _weight, isLoose) => {
    if (!isLoose) terms.add(term);
  });
  return [...terms];
}

/** Query terms beyond these are not searched for: the first of so long a query say enough. */
export const QUERY_TERMS_MAX = 512;

/** Terms of a query, each as many times as it counts. `languages` as for `weighTerms`. */
export function searchTerms(text: string, languages: readonly string[]): string[] {
  return [...weighTerms(text, languages)]
    .slice(0, QUERY_TERMS_MAX)
    .flatMap(([term, weight]) => new Array<string>(weight).fill(term));
}

/** A word of a query, and the terms that it is when it is spelled right: one for each language that the query may be in. */
export interface QueryWord {
  word: string;
  terms: string[];
}

/** The words of a query without stop words, each once. `languages` as for `weighTerms`. */
export function queryWords(text: string, languages: readonly string[]): QueryWord[] {
  const searched = languages.length > 0 ? languages : [UNDETERMINED];
  const words: string[] = [];
  analyze(
    text,
    (word) => words.push(word),
    () => {},
  );
  const { kept, likely } = withoutStopWords(words, searched, true, isFunctionWord);
  return [...new Set(kept)].map((word) => ({
    word,
    terms: [...new Set([...likely].map((language) => wordTerms(word, language)[0]!.term))],
  }));
}

/**
 * Terms of a query with what each counts, TERM_WEIGHT at most. `languages` are those of the searched corpus (`und` for sources
 * without one): the query's own is not known, so its words are stemmed as in each of them. Stop words are dropped for the
 * languages whose stop words the query has most of, unless nothing would remain.
 */
export function weighTerms(text: string, languages: readonly string[]): Map<string, number> {
  const terms = new Map<string, number>();
  forEachQueryTerm(withoutAsking(text), languages, isQueryStopWord, (term, weight) => {
    if (weight > (terms.get(term) ?? 0)) terms.set(term, weight);
  });
  return terms;
}

/** `isLoose`: it is a looser form of what the query says, or only in a language that it does not seem to be in. */
type AddWeighed = (term: string, weight: number, isLoose: boolean) => void;

type IsStopWord = (lower: string, language: string) => boolean;

const isFunctionWord: IsStopWord = (lower, language) => stopWordsOf(language).has(lower);

function forEachQueryTerm(text: string, languages: readonly string[], isStop: IsStopWord, add: AddWeighed): void {
  const searched = languages.length > 0 ? languages : [UNDETERMINED];
  const words: string[] = [];
  let hasOther = false;
  analyze(
    text,
    (word) => words.push(word),
    (term, weight) => {
      hasOther = true;
      add(term, weight, false);
    },
  );
  const { kept, likely } = withoutStopWords(words, searched, hasOther, isStop);
  for (const word of kept) {
    for (const language of searched) {
      const weightMax = likely.has(language) ? TERM_WEIGHT : UNLIKELY_WEIGHT;
      for (const { term, weight } of wordTerms(word, language)) {
        add(term, Math.min(weight, weightMax), Math.min(weight, weightMax) < TERM_WEIGHT);
      }
    }
  }
}

function analyze(text: string, addWord: (word: string) => void, addTerm: (term: string, weight: number) => void): void {
  forEachToken(text, (kind, token) => {
    if (kind === 'cjk') cjkTerms(token, addTerm);
    else if (kind === 'hangul') hangulTerms(token, addTerm);
    else if (kind === 'thai') thaiTerms(token, addTerm);
    else if (kind === 'symbol') addTerm(encodeTerm(token), TERM_WEIGHT);
    else {
      const { words, joined, exact, version } = takeApart(token);
      words.forEach(addWord);
      if (joined) addWord(joined);
      if (exact) addTerm(encodeTerm(exact), TERM_WEIGHT);
      if (version) addTerm(encodeTerm(version), TERM_WEIGHT);
    }
  });
}

/**
 * The words that remain, and the languages that the query may be in: those whose stop words it has most of.
 *
 * English stop words are looked for as well: names and code make every corpus partly English.
 */
function withoutStopWords(
  words: readonly string[],
  languages: readonly string[],
  mayBeEmpty: boolean,
  isStop: IsStopWord,
): { kept: readonly string[]; likely: ReadonlySet<string> } {
  const stops = languages.map((language) => {
    const listed = language === UNDETERMINED ? 'en' : language;
    return words.map((word) => isStop(lowerCase(word, listed), listed));
  });
  const counts = stops.map((list) => list.filter(Boolean).length);
  const most = Math.max(...counts);
  const likely = languages.filter((_, i) => counts[i] === most);
  const dropped = stops.filter((_, i) => counts[i] === most);
  const kept = words.filter((_, i) => !dropped.some((list) => list[i]));
  return { kept: kept.length > 0 || mayBeEmpty ? kept : words, likely: new Set(likely) };
}

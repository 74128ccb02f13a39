/**
 * Turns text into search terms: the same for index and query, for every script. Pure.
 *
 * Terms leave here encoded (analysis/encode.ts), so that each is one lexeme of PostgreSQL's `simple` configuration.
 */
import { withoutAsking } from './analysis/asking.ts';
import { encodeTerm } from './analysis/encode.ts';
import { TERM_WEIGHT } from './analysis/looser-forms.ts';
import {
  queryStopWord,
  type StopWord,
  withoutRomanianClitics,
  withoutTurkishEndings,
} from './analysis/query-stop-words.ts';
import { cjkTerms, hangulTerms, thaiTerms } from './analysis/segments.ts';
import { stopWordsOf } from './analysis/stop-words.ts';
import { operatorTerm, sigilTerm } from './analysis/symbols.ts';
import { forEachToken } from './analysis/tokens.ts';
import { isVietnameseSyllable } from './analysis/vietnamese.ts';
import { lowerCase, takeApart, wordTerms } from './analysis/words.ts';
import { isScriptLanguage } from './stems/stems.ts';

/** Stands for "not known": each script's most common language is assumed. */
export const UNDETERMINED = 'und';

/** The most that a term counts when it is one only in a language that the query does not seem to be in. */
const UNLIKELY_WEIGHT = 1;
/** The most that a word counts that may be a stop word. */
const DOUBTFUL_WEIGHT = 1;
/** What an option or an operator counts: it is seldom in a query by chance. */
const SYMBOL_WEIGHT = TERM_WEIGHT;
/** Other languages of the corpus have words that look like a stop word: one alone does not tell what the query is in. */
const TELLING_STOP_WORDS = 2;

/**
 * Terms of a chunk in reading order, joined by blanks. Time and size are linear in the text.
 *
 * `language` is the ISO 639-1 code of the text, or null when it is not known. Stop words stay in: a query drops them
 * unless it has nothing else ("to be or not to be"). Every word also has the term that it has in a text of unknown language: so
 * it is found as it is written by a query in any language.
 */
export function analyzeForIndex(text: string, language: string | null): string {
  return textTerms(text, language === null || language === UNDETERMINED ? [UNDETERMINED] : [UNDETERMINED, language]);
}

/** The same without the terms of unknown language: to compare texts of one language. */
export function analyzeText(text: string, language: string | null): string {
  return textTerms(text, [language ?? UNDETERMINED]);
}

function textTerms(text: string, languages: readonly string[]): string {
  const own = languages.at(-1)!;
  const terms: string[] = [];
  const addWord = (word: string): void => {
    const found = wordTerms(word, own);
    const [unknown] = wordTerms(word, languages[0]!);
    if (unknown!.term !== found[0]!.term) terms.push(unknown!.term);
    for (const { term } of found) terms.push(term);
  };
  analyze(text, addWord, (term) => terms.push(term));
  return terms.join(' ');
}

/** Distinct terms of a text, without function words and without looser forms: what it says. */
export function analyzeQuery(text: string, languages: readonly string[]): string[] {
  const terms = new Set<string>();
  forEachQueryTerm(text, languages, functionWord, (term, _weight, isLoose) => {
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

/** A word of a query, and the terms that it is when it is spelled right. */
export interface QueryWord {
  word: string;
  /** As it is written, and in the languages that the query is told to be in. */
  terms: string[];
  /** In other languages that the query may be in: searched for only if none of `terms` occurs. */
  stems: string[];
  /** Of Vietnamese: those one letter away are other words, not better spellings. */
  isSyllable: boolean;
}

/** The words of a query without stop words, each once. `languages` as for `weighTerms`. */
export function queryWords(text: string, languages: readonly string[]): QueryWord[] {
  const searched = languages.length > 0 ? languages : [UNDETERMINED];
  const words = wordsOf(withoutEndings(text, languages));
  const { kept, likely, isTold } = withoutStopWords(words, searched, true, queryStopWord);
  const surely = kept.filter(({ weightMax }) => weightMax === TERM_WEIGHT);
  return [...new Set(surely.map(({ word }) => word))].map((word) => ({
    word,
    terms: mainTerms(word, [UNDETERMINED, ...[...likely].filter((language) => isTold || !isOwn(language))]),
    stems: mainTerms(word, isTold ? [] : [...likely].filter(isOwn)),
    isSyllable: isSyllable(word, likely),
  }));
}

function mainTerms(word: string, languages: readonly string[]): string[] {
  return [...new Set(languages.map((language) => wordTerms(word, language)[0]!.term))];
}

/** Whether the stems of a language are terms of texts in it only. */
function isOwn(language: string): boolean {
  return language !== UNDETERMINED && !isScriptLanguage(language);
}

/** Vietnamese for certain, by its marks or by the query. */
function isSyllable(word: string, likely: ReadonlySet<string>): boolean {
  if (!likely.has('vi') || !isVietnameseSyllable(word.toLowerCase())) return false;
  return likely.size === 1 || /[^\x00-\x7f]/.test(word);
}

/**
 * Terms of a query with what each counts, TERM_WEIGHT at most. `languages` are those of the searched corpus (`und` for sources
 * without one). Words are stemmed as in a text of unknown language, and as in the languages that stop words tell or that the corpus
 * has alone; in others only if they occur nowhere (see `QueryWord`). Stop words are dropped for the languages whose stop words the
 * query has most of, unless nothing would remain; what may be another word counts little.
 */
export function weighTerms(text: string, languages: readonly string[]): Map<string, number> {
  const terms = new Map<string, number>();
  forEachQueryTerm(withoutAsking(withoutEndings(text, languages)), languages, queryStopWord, (term, weight) => {
    if (weight > (terms.get(term) ?? 0)) terms.set(term, weight);
  });
  return terms;
}

/** A query without what is written to its words with an apostrophe or a hyphen, and is no word. */
function withoutEndings(text: string, languages: readonly string[]): string {
  const said = languages.includes('tr') ? withoutTurkishEndings(text) : text;
  if (!languages.includes('ro') || !said.includes('-')) return said;
  const { likely } = withoutStopWords(wordsOf(said), languages, true, queryStopWord);
  return likely.has('ro') ? withoutRomanianClitics(said) : said;
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  analyze(
    text,
    (word) => words.push(word),
    () => {},
  );
  return words;
}

/** `isLoose`: it is a looser form of what the query says, or only in a language that it does not seem to be in. */
type AddWeighed = (term: string, weight: number, isLoose: boolean) => void;

type FindStopWord = (lower: string, language: string) => StopWord | undefined;

const functionWord: FindStopWord = (lower, language) => (stopWordsOf(language).has(lower) ? 'certain' : undefined);

function forEachQueryTerm(text: string, languages: readonly string[], findStop: FindStopWord, add: AddWeighed): void {
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
  const { kept, likely, isTold } = withoutStopWords(words, searched, hasOther, findStop);
  /** The most that the terms of a language count. A word as it is written comes before stems of languages that nothing tells. */
  const mostIn = (language: string): number => {
    if (isOwn(language)) return isTold && likely.has(language) ? TERM_WEIGHT : 0;
    return likely.has(language) ? TERM_WEIGHT : UNLIKELY_WEIGHT;
  };
  for (const { word, weightMax } of kept) {
    for (const language of searched) {
      const most = Math.min(weightMax, mostIn(language));
      if (most === 0) continue;
      for (const { term, weight } of wordTerms(word, language)) {
        add(term, Math.min(weight, most), Math.min(weight, most) < TERM_WEIGHT);
      }
    }
  }
}

function analyze(text: string, addWord: (word: string) => void, addTerm: (term: string, weight: number) => void): void {
  const addSymbol = (term: string | undefined): void => {
    if (term !== undefined) addTerm(term, SYMBOL_WEIGHT);
  };
  forEachToken(text, (kind, token, sigil) => {
    if (kind === 'cjk') cjkTerms(token, addTerm);
    else if (kind === 'hangul') hangulTerms(token, addTerm);
    else if (kind === 'thai') thaiTerms(token, addTerm);
    else if (kind === 'symbol') addTerm(encodeTerm(token), TERM_WEIGHT);
    else if (kind === 'operator') addSymbol(operatorTerm(token));
    else {
      const symbol = sigil === '' ? undefined : sigilTerm(sigil, token);
      addSymbol(symbol);
      // A letter alone says nothing beside its option.
      if (symbol !== undefined && /^\p{L}$/u.test(token)) return;
      const { words, joined, exact, version } = takeApart(token);
      words.forEach(addWord);
      if (joined) addWord(joined);
      if (exact) addTerm(encodeTerm(exact), TERM_WEIGHT);
      if (version) addTerm(encodeTerm(version), TERM_WEIGHT);
    }
  });
}

interface KeptWord {
  word: string;
  /** The most that its terms count. */
  weightMax: number;
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
  findStop: FindStopWord,
): { kept: readonly KeptWord[]; likely: ReadonlySet<string>; isTold: boolean } {
  const stops = languages.map((language) => stopWordsIn(words, language === UNDETERMINED ? 'en' : language, findStop));
  const counts = stops.map((list) => new Set(words.filter((_, i) => list[i]).map((word) => word.toLowerCase())).size);
  const most = Math.max(...counts);
  const known = languages.filter((language) => language !== UNDETERMINED);
  const isTold = (language: string): boolean =>
    most >= TELLING_STOP_WORDS || (known.length < 2 && language === (known[0] ?? UNDETERMINED));
  const likely = most > 0 ? languages.filter((language, i) => counts[i] === most && isTold(language)) : [];
  const lists = stops.filter((_, i) => counts[i] === most);
  const weighed = words.map((word, i) => ({
    word,
    weightMax: weightOf(
      lists.map((list) => list[i]),
      likely.length > 0,
    ),
  }));
  const kept = weighed.filter(({ weightMax }) => weightMax > 0);
  const isEnough = mayBeEmpty || kept.some(({ weightMax }) => weightMax === TERM_WEIGHT);
  const rest = kept.length > 0 || mayBeEmpty ? kept : weighed;
  return {
    kept: isEnough ? rest : rest.map(({ word }) => ({ word, weightMax: TERM_WEIGHT })),
    likely: new Set(likely.length > 0 ? likely : languages),
    isTold: likely.length > 0 || known.length < 2,
  };
}

/** What a word counts, given what it is in each language that the query may be in. `isTold`: it surely is in one of them. */
function weightOf(kinds: readonly (StopWord | undefined)[], isTold: boolean): number {
  if (kinds.every((kind) => kind === undefined)) return TERM_WEIGHT;
  if (isTold) return kinds.every((kind) => kind === 'certain') ? 0 : DOUBTFUL_WEIGHT;
  return kinds.includes('certain') ? DOUBTFUL_WEIGHT : TERM_WEIGHT;
}

/** Abbreviations (`WHO`, `ITU`) are none in a query that is not all in capitals, and single ones (`vitamin A`) hardly. */
function stopWordsIn(words: readonly string[], language: string, findStop: FindStopWord): (StopWord | undefined)[] {
  const hasCase = words.some((word) => /\p{Ll}/u.test(word));
  return words.map((word, i) => {
    const found = findStop(lowerCase(word, language), language);
    if (!found || !hasCase || word === 'I' || !/^\p{Lu}{1,4}$/u.test(word)) return found;
    if (word.length > 1) return undefined;
    return i > 0 ? 'doubtful' : found;
  });
}

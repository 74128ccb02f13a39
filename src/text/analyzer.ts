/**
 * Turns text of every script into search terms. Index and query get the same terms for the same word.
 *
 * Terms are encoded (analysis/encode.ts), so that each term is one lexeme of PostgreSQL's `simple` configuration.
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

/** The code of an unknown language. The analyzer then assumes the commonest language of each script. */
export const UNDETERMINED = 'und';

/** Maximum weight of a term of a language that the query is probably not in. */
const UNLIKELY_WEIGHT = 1;
/** Maximum weight of a word that may be a stop word. */
const DOUBTFUL_WEIGHT = 1;
/** Weight of an option or an operator. It has the full weight, because it is seldom in a query by chance. */
const SYMBOL_WEIGHT = TERM_WEIGHT;
/** Stop words that tell the language of a query. One alone does not, because it may be a word of another language of the corpus. */
const TELLING_STOP_WORDS = 2;

/**
 * Returns the terms of a chunk in reading order, joined by blanks. Time and size are linear in the length of the text.
 *
 * Stop words have terms too: a query drops them unless it has only stop words ("to be or not to be"). Every word also gets its term
 * of a text in an unknown language, so that a query in any language finds the word as it is written.
 *
 * @param language the ISO 639-1 code of the language of the text; null if it is unknown.
 */
export function analyzeForIndex(text: string, language: string | null): string {
  return textTerms(text, language === null || language === UNDETERMINED ? [UNDETERMINED] : [UNDETERMINED, language]);
}

/** Returns the terms of a text without the terms of an unknown language, to compare texts of one language. */
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

/** Returns the distinct terms of a text, without function words and looser forms. */
export function analyzeQuery(text: string, languages: readonly string[]): string[] {
  const terms = new Set<string>();
  forEachQueryTerm(text, languages, functionWord, (term, _weight, isLoose) => {
    if (!isLoose) terms.add(term);
  });
  return [...terms];
}

/** Maximum number of terms to search for. Further terms of a long query are ignored. */
const QUERY_TERMS_MAX = 512;

/** Returns the terms of a query, each repeated as often as its weight. `languages` are as in `weighTerms`. */
export function searchTerms(text: string, languages: readonly string[]): string[] {
  return [...weighTerms(text, languages)]
    .slice(0, QUERY_TERMS_MAX)
    .flatMap(([term, weight]) => new Array<string>(weight).fill(term));
}

/** A word of a query, and its terms if it is spelled right. */
export interface QueryWord {
  word: string;
  /** The terms of the word as it is written, and in the known languages of the query. */
  terms: string[];
  /** The terms in other likely languages of the query. They are searched for only if none of `terms` occurs. */
  stems: string[];
  /** Whether the word is a Vietnamese syllable. Words one letter away are then other words, not better spellings. */
  isSyllable: boolean;
}

/** Returns the distinct words of a query without stop words. `languages` are as in `weighTerms`. */
export function queryWords(text: string, languages: readonly string[]): QueryWord[] {
  const searched = languages.length > 0 ? languages : [UNDETERMINED];
  const words = wordsOf(withoutEndings(text, languages));
  const { words: topicWords, likely, isCertain } = withoutStopWords(words, searched, true, queryStopWord);
  const fullWords = topicWords.filter(({ weightMax }) => weightMax === TERM_WEIGHT);
  return [...new Set(fullWords.map(({ word }) => word))].map((word) => ({
    word,
    terms: mainTerms(word, [UNDETERMINED, ...[...likely].filter((language) => isCertain || !hasOwnTerms(language))]),
    stems: mainTerms(word, isCertain ? [] : [...likely].filter(hasOwnTerms)),
    isSyllable: isSyllable(word, likely),
  }));
}

function mainTerms(word: string, languages: readonly string[]): string[] {
  return [...new Set(languages.map((language) => wordTerms(word, language)[0]!.term))];
}

/** Returns whether the stems of a language are terms only of texts in this language. */
function hasOwnTerms(language: string): boolean {
  return language !== UNDETERMINED && !isScriptLanguage(language);
}

/** Returns whether a word is certainly a Vietnamese syllable: by its marks, or because the query is in Vietnamese. */
function isSyllable(word: string, likely: ReadonlySet<string>): boolean {
  if (!likely.has('vi') || !isVietnameseSyllable(word.toLowerCase())) return false;
  return likely.size === 1 || /[^\x00-\x7f]/.test(word);
}

/**
 * Returns the terms of a query with their weights, which are at most TERM_WEIGHT.
 *
 * Words are stemmed as in a text of unknown language, and as in the known languages of the query: the languages that stop words tell,
 * or the only language of the corpus. Words that occur nowhere are also stemmed as in other languages (see `QueryWord`). The query
 * drops the stop words of the languages that have most stop words in it, unless no word would remain. Doubtful stop words count little.
 *
 * @param languages the languages of the searched corpus, with `und` for sources of unknown language.
 */
export function weighTerms(text: string, languages: readonly string[]): Map<string, number> {
  const terms = new Map<string, number>();
  forEachQueryTerm(withoutAsking(withoutEndings(text, languages)), languages, queryStopWord, (term, weight) => {
    if (weight > (terms.get(term) ?? 0)) terms.set(term, weight);
  });
  return terms;
}

/** Returns a query without endings that an apostrophe or a hyphen joins to a word. */
function withoutEndings(text: string, languages: readonly string[]): string {
  const query = languages.includes('tr') ? withoutTurkishEndings(text) : text;
  if (!languages.includes('ro') || !query.includes('-')) return query;
  const { likely } = withoutStopWords(wordsOf(query), languages, true, queryStopWord);
  return likely.has('ro') ? withoutRomanianClitics(query) : query;
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

/** `isLoose` is true for a looser form of a word, and for a term of a language that the query is probably not in. */
type AddWeighted = (term: string, weight: number, isLoose: boolean) => void;

type FindStopWord = (lower: string, language: string) => StopWord | undefined;

const functionWord: FindStopWord = (lower, language) => (stopWordsOf(language).has(lower) ? 'certain' : undefined);

function forEachQueryTerm(text: string, languages: readonly string[], findStop: FindStopWord, add: AddWeighted): void {
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
  const { words: topicWords, likely, isCertain } = withoutStopWords(words, searched, hasOther, findStop);
  /** Maximum weight of the terms of a language. The stems of a language that is not known for certain do not count. */
  const weightMaxIn = (language: string): number => {
    if (hasOwnTerms(language)) return isCertain && likely.has(language) ? TERM_WEIGHT : 0;
    return likely.has(language) ? TERM_WEIGHT : UNLIKELY_WEIGHT;
  };
  for (const { word, weightMax } of topicWords) {
    for (const language of searched) {
      const termWeightMax = Math.min(weightMax, weightMaxIn(language));
      if (termWeightMax === 0) continue;
      for (const { term, weight } of wordTerms(word, language)) {
        add(term, Math.min(weight, termWeightMax), Math.min(weight, termWeightMax) < TERM_WEIGHT);
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
      // The letter of an option such as `-e` is no word of its own.
      if (symbol !== undefined && /^\p{L}$/u.test(token)) return;
      const { words, joined, exact, version } = takeApart(token);
      words.forEach(addWord);
      if (joined) addWord(joined);
      if (exact) addTerm(encodeTerm(exact), TERM_WEIGHT);
      if (version) addTerm(encodeTerm(version), TERM_WEIGHT);
    }
  });
}

interface TopicWord {
  word: string;
  /** Maximum weight of its terms. */
  weightMax: number;
}

interface TopicWords {
  words: readonly TopicWord[];
  /** The languages that the query may be in: those with most stop words in it. */
  likely: ReadonlySet<string>;
  /** Whether the query is certainly in one of the likely languages. */
  isCertain: boolean;
}

/**
 * Returns the words of a query without stop words, and its likely languages.
 *
 * In a corpus of unknown language it looks for English stop words, because names and code make every corpus partly English.
 *
 * @param mayBeEmpty whether no word may remain, because the query has other terms.
 */
function withoutStopWords(
  words: readonly string[],
  languages: readonly string[],
  mayBeEmpty: boolean,
  findStop: FindStopWord,
): TopicWords {
  const stops = languages.map((language) => stopWordsIn(words, language === UNDETERMINED ? 'en' : language, findStop));
  const counts = stops.map((list) => new Set(words.filter((_, i) => list[i]).map((word) => word.toLowerCase())).size);
  const most = Math.max(...counts);
  const known = languages.filter((language) => language !== UNDETERMINED);
  const isKnownLanguage = (language: string): boolean =>
    most >= TELLING_STOP_WORDS || (known.length < 2 && language === (known[0] ?? UNDETERMINED));
  const likely = most > 0 ? languages.filter((language, i) => counts[i] === most && isKnownLanguage(language)) : [];
  const lists = stops.filter((_, i) => counts[i] === most);
  const weighted = words.map((word, i) => ({
    word,
    weightMax: weightOf(
      lists.map((list) => list[i]),
      likely.length > 0,
    ),
  }));
  const topicWords = weighted.filter(({ weightMax }) => weightMax > 0);
  const isEnough = mayBeEmpty || topicWords.some(({ weightMax }) => weightMax === TERM_WEIGHT);
  const rest = topicWords.length > 0 || mayBeEmpty ? topicWords : weighted;
  return {
    words: isEnough ? rest : rest.map(({ word }) => ({ word, weightMax: TERM_WEIGHT })),
    likely: new Set(likely.length > 0 ? likely : languages),
    isCertain: likely.length > 0 || known.length < 2,
  };
}

/**
 * Returns the maximum weight of a word.
 *
 * @param kinds the kind of stop word that it is in each likely language.
 * @param isCertain whether the query is certainly in one of these languages.
 */
function weightOf(kinds: readonly (StopWord | undefined)[], isCertain: boolean): number {
  if (kinds.every((kind) => kind === undefined)) return TERM_WEIGHT;
  if (isCertain) return kinds.every((kind) => kind === 'certain') ? 0 : DOUBTFUL_WEIGHT;
  return kinds.includes('certain') ? DOUBTFUL_WEIGHT : TERM_WEIGHT;
}

/**
 * Returns the kind of stop word of each word. In a query with lower-case letters, an abbreviation in capitals (`WHO`, `ITU`) is no
 * stop word, and a single capital letter behind a word (`vitamin A`) is ambiguous.
 */
function stopWordsIn(words: readonly string[], language: string, findStop: FindStopWord): (StopWord | undefined)[] {
  const hasCase = words.some((word) => /\p{Ll}/u.test(word));
  return words.map((word, i) => {
    const found = findStop(lowerCase(word, language), language);
    if (!found || !hasCase || word === 'I' || !/^\p{Lu}{1,4}$/u.test(word)) return found;
    if (word.length > 1) return undefined;
    return i > 0 ? 'ambiguous' : found;
  });
}

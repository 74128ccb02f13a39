/**
 * Turns text of every script into search terms. Index and query get the same terms for the same word.
 *
 * Terms are encoded (analysis/encode.ts), so that each term is one lexeme of PostgreSQL's `simple` configuration.
 */
import { encodeTerm } from './analysis/encode.ts';
import { TERM_WEIGHT } from './analysis/looser-forms.ts';
import { askedNames, nameTerms } from './analysis/names.ts';
import { cjkTerms, thaiTerms } from './analysis/segments.ts';
import { isStopWord } from './analysis/stop-words.ts';
import { operatorTerm, sigilTerm } from './analysis/symbols.ts';
import { forEachToken } from './analysis/tokens.ts';
import { lowerCase, takeApart, wordTerms } from './analysis/words.ts';
import { isScriptLanguage } from './stems/stems.ts';

/** The code of an unknown language. The analyzer then assumes the commonest language of each script. */
export const UNDETERMINED = 'und';

/** Maximum weight of a term of a language that the query is probably not in. */
const UNLIKELY_WEIGHT = 1;
/** Maximum weight of a term of another form of the query. What is written as in the query comes first. */
const FORM_WEIGHT = 2;
/** Weight of days, months and powers in other forms: every list has such numbers. */
const SMALL_NUMBER_WEIGHT = 1;
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
  // A text in English, and in the assumed language of any other script, has the terms of a text in an unknown language.
  const hasOther = language !== null && language !== UNDETERMINED && !isScriptLanguage(language);
  return hasOther ? textTerms(text, language, UNDETERMINED) : textTerms(text, UNDETERMINED);
}

/** Returns the terms of a text without the terms of an unknown language, to compare texts of one language. */
export function analyzeText(text: string, language: string | null): string {
  return textTerms(text, language ?? UNDETERMINED);
}

/** @param other a language in which each word has one more term, before its others, unless it is the same one. */
function textTerms(text: string, language: string, other?: string): string {
  const terms: string[] = [];
  const addWord = (word: string): void => {
    const found = wordTerms(word, language);
    const more = other === undefined ? undefined : wordTerms(word, other)[0]!.term;
    if (more !== undefined && more !== found[0]!.term) terms.push(more);
    for (const { term } of found) terms.push(term);
  };
  analyze(text, addWord, (term) => terms.push(term));
  return terms.join(' ');
}

/** Returns the distinct terms of a text, without stop words and looser forms. */
export function analyzeQuery(text: string, languages: readonly string[]): string[] {
  const terms = new Set<string>();
  forEachQueryTerm(text, languages, (term, _weight, isLoose) => {
    if (!isLoose) terms.add(term);
  });
  return [...terms];
}

/** Maximum number of terms to search for. Further terms of a long query are ignored. */
const QUERY_TERMS_MAX = 512;

/** Another way to write a part of a query. */
export interface OtherForm {
  text: string;
  /** The language of words that stand in very many texts, such as months. */
  language: string;
}

/**
 * Returns the terms of a query, each repeated as often as its weight. `languages` are as in `weighTerms`. Names that may be defined in
 * code have one more term, which only the chunk of the definition has.
 *
 * @param groupNames names of source groups in the text, which ask for no definition.
 * @param forms other ways to write parts of the text.
 */
export function searchTerms(
  text: string,
  languages: readonly string[],
  groupNames: readonly string[] = [],
  forms: readonly OtherForm[] = [],
): string[] {
  const weights = weighTerms(text, languages);
  for (const term of askedNames(text, groupNames).flatMap(nameTerms)) weights.set(term, TERM_WEIGHT);
  for (const form of forms) addForm(weights, form);
  return [...weights].slice(0, QUERY_TERMS_MAX).flatMap(([term, weight]) => new Array<string>(weight).fill(term));
}

function addForm(weights: Map<string, number>, { text, language }: OtherForm): void {
  for (const [term, weight] of weighTerms(text, [language, UNDETERMINED])) {
    const isCommon = language !== UNDETERMINED || /^\d{1,2}$/.test(term);
    if (!weights.has(term)) weights.set(term, Math.min(weight, isCommon ? SMALL_NUMBER_WEIGHT : FORM_WEIGHT));
  }
}

/** A word of a query, and its terms if it is spelled right. */
export interface QueryWord {
  word: string;
  /** The terms of the word as it is written, and in the known languages of the query. */
  terms: string[];
  /** The terms in other likely languages of the query. They are searched for only if none of `terms` occurs. */
  stems: string[];
}

/** Returns the distinct words of a query without words that may be stop words. `languages` are as in `weighTerms`. */
export function queryWords(text: string, languages: readonly string[]): QueryWord[] {
  const words: string[] = [];
  analyze(
    text,
    (word) => words.push(word),
    () => {},
  );
  const { likely, isCertain, stopWords } = languagesOf(words, searchedOf(languages));
  const topicWords = new Set(words.filter((word) => !stopWords.some((list) => list.has(word))));
  return [...topicWords].map((word) => ({
    word,
    terms: mainTerms(word, [UNDETERMINED, ...likely.filter((language) => isCertain || !hasOwnTerms(language))]),
    stems: mainTerms(word, isCertain ? [] : likely.filter(hasOwnTerms)),
  }));
}

function mainTerms(word: string, languages: readonly string[]): string[] {
  return [...new Set(languages.map((language) => wordTerms(word, language)[0]!.term))];
}

/** Returns whether the stems of a language are terms only of texts in this language. */
function hasOwnTerms(language: string): boolean {
  return language !== UNDETERMINED && !isScriptLanguage(language);
}

/**
 * Returns the terms of a query with their weights, which are at most TERM_WEIGHT.
 *
 * Words are stemmed as in a text of unknown language, and as in the known languages of the query: the languages that stop words tell,
 * or the only language of the corpus. Words that occur nowhere are also stemmed as in other languages (see `QueryWord`). A query in
 * known languages drops the words that are stop words in all languages with most stop words, unless no word would remain.
 *
 * @param languages the languages of the searched corpus, with `und` for sources of unknown language.
 */
export function weighTerms(text: string, languages: readonly string[]): Map<string, number> {
  const terms = new Map<string, number>();
  forEachQueryTerm(text, languages, (term, weight) => {
    if (weight > (terms.get(term) ?? 0)) terms.set(term, weight);
  });
  return terms;
}

function searchedOf(languages: readonly string[]): readonly string[] {
  return languages.length > 0 ? languages : [UNDETERMINED];
}

/** `isLoose` is true for a looser form of a word, and for a term of a language that the query is probably not in. */
type AddWeighted = (term: string, weight: number, isLoose: boolean) => void;

function forEachQueryTerm(text: string, languages: readonly string[], add: AddWeighted): void {
  const searched = searchedOf(languages);
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
  const { likely, isCertain, stopWords } = languagesOf(words, searched);
  const topicWords = words.filter((word) => !isCertain || !stopWords.every((list) => list.has(word)));
  /** Maximum weight of the terms of a language. The stems of a language that is not known for certain do not count. */
  const weightMaxIn = (language: string): number => {
    if (hasOwnTerms(language)) return isCertain && likely.includes(language) ? TERM_WEIGHT : 0;
    return likely.includes(language) ? TERM_WEIGHT : UNLIKELY_WEIGHT;
  };
  for (const word of topicWords.length > 0 || hasOther ? topicWords : words) {
    for (const language of searched) {
      const weightMax = weightMaxIn(language);
      if (weightMax === 0) continue;
      for (const { term, weight } of wordTerms(word, language)) {
        add(term, Math.min(weight, weightMax), Math.min(weight, weightMax) < TERM_WEIGHT);
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
    else if (kind === 'thai') thaiTerms(token, addTerm);
    else if (kind === 'symbol') addTerm(encodeTerm(token), TERM_WEIGHT);
    else if (kind === 'operator') addSymbol(operatorTerm(token));
    else {
      const symbol = sigil === '' ? undefined : sigilTerm(sigil, token);
      addSymbol(symbol);
      // The letter of an option such as `-e` is no word of its own.
      if (symbol !== undefined && /^\p{L}$/u.test(token)) return;
      const { words, joined, names, exact, version } = takeApart(token);
      words.forEach(addWord);
      if (joined) addWord(joined);
      names?.forEach(addWord);
      if (exact) addTerm(encodeTerm(exact), TERM_WEIGHT);
      if (version) addTerm(encodeTerm(version), TERM_WEIGHT);
    }
  });
}

interface QueryLanguages {
  /** The languages that the query may be in. */
  likely: readonly string[];
  /** Whether the query is certainly in one of the likely languages. */
  isCertain: boolean;
  /** The stop words in the query of each language that has most of them. */
  stopWords: readonly ReadonlySet<string>[];
}

/**
 * Returns the likely languages of a query: those with most stop words in it, or the only language of the corpus.
 *
 * In a corpus of unknown language it looks for English stop words, because names and code make every corpus partly English.
 */
function languagesOf(words: readonly string[], languages: readonly string[]): QueryLanguages {
  const stops = languages.map((language) => stopWordsIn(words, language));
  const counts = stops.map((found) => new Set([...found].map((word) => word.toLowerCase())).size);
  const most = Math.max(...counts);
  const [only = UNDETERMINED, other] = languages.filter((language) => language !== UNDETERMINED);
  const isTold = (language: string, i: number): boolean =>
    most >= TELLING_STOP_WORDS ? counts[i] === most : other === undefined && language === only;
  const told = languages.filter(isTold);
  return {
    likely: told.length > 0 ? told : languages,
    isCertain: told.length > 0,
    stopWords: stops.filter((_, i) => counts[i] === most),
  };
}

/** Returns the stop words among the words. Among lower-case letters, capitals are an abbreviation or a name: `WHO`, `vitamin A`. */
function stopWordsIn(words: readonly string[], language: string): ReadonlySet<string> {
  const list = language === UNDETERMINED ? 'en' : language;
  const hasCase = words.some((word) => /\p{Ll}/u.test(word));
  const isName = (word: string, i: number): boolean =>
    hasCase && /^\p{Lu}{1,4}$/u.test(word) && (word.length > 1 || i > 0) && !(word === 'I' && list === 'en');
  return new Set(words.filter((word, i) => !isName(word, i) && isStopWord(lowerCase(word, list), list)));
}

/**
 * Turns text into search terms: the same for index and query, for every script. Pure.
 *
 * Terms leave here encoded (analysis/encode.ts), so that each is one lexeme of PostgreSQL's `simple` configuration.
 */
import { encodeTerm } from './analysis/encode.ts';
import { fold } from './analysis/fold.ts';
import { bigrams, words } from './analysis/segments.ts';
import { languageFor, scriptOf, stem } from './analysis/stems.ts';
import { stopWordsOf } from './analysis/stop-words.ts';
import { forEachToken } from './analysis/tokens.ts';

/** Longer terms are cut: nobody types them, and a lexeme has a length limit. */
export const TERM_UNITS_MAX = 64;

/**
 * Terms of a chunk in reading order, joined by blanks.
 *
 * `language` is the ISO 639-1 code of the text, or null: then each script's most common language is assumed.
 */
export function analyzeForIndex(text: string, language: string | null): string {
  const terms: string[] = [];
  analyze(text, language, (term) => terms.push(term));
  return terms.join(' ');
}

/**
 * Distinct terms of a query. `languages` are those of the searched corpus: the query's own is not known, so words are
 * stemmed as each of them.
 */
export function analyzeQuery(text: string, languages: readonly string[]): string[] {
  const terms = new Set<string>();
  for (const language of languages.length > 0 ? languages : [null]) analyze(text, language, (term) => terms.add(term));
  return [...terms];
}

function analyze(text: string, language: string | null, add: (term: string) => void): void {
  const addTerm = (term: string) => add(encodeTerm(cut(term)));
  forEachToken(text, (kind, token) => {
    if (kind === 'word') addWordTerms(token, language, addTerm);
    else if (kind === 'hangul') bigrams(token, addTerm);
    else if (kind === 'symbol') addTerm(token);
    else {
      bigrams(token, addTerm);
      words(token, kind, addTerm);
    }
  });
}

function addWordTerms(token: string, language: string | null, add: (term: string) => void): void {
  const parts = token.split(/[._\-,+#]+/).flatMap(splitCase);
  for (const part of parts) if (part !== '') addWord(part, language, add);
  if (parts.length > 1) add(cut(token).toLowerCase());
}

/** `camelCase` → camel, Case; `XMLParser` → XML, Parser. */
function splitCase(word: string): string[] {
  if (!/\p{Ll}\p{Lu}/u.test(word)) return [word];
  return word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

function addWord(word: string, language: string | null, add: (term: string) => void): void {
  const short = cut(word);
  const script = scriptOf(short);
  if (script === null) {
    add(fold(short.toLowerCase()));
    return;
  }
  const used = languageFor(script, language);
  const lower = used === 'tr' || used === 'az' ? short.toLocaleLowerCase('tr') : short.toLowerCase();
  if (stopWordsOf(used).has(lower)) return;
  add(fold(stem(lower, script, used)));
}

function cut(term: string): string {
  if (term.length <= TERM_UNITS_MAX) return term;
  const end = TERM_UNITS_MAX - (/[\ud800-\udbff]/.test(term[TERM_UNITS_MAX - 1]!) ? 1 : 0);
  return term.slice(0, end);
}

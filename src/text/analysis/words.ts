/** Terms of words in scripts that write blanks between them. */

import { truncated } from '../../util/code-points.ts';
import { fold } from '../fold.ts';
import { languageFor, type StemScript, scriptOf, stem } from '../stems/stems.ts';
import { encodeTerm } from './encode.ts';
import { looserForms, mainTerm, TERM_WEIGHT, type WordForms, type WordTerm } from './looser-forms.ts';

/** Maximum length of a term. Longer terms are truncated: nobody types them, and the length of a lexeme is limited. */
export const TERM_UNITS_MAX = 64;

/** Maximum number of cached words per language. The cache of a language is emptied when it is full. */
const CACHED_WORDS_MAX = 20_000;
/** Terms of analyzed words by language, because text repeats its words. */
const termCache = new Map<string, Map<string, readonly WordTerm[]>>();

/** The words of a token between blanks, and other spellings that become terms. */
export interface WordToken {
  words: string[];
  /** The token without connectors, which becomes a word too; absent if the token is one word. */
  joined?: string;
  /** The names in a path of names that are several words, without connectors: `tcptwreuse` of `net.ipv4.tcp_tw_reuse`. */
  names?: string[];
  /** The token as it is written, which becomes a term: version numbers, `c++`. */
  exact?: string;
  /** The number of a version without the letters before it: `1.2.3` of `v1.2.3`. */
  version?: string;
}

/**
 * Returns the parts of a token: `ERR_4012`, `foo.bar`, `camelCase`, `IL-6`, `v1.2.3`, `10,000`, `C++`.
 *
 * The joined form makes spellings meet: `e-mail` and `email`, `IL-6` and `IL6`, `ERR_4012` and `err4012`.
 */
export function takeApart(token: string): WordToken {
  if (PLAIN.test(token)) return { words: [token] };
  if (/^\d{1,3}(?:,\d{3})+$/.test(token)) return { words: [token.replaceAll(',', '')] };
  if (NUMBER.test(token)) return numberToken(token);
  const words = wordsOf(token);
  if (/\d\.\d|[+#]$/.test(token)) {
    const [, version] = /^\p{L}+(\d+(?:\.\d+)+)$/u.exec(token) ?? [];
    return { words, exact: cut(token).toLowerCase(), ...(version && { version: cut(version) }) };
  }
  if (words.length === 1) return { words };
  const names = token.split(/\.|::/).map(wordsOf);
  const long = names.length > 1 ? names.filter(({ length }) => length > 1).map((name) => name.join('')) : [];
  return { words, joined: words.join(''), ...(long.length > 0 && { names: long }) };
}

function wordsOf(token: string): string[] {
  return token
    .split(/[._\-,+#:]+/)
    .filter((part) => part !== '')
    .flatMap(splitCase);
}

/** A word without connectors, digits and changes of case. Most words are: without this test, a word of a text takes three times as long. */
const PLAIN = /^\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+$/u;

/** Numbers with marks: `3,5`, `1.234` (1234 in half of the world), `1.234.567`, `1.234,5`, `1,234.5`. */
const NUMBER = /^(?:\d+,\d+|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d{1,3}(?:,\d{3})+\.\d+)$/;

/** Returns the terms of a number: `1234.5` for every way to write it, and the digits between its marks. */
function numberToken(token: string): WordToken {
  const lastMark = token.search(/[.,]\d+$/);
  const hasFraction = token.includes(',');
  const digits = (hasFraction ? token.slice(0, lastMark) : token).replace(/[.,]/g, '');
  const fraction = token.slice(lastMark + 1);
  if (hasFraction) return { words: [digits, fraction], exact: cut(`${digits}.${fraction}`) };
  return { words: [...token.split('.'), digits], exact: cut(token) };
}

/** Splits words at changes of case: `camelCase` → camel, Case; `XMLParser` → XML, Parser. */
function splitCase(word: string): string[] {
  if (!/\p{Ll}\p{Lu}/u.test(word)) return [word];
  return word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

/** Returns the terms of a word in a text of `language`: its stem, its looser forms, and its letters and digits separately. */
export function wordTerms(word: string, language: string): readonly WordTerm[] {
  const short = cut(word);
  let words = termCache.get(language);
  if (!words || words.size >= CACHED_WORDS_MAX) {
    words = new Map();
    termCache.set(language, words);
  }
  let terms = words.get(short);
  if (!terms) {
    // A substring would keep the whole text in memory, so the cache holds a copy.
    const copy = Buffer.from(short, 'utf16le').toString('utf16le');
    terms = computeTerms(copy, language);
    words.set(copy, terms);
  }
  return terms;
}

function computeTerms(word: string, language: string): WordTerm[] {
  const script = scriptOf(word);
  const used = script && languageFor(script, language);
  const forms = formsOf(word, used ?? language, script);
  const { letters } = forms;
  const terms = [{ term: mainTerm(forms, used), weight: TERM_WEIGHT }];
  if (/^[\p{L}\p{M}]+$/u.test(letters)) terms.push(...looserForms(forms, used));
  if (/\p{L}\d|\d\p{L}/u.test(letters)) {
    for (const part of letters.match(/\d+|\D+/g) ?? []) terms.push({ term: encodeTerm(part), weight: TERM_WEIGHT });
  }
  return terms;
}

/** Returns the forms of a word. `language` is the language that it is analyzed in, or that of the text in a script without stemmers. */
function formsOf(word: string, language: string, script: StemScript | null): WordForms {
  const lower = lowerCase(word, language);
  const letters = fold(lower);
  // English omits accents and Hindi varies nasals, so their words are folded before they are stemmed. Other stemmers need the marks.
  const seen = language === 'en' || language === 'hi' ? letters : lower;
  const stemmed = fold(script ? stem(seen, script, language) : letters);
  return { lower, letters, stemmed };
}

/** Returns a word in lower case by the rules of a language. Turkish keeps its dotless ı for the stemmer, until the word is folded. */
export function lowerCase(word: string, language: string): string {
  return language === 'tr' || language === 'az' ? word.toLocaleLowerCase('tr') : word.toLowerCase();
}

/** Returns a term of at most TERM_UNITS_MAX units. */
export function cut(term: string): string {
  return truncated(term, TERM_UNITS_MAX);
}

/** Terms of words in scripts that write blanks between them. */

import { fold } from '../fold.ts';
import { languageFor, type StemScript, scriptOf, stem } from '../stems/stems.ts';
import { encodeTerm } from './encode.ts';
import { looserForms, mainTerm, TERM_WEIGHT, type WordForms, type WordTerm } from './looser-forms.ts';

/** Longer terms are cut: nobody types them, and a lexeme has a length limit. */
export const TERM_UNITS_MAX = 64;

/** Memory of words already analyzed; text repeats its words. Emptied when it holds this many words of one language. */
const REMEMBERED_WORDS_MAX = 20_000;
const remembered = new Map<string, Map<string, readonly WordTerm[]>>();

/** A blank-delimited token taken apart: the words in it, and its spelling as a whole when that is a term of its own. */
export interface WordToken {
  words: string[];
  /** Spelled without connectors, to be treated as a word; absent when the token is one word. */
  joined?: string;
  /** To be kept exactly: version numbers, `c++`. */
  exact?: string;
  /** The number of a version without the letters before it: `v1.2.3` is `1.2.3`. */
  version?: string;
}

/**
 * Takes a token apart: `ERR_4012`, `foo.bar`, `camelCase`, `IL-6`, `v1.2.3`, `10,000`, `C++`.
 *
 * The joined form makes spellings meet: `e-mail` and `email`, `IL-6` and `IL6`, `ERR_4012` and `err4012`.
 */
export function takeApart(token: string): WordToken {
  if (/^\d{1,3}(?:,\d{3})+$/.test(token)) return { words: [token.replaceAll(',', '')] };
  if (NUMBER.test(token)) return numberToken(token);
  if (GREEK_ORDINAL.test(token)) return { words: [token.replace(/\P{Nd}+/u, '')] };
  const words = token
    .split(/[._\-,+#:]+/)
    .filter((part) => part !== '')
    .flatMap(splitCase);
  if (/\d\.\d|[+#]$/.test(token)) {
    const [, version] = /^\p{L}+(\d+(?:\.\d+)+)$/u.exec(token) ?? [];
    return { words, exact: cut(token).toLowerCase(), ...(version && { version: cut(version) }) };
  }
  return words.length > 1 ? { words, joined: words.join('') } : { words };
}

/** 19ος, 19ου, 1η: as the number without its ending. Not 5α, which is a paragraph or a chemical. */
const GREEK_ORDINAL = /^\d+(?:[οό]ς|[οό]ν?|[οό]ι|ο[ύυ]ς?|[ωώ]ν|[ηή][ςν]?|[εέ]ς|[αά]ς)$/iu;

/** `3,5`, `1.234` (which is 1234 in half of the world), `1.234.567`, `1.234,5`, `1,234.5`. */
const NUMBER = /^(?:\d+,\d+|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d{1,3}(?:,\d{3})+\.\d+)$/;

/** However it is written, it is found by `1234.5`, and by the digits between its marks. */
function numberToken(token: string): WordToken {
  const lastMark = token.search(/[.,]\d+$/);
  const hasFraction = token.includes(',');
  const digits = (hasFraction ? token.slice(0, lastMark) : token).replace(/[.,]/g, '');
  const fraction = token.slice(lastMark + 1);
  if (hasFraction) return { words: [digits, fraction], exact: cut(`${digits}.${fraction}`) };
  return { words: [...token.split('.'), digits], exact: cut(token) };
}

/** `camelCase` → camel, Case; `XMLParser` → XML, Parser. */
function splitCase(word: string): string[] {
  if (!/\p{Ll}\p{Lu}/u.test(word)) return [word];
  return word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

/** The lexemes of a word in a text of `language`: its stem, looser forms of it, its letters and digits apart. */
export function wordTerms(word: string, language: string): readonly WordTerm[] {
  const short = cut(word);
  let words = remembered.get(language);
  if (!words || words.size >= REMEMBERED_WORDS_MAX) {
    words = new Map();
    remembered.set(language, words);
  }
  let terms = words.get(short);
  if (!terms) {
    // A piece of a text keeps all of it in memory.
    const own = Buffer.from(short, 'utf16le').toString('utf16le');
    terms = computeTerms(own, language);
    words.set(own, terms);
  }
  return terms;
}

/** The first lexemes of words in these languages, not remembered: for words that hardly come again. */
export function firstTerms(words: Iterable<string>, languages: readonly string[]): Set<string> {
  const terms = new Set<string>();
  const treatedAs = new Map<StemScript | null, readonly string[]>();
  for (const word of words) {
    const short = cut(word);
    const script = scriptOf(short);
    let used = treatedAs.get(script);
    if (!used) {
      used = [...new Set(languages.map((language) => (script ? languageFor(script, language) : language)))];
      treatedAs.set(script, used);
    }
    for (const language of used) terms.add(mainTerm(formsOf(short, language, script), script && language));
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

/** `language` is the one that the word is treated as; without a script that is stemmed, that of the text. */
function formsOf(word: string, language: string, script: StemScript | null): WordForms {
  const lower = lowerCase(word, language);
  const letters = fold(lower);
  // English writes accents as it pleases, and Hindi nasals; elsewhere the stemmer must see them.
  const seen = language === 'en' || language === 'hi' ? letters : lower;
  const stemmed = fold(script ? stem(seen, script, language) : letters);
  return { lower, letters, stemmed };
}

/**
 * Lower case as the language has it: Turkish keeps its dotless ı until it is folded, so that stemming sees it; Romanian ş and ţ
 * are written with a cedilla as often as with the comma that they should have, and before 1993 â was î within words (not behind
 * ne-, re-, pre-, sub- and the like).
 */
export function lowerCase(word: string, language: string): string {
  if (language === 'ro') return romanianLetters(word.toLowerCase());
  return language === 'tr' || language === 'az' ? word.toLocaleLowerCase('tr') : word.toLowerCase();
}

function romanianLetters(lower: string): string {
  return lower
    .replaceAll('ş', 'ș')
    .replaceAll('ţ', 'ț')
    .replace(/(?<=[a-zșțăâ])(?<![aeo]|^sub)î(?=[a-zșțăâ])/g, 'â');
}

/** At most `units` UTF-16 units, never half a surrogate pair. */
export function cut(term: string, units: number = TERM_UNITS_MAX): string {
  if (term.length <= units) return term;
  return term.slice(0, /[\ud800-\udbff]/.test(term[units - 1]!) ? units - 1 : units);
}

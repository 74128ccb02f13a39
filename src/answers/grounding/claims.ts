/** What a sentence claims, in a form that can be looked for in another text: numbers, names, content terms, negation. Pure. */
import { stopWordsOf } from '../../text/analysis/stop-words.ts';
import { analyzeQuery, analyzeText } from '../../text/analyzer.ts';
import { isNegationWord } from './modifiers.ts';
import { numbersIn, type Readings, readable } from './numbers.ts';
import { type Token, tokensOf } from './wording.ts';

export interface Claim {
  numbers: readonly Readings[];
  names: readonly Name[];
  /** Distinct analyzer terms, stop words dropped. */
  terms: ReadonlySet<string>;
  /** Clauses that say something, each with its terms. */
  clauses: readonly Clause[];
  /** The sentence word for word. */
  wording: readonly Token[];
}

/** A proper name or identifier. */
export interface Name {
  word: string;
  /** A capital that only a name has; the first word of a sentence is never certain. */
  certain: boolean;
}

export interface Clause {
  terms: ReadonlySet<string>;
  /** Every term, stop words included: tells clauses about the same apart. */
  words: ReadonlySet<string>;
  /** How often it negates: both sides of a comparison must agree. */
  negations: number;
}

const CLAUSE_BREAK =
  /[;:，、；：—。！？।॥؟۔\n]|[.!?](?=\s)|,(?!\d)|\s[-–]\s|(?<=\p{sc=Thai})\s+(?=\p{sc=Thai})|(?<=\s)(?:but|however|although|while|whereas|and|or|aber|sondern|und|oder|mais|et|pero|y|но|и|а)(?=\s)/giu;

/** Those of languages in which two of them in one clause take each other back. */
const REVERSING_WORDS =
  /^(?:not|never|cannot|nothing|nobody|none|.+n't|nicht|nie|niemals|nichts|niemand|kein\p{L}{0,2})$/u;
/** Scripts without blanks, and languages that negate with an ending. */
const NEGATION_PARTS =
  /ない|なかっ|なく|ません|なし|無し|ぬ$|ず$|禁止|不|没|沒|未|无|無|非(?!常)|勿|않|없|못|아니|금지|ไม่|มิได้|ห้าม|ปราศจาก|ບໍ່|\p{L}(?:mıyor|miyor|muyor|müyor|maz|mez|mamış|memiş)(?!\p{L})/gu;

/** Words of scripts with capitals, numbers and identifiers; a run of another script ends them. */
const CASED = '[\\p{sc=Latn}\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Armn}\\p{Nd}_]';
const WORD = new RegExp(`${CASED}(?:[${CASED}\\p{M}'’.\\-]*[${CASED}\\p{M}])?`, 'gv');
const KATAKANA = /\p{sc=Kana}[\p{sc=Kana}ー・]+/gu;
/** English words that open a sentence without being a name, besides stop words. */
const COMMON_OPENING =
  /^(?:all|any|anyone|both|each|either|every|everyone|few|many|more|most|much|neither|one|only|other|several|some|someone|up|about|after|against|along|among|around|before|below|between|beyond|despite|during|except|inside|near|out|outside|over|per|since|through|throughout|under|unless|until|upon|via|within|because|however|therefore|thus|hence|yes|here|now|today|please|note|see|according|another|once|while|though|although|whenever|wherever|whether|whose|let|may|must|might|shall|staff|people|users?|customers?|.*(?:ees|ers|ies|ing|ions?|ments?|ness|ly|ed))$/;

/** `language` is the ISO 639-1 code of the text the claim is compared with, or null. */
export function claimOf(sentence: string, language: string | null): Claim {
  return {
    numbers: numbersIn(sentence),
    names: namesIn(sentence, language),
    terms: termsOf(sentence, language),
    clauses: clausesOf(sentence, language),
    wording: tokensOf(sentence, language),
  };
}

/** The search terms of a text, without stop words. */
export function termsOf(text: string, language: string | null): Set<string> {
  return new Set(analyzeQuery(text, language === null ? [] : [language]));
}

/** Every term of a text, stop words included: what a claim is looked for in. */
export function allTermsOf(text: string, language: string | null): Set<string> {
  return new Set(analyzeText(text, language).split(' '));
}

/** The parts of a sentence that can be true or negated by themselves; those without terms are left out. */
export function clausesOf(text: string, language: string | null): Clause[] {
  return text
    .split(CLAUSE_BREAK)
    .map((clause) => ({
      terms: termsOf(clause, language),
      words: allTermsOf(clause, language),
      negations: negationsOf(clause),
    }))
    .filter((clause) => clause.terms.size > 0);
}

function negationsOf(clause: string): number {
  const lower = clause.toLowerCase().replaceAll('’', "'").trim();
  const parts = lower.match(NEGATION_PARTS)?.length ?? 0;
  const found = [...lower.matchAll(/[\p{L}\p{M}']+/gu)].map(([word]) => word).filter((word) => isNegationWord(word));
  const reversing = found.filter((word) => REVERSING_WORDS.test(word)).length;
  // Elsewhere several negating words of one clause say it once: "no hay ningún".
  return parts + reversing + (found.length > reversing ? 1 : 0);
}

/**
 * Proper names: capitalised words (a sentence's first only when it cannot be a common word), words with digits or inner
 * capitals, Latin words in other scripts, runs of katakana.
 */
export function namesIn(sentence: string, language: string | null): Name[] {
  const text = readable(sentence);
  const isForeign = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Arab}\p{sc=Deva}]/u.test(text);
  const names: Name[] = [];
  for (const match of text.matchAll(WORD)) {
    const word = match[0].replace(/['’]s$/, '');
    if (isIdentifier(word) || (isForeign && /^\p{sc=Latn}{2,}/u.test(word))) names.push({ word, certain: false });
    else if (/^[\p{Lu}\p{Lt}]/u.test(word)) {
      const opening = isOpening(text, match.index);
      if (!opening || isNameLike(text, word, match.index, language)) names.push({ word, certain: !opening });
    }
  }
  for (const match of text.matchAll(KATAKANA)) names.push({ word: match[0], certain: false });
  return names;
}

/** `ERR_4012`, `v1.2.3`, `iPhone`, `A4`; plain numbers are numbers. */
function isIdentifier(word: string): boolean {
  if (!/\p{L}/u.test(word)) return false;
  return (
    (/\d/.test(word) && !/^\d+(?:st|nd|rd|th|[a-z]{1,3}|%)?$/i.test(word) && !/^\d/.test(word)) ||
    /\p{Ll}\p{Lu}|_/u.test(word)
  );
}

/** First word of the sentence, or after a colon or an opening quote. */
function isOpening(text: string, at: number): boolean {
  return (
    /(?:^|[.:!?"“”„«»‘(\]|])[\s*_#>•-]*$/u.test(text.slice(Math.max(0, at - 12), at)) ||
    /^[\s\d.*_#>|•-]*$/u.test(text.slice(0, at))
  );
}

function isNameLike(text: string, word: string, at: number, language: string | null): boolean {
  if (/^\p{Lu}{2,}$/u.test(word)) return true;
  const lower = word.toLowerCase();
  if (
    stopWordsOf(language ?? 'en').has(lower) ||
    stopWordsOf('en').has(lower) ||
    COMMON_OPENING.test(lower) ||
    text.slice(at + word.length).includes(lower)
  )
    return false;
  if (language === 'en' || language === null) return true;
  return language !== 'de' && /^\s+\p{Lu}\p{Ll}/u.test(text.slice(at + word.length, at + word.length + 4));
}

/** The words of a text among which names are looked for. */
export interface NameIndex {
  /** Text in lower case, for names in scripts without blanks. */
  lower: string;
  /** Words in lower case, and their terms. */
  words: ReadonlySet<string>;
  capitalised: ReadonlySet<string>;
}

/** What names of a claim are looked up in. */
export function nameIndexOf(text: string, language: string | null): NameIndex {
  const normal = readable(text);
  const words = new Set<string>();
  const capitalised = new Set<string>();
  for (const [match] of normal.matchAll(WORD)) {
    const word = match.replace(/['’]s$/, '');
    const forms = [word.toLowerCase(), ...termsOf(word, language)];
    for (const form of forms) words.add(form);
    if (/\p{Lu}|\p{Lt}/u.test(word)) for (const form of forms) capitalised.add(form);
  }
  return { lower: normal.toLowerCase(), words, capitalised };
}

/** True when the text holds `name`, as it is or inflected; a certain name ("May") only where it has a capital. */
export function hasName(name: Name, index: NameIndex, language: string | null): boolean {
  const lower = name.word.toLowerCase();
  if (!/^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{N}]/u.test(lower)) return index.lower.includes(lower);
  const words = name.certain ? index.capitalised : index.words;
  return words.has(lower) || [...termsOf(name.word, language)].every((term) => words.has(term));
}

/** Reads what a sentence claims, so that it can be searched for in another text: numbers, names, content terms, negations. */
import { stopWordsOf } from '../../text/analysis/stop-words.ts';
import { analyzeQuery, analyzeText } from '../../text/analyzer.ts';
import { anyOf } from '../patterns.ts';
import { wordsIn } from '../word-lists.ts';
import { isNegationWord } from './modifiers.ts';
import { normalizeDigits, numbersIn, type Readings } from './numbers.ts';
import { type Token, tokensOf } from './wording.ts';

export interface Claim {
  numbers: readonly Readings[];
  names: readonly Name[];
  /** Distinct terms of the analyzer, without stop words. */
  terms: ReadonlySet<string>;
  /** Clauses that have terms. */
  clauses: readonly Clause[];
  /** The sentence as tokens, for the comparison word by word. */
  wording: readonly Token[];
}

/** A proper name or identifier. */
export interface Name {
  word: string;
  /** True when the capital shows that the word is a name. Every first word of a sentence has a capital, so it is never certain. */
  certain: boolean;
}

export interface Clause {
  terms: ReadonlySet<string>;
  /** All terms with stop words: they tell clauses about the same topic apart. */
  words: ReadonlySet<string>;
  /** Number of negations. Both sides of a comparison must have the same number. */
  negations: number;
}

const CLAUSE_BREAK = anyOf(
  [
    /[;:，、；：—。！？।॥؟۔\n]|[.!?](?=\s)|,(?!\d)|\s[-–]\s|(?<=\p{sc=Thai})\s+(?=\p{sc=Thai})/u,
    /(?<=\s)(?:but|however|although|while|whereas|and|or|aber|sondern|und|oder|mais|et|pero|y|но|и|а)(?=\s)/u,
  ],
  'giu',
);

/** Negations of languages in which two negations in one clause cancel each other. */
const REVERSING_WORDS =
  /^(?:not|never|cannot|nothing|nobody|none|.+n't|nicht|nie|niemals|nichts|niemand|kein\p{L}{0,2})$/u;
/** Negations inside words: scripts without spaces between words, and languages that negate with an ending. */
const NEGATION_PARTS = anyOf(
  [
    /ない|なかっ|なく|ません|なし|無し|ぬ$|ず$|禁止|不|没|沒|未|无|無|非(?!常)|勿|않|없|못|아니|금지|ไม่|มิได้|ห้าม|ปราศจาก|ບໍ່/u,
    /\p{L}(?:mıyor|miyor|muyor|müyor|maz|mez|mamış|memiş)(?!\p{L})/u,
  ],
  'gu',
);

/** Scripts with capitals, and digits: names and identifiers consist of them. A character of another script ends the word. */
const CASED = '[\\p{sc=Latn}\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Armn}\\p{Nd}_]';
const WORD = new RegExp(`${CASED}(?:[${CASED}\\p{M}'’.\\-]*[${CASED}\\p{M}])?`, 'gv');
const KATAKANA = /\p{sc=Kana}[\p{sc=Kana}ー・]+/gu;
/** English words that open a sentence without being a name, besides stop words. */
const COMMON_OPENINGS = wordsIn('common-openings');
const COMMON_OPENING_END = /(?:ees|ers|ies|ing|ions?|ments?|ness|ly|ed)$/;

/**
 * Returns what a sentence claims.
 *
 * @param language ISO 639-1 code of the text that the claim is compared with, or null.
 */
export function claimOf(sentence: string, language: string | null): Claim {
  return {
    numbers: numbersIn(sentence),
    names: namesIn(sentence, language),
    terms: termsOf(sentence, language),
    clauses: clausesOf(sentence, language),
    wording: tokensOf(sentence, language),
  };
}

/** Returns the terms of a text without stop words. */
export function termsOf(text: string, language: string | null): Set<string> {
  return new Set(analyzeQuery(text, language === null ? [] : [language]));
}

/** Returns all terms of a text with stop words. Claims are searched for in them. */
export function allTermsOf(text: string, language: string | null): Set<string> {
  return new Set(analyzeText(text, language).split(' '));
}

/** Returns the parts of a sentence that can be true or false on their own. Parts without terms are left out. */
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
  // In the other languages several negations of one clause count once: "no hay ningún".
  return parts + reversing + (found.length > reversing ? 1 : 0);
}

/**
 * Returns the names of a sentence: capitalised words, words with digits or inner capitals, Latin words in text of another script,
 * and runs of katakana. The first word of a sentence counts only when it cannot be a common word.
 */
function namesIn(sentence: string, language: string | null): Name[] {
  const text = normalizeDigits(sentence);
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

/** Returns true for identifiers such as `ERR_4012`, `v1.2.3`, `iPhone` and `A4`. Plain numbers are no identifiers. */
function isIdentifier(word: string): boolean {
  if (!/\p{L}/u.test(word)) return false;
  return (
    (/\d/.test(word) && !/^\d+(?:st|nd|rd|th|[a-z]{1,3}|%)?$/i.test(word) && !/^\d/.test(word)) ||
    /\p{Ll}\p{Lu}|_/u.test(word)
  );
}

/** Returns true for the first word of a sentence, and for a word after a colon or an opening quote. */
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
    COMMON_OPENINGS.has(lower) ||
    COMMON_OPENING_END.test(lower) ||
    text.slice(at + word.length).includes(lower)
  )
    return false;
  if (language === 'en' || language === null) return true;
  return language !== 'de' && /^\s+\p{Lu}\p{Ll}/u.test(text.slice(at + word.length, at + word.length + 4));
}

/** A text prepared for looking up names. */
export interface NameIndex {
  /** The text in lower case, for names in scripts without spaces between words. */
  lower: string;
  /** Words in lower case, and their terms. */
  words: ReadonlySet<string>;
  /** The words that have a capital in the text: also in lower case, and their terms. */
  capitalised: ReadonlySet<string>;
}

/** Returns the index of a text in which names of a claim are looked up. */
export function nameIndexOf(text: string, language: string | null): NameIndex {
  const normalized = normalizeDigits(text);
  const words = new Set<string>();
  const capitalised = new Set<string>();
  for (const [match] of normalized.matchAll(WORD)) {
    const word = match.replace(/['’]s$/, '');
    const forms = [word.toLowerCase(), ...termsOf(word, language)];
    for (const form of forms) words.add(form);
    if (/\p{Lu}|\p{Lt}/u.test(word)) for (const form of forms) capitalised.add(form);
  }
  return { lower: normalized.toLowerCase(), words, capitalised };
}

/** Returns true when the text has `name`, also inflected. A certain name ("May") must have a capital there. */
export function hasName(name: Name, index: NameIndex, language: string | null): boolean {
  const lower = name.word.toLowerCase();
  if (!/^[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{N}]/u.test(lower)) return index.lower.includes(lower);
  const words = name.certain ? index.capitalised : index.words;
  return words.has(lower) || [...termsOf(name.word, language)].every((term) => words.has(term));
}

/** Reads what a sentence claims and what a passage states: numbers with units, names, words, and the polarity of clauses. */
import { stopWordsOf } from '../../text/analysis/stop-words.ts';
import { analyzeQuery, analyzeText } from '../../text/analyzer.ts';
import { withoutInvisible } from '../../text/fold.ts';
import { unwrapped } from '../../text/sentences.ts';
import { anyOf } from '../patterns.ts';
import { wordsIn } from '../word-lists.ts';
import { normalizeDigits } from './digits.ts';
import { neededKeys, numberKeys, repeated } from './number-keys.ts';
import { claimedNumbersIn, type FoundNumber, numbersIn } from './numbers.ts';
import { isOpening } from './openings.ts';

/** Maximum UTF-16 units of a sentence that is checked. No quote can support a longer sentence. */
export const SENTENCE_UNITS_MAX = 1_500;

/** A part of a claim that a passage has when it has one of `keys`. */
export interface Item {
  /** Numbers, names and words of scripts without capitals are all needed. Terms count for coverage. */
  kind: 'number' | 'name' | 'word' | 'term';
  /** The part as written. */
  text: string;
  keys: readonly string[];
  number?: FoundNumber;
}

export function isTerm({ kind }: Item): boolean {
  return kind === 'term';
}

export interface Claim {
  sentence: string;
  isTooLong: boolean;
  items: readonly Item[];
  clauses: readonly Clause[];
}

export interface Clause {
  /** Distinct terms of the analyzer without stop words. */
  terms: ReadonlySet<string>;
  negations: number;
}

/** What a passage states. */
export interface Statement {
  /** Keys of numbers, names, words and terms: see `Item`. */
  keys: ReadonlySet<string>;
  /** Without marks of notes. */
  numbers: readonly FoundNumber[];
  clauses: readonly Clause[];
}

const CLAUSE_BREAK = anyOf(
  [
    /[;:，、；：—。！？।॥؟۔\n]|[.!?](?=\s)|,(?!\d)|\s[-–]\s|(?<=\p{sc=Thai})\s+(?=\p{sc=Thai})/u,
    /(?<=\s)(?:but|however|although|while|whereas|and|or|aber|sondern|und|oder|mais|et|pero|y|но|и|а)(?=\s)/u,
  ],
  'giu',
);

const NEGATION_WORDS = wordsIn('negations');
/** Languages in which several negations of one clause count once: "no hay ningún". */
const NEGATES_ONCE = /^(?:es|pt|it|fr|ro|ru|pl|el|tr|he|ar|hi|ur)$/;
/** Negations inside words: scripts without spaces between words, and languages that negate with an ending. */
const NEGATION_PARTS = anyOf(
  [
    /ない|なかっ|なく|ません|なし|無し|ぬ$|ず$|禁止|不|没|沒|未|无|無|非(?!常)|勿|않|없|못|아니|금지|ไม่|มิได้|ห้าม|ปราศจาก|ບໍ່/u,
    // Turkish verbs and "değildir", and the Romanian "n-a".
    /\p{L}(?:m[ıiuü]yor\p{L}*|m[ae]z(?:l[ae]r|d[ıi]\p{L}*)?|m[ae]m[ıi]ş\p{L}*)(?!\p{L})|(?<!\p{L})(?:değil|n-(?=\p{L}))/u,
    /\p{L}(?:m[ae]d[ıi](?:l[ae]r|ğ\p{L}*|k|m)?|m[ae]m[ae]kt[ae]\p{L}*|m[ae]y[ae](?:c[ae][kğ]|n)\p{L}*)(?!\p{L})/u,
  ],
  'gu',
);

/** Scripts with capitals, and digits: names and identifiers consist of them. A character of another script ends the word. */
const CASED = '[\\p{sc=Latn}\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Armn}\\p{Nd}_]';
/** The dashes of an option of a program: `-v`, `--dry-run`. One dash before several letters may be a hyphen or a bullet. */
const DASHES = `(?:--(?=\\p{L})|-(?=\\p{L}(?![${CASED}\\p{M}\\-])))`;
const WORD = new RegExp(`(?:${DASHES})?${CASED}(?:[${CASED}\\p{M}'’.\\-]*[${CASED}\\p{M}])?`, 'gv');
/** Options of one letter, also several behind one dash: `-avz`. Texts for print have other dashes. */
const LETTERS = new RegExp(`(?<![${CASED}\\p{M}\\-–])[\\-–](\\p{L}+)`, 'gv');
/** A beginning of a word that may be left out: `--[no-]color`. */
const OPTIONAL_BEGINNING = /\[(\p{L}+-)\]([\p{L}\p{N}_-]*[\p{L}\p{N}])/gu;
/** The mark of a note, from its bracket: `[7]`. */
const NOTE = /^\[\d{1,3}\]/;
const NOTE_UNITS_MAX = 5;
const KATAKANA = /\p{sc=Kana}[\p{sc=Kana}ー]+/gu;
/** Runs of letters of scripts without capitals. Numerals are checked as numbers. */
const NUMERAL = '[〇零一二三四五六七八九十百千万萬億亿]';
const CASELESS = new RegExp(
  `(?:(?![\\p{sc=Latn}\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Armn}]|${NUMERAL}(?:${NUMERAL}|[日月年人个個回本時时分秒円元歳岁天次名]))[\\p{L}\\p{M}ー])+`,
  'gu',
);
/** Scripts with blanks between words and endings that change. */
const BLANK_SEPARATED = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Deva}\p{sc=Beng}\p{sc=Taml}\p{sc=Telu}\p{sc=Geor}\p{sc=Ethi}]/u;
/** English words that open a sentence without being a name, besides stop words. */
const COMMON_OPENINGS = wordsIn('common-openings');
const COMMON_OPENING_END = /(?:ees|ers|ies|ing|ions?|ments?|ness|ly|ed)$/;

/**
 * Returns what a sentence claims. A sentence that is too long has no items.
 *
 * @param language ISO 639-1 code of the text that the claim is compared with, or null.
 */
export function claimOf(written: string, language: string | null): Claim {
  if (written.length > SENTENCE_UNITS_MAX) return { sentence: written, isTooLong: true, items: [], clauses: [] };
  const sentence = withoutInvisible(written);
  const text = normalized(sentence);
  const numbers = claimedNumbersIn(sentence, language);
  return {
    sentence,
    isTooLong: false,
    items: [
      ...numbers.map((number): Item => ({ kind: 'number', text: number.written, keys: neededKeys(number), number })),
      ...repeated(numbers).map(({ text, keys }): Item => ({ kind: 'number', text, keys })),
      ...namesIn(text, language),
      ...caselessWords(text).map(({ text, keys }): Item => ({ kind: 'word', text, keys })),
      ...[...termsOf(sentence, language)].map((term): Item => ({ kind: 'term', text: term, keys: [term] })),
    ],
    clauses: clausesOf(unwrapped(sentence), language),
  };
}

/** Returns what a part of a passage states. A line break in it is a line wrap. */
export function statementOf(written: string, language: string | null): Statement {
  const part = withoutInvisible(written);
  const text = normalized(part);
  const clauses = clausesOf(unwrapped(part), language);
  const numbers = numbersIn(part, language);
  const keys = new Set([...numberKeys(numbers), ...analyzeText(part, language).split(' ')]);
  for (const [, letters] of text.matchAll(LETTERS)) for (const letter of letters!) keys.add(`-${letter}`);
  for (const [, beginning, rest] of text.matchAll(OPTIONAL_BEGINNING)) keys.add(`-${beginning}${rest}`.toLowerCase());
  for (const word of wordsOf(text)) {
    keys.add(word.toLowerCase());
    if (word.length > 1) keys.add(`-${word.toLowerCase()}`);
    if (/\p{Lu}|\p{Lt}/u.test(word))
      for (const term of [word.toLowerCase(), ...termsOf(word, language)])
        for (const form of nameForms(word, term)) keys.add(`^${form}`);
  }
  for (const [word] of text.matchAll(KATAKANA)) keys.add(word);
  for (const key of caselessKeys(text)) keys.add(key);
  const isNote = ({ at }: FoundNumber): boolean => NOTE.test(text.slice(Math.max(0, at - 1), at - 1 + NOTE_UNITS_MAX));
  return { keys, numbers: numbers.filter((number) => !isNote(number)), clauses };
}

/** Returns a text with usual digits and hyphens. */
function normalized(text: string): string {
  return normalizeDigits(text).replace(/[‐‑]/g, '-');
}

/** Returns the terms of a text without stop words. */
export function termsOf(text: string, language: string | null): Set<string> {
  return new Set(analyzeQuery(text, language === null ? [] : [language]));
}

/**
 * Returns the parts of a text that can be true or false on their own. A part without terms belongs to the next one. Negations inside words
 * are left out of the terms, so that a clause is compared with what it denies, and not with another denial. Negations that are words stay
 * unless they are stop words. A part that is only a negation inside a word, as in 「返金：なし、」, is a clause of its own.
 */
function clausesOf(text: string, language: string | null): Clause[] {
  const clauses: Clause[] = [];
  let before = 0;
  for (const part of text.split(CLAUSE_BREAK)) {
    const negations = before + negationsOf(part, language);
    const stated = part.replace(NEGATION_PARTS, '');
    const said = hasContent(stated, language) ? stated : part;
    const terms = hasContent(said, language) ? termsOf(said, language) : new Set<string>();
    before = terms.size === 0 ? negations : 0;
    if (terms.size > 0) clauses.push({ terms, negations });
  }
  const last = clauses.at(-1);
  return last === undefined ? [] : clauses.with(-1, { ...last, negations: last.negations + before });
}

/** Returns false for a text of stop words alone, such as `or "no"`. */
function hasContent(text: string, language: string | null): boolean {
  const stopWords = stopWordsOf(language ?? 'en');
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.some((word) => !stopWords.has(word));
}

function negationsOf(clause: string, language: string | null): number {
  const lower = clause.toLowerCase().replaceAll('’', "'").trim();
  const parts = lower.match(NEGATION_PARTS)?.length ?? 0;
  const found = [...lower.matchAll(/[\p{L}\p{M}']+/gu)]
    .map(([word]) => word)
    .filter((word) => NEGATION_WORDS.has(word));
  return parts + (NEGATES_ONCE.test(language ?? '') ? Math.min(1, found.length) : found.length);
}

/**
 * Returns the words of scripts without capitals, where every word may be a name. A text that has none of the keys lacks the word.
 *
 * Without blanks between words there is one entry for each letter: its keys are the groups of letters around it. Kana and the ends of
 * Korean words are grammar.
 */
function caselessWords(text: string): { text: string; keys: string[] }[] {
  return [...text.matchAll(CASELESS)].flatMap(([run]) => {
    const letters = [...run];
    const size = groupSizeOf(run);
    if (BLANK_SEPARATED.test(run)) {
      const ends = letters.length < size ? [] : [letters.slice(0, size + 2), letters.slice(-size - 2)];
      return ends.map((end) => ({ text: run, keys: groupsOf(end, size) }));
    }
    return letters.flatMap((letter, i) => {
      if (/[\p{sc=Hira}\p{sc=Kana}ー]/u.test(letter) || isKoreanEnd(letters, i)) return [];
      const around = letters.slice(Math.max(0, i - size + 1), i + size);
      return [{ text: letter, keys: around.length < size ? [letter] : groupsOf(around, size) }];
    });
  });
}

/** Returns all groups of neighbouring letters, and the single letters. */
function caselessKeys(text: string): string[] {
  return [...text.matchAll(CASELESS)].flatMap(([run]) => [...run, ...groupsOf([...run], groupSizeOf(run))]);
}

/** Returns how many letters tell words apart: an alphabet has fewer letters than Chinese or Korean. */
function groupSizeOf(run: string): number {
  return /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(run) ? 2 : 3;
}

function groupsOf(letters: readonly string[], size: number): string[] {
  return letters.slice(size - 1).map((_, i) => letters.slice(i, i + size).join(''));
}

function isKoreanEnd(letters: readonly string[], at: number): boolean {
  return at > 0 && at === letters.length - 1 && /\p{sc=Hang}/u.test(letters[at]!);
}

/** Returns the words of a text, and options without their dashes. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(([word]) => word.replace(/^-+|['’]s$/g, ''));
}

/**
 * Returns the names of a sentence: capitalised words, options, words with digits or inner capitals, Latin words in text of another script,
 * and runs of katakana. The first word of a sentence counts only when it cannot be a common word.
 */
function namesIn(text: string, language: string | null): Item[] {
  const isForeign = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Arab}\p{sc=Deva}]/u.test(text);
  const names: Item[] = [];
  // A capital inside a sentence shows a name, so the text must have a capital too: "May" is not "may".
  const add = (word: string, mark: '' | '^'): void => {
    for (const term of termsOf(word, language))
      names.push({ kind: 'name', text: word, keys: nameForms(word, term).map((form) => mark + form) });
  };
  for (const match of text.matchAll(WORD)) {
    const word = match[0].replace(/['’]s$/, '');
    if (word.startsWith('-')) names.push({ kind: 'name', text: word, keys: [optionKey(word)] });
    else if (isIdentifier(word) || (isForeign && /^\p{sc=Latn}{2,}/u.test(word))) add(word, '');
    else if (/^[\p{Lu}\p{Lt}]/u.test(word)) {
      const opening = isOpening(text, match.index);
      if (!opening || isNameLike(text, word, match.index, language)) add(word, opening ? '' : '^');
    }
  }
  for (const [word] of text.matchAll(KATAKANA)) names.push({ kind: 'name', text: word, keys: [word] });
  return names;
}

/** Returns a name in small letters, and a term of it, but `age` of `Ages`. A short stem may be another name: `Ives` and `IV`. */
function nameForms(word: string, term: string): string[] {
  const lower = word.toLowerCase();
  const isOther = term.length < 3 && lower.length - term.length > 1 && /^\p{L}+$/u.test(lower);
  return [lower, isOther ? lower.replace(/s$/, '') : term];
}

/** Returns the key of an option: `-v` is not `-V`, but a text may name `--dry-run` without its dashes. */
function optionKey(option: string): string {
  return /^-\p{L}$/u.test(option) ? option : option.replace(/^-+/, '-').toLowerCase();
}

/** Returns true for identifiers such as `ERR_4012`, `3_1_24`, `v1.2.3`, `iPhone`, `A4` and `3q26`, not for plain numbers and `2nd`. */
function isIdentifier(word: string): boolean {
  return /\p{L}.*\d|\p{Ll}\p{Lu}|[\p{L}\d]_|_[\p{L}\d]/u.test(word);
}

function isNameLike(text: string, word: string, at: number, language: string | null): boolean {
  if (/^\p{Lu}{2,}$/u.test(word)) return true;
  const lower = word.toLowerCase();
  if (
    stopWordsOf(language ?? 'en').has(lower) ||
    stopWordsOf('en').has(lower) ||
    COMMON_OPENINGS.has(lower) ||
    (language !== 'de' && COMMON_OPENING_END.test(lower)) ||
    text.slice(at + word.length).includes(lower)
  )
    return false;
  // A German noun has a capital, as a name has.
  if (language === 'en' || language === 'de' || language === null) return true;
  return /^\s+\p{Lu}\p{Ll}/u.test(text.slice(at + word.length, at + word.length + 4));
}

/** Reads from a question's words what it asks for. */

import { datesIn } from '../../files/other-forms.ts';
import { withoutQuestionWords } from '../../text/question-words.ts';
import { anyOf } from '../patterns.ts';
import { patternOf } from '../word-lists.ts';
import { letterGroups } from './letter-groups.ts';
import { allTerms, topicTerms } from './words.ts';

export interface Question {
  text: string;
  /** The language that the question is read in: the ISO 639-1 code, or null. */
  language: string | null;
  terms: ReadonlySet<string>;
  /** Groups of neighbouring letters of the topic words, with their weights: see letter-groups.ts. */
  letters: ReadonlyMap<string, number>;
  asksNumber: boolean;
  /** Terms of names and numbers: words with a digit, and words with a capital that are not the first word. */
  names: ReadonlySet<string>;
  /** Identifiers of three words, with an underscore or with `::`, as `plainIdentifier` returns them. */
  identifiers: readonly string[];
  asksDefault: boolean;
}

/** Returns the question as the analyzer reads it in `language`. */
export function readQuestion(text: string, language: string | null): Question {
  const topic = topicOf(text);
  const terms = new Set(topicTerms(topic, language));
  const namesOf = isUncased(text) ? FOREIGN_NAMES : language === 'de' ? GERMAN_NAMES : MARKED_WORDS;
  const marked = (text.match(namesOf) ?? []).map((word) => new Set(topicTerms(word, language)).intersection(terms));
  // In a title most words have a capital. "I" is no topic word and does not count.
  const isTitle = marked.filter(({ size }) => size > 0).length > terms.size / 2;
  return {
    text,
    language,
    terms,
    names: new Set(isTitle ? [] : marked.flatMap((found) => [...found])),
    letters: letterGroups(topic, (word) => allTerms(word, language).some((term) => terms.has(term))),
    identifiers: identifiersOf(text),
    asksNumber: ASKS_NUMBER.test(text),
    asksDefault: text.search(NAMES_DEFAULT) >= 0 || text.search(ASKS_WHEN_UNSET) >= 0,
  };
}

/** Returns true if words of letters with capitals are the fewer part: a question in English may name a word of Japanese. */
function isUncased(text: string): boolean {
  return (text.match(UNCASED) ?? []).length >= Math.max(1, (text.match(CASED_WORD) ?? []).length);
}

/**
 * Returns the question in the spelling of the passages, where other terms would count as missing. For `Debug-Stufe` these are the terms
 * of `Debugstufe` or of its parts, whichever is there. For a word that no passage has, these are its looser forms, but not in English,
 * where words with the same first letters are more often different words. For a date, these are the terms of another way to write it,
 * if one passage has them all.
 */
export function inFoundSpelling(question: Question, passages: readonly ReadonlySet<string>[]): Question {
  const all = new Set(passages.flatMap((terms) => [...terms]));
  const isFound = (term: string): boolean => all.has(term);
  const { text, language } = question;
  const terms = new Set(question.terms);
  const names = new Set(question.names);
  const isEnglish = language === null || language === 'en';
  for (const word of text.match(HYPHENATED) ?? []) {
    const parts = topicTerms(word.replaceAll('-', ' '), language);
    const joined = topicTerms(word, language).filter((term) => !parts.includes(term));
    for (const term of joined.some(isFound) ? parts : joined) {
      if (!isFound(term) && terms.delete(term)) names.delete(term);
    }
  }
  for (const word of (isEnglish ? null : text.match(/[\p{L}\p{M}]+/gu)) ?? []) {
    const own = topicTerms(word, language).filter((term) => terms.has(term));
    if (own.length === 0 || own.some((term) => isFound(term) || names.has(term))) continue;
    const looser = allTerms(word, language).filter((term) => isFound(term));
    if (looser.length === 0) continue;
    for (const term of own) terms.delete(term);
    for (const term of looser) terms.add(term);
  }
  for (const { written, forms, isCertain } of datesIn(text, [language ?? 'en'])) {
    const own = topicTerms(written, language).filter((term) => terms.has(term));
    const isTogether = (date: readonly string[]): boolean =>
      passages.some((terms) => date.every((term) => terms.has(term)));
    if (!isCertain || isTogether(own)) continue;
    const found = forms.map((form) => allTerms(form.text, language)).find(isTogether);
    for (const term of found === undefined ? [] : own) {
      terms.delete(term);
      names.delete(term);
    }
    for (const term of found ?? []) {
      terms.add(term);
      if (/\d/.test(term)) names.add(term);
    }
  }
  return { ...question, terms, names };
}

/** A match starts at the first letter: linear time. */
const HYPHENATED = /(?<![\p{L}\p{M}])\p{L}[\p{L}\p{M}]*(?:-[\p{L}\p{M}]+)+/gu;

/** Words with a digit. A match starts at the first letter: linear time. */
const NUMBERED = /(?<![\p{L}_])[\p{L}_]*\p{N}[\p{L}\p{N}._-]*/u;
/** Words with a capital after another word, and words with a digit. Only a capital looks back over blanks: linear time. */
const MARKED_WORDS = anyOf([/(?=\p{Lu})(?<=[\p{L}\p{N},]\s+)\p{Lu}[\p{L}\p{M}\p{N}-]*/u, NUMBERED], 'gu');
/** In German all nouns begin with a capital, so a name has two capitals or a digit. */
const GERMAN_NAMES = anyOf([/(?<![\p{L}\p{N}-])\p{L}+\p{Lu}[\p{L}\p{M}\p{N}]*/u, NUMBERED], 'gu');
/** Scripts without capitals and blanks, and Korean. Among their letters, each Latin word is a name: `kubectlでPodを`. */
const UNCASED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/gu;
const CASED_WORD = /[\p{Lu}\p{Ll}][\p{Lu}\p{Ll}\p{M}\p{N}_-]*/gu;
const FOREIGN_NAMES = anyOf([/(?<![\p{sc=Latn}\p{N}_])\p{sc=Latn}[\p{sc=Latn}\p{M}\p{N}_-]+/u, NUMBERED], 'gu');

/**
 * `login_grace_time`, `LoginGraceTime`, and `thread::spawn` of `std::thread::spawn`. Names of two words, such as `JavaScript`, are often
 * left out where they are meant, as is the first part of three.
 */
const IDENTIFIERS = anyOf(
  [
    /(?<![\p{L}\p{N}_])\p{L}[\p{L}\p{N}]*_[\p{L}\p{N}_]+/u,
    /(?<![\p{L}\p{N}_])\p{L}+?\p{Ll}\p{Lu}\p{L}*?\p{Ll}\p{Lu}[\p{L}\p{N}]*/u,
    /(?<=[\p{L}\p{N}_]::)\p{L}[\p{L}\p{N}_-]*(?:::\p{L}[\p{L}\p{N}_-]*)+/u,
  ],
  'gu',
);

/** Letters of scripts without spaces, and of Korean particles, with underscores. */
const UNSPACED = /[_\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]+/gu;

/**
 * Returns the identifiers of a question. Words of these scripts stand directly beside an identifier: `max_retries의`,
 * `max_retriesのデフォルト`. Beside an underscore they are a part of it: `用户_id`.
 */
function identifiersOf(text: string): string[] {
  const spaced = text.replace(UNSPACED, (word) => (word.includes('_') ? word : ' '));
  return [...new Set((spaced.match(IDENTIFIERS) ?? []).map(ownName).map(plainIdentifier))];
}

/** Returns the last part of a path of names if it has an underscore, else the last two parts. */
function ownName(identifier: string): string {
  const parts = identifier.split('::');
  return parts.at(-1)!.includes('_') ? parts.at(-1)! : parts.slice(-2).join('');
}

/** Returns a text so that all spellings of an identifier are the same: small letters and digits alone. */
export function plainIdentifier(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Names before the last one of a path of names. An entry seldom repeats them: `net.ipv4.` of `net.ipv4.tcp_tw_reuse`. */
const QUALIFIERS =
  /(?<![\p{L}\p{N}_])(?:[\p{L}\p{N}-]{1,64}(?:\.|::)){1,8}(?=\p{L}[\p{L}\p{N}]*(?:_|\p{Ll}\p{Lu})[\p{L}\p{N}])/gu;

/**
 * Removes question words and qualifiers. An answer does not contain them, so they would count as missing there. In languages with
 * spaces the analyzer already drops most question words as stop words. A question without other words is returned as it is.
 */
function topicOf(text: string): string {
  const topic = withoutQuestionWords(text)
    .topic.replace(QUALIFIERS, '')
    .replace(SOURCE_WORDS, ' ')
    .replace(QUANTITY_WORDS, ' ')
    .replace(PARTICLES, ' ');
  return /[\p{L}\p{N}]/u.test(topic) ? topic : text;
}

/** Mails that somebody sent: a mail does not say that it is a mail. "Which mail server" and "What message" ask for something else. */
const SOURCE_WORDS = new RegExp(
  [
    /(?<!\p{L})(?:which|whose|welche|quels|qué|quali|które|jakie) /u,
    /(?:(?:e-?)?mails|messages|nachrichten|correos|messaggi|wiadomości)/u,
    /(?=.{0,100}? (?:(?:from|by|to|von|od)(?!\p{L})|sen[dt]|wr[io]t|ge(?:sch|send)|schr|schick|env[io]|écri|e?scri|inviat|wysł|napis))/u,
  ]
    .map(({ source }) => source)
    .join(''),
  'giu',
);
const QUANTITY_WORDS =
  /\bhow (?:many|much|long|often)\b|\bat (?:most|least)\b|\bwie ?(?:viele?|lange|oft)\b|\bwieviele?\b/giu;
/** Korean particles: their pairs with the letters before them would count as topic words. */
const PARTICLES = /(?<=[\p{L}\p{N}]{2})(?:에서|으로|에게|[은는이가을를의에로와과])(?![\p{L}\p{N}])/gu;
const ASKS_NUMBER = anyOf(
  [
    /\bm(?:ax|in)(?:imum|im[aá]l\p{L}*)?\b|\b(?:upper |lower )?limit\b|\bat (?:most|least)\b/u,
    /maksym|minimaln|najwyżej|nejvýše|максим|миним|не более/,
    /\b(?:exit|return|status) (?:code|status)\b|\bhöchstens\b|\bmindestens\b|\bobergrenze\b|\bau (?:plus|moins)\b/,
    /\bm[aá]xim[oa]\b|最大|最小|最多|至少|\bhow (?:many|much|long|old|far|often|high|large|big|tall|deep|fast)\b/,
    /\bwhen\b|\bwhat (?:year|date|time|percentage|number|amount|age|price)\b/,
    /\bwie ?(?:viele?|lange|oft|hoch|gro[sß]+|weit|alt|teuer)\b|\bwann\b|\bcombien\b|\bquand\b/,
    /(?<!\p{L})(?:ile|ilu|kiedy|kdy)(?!\p{L})|kolik/u,
    /\bcu[aá]nt[oa]s?\b|\bcu[aá]ndo\b|\bquant(?:[ie]|[oa]s?)\b|\bquando\b|\bhoeveel\b|\bwanneer\b/,
    /сколько|когда|скільки|πόσ|πότε|\bkaç\b|ne zaman|bao nhiêu|khi nào|كم|متى|כמה|מתי|कितन|कब/,
    // The look-behind: เกี่ยว (about) has the letters of กี่ (how many).
    /(?<!เ)กี่|เท่า(?:ไร|ไหร่)|เมื่อ(?:ไร|ไหร่)|何[日人年月時個回円歳件度分]|いくつ|いくら|いつ|どのくらい|どれくらい/,
    /多少|几[个天年月日人]|幾|何时|何時|哪[一]?年|몇|얼마|언제/,
  ],
  'iu',
);
export const NAMES_DEFAULT = patternOf('default-words');
const ASKS_WHEN_UNSET = patternOf('unset-words');

/** Terms of the names that code defines: a query that is such a name finds the definition before what only mentions the name. */

import { escapePattern } from '../escape-pattern.ts';
import { encodeForm } from './encode.ts';
import { isStopWord } from './stop-words.ts';
import { cut } from './words.ts';

const NAME = String.raw`[\p{L}_$][\p{L}\p{M}\p{N}_$]+`;
const LAST_NAME = new RegExp(String.raw`(${NAME})(?:<.*>)?[^\p{L}\p{N}_$<>]*$`, 'u');
/** A query that is one name, as code or a message has it: `Session`, `res.sendFile`, `Error::new`, `parse()`, `ensure!`. */
const ONLY_NAME = new RegExp(String.raw`^[#$@.]?${NAME}(?:(?:\.|::|#|->)${NAME})*(?:\(\)|!)?$`, 'u');
/** Words for what code defines, for its parts, and for its place. */
const KIND = new RegExp(
  '^(?:(?:argument|class|constant|declaration|definition|enum|field|function|implementation|interface|member|method|parameter|' +
    'signature|struct|table|trait|type|variable)s?|classes|declared|defined|implemented)$',
  'i',
);
/** Those that are no everyday words. */
const ONLY_CODE = /^(?:declared|defined|enums?|implemented|structs?|traits?)$/i;
const QUESTION = /^(?:how|what|when|where|which|who|why)\b|\?\s*$/i;
/** Names, each with the names before it: `RealCall.execute` asks for `execute`. */
const NAMES = new RegExp(String.raw`${NAME}(?:(?:\.|::|#|->)${NAME})*`, 'gu');
/** A change of case or a low line within a word, which only names have. */
const JOINT = /\p{Ll}\p{Lu}|_\w|\w_/u;

/** Returns the last identifier of a name: `bar` for `exports.bar`, `Foo.prototype.bar`, `#bar`, `bar<T>` and `bar!`. */
export function lastName(name: string): string | undefined {
  return LAST_NAME.exec(name)?.[1];
}

/** Returns the terms of a defined name: as it is written, and in lower case. */
export function nameTerms(name: string): string[] {
  const last = lastName(name);
  if (last === undefined) return [];
  const written = cut(last.normalize('NFKC'));
  return [...new Set([written, written.toLowerCase()])].map((form) => encodeForm('¶', form));
}

/**
 * Returns the names of definitions that a query asks for: its only word, or its words that only names look like, as `maxRetries` and
 * `max_retries`. Stop words, words such as "class" and `groupNames` do not count as words.
 */
export function askedNames(query: string, groupNames: readonly string[] = []): string[] {
  const rest = groupNames.reduce((text, name) => text.replace(wordPattern(name), ' '), query).trim();
  const asked = rest === '' ? query.trim() : rest;
  if (ONLY_NAME.test(asked)) return [asked];
  const words = asked.match(NAMES) ?? [];
  const topics = topicsOf(words);
  return topics.length === 1 ? topics : words.filter((word) => JOINT.test(word));
}

/** Returns the name of the definition that a query asks for and for nothing else; undefined for other queries. */
export function onlyAskedName(query: string): string | undefined {
  const asked = query.trim();
  if (ONLY_NAME.test(asked)) return lastName(asked);
  const [name, other] = topicsOf(asked.match(NAMES) ?? []);
  return name === undefined || other !== undefined ? undefined : lastName(name);
}

/**
 * Returns true for a query with a word for what code defines, or with a name that only code has. Most of these words are everyday words in
 * a question ("what type of wood", "the function of the liver"), unless a name or a capital letter is there.
 */
export function looksForCode(query: string): boolean {
  if (JOINT.test(query) || /::|\(\)|\p{L}\.\p{L}/u.test(query)) return true;
  const words = query.match(NAMES) ?? [];
  const isTopic = (word = ''): boolean => word !== '' && topicsOf([word]).length > 0;
  const isPlain = QUESTION.test(query) && !words.some((word) => isTopic(word) && /\p{Lu}/u.test(word));
  return words.some((word, i) => {
    if (!KIND.test(word)) return false;
    return !isPlain || ONLY_CODE.test(word) || isTopic(words[i - 1]) || isTopic(words[i + 1]);
  });
}

function topicsOf(words: readonly string[]): string[] {
  return words.filter((word) => !KIND.test(word) && !isStopWord(word.toLowerCase(), 'en'));
}

/** Maximum number of words of a query that may name a definition and a source group, unless a word looks like a name. */
const NAMING_WORDS_MAX = 5;

/** Returns false for a query that asks for no definition, whatever source groups there are. */
export function mayAskForName(query: string): boolean {
  return JOINT.test(query) || (query.match(NAMES)?.length ?? 0) <= NAMING_WORDS_MAX;
}

function wordPattern(word: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${escapePattern(word)}(?![\p{L}\p{N}_])`, 'giu');
}

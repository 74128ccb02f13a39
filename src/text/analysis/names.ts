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

/** Terms of the names that code defines: a query that is such a name finds the definition before what only mentions the name. */
import { encodeForm } from './encode.ts';
import { cut } from './words.ts';

const NAME = String.raw`[\p{L}_$][\p{L}\p{M}\p{N}_$]+`;
const LAST_NAME = new RegExp(String.raw`(${NAME})(?:<.*>)?[^\p{L}\p{N}_$<>]*$`, 'u');
/** A query that is one name, as code or a message has it: `Session`, `res.sendFile`, `Error::new`, `parse()`, `ensure!`. */
const ONLY_NAME = new RegExp(String.raw`^[#$@]?${NAME}(?:(?:\.|::|#|->)${NAME})*(?:\(\)|!)?$`, 'u');
const NAMES = new RegExp(NAME, 'gu');
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

/** Returns the names that a query asks for: the whole query, or its words that can only be names, as `maxRetries` and `max_retries`. */
export function askedNames(query: string): string[] {
  const whole = query.trim();
  return ONLY_NAME.test(whole) ? [whole] : (whole.match(NAMES) ?? []).filter((word) => JOINT.test(word));
}

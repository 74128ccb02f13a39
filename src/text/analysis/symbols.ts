/** Terms of options, variables, names with a mark, and operators, as they are written. */
import { encodeTerm } from './encode.ts';
import { cut } from './words.ts';

/** Numbers that may be an option or a parameter: `-5` and `$5`. `-12`, `.5` and `#12` are not. */
const NUMBERED = /^[-$]\d$/;

/** Marks of Markdown, comments and tags, and marks that writers use for a dash or a pause. */
const DECORATION = /^(?:[-:|]+|[/*]+|([.#~_%@*+-])\1+|\/>|<\/|[.!?]+)$/;
/** Operators that DECORATION matches too. */
const OPERATORS = /^(?:::|\|\||!!|\+\+|\?\.|\?\?)$/;

/**
 * Returns the term of a word behind a mark; undefined if the mark makes no name of it. `-H` and `-h` have different terms; `--Depth`
 * and `--depth` have the same term.
 */
export function sigilTerm(sigil: string, word: string): string | undefined {
  const symbol = sigil + word;
  if (/^\d/.test(word) && !NUMBERED.test(symbol)) return undefined;
  return encodeTerm(cut(word.length === 1 ? symbol : symbol.toLowerCase()));
}

/** Returns the term of two or three marks; undefined for marks that only decorate a text. */
export function operatorTerm(marks: string): string | undefined {
  const operator = marks.length > 2 ? marks.replace(/[.:?!]$/, '') : marks;
  return DECORATION.test(operator) && !OPERATORS.test(operator) ? undefined : encodeTerm(operator);
}

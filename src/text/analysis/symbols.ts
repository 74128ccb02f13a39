/** Terms of options, variables, names with a mark and operators, which are kept as they are written. */
import { encodeTerm } from './encode.ts';
import { cut } from './words.ts';

/** Numbers: `-5` and `$5` may be an option and a parameter, `-12`, `.5` and `#12` are not. */
const NUMBERED = /^[-$]\d$/;

/** Marks of Markdown, comments and tags, and those that writers use for a dash or a pause. */
const DECORATION = /^(?:[-:|]+|[/*]+|([.#~_%@*+-])\1+|\/>|<\/|[.!?]+)$/;
/** Of these, what is an operator all the same. */
const DOUBLED = /^(?:::|\|\||!!|\+\+)$/;

/** The term of a word behind a mark; undefined when the mark is none of a name. `-H` and `-h` are two options, `--Depth` is one. */
export function sigilTerm(sigil: string, word: string): string | undefined {
  const symbol = sigil + word;
  if (/^\d/.test(word) && !NUMBERED.test(symbol)) return undefined;
  return encodeTerm(cut(word.length === 1 ? symbol : symbol.toLowerCase()));
}

/** The term of two or three marks; undefined for those that only adorn a text. */
export function operatorTerm(marks: string): string | undefined {
  const operator = marks.length > 2 ? marks.replace(/[.:?!]$/, '') : marks;
  return DECORATION.test(operator) && !DOUBLED.test(operator) ? undefined : encodeTerm(operator);
}

/**
 * Encodes terms so that PostgreSQL's default text parser does not change them.
 *
 * The parser splits at every character that is no letter in its locale (combining marks, emoji, `_`), and it reads `1e5abc` as two
 * words. A term with other characters than a-z and 0-9 is therefore written in base 36, so that one term is one lexeme in every
 * locale. The mapping is injective: two terms never have the same lexeme.
 */

const PLAIN = /^(?:[a-z][a-z0-9]*|[0-9]{1,20})$/;
const PLAIN_UNMARKED = /^(?:(?!z[pqs])[a-z][a-z0-9]*|[0-9]{1,20})$/;
const PREFIX_MARK = 'zp';
const ESCAPE_MARK = 'zq';
const STEM_MARK = 'zs';

/** UTF-16 units below this number are three base-36 digits, of which the first is at most `v`. The others are `w` and three digits. */
const THREE_DIGIT_UNITS = 0xa000;

const unitCodes: string[] = [];

/** Returns the lexeme of a term: `[a-z0-9]+`, with at most four characters per UTF-16 unit of the term and two more. */
export function encodeTerm(term: string): string {
  return PLAIN_UNMARKED.test(term) ? term : escaped(term);
}

/** Returns the lexeme of all words that begin with `prefix`. It never equals the lexeme of a whole term. */
export function encodePrefix(prefix: string): string {
  return PLAIN.test(prefix) ? PREFIX_MARK + prefix : escaped(`~${prefix}`);
}

/**
 * Returns the lexeme of a stem of one language. It never equals a term of another language: the German stem of "Server" is also the
 * English stem of "serving".
 *
 * @param language a code of two letters.
 */
export function encodeStem(stem: string, language: string): string {
  return PLAIN.test(stem) ? STEM_MARK + language + stem : escaped(`|${language}${stem}`);
}

/**
 * Returns the lexeme of another form of a word. It equals only lexemes of the same kind.
 *
 * @param kind one character that no term begins with.
 */
export function encodeForm(kind: '^' | '°' | '¶', form: string): string {
  return escaped(kind + form);
}

function escaped(term: string): string {
  let code = ESCAPE_MARK;
  for (let i = 0; i < term.length; i++) code += unitCode(term.charCodeAt(i));
  return code;
}

function unitCode(unit: number): string {
  unitCodes[unit] ??=
    unit < THREE_DIGIT_UNITS
      ? unit.toString(36).padStart(3, '0')
      : `w${(unit - THREE_DIGIT_UNITS).toString(36).padStart(3, '0')}`;
  return unitCodes[unit];
}

/**
 * Terms as PostgreSQL's default text parser keeps them.
 *
 * That parser splits at anything its locale does not call a letter (combining marks, emoji, `_`) and reads `1e5abc` as
 * two words. A term that is not plain a-z and 0-9 is therefore written in base 36, so that one term is one lexeme under
 * every locale. The mapping is injective: two terms never share a lexeme.
 */

const PLAIN = /^(?:[a-z][a-z0-9]*|[0-9]{1,20})$/;
const PLAIN_UNMARKED = /^(?:(?!z[pqs])[a-z][a-z0-9]*|[0-9]{1,20})$/;
const PREFIX_MARK = 'zp';
const ESCAPE_MARK = 'zq';
const STEM_MARK = 'zs';

/** UTF-16 units below this take three base-36 digits (the first is at most `v`), the others `w` and three digits. */
const THREE_DIGIT_UNITS = 0xa000;

const unitCodes: string[] = [];

/** The lexeme of a term: `[a-z0-9]+`, at most four characters for each UTF-16 unit of the term, and two more. */
export function encodeTerm(term: string): string {
  return PLAIN_UNMARKED.test(term) ? term : escaped(term);
}

/** The lexeme that stands for "a word that begins like this": never equal to that of a whole term. */
export function encodePrefix(prefix: string): string {
  return PLAIN.test(prefix) ? PREFIX_MARK + prefix : escaped(`~${prefix}`);
}

/**
 * The lexeme of a stem that is one only in `language`, a code of two letters: never equal to a term of another language. The
 * German stem of "Server" is the English one of "serving".
 */
export function encodeStem(stem: string, language: string): string {
  return PLAIN.test(stem) ? STEM_MARK + language + stem : escaped(`|${language}${stem}`);
}

/** The lexeme of some other form of a word, `kind` being one character that no term begins with: equal only to its own kind. */
export function encodeForm(kind: '^' | '°', form: string): string {
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

/** Words before a number that are its unit: "day 43", "Article 5". Other words before a number are none: "level 6". */
import { stopWordsOf } from '../../text/analysis/stop-words.ts';
import { wordTerms } from '../../text/analysis/words.ts';
import { UNDETERMINED } from '../../text/analyzer.ts';
import { pairsByLanguage } from '../word-lists.ts';

/** Maximum UTF-16 units before a number in which a word is looked for. */
const PREVIOUS_UNITS_MAX = 40;
const PREVIOUS = /(?<![\p{L}\p{M}\p{N}])((?:\p{L}\p{M}*)+)[ \u00a0]$/u;
/** Numbers that make a language show the singular and its forms of the plural. */
const FORMS = [1, 2, 5];

/** Returns the word before a number that begins at `start`, empty for a stop word, a mark or nothing. */
export function previousWord(text: string, start: number, language: string | null): string {
  const word = PREVIOUS.exec(text.slice(Math.max(0, start - PREVIOUS_UNITS_MAX), start))?.[1] ?? '';
  return stopWordsOf(language ?? 'en').has(word) ? '' : word;
}

/** Returns the first term of the word. */
export function termOf(word: string, language: string | null): string {
  return wordTerms(word, language ?? UNDETERMINED)[0]?.term ?? word;
}

/** The terms of the units that Unicode names, and of numbered parts of a text, in all languages of the list of parts. */
export const UNIT_TERMS: ReadonlySet<string> = new Set(
  [...pairsByLanguage('part-words')].flatMap(([language, parts]) => {
    const units = Intl.supportedValuesOf('unit').flatMap((unit) => unitNames(language, unit));
    return [...units, ...parts.map(([word]) => word)].map((word) => termOf(word, language));
  }),
);

function unitNames(language: string, unit: string): string[] {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  const parts = FORMS.flatMap((form) => format.formatToParts(form));
  return parts.filter(({ type }) => type === 'unit').map(({ value }) => value.trim().toLowerCase());
}

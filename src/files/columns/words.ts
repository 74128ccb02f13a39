/** Word lists for cells, read once in a process that reads or builds tables. */
import { readWordList } from '../../util/package-files.ts';

const wordSet = (name: string): ReadonlySet<string> => new Set(readWordList(`tables/${name}.txt`));

export const NULL_WORDS = wordSet('null-words');
export const TRUE_WORDS = wordSet('true-words');
export const FALSE_WORDS = wordSet('false-words');
export const TOTAL_WORDS = wordSet('total-words');
/** Longest first, so that `US$` is found before `$`. */
export const CURRENCIES = readWordList('tables/currencies.txt').toSorted((a, b) => b.length - a.length);
/** Signs of measures. */
export const UNITS = wordSet('units');
/** Languages whose numbers have a decimal comma. */
export const COMMA_LANGUAGES = wordSet('comma-languages');
/** Name of a month -> its number. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  readWordList('tables/months.txt').flatMap((line) => {
    const [number, ...names] = line.split(' ');
    return names.map((name) => [name, Number(number)] as const);
  }),
);

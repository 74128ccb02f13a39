/** Reads the word lists of `data/answers`: a folder for each list, and in the folder a file for each language. */
import { escapePattern } from '../text/escape-pattern.ts';
import { readWordLists } from '../util/package-files.ts';

/** Returns the words of a list in all languages. */
export function wordsIn(list: string): Set<string> {
  return new Set([...readWordLists(`answers/${list}`).values()].flat());
}

/** Scripts without blanks between words, and Korean, whose words have particles. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Kana}\p{sc=Hira}\p{sc=Hang}\p{sc=Thai}]/u;

/** Returns a pattern that matches the words and phrases of a list in all languages. `word*` stands for all words that begin so. */
export function patternOf(list: string): RegExp {
  const patterns = [...wordsIn(list)].map((entry) => {
    const words = escapePattern(entry.replace(/\*$/, ''));
    if (UNSPACED.test(entry)) return words;
    return `(?<![\\p{L}\\p{N}_])${words}${entry.endsWith('*') ? '[\\p{L}\\p{M}]*' : ''}(?![\\p{L}\\p{N}_])`;
  });
  return new RegExp(patterns.join('|'), 'giu');
}

/**
 * Returns the pairs of a list whose lines are `word: value`, by language.
 *
 * @throws Error for a line without a colon.
 */
export function pairsByLanguage(list: string): Map<string, [word: string, value: string][]> {
  const pairOf = (line: string): [string, string] => {
    const [word, value] = line.split(': ');
    if (word === undefined || value === undefined) throw new Error(`${list}: the line "${line}" has no colon`);
    return [word, value];
  };
  return new Map([...readWordLists(`answers/${list}`)].map(([language, lines]) => [language, lines.map(pairOf)]));
}

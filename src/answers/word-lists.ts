/** Reads the word lists of `data/answers`: a folder for each list, and in the folder a file for each language. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder, readWordList } from '../util/package-files.ts';

/** Returns the lines of a list by language. Reads the files at every call, so callers keep the result. */
export function linesByLanguage(list: string): Map<string, string[]> {
  const files = readdirSync(join(packageFolder('data'), 'answers', list)).filter((name) => name.endsWith('.txt'));
  return new Map(files.sort().map((name) => [name.slice(0, -'.txt'.length), readWordList(`answers/${list}/${name}`)]));
}

/** Returns the words of a list in all languages. */
export function wordsIn(list: string): Set<string> {
  return new Set([...linesByLanguage(list).values()].flat());
}

/**
 * Returns the pairs of a list whose lines are `word: value`, in all languages.
 *
 * @throws Error for a line without a colon.
 */
export function pairsIn(list: string): [word: string, value: string][] {
  return [...linesByLanguage(list).values()].flat().map((line) => {
    const [word, value] = line.split(': ');
    if (word === undefined || value === undefined) throw new Error(`${list}: the line "${line}" has no colon`);
    return [word, value];
  });
}

/** Files that are packaged beside the code: migrations, word lists and the version. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the path of a folder at the root of the package, which is the folder of `package.json` above this module.
 *
 * @throws Error when the package has no such folder.
 */
export function packageFolder(name: string): string {
  const folder = join(packageRoot(), name);
  if (!existsSync(folder)) throw new Error(`the package has no folder ${name}`);
  return folder;
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}

function packageRoot(): string {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(root, 'package.json'))) {
    const parent = dirname(root);
    if (parent === root) break;
    root = parent;
  }
  return root;
}

/**
 * Returns the entries of a word list in `data/`: one entry a line, without blank lines and without lines that begin with `#`.
 * Reads the file at every call, so callers keep what they read.
 *
 * @param path below `data/`, such as `stop-words/en.txt`.
 * @throws Error when the file is missing.
 */
export function readWordList(path: string): string[] {
  return readWordFile(join(packageFolder('data'), path));
}

/**
 * Returns the word lists of a folder in `data/` by name of the file without its ending, such as the language `de` of `de.txt`.
 * Reads the files at every call, so callers keep what they read.
 *
 * @param folder below `data/`, such as `stop-words`.
 * @throws Error when the folder is missing.
 */
export function readWordLists(folder: string): Map<string, string[]> {
  const path = join(packageFolder('data'), folder);
  const files = readdirSync(path).filter((name) => name.endsWith(WORD_FILE_ENDING));
  return new Map(
    files.toSorted().map((name) => [basename(name, WORD_FILE_ENDING), readWordFile(join(path, name))] as const),
  );
}

/** Returns the entries of a word list whose lines have a name, a blank and a text. */
export function readWordPairs(path: string): Record<string, string> {
  return Object.fromEntries(
    readWordList(path).map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );
}

const WORD_FILE_ENDING = '.txt';

function readWordFile(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The terms that a chunk is found by: of its content, its headings and its context. */

import { lastName, nameTerms } from './analysis/names.ts';
import { analyzeForIndex } from './analyzer.ts';
import { definedNames } from './defines-line.ts';
import { escapePattern } from './escape-pattern.ts';
import { indexedContext } from './link-line.ts';

/** A heading opens the content if it is within the first characters of the content: as many as its own and this many more. */
const OPENING_SLACK_UNITS = 16;
/** The term of a defined name is repeated once for so many terms, because BM25 counts a term of a long chunk less. */
const TERMS_PER_NAME = 60;
/** A file that declares what another file defines, or that tests it: mocks have the name of what they stand for. */
const DEFINES_NOTHING =
  /\.(?:d\.[cm]?ts|pyi)$|^test_|_test\.\w+$|_spec\.(?:lua|rb|[jt]sx?)$|\.(?:test|spec|test-d)\.\w+$|\p{Ll}Tests?\.\w+$/u;
const TEST_FOLDER = /(?:^|\/)(?:__tests__|tests?|specs?|e2e|testdata|benchmarks?)\//;

/** Returns true for a file of code that declares or tests what another file defines. @param path null if it is not known. */
export function definesNothing(name: string, path: string | null): boolean {
  return DEFINES_NOTHING.test(name) || (path !== null && TEST_FOLDER.test(path));
}

/** The heading of a test case is its text in quotes. Many tests have the name of what they test, which another chunk defines. */
const TEST_CASE = /^['"`]/;

/** Returns the heading right above a chunk, if it names what the chunk is about. */
export function namingHeading(headingPath: readonly string[], isCode: boolean): string[] {
  return headingPath.slice(-1).filter((heading) => !(isCode && TEST_CASE.test(heading)));
}

export interface ChunkText {
  content: string;
  context: string | null;
  headingPath: readonly string[];
}

/** Returns the title and headings that a chunk is found by, without those that open its content. The heading right above is added. */
function namesAround(
  { content, headingPath }: Pick<ChunkText, 'content' | 'headingPath'>,
  title: string,
  isCode: boolean,
): string[] {
  const headings = headingPath.includes(title) ? headingPath : [title, ...headingPath];
  // The content holds the heading that opens the chunk.
  const outside = headings.filter((name) => !content.slice(0, name.length + OPENING_SLACK_UNITS).includes(name));
  return [...outside, ...namingHeading(headingPath, isCode)];
}

const EXTENSION = /\.\w{1,8}$/;

/** Returns a file name without its extension, or the section of a manual page: `tee` for `tee.1` and `tee.1.gz`. */
export function withoutExtension(name: string): string {
  return name.replace(/\.gz$/i, '').replace(/\.[\p{L}\d]{1,5}$/u, '');
}

/** UTF-16 units of the folders of a file that count as its names, the nearest folder first. */
const FOLDERS_LENGTH_MAX = 120;

/**
 * Returns what the first chunk of a file is found by besides its title: the words of the file name, further names that the file
 * gives itself (`aliases` in the front matter of a note), and the folders of the file, which often name a client, a project or a year.
 *
 * @param path the path of the file in its group, with its name at the end.
 */
export function otherNames(title: string, fileName: string, aliases?: string | null, path?: string | null): string[] {
  const folders = foldersOf(path);
  return [
    ...(fileName === title ? [] : [fileNameWords(fileName)]),
    ...(aliases ? [aliases] : []),
    ...(folders ? [folders] : []),
  ];
}

/** Returns the folders of a path, the nearest first, without those that are too far away. */
export function foldersOf(path: string | null | undefined): string {
  const folders = (path ?? '').split('/').slice(0, -1).reverse().join(' ').trim();
  if (folders.length <= FOLDERS_LENGTH_MAX) return folders;
  // The last word may be cut.
  return folders
    .slice(0, FOLDERS_LENGTH_MAX)
    .toWellFormed()
    .replace(/[\s._-]+[^\s._-]*$/, '');
}

/**
 * Returns the words of a file name without the extension, and its last part as one word, as somebody writes who has the whole name. The
 * extension is no word of its own: else all first chunks of PDF files would have the word "pdf".
 */
function fileNameWords(name: string): string {
  const whole = name
    .split(/\s/)
    .at(-1)!
    .toLowerCase()
    .replace(/[._-]+/g, '');
  return `${name.replace(EXTENSION, '')} ${whole}`;
}

/**
 * Returns the terms of a chunk. The heading right above the chunk counts once more. A chunk of code also has terms of the names that it
 * defines.
 *
 * @param title the title of the file, or its name.
 * @param names the other names of the file, for its first chunk.
 */
export function chunkTerms(
  chunk: ChunkText,
  title: string,
  language: string | null,
  isCode: boolean,
  names: readonly string[] = [],
): string {
  const { content } = chunk;
  // The content of code holds the names that its context lists.
  const context = isCode ? null : indexedContext(chunk.context);
  const parts = [...namesAround(chunk, title, isCode), ...(context === null ? [] : [context]), content, ...names];
  const terms = analyzeForIndex(parts.join('\n'), language);
  if (!isCode) return terms;
  const isOwn = DEFINES_NOTHING.test(title) ? namesFile(title) : () => true;
  const defined = [...definedHere(chunk), ...definedNames(chunk.context)].filter(isOwn).flatMap(nameTerms);
  const times = Math.max(1, Math.round(terms.split(' ').length / TERMS_PER_NAME));
  return [...[...new Set(defined)].flatMap((term) => new Array<string>(times).fill(term)), terms].join(' ');
}

/**
 * Returns the heading right above, if the chunk of code defines it. The later parts of a long definition seldom have its name, and a
 * constructor has the name of its class.
 */
function definedHere({ content, headingPath }: ChunkText): string[] {
  const [heading = '', above] = headingPath.slice(-2).reverse();
  if (heading === above) return [];
  return namingHeading([heading], true).filter((name) => hasWord(content, lastName(name)));
}

/** Returns a test for names that a file has its name from: `ChiSquareTest` and `TestClient` are no tests. */
function namesFile(title: string): (name: string) => boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const stem = plain(title.replace(/\.\w{1,8}$/, ''));
  return (name) => plain(lastName(name) ?? '') === stem;
}

function hasWord(text: string, word: string | undefined): boolean {
  return (
    word !== undefined && new RegExp(`(?<![\\p{L}\\p{N}_$])${escapePattern(word)}(?![\\p{L}\\p{N}_$])`, 'u').test(text)
  );
}

/** The terms that a chunk is found by: of its content, its headings and its context. */

import { nameTerms } from './analysis/names.ts';
import { analyzeForIndex } from './analyzer.ts';
import { definedNames } from './defines-line.ts';
import { indexedContext } from './link-line.ts';

/** A heading opens the content if it is within the first characters of the content: as many as its own and this many more. */
const OPENING_SLACK_UNITS = 16;
/** The term of a defined name is repeated once for so many terms, because BM25 counts a term of a long chunk less. */
const TERMS_PER_NAME = 60;
/** A file that declares what another file defines. */
const DECLARATIONS = /\.(?:d\.[cm]?ts|pyi)$/;

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

/** What a file says of its names, in its metadata. */
export interface NamesInFile {
  title?: string | undefined;
  /** Further names of a note, in its front matter. */
  aliases?: string | undefined;
}

/**
 * Returns the names by which people know a file: its title, its further names, and the name of the file if the title lacks a word of
 * it. The title of a note is often its name alone, and its first heading says less.
 */
export function fileNames({ title = '', aliases = '' }: NamesInFile, name: string): string[] {
  if (title === '') return [name, aliases].filter(Boolean);
  const stem = name.replace(/\.[\p{L}\d]{1,8}$/u, '');
  const inTitle = new Set(wordsOf(title));
  // A single sign, such as the section of a manual page, says nothing.
  const isNew = wordsOf(stem).some((word) => word.length > 1 && !inTitle.has(word));
  return [title, aliases, isNew ? stem : ''].filter(Boolean);
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/**
 * Returns the names of the file and the headings that a chunk is found by, without those that open its content. The heading right
 * above is added.
 */
export function namesAround(
  { content, headingPath }: Pick<ChunkText, 'content' | 'headingPath'>,
  names: readonly string[],
  isCode: boolean,
): string[] {
  const headings = [...names.filter((name) => !headingPath.includes(name)), ...headingPath];
  // The content holds the heading that opens the chunk.
  const outside = headings.filter((name) => !content.slice(0, name.length + OPENING_SLACK_UNITS).includes(name));
  return [...outside, ...namingHeading(headingPath, isCode)];
}

/**
 * Returns the terms of a chunk. The heading right above the chunk counts once more. A chunk of code also has terms of the names that it
 * defines.
 *
 * @param names the names of the file.
 */
export function chunkTerms(
  chunk: ChunkText,
  names: readonly string[],
  language: string | null,
  isCode: boolean,
): string {
  const { content } = chunk;
  // The content of code holds the names that its context lists.
  const context = isCode ? null : indexedContext(chunk.context);
  const parts = [...namesAround(chunk, names, isCode), ...(context === null ? [] : [context]), content];
  const terms = analyzeForIndex(parts.join('\n'), language);
  if (!isCode || names.some((name) => DECLARATIONS.test(name))) return terms;
  const defined = [...namingHeading(chunk.headingPath, isCode), ...definedNames(chunk.context)].flatMap(nameTerms);
  const times = Math.max(1, Math.round(terms.split(' ').length / TERMS_PER_NAME));
  return [...[...new Set(defined)].flatMap((term) => new Array<string>(times).fill(term)), terms].join(' ');
}

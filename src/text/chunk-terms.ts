/** The terms that a chunk is found by: of its content, its headings and its context. */

import { analyzeForIndex } from './analyzer.ts';
import { indexedContext } from './link-line.ts';

/** A heading opens the content if it is within the first characters of the content: as many as its own and this many more. */
const OPENING_SLACK_UNITS = 16;

export interface ChunkText {
  content: string;
  context: string | null;
  headingPath: readonly string[];
}

/**
 * Returns the terms of a chunk. The heading right above the chunk counts once more.
 *
 * @param title the title of the file, or its name.
 */
export function chunkTerms(chunk: ChunkText, title: string, language: string | null): string {
  const { content, headingPath } = chunk;
  const context = indexedContext(chunk.context);
  const names = headingPath.includes(title) ? headingPath : [title, ...headingPath];
  // The content holds the heading that opens the chunk.
  const outside = names.filter((name) => !content.slice(0, name.length + OPENING_SLACK_UNITS).includes(name));
  const parts = [...outside, ...headingPath.slice(-1), ...(context === null ? [] : [context]), content];
  return analyzeForIndex(parts.join('\n'), language);
}

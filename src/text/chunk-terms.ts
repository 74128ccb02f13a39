/** What a chunk is found by: its content, and what stands above it in its file. */

import { analyzeForIndex } from './analyzer.ts';
import { indexedContext } from './link-line.ts';

/** A heading is taken for the beginning of the content when it is found within so many letters more than its own. */
const OPENING_SLACK_UNITS = 16;

export interface ChunkText {
  content: string;
  context: string | null;
  headingPath: readonly string[];
}

/** The terms of a chunk. `title` is that of its file, or the file's name. The heading right above the chunk counts once more. */
export function chunkTerms(chunk: ChunkText, title: string, language: string | null): string {
  const { content, headingPath } = chunk;
  const context = indexedContext(chunk.context);
  const names = headingPath.includes(title) ? headingPath : [title, ...headingPath];
  // A heading that opens the chunk is in its content already.
  const outside = names.filter((name) => !content.slice(0, name.length + OPENING_SLACK_UNITS).includes(name));
  const parts = [...outside, ...headingPath.slice(-1), ...(context === null ? [] : [context]), content];
  return analyzeForIndex(parts.join('\n'), language);
}

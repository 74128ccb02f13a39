/** What a chunk is found by: its content, and what stands above it in its file. */
import { indexedContext } from '../util/link-line.ts';
import { analyzeForIndex } from './analyzer.ts';

/** A heading is taken for the beginning of the content when it is found within so many letters more than its own. */
const OPENING_SLACK_UNITS = 16;

export interface ChunkText {
  content: string;
  context: string | null;
  headingPath: readonly string[];
}

/** `title` is that of the file, if it has one. */
export function chunkTerms(chunk: ChunkText, title: string | undefined, language: string | null): string {
  const { content, headingPath } = chunk;
  const context = indexedContext(chunk.context);
  const names = title === undefined || headingPath.includes(title) ? headingPath : [title, ...headingPath];
  // A heading that opens the chunk is in its content already.
  const outside = names.filter((name) => !content.slice(0, name.length + OPENING_SLACK_UNITS).includes(name));
  return analyzeForIndex([...outside, ...(context === null ? [] : [context]), content].join('\n'), language);
}

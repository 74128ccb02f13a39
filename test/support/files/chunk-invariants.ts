/** What holds for the chunks of every file. */
import type { ChunkDraft } from '../../../src/corpus/values.ts';

/** The number of chunks whose offsets do not give exactly their content, counted in code points. */
export function chunkMismatches(
  text: string,
  chunks: readonly Pick<ChunkDraft, 'startOffset' | 'endOffset' | 'content'>[],
): number {
  const points = Array.from(text);
  return chunks.filter((chunk) => points.slice(chunk.startOffset, chunk.endOffset).join('') !== chunk.content).length;
}

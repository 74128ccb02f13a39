/** Properties of the chunks of every file. */
import type { ChunkDraft } from '../../../src/corpus/values.ts';

/** Returns the number of chunks whose content differs from the text between their offsets, counted in code points. */
export function chunkMismatches(
  text: string,
  chunks: readonly Pick<ChunkDraft, 'startOffset' | 'endOffset' | 'content'>[],
): number {
  const points = Array.from(text);
  return chunks.filter((chunk) => points.slice(chunk.startOffset, chunk.endOffset).join('') !== chunk.content).length;
}

/** Shows how the service reads a file: the outcome of the usual child processes, with the blocks of the file. */

import type { FileFailure } from '../../corpus/values.ts';
import type { Link } from '../../text/link-line.ts';
import { openOffsets } from '../../util/code-points.ts';
import type { Whose } from '../../util/pool.ts';
import type { Block, ProcessedFile, ProcessRequest } from '../parsed.ts';
import type { FileProcessor } from './file-processor.ts';

/** A block with its text. Offsets are code points, as in chunks. */
interface InspectedBlock {
  kind: Block['kind'];
  level?: number;
  startOffset: number;
  endOffset: number;
  pages: number[] | null;
  content: string;
  links: (Link & { offset: number })[];
}

export type Inspection =
  | {
      ok: true;
      file: ProcessedFile;
      title: string | undefined;
      blocks: InspectedBlock[];
      blocksTotal: number;
      leftOut: string[];
    }
  | { ok: false; failure: FileFailure };

/**
 * Processes a file within the limits of ingestion and returns its first `blocksMax` blocks. A bad file gives a failure.
 *
 * @param whose see FileProcessor
 */
export async function inspectFile(
  processor: FileProcessor,
  request: ProcessRequest,
  blocksMax: number,
  signal: AbortSignal = new AbortController().signal,
  whose?: Whose,
): Promise<Inspection> {
  const outcome = await processor.process({ ...request, inspect: blocksMax }, signal, undefined, whose);
  if (!outcome.ok) return outcome;
  const { file } = outcome;
  const { title, blocks = [], blocksTotal = 0, leftOut = [] } = file.inspected ?? {};
  return { ok: true, file, title, blocks: inspectedBlocks(file.text, blocks), blocksTotal, leftOut };
}

function inspectedBlocks(text: string, blocks: readonly Block[]): InspectedBlock[] {
  const { pointsAt } = openOffsets(text);
  return blocks.map(({ kind, level, start, end, pages, links: own = [] }) => ({
    kind,
    ...(level === undefined ? {} : { level }),
    startOffset: pointsAt(start),
    endOffset: pointsAt(end),
    pages: pages ? Array.from({ length: pages[1] - pages[0] + 1 }, (_, i) => pages[0] + i) : null,
    content: text.slice(start, end),
    links: own.map(({ text: label, url, at }) => ({ text: label, url, offset: pointsAt(at) })),
  }));
}

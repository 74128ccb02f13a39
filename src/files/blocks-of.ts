/** The blocks of a parsed file for readers, a part at a time. Pure. */
import { codePointLength, openOffsets, truncated } from '../util/code-points.ts';
import { plainHeading } from './chunk/heading-text.ts';
import type { Block, BlockPart, BlockTask, ParsedFile } from './parsed.ts';

/** UTF-16 units of text in a part. One block is always in it. */
const PART_UNITS_MAX = 200_000;

/** Returns the blocks from number `start`, at most `limit`, with the text from the first to the last. */
export function blocksOf({ text, blocks }: ParsedFile, { start, limit }: BlockTask): BlockPart {
  const first = blocks[start]?.start ?? text.length;
  const some: Block[] = [];
  for (const block of blocks.slice(start, start + limit)) {
    if (some.length > 0 && block.end - first > PART_UNITS_MAX) break;
    some.push(block);
  }
  const { pointsAt } = openOffsets(text);
  const last = Math.min(some.at(-1)?.end ?? first, first + PART_UNITS_MAX);
  return {
    total: blocks.length,
    textLength: codePointLength(text),
    text: truncated(text.slice(first), last - first),
    blocks: some.map(({ kind, level, title, pages, tableHeader, region, start: from, end }) => ({
      kind,
      start: pointsAt(from),
      end: pointsAt(end),
      ...(level !== undefined && { level }),
      ...(kind === 'heading' && { title: title ?? plainHeading(text.slice(from, end)) }),
      ...(pages && { pages }),
      ...(kind === 'record' && tableHeader && { header: tableHeader }),
      ...(region && { sheet: region.sheet, range: region.range }),
    })),
  };
}

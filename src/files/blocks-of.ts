/** The blocks of a parsed file for readers, a part at a time. Pure. */
import { codePointLength } from '../util/code-points.ts';
import { codePointOffsets } from './chunk/chunker.ts';
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
  const starts = codePointOffsets(
    text,
    some.map((block) => block.start),
  );
  const ends = codePointOffsets(
    text,
    some.map((block) => block.end),
  );
  const last = Math.min(some.at(-1)?.end ?? first, first + PART_UNITS_MAX);
  return {
    total: blocks.length,
    textLength: codePointLength(text),
    text: text.slice(first, last).replace(/[\ud800-\udbff]$/, ''),
    blocks: some.map(({ kind, level, title, pages, tableHeader, region, start: from, end }, i) => ({
      kind,
      start: starts[i]!,
      end: ends[i]!,
      ...(level !== undefined && { level }),
      ...(kind === 'heading' && { title: title ?? plainHeading(text.slice(from, end)) }),
      ...(pages && { pages }),
      ...(kind === 'record' && tableHeader && { header: tableHeader }),
      ...(region && { sheet: region.sheet, range: region.range }),
    })),
  };
}

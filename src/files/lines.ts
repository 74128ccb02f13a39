/** Finds the lines of a file that its blocks stand on. Pure. */
import type { Block, ParsedFile } from './parsed.ts';

/** A block is looked for this far behind the block before it: front matter and HTML may stand between them. */
const SEARCH_UNITS = 64 * 1024;
/** The lines of a file with more blocks that are not found are not worth the search. */
const MISSES_MAX = 1_000;

/**
 * Sets `line` of the blocks that the file has word for word on whole lines. The text of a program is the file; that of Markdown lacks
 * comments, and a block of HTML has other words. A heading may be written in another way: its words are enough.
 *
 * @param source the decoded file.
 */
export function placeLines({ text, blocks }: ParsedFile, source: string): void {
  const isWhole = text === source;
  const find = (block: Block, from: number, to: number): Place | undefined => {
    if (isWhole) return block;
    const words = block.kind === 'heading' ? (block.title ?? block.headingPath?.at(-1)) : undefined;
    return (
      findLines(source, text.slice(block.start, block.end), from, to) ??
      (words ? findLines(source, words, from, to) : undefined)
    );
  };
  let line = 1;
  let counted = 0;
  let after = 0;
  let misses = 0;
  for (const [i, block] of blocks.entries()) {
    const next = blocks[i + 1];
    const found = find(block, after, after + SEARCH_UNITS);
    // A word of HTML may be a line far below. The next block is not above its own.
    const isPassed = found && next && found.start > after && !isWhole && find(next, after, found.start) !== undefined;
    if (!found || isPassed) {
      misses += 1;
      if (misses > MISSES_MAX) return;
      continue;
    }
    line += newlines(source, counted, found.start);
    block.line = line;
    counted = found.start;
    after = found.end;
  }
}

type Place = Pick<Block, 'start' | 'end'>;

/** Returns where `words` stand as whole lines, if they begin between `from` and `to`. */
function findLines(source: string, words: string, from: number, to: number): Place | undefined {
  const window = source.slice(from, to + words.length);
  for (let at = window.indexOf(words); at !== -1; at = window.indexOf(words, at + 1)) {
    const start = from + at;
    const end = start + words.length;
    const isStart = start === 0 || source[start - 1] === '\n';
    if (isStart && /^[ \t]*(?:\n|$)/.test(source.slice(end, end + SEARCH_UNITS))) return { start, end };
  }
  return undefined;
}

/** Returns the number of line ends in `text[from, to)`. */
export function newlines(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Returns whether a text has more than `count` lines. */
export function hasMoreLines(text: string, count: number): boolean {
  let left = count;
  for (let at = text.indexOf('\n'); at !== -1 && left > 0; at = text.indexOf('\n', at + 1)) left -= 1;
  return left === 0;
}

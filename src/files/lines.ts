/** Finds the lines of a file that its blocks stand on. Pure. */
import type { ParsedFile } from './parsed.ts';

/** A block is looked for this far behind the block before it, so that the work is linear. */
const SEARCH_UNITS = 64 * 1024;

/**
 * Sets `line` of the blocks that the file has word for word on whole lines. The text of a program is the file; that of Markdown lacks
 * comments, and a block of HTML has other words. A heading may be written in another way: its words are enough.
 *
 * @param source the decoded file.
 */
export function placeLines({ text, blocks }: ParsedFile, source: string): void {
  const isWhole = text === source;
  let line = 1;
  let counted = 0;
  let after = 0;
  for (const block of blocks) {
    const words = block.kind === 'heading' ? (block.title ?? block.headingPath?.at(-1)) : undefined;
    const found = isWhole
      ? { start: block.start, end: block.end }
      : (findLines(source, text.slice(block.start, block.end), after) ?? (words && findLines(source, words, after)));
    if (!found) continue;
    line += newlines(source, counted, found.start);
    block.line = line;
    counted = found.start;
    after = found.end;
  }
}

/** Returns where `words` stand as whole lines, from `from` on. */
function findLines(source: string, words: string, from: number): { start: number; end: number } | undefined {
  const window = source.slice(from, from + words.length + SEARCH_UNITS);
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

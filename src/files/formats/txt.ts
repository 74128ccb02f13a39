/** Parses plain text, whose paragraphs are separated by empty lines. */
import type { Block, ParsedFile } from '../parsed.ts';
import { withEntries } from './txt-entries.ts';

/** Returns one block per paragraph, with the entries above it by indentation. Form feeds do not begin pages. */
export function parseTxt(text: string, fileType = 'txt'): ParsedFile {
  return { fileType, text, blocks: withEntries(text, paragraphs(text, 0, text.length)), metadata: {}, warnings: [] };
}

/** Returns a paragraph block for each part of `text[start, end)` between empty lines. */
export function paragraphs(text: string, start: number, end: number): Block[] {
  const blocks: Block[] = [];
  let from = -1;
  let to = start;
  for (let line = start; line < end; ) {
    const brk = text.indexOf('\n', line);
    const next = brk === -1 || brk >= end ? end : brk + 1;
    const lineEnd = next === end && (brk === -1 || brk >= end) ? end : next - 1;
    if (isBlankLine(text, line, lineEnd)) {
      if (from >= 0) blocks.push({ kind: 'paragraph', start: from, end: to });
      from = -1;
    } else {
      if (from < 0) from = line;
      to = lineEnd;
    }
    line = next;
  }
  if (from >= 0) blocks.push({ kind: 'paragraph', start: from, end: to });
  return blocks;
}

function isBlankLine(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (text.charCodeAt(i) > 0x20 && text.charCodeAt(i) !== 0xa0) return false;
  return true;
}

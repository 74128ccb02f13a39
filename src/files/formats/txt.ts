/** Parses plain text, whose paragraphs are separated by empty lines. */
import { originMetadata } from '../metadata-values.ts';
import type { Block, ParsedFile } from '../parsed.ts';
import { SINGLE_RECORDS_MAX } from './data/records.ts';
import { withEntries } from './txt-entries.ts';
import { markedTitles, withHeadings } from './txt-headings.ts';

/**
 * Returns a record for each part between lines of percent signs, or else one block per paragraph, with the headings and entries above it.
 * Form feeds do not begin pages.
 */
export function parseTxt(text: string, fileType = 'txt'): ParsedFile {
  const blocks = jarRecords(text) ?? blocksOf(text);
  const title = titleOf(text, blocks);
  return { fileType, text, blocks, ...(title && { title }), metadata: originMetadata({ title }), warnings: [] };
}

/** Maximum length of the lines before a title, such as the version of a format. */
const LEAD_UNITS_MAX = 300;

/** Returns the heading above all others, if it stands at the beginning. */
function titleOf(text: string, blocks: readonly Block[]): string | undefined {
  const [first, ...others] = blocks.filter(({ kind }) => kind === 'heading');
  if (first?.level !== 1 || text.slice(0, first.start).trim().length > LEAD_UNITS_MAX) return undefined;
  return others.every(({ level }) => level! > 1) ? first.title : undefined;
}

/** Entries that hold a smaller share of the text do not say what the text is about. If it has headings, these stand above the entries. */
const ENTRIES_SHARE_MIN = 0.5;

function blocksOf(text: string): Block[] {
  const all = paragraphs(text, 0, text.length);
  const entries = withEntries(text, all);
  const held = entries.reduce((sum, { term, start, end }) => sum + (term === undefined ? 0 : end - start), 0);
  const headed = held >= text.length * ENTRIES_SHARE_MIN ? undefined : (withMarked(text) ?? withHeadings(text, all));
  return headed ? withEntries(text, headed) : entries;
}

/** Returns the titles between equal signs, each with the paragraphs below it; undefined if there are none. */
function withMarked(text: string): Block[] | undefined {
  const titles = markedTitles(text);
  const below = titles.flatMap((title, i) => [
    title,
    ...paragraphs(text, title.end, titles[i + 1]?.start ?? text.length),
  ]);
  return titles.length > 0 ? [...paragraphs(text, 0, titles[0]!.start), ...below] : undefined;
}

/** Fewer lines of percent signs are chance. */
const JAR_LINES_MIN = 3;
/** Other lines that begin with a percent sign, as a share of the lines of percent signs. More are comments of TeX. */
const COMMENTS_SHARE_MAX = 0.1;
/** Share of a text that its longest part has. A longer one is a text behind a comment. */
const PART_SHARE_MAX = 0.8;

/** Returns the parts of a file of sayings or records, which lines of one or two percent signs separate. */
function jarRecords(text: string): Block[] | undefined {
  const lines = [...text.matchAll(/^%%?[ \t]*$/gm)];
  if (lines.length < JAR_LINES_MIN || lines.length > SINGLE_RECORDS_MAX) return undefined;
  const comments = text.match(/^%/gm)!.length - lines.length;
  if (comments > lines.length * COMMENTS_SHARE_MAX) return undefined;
  const starts = [0, ...lines.map((line) => line.index + line[0].length)];
  const ends = [...lines.map((line) => line.index), text.length];
  if (starts.some((start, i) => ends[i]! - start > text.length * PART_SHARE_MAX)) return undefined;
  return starts.flatMap((start, i): Block[] => {
    const part = text.slice(start, ends[i]);
    const lead = part.length - part.trimStart().length;
    return part.trim() === '' ? [] : [{ kind: 'record', start: start + lead, end: start + part.trimEnd().length }];
  });
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

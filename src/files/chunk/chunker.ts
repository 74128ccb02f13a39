/**
 * Cuts a parsed file into chunks: structure first, sizes second. Pure; time is linear in the length of the text.
 *
 * A section is a heading with the blocks below it. A section within the limit stays one chunk. A longer section is cut
 * between its blocks into parts of about equal size. Long tables are cut between rows, long code before definitions, and
 * long prose between sentences. Each record is a chunk.
 */

import type { ChunkDraft, TypedMetadata } from '../../corpus/values.ts';
import { definesLine } from '../../text/defines-line.ts';
import { linksLine } from '../../text/link-line.ts';
import { codePointLength, openOffsets } from '../../util/code-points.ts';
import { badFile } from '../failure.ts';
import { newlines } from '../lines.ts';
import type { Block, BlockLink, ParsedFile } from '../parsed.ts';
import { plainHeading } from './heading-text.ts';
import { splitBlock } from './split-block.ts';
import { estimateTokens } from './token-estimate.ts';

/** Target size of the chunks of a section that has to be cut, in estimated tokens. */
const CHUNK_TOKENS_TARGET = 400;
/** Maximum size of a chunk, in estimated tokens. */
export const CHUNK_TOKENS_MAX = 800;
/** A section up to this many estimated tokens stays one chunk. */
const SECTION_TOKENS_MAX = 700;
/** A section below this many estimated tokens joins its neighbour, if both together have at most `MERGED_TOKENS_MAX`. */
const SMALL_SECTION_TOKENS = 60;
const MERGED_TOKENS_MAX = 200;
export const CHUNKS_PER_SOURCE_MAX = 200_000;

/** A chunk before its terms are computed. */
export type ChunkCut = Omit<ChunkDraft, 'terms'>;

/** A block, or a part of a block, that is never cut again. Offsets are UTF-16 indices. */
interface Piece {
  start: number;
  end: number;
  tokens: number;
  block: Block;
  path: string[];
  context: string | null;
  /** True for a record and for a part of a block that had to be cut: neither shares a section with other pieces. */
  solo: boolean;
}

/** A run of pieces that becomes one chunk. */
interface Draft {
  pieces: Piece[];
  tokens: number;
  path: string[];
  solo: boolean;
}

/**
 * Returns the chunks of a file, in order. `content` is exactly the code points [startOffset, endOffset) of `parsed.text`.
 *
 * @throws FileError if the file needs more than CHUNKS_PER_SOURCE_MAX chunks.
 */
export function chunkFile(parsed: ParsedFile): ChunkCut[] {
  const sections = sectionsOf(piecesOf(parsed));
  const drafts = mergeSmall(sections.flatMap(cutSection));
  if (drafts.length > CHUNKS_PER_SOURCE_MAX) {
    throw badFile(
      'chunk',
      'Too many chunks',
      `The file needs ${drafts.length} chunks; the limit is ${CHUNKS_PER_SOURCE_MAX}.`,
    );
  }
  return toCuts(parsed, drafts);
}

function piecesOf(parsed: ParsedFile): Piece[] {
  const pieces: Piece[] = [];
  const open: { level: number; title: string }[] = [];
  for (const block of parsed.blocks) {
    const title = block.kind === 'heading' ? headingTitle(parsed.text, block) : '';
    if (title !== '') {
      const level = block.level ?? 1;
      while (open.length > 0 && open[open.length - 1]!.level >= level) open.pop();
      open.push({ level, title });
    }
    const path = block.headingPath?.map(boundedHeading) ?? open.map((heading) => heading.title);
    const tokens = estimateTokens(parsed.text, block.start, block.end);
    const record = block.kind === 'record';
    if (tokens > CHUNK_TOKENS_MAX) {
      for (const part of splitBlock(parsed.text, block, CHUNK_TOKENS_TARGET)) {
        pieces.push({ ...part, block, path, solo: true });
      }
    } else {
      const context = record ? block.tableHeader || null : null;
      pieces.push({ start: block.start, end: block.end, tokens, block, path, context, solo: record });
    }
  }
  return pieces;
}

const HEADING_UNITS_MAX = 300;

/** Returns a heading's words without Markdown marks. */
function headingTitle(text: string, { start, end, title }: Block): string {
  return boundedHeading(title ?? plainHeading(text.slice(start, end)));
}

/** Returns a heading or a title truncated to `HEADING_UNITS_MAX`: every chunk below it is found by its words. */
export function boundedHeading(words: string): string {
  return words.slice(0, HEADING_UNITS_MAX).toWellFormed();
}

/** Groups pieces into sections. A section begins at a heading, and where the heading path changes. A solo piece is a section. */
function sectionsOf(pieces: readonly Piece[]): Piece[][] {
  const sections: Piece[][] = [];
  let current: Piece[] = [];
  for (const piece of pieces) {
    const before = current.at(-1);
    const elsewhere = before && before.path.join('\n') !== piece.path.join('\n');
    const starts = piece.solo || piece.block.kind === 'heading' || current[0]?.solo || elsewhere;
    if (starts && current.length > 0) {
      sections.push(current);
      current = [];
    }
    current.push(piece);
  }
  if (current.length > 0) sections.push(current);
  return sections;
}

function cutSection(pieces: Piece[]): Draft[] {
  const total = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
  if (total <= SECTION_TOKENS_MAX || pieces.length === 1) return [draftOf(pieces, total)];
  const target = total / Math.ceil(total / CHUNK_TOKENS_TARGET);
  const drafts: Draft[] = [];
  let current: Piece[] = [];
  let tokens = 0;
  for (const unit of unitsOf(pieces)) {
    const more = unit.reduce((sum, piece) => sum + piece.tokens, 0);
    const tooBig = tokens + more > CHUNK_TOKENS_MAX;
    // The cut goes where the draft's size is nearest to the target: before this unit, unless the draft with this unit is nearer.
    const closer = tokens >= target || tokens + more - target > target - tokens;
    if (current.length > 0 && (tooBig || closer)) {
      drafts.push(draftOf(current, tokens));
      current = [];
      tokens = 0;
    }
    for (const piece of unit) current.push(piece);
    tokens += more;
  }
  drafts.push(draftOf(current, tokens));
  return drafts;
}

/** Groups pieces that stay together: a term with its definition, if both fit into one chunk. */
function unitsOf(pieces: readonly Piece[]): Piece[][] {
  const units: Piece[][] = [];
  let tokens = 0;
  for (const piece of pieces) {
    const before = units.at(-1);
    const { term } = piece.block;
    if (before && term !== undefined && before[0]!.block.term === term && tokens + piece.tokens <= CHUNK_TOKENS_MAX) {
      before.push(piece);
      tokens += piece.tokens;
    } else {
      units.push([piece]);
      tokens = piece.tokens;
    }
  }
  return units;
}

function draftOf(pieces: Piece[], tokens: number): Draft {
  const first = pieces[0]!;
  return { pieces, tokens, path: first.path, solo: first.solo };
}

/** Joins a heading without text to the draft that follows it, and joins small neighbours under one heading. */
function mergeSmall(drafts: readonly Draft[]): Draft[] {
  const merged: Draft[] = [];
  for (const draft of drafts) {
    // The heading paths of the records already contain a heading that has no text.
    if (isRecord(draft) && merged.length > 0 && isHeadingsOnly(merged.at(-1)!)) merged.pop();
    let next = draft;
    const heading = merged.at(-1);
    if (heading && isHeadingsOnly(heading)) {
      const joined = join(heading, draft);
      if (joined) merged.pop();
      next = joined ?? draft;
    }
    const before = merged.at(-1);
    const joined = before && !isHeadingsOnly(before) ? join(before, next) : undefined;
    if (joined) merged.pop();
    merged.push(joined ?? next);
  }
  return withLastHeading(merged);
}

/** Joins a heading at the end of a file to the draft before it. */
function withLastHeading(drafts: Draft[]): Draft[] {
  const [before, last] = drafts.slice(-2);
  if (!before || !last || !isHeadingsOnly(last) || isRecord(before)) return drafts;
  if (before.tokens + last.tokens > CHUNK_TOKENS_MAX) return drafts;
  before.pieces.push(...last.pieces);
  before.tokens += last.tokens;
  return drafts.slice(0, -1);
}

function join(a: Draft, b: Draft): Draft | undefined {
  const path = joinedPath(a, b);
  if (!path) return undefined;
  for (const piece of b.pieces) a.pieces.push(piece);
  return { pieces: a.pieces, tokens: a.tokens + b.tokens, path, solo: a.solo || b.solo };
}

/** Returns the heading path of `a` and `b` as one chunk, or undefined if the two should stay apart. */
function joinedPath(a: Draft, b: Draft): string[] | undefined {
  if (isRecord(a) || isRecord(b)) return undefined;
  const common = commonPrefix(a.path, b.path);
  const total = a.tokens + b.tokens;
  const smaller = Math.min(a.tokens, b.tokens);
  // A heading without text joins the draft that follows it.
  if (isHeadingsOnly(a)) return total <= CHUNK_TOKENS_MAX ? b.path : undefined;
  if (isHeadingsOnly(b)) return undefined;
  if (opensCode(a)) return total <= CHUNK_TOKENS_MAX && common.length === a.path.length ? b.path : undefined;
  if (a.solo || b.solo) {
    // A short line above or below a block that had to be cut is its title, its caption or its origin.
    const isLineOfBlock = a.solo !== b.solo && a.path.length === b.path.length && common.length === a.path.length;
    return isLineOfBlock && smaller < SMALL_SECTION_TOKENS && total <= CHUNK_TOKENS_MAX ? a.path : undefined;
  }
  const mayJoin = common.length > 0 || (isEntry(a) && isEntry(b));
  if (!mayJoin || total > MERGED_TOKENS_MAX) return undefined;
  return smaller < SMALL_SECTION_TOKENS ? common : undefined;
}

function isHeadingsOnly(draft: Draft): boolean {
  return draft.pieces.every((piece) => piece.block.kind === 'heading');
}

/** True for entries of a file without headings. */
function isEntry(draft: Draft): boolean {
  return draft.pieces[0]!.block.term !== undefined;
}

/** True for the short beginning of code (the first line of a class, imports, constants), which is unclear without the rest. */
function opensCode(draft: Draft): boolean {
  return draft.pieces[0]!.block.kind === 'code' && draft.tokens < SMALL_SECTION_TOKENS;
}

function isRecord(draft: Draft): boolean {
  return draft.pieces[0]!.block.kind === 'record';
}

function commonPrefix(a: readonly string[], b: readonly string[]): string[] {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

function toCuts(parsed: ParsedFile, drafts: readonly Draft[]): ChunkCut[] {
  const bounds = drafts.map((draft) => trimmed(parsed.text, draft.pieces[0]!.start, draft.pieces.at(-1)!.end));
  const { pointsAt } = openOffsets(parsed.text);
  const lineOf = linesIn(parsed);
  const links = parsed.blocks.flatMap((block) => block.links ?? []);
  const continuation = parsed.continuation && shortLines(parsed.continuation);
  return drafts.map((draft, ordinal) => {
    const content = parsed.text.slice(...bounds[ordinal]!);
    return {
      ordinal,
      startOffset: pointsAt(bounds[ordinal]![0]),
      endOffset: pointsAt(bounds[ordinal]![1]),
      ...lineOf(draft.pieces, ...bounds[ordinal]!),
      content,
      context: contextOf(
        draft,
        content,
        ordinal > 0 ? continuation : undefined,
        linksLine(linksIn(links, ...bounds[ordinal]!), content),
      ),
      headingPath: draft.path,
      pages: pagesOf(draft.pieces),
      metadata: metadataOf(parsed, draft.pieces),
    };
  });
}

/** Returns a function for the lines of pieces from `start` to `end`. Chunks ascend, so that the text is read twice at most. */
function linesIn({ text, blocks }: ParsedFile) {
  let counted = 0;
  let lines = 0;
  const linesBefore = (at: number): number => {
    lines += at < counted ? -newlines(text, at, counted) : newlines(text, counted, at);
    counted = at;
    return lines;
  };
  const shifts = new Map<Block, number>();
  for (const block of blocks) if (block.line !== undefined) shifts.set(block, block.line - linesBefore(block.start));
  return (pieces: readonly Piece[], start: number, end: number): Pick<ChunkCut, 'startLine' | 'endLine'> => {
    const first = shifts.get(pieces[0]!.block);
    const last = shifts.get(pieces.at(-1)!.block);
    if (first === undefined || last === undefined) return { startLine: null, endLine: null };
    return { startLine: first + linesBefore(start), endLine: last + linesBefore(end) };
  };
}

/** Longer lines would be repeated by every chunk. A part of a line could hide a value from redaction rules. */
const CONTINUED_CODE_POINTS_MAX = 200;

/** Returns the lines that are short; undefined if none is. */
function shortLines(text: string): string | undefined {
  const short = text.split('\n').filter((line) => codePointLength(line) <= CONTINUED_CODE_POINTS_MAX);
  return short.length === 0 ? undefined : short.join('\n');
}

function contextOf(
  draft: Draft,
  content: string,
  continuation: string | undefined,
  line: string | undefined,
): string | null {
  const header = draft.pieces.find((piece) => piece.context !== null)?.context;
  const { term } = draft.pieces[0]!.block;
  // A chunk that continues a definition repeats the term.
  const continued = term !== undefined && !content.startsWith(term) ? term : undefined;
  const names = draft.pieces.flatMap(({ block, start }) => (start === block.start ? (block.names ?? []) : []));
  const defined = definesLine(names, draft.path.at(-1));
  const parts = [continuation, continued, header, defined, line].filter((part) => part !== undefined && part !== null);
  return parts.length === 0 ? null : parts.join('\n');
}

/** Returns the links from `start` to `end`, by binary search. `links` are in the order of their places. */
function linksIn(links: readonly BlockLink[], start: number, end: number): BlockLink[] {
  let from = 0;
  for (let to = links.length; from < to; ) {
    const middle = (from + to) >>> 1;
    if (links[middle]!.at < start) from = middle + 1;
    else to = middle;
  }
  const found: BlockLink[] = [];
  for (let i = from; i < links.length && links[i]!.at < end; i += 1) found.push(links[i]!);
  return found;
}

function trimmed(text: string, start: number, end: number): [number, number] {
  let from = start;
  let to = end;
  while (from < to && text.charCodeAt(from) <= 0x20) from += 1;
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to -= 1;
  return [from, to];
}

function pagesOf(pieces: readonly Piece[]): number[] | null {
  const pages = new Set<number>();
  for (const { block } of pieces) {
    if (block.pages) for (let page = block.pages[0]; page <= block.pages[1]; page += 1) pages.add(page);
  }
  return pages.size > 0 ? [...pages].sort((a, b) => a - b) : null;
}

function metadataOf(parsed: ParsedFile, pieces: readonly Piece[]): TypedMetadata {
  return Object.assign({}, parsed.chunkMetadata, ...pieces.map((piece) => piece.block.metadata ?? {}));
}

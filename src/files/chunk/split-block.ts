/** Cuts one block that is too long: tables between rows, code before definitions, everything else between sentences. */
import { oneLine } from '../../util/code-points.ts';
import type { Block } from '../parsed.ts';
import { repeatedHeader } from '../repeated-header.ts';
import { sentenceRanges, type TextRange } from './text-ranges.ts';
import { estimateTokens } from './token-estimate.ts';

/** The last sentence of a part is repeated at the start of the next part if it has at most this many estimated tokens. */
const OVERLAP_TOKENS_MAX = 60;
/** UTF-16 units of a repeated table header. Each name of a longer header is shortened. */
const CONTEXT_UNITS_MAX = 1000;

interface BlockPart {
  start: number;
  end: number;
  tokens: number;
  context: string | null;
}

/**
 * Returns parts of about `tokensTarget` estimated tokens. A part is longer only if a single atom is longer, and never twice
 * as long.
 */
export function splitBlock(text: string, block: Block, tokensTarget: number): BlockPart[] {
  if (block.tableHeader !== undefined || block.rowStarts) return splitRows(text, block, tokensTarget);
  if (block.kind === 'code') return pack(codeAtoms(text, block, tokensTarget), tokensTarget, false);
  const parts = pack(sentenceRanges(text, block.start, block.end, tokensTarget), tokensTarget, true);
  if (block.kind !== 'record') return parts;
  const name = recordName(text.slice(block.start, block.start + NAME_UNITS_MAX));
  return parts.map((part, index) => (index === 0 ? part : { ...part, context: name }));
}

/** Units of the beginning of a record, which its further parts repeat. */
const NAME_UNITS_MAX = 160;

/**
 * Returns the beginning of a record up to its first line with a value: what the record is about. Returns null if the head does not have
 * all of that line, because no rule of redaction knows half a value.
 */
function recordName(head: string): string | null {
  const lines = head.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !line.trimEnd().endsWith(':'));
  if (first === lines.length - 1) return null;
  return oneLine(lines.slice(0, first + 1).join(' ')) || null;
}

function splitRows(text: string, block: Block, tokensTarget: number): BlockPart[] {
  const rows = block.rowStarts ?? [];
  const starts = rows[0] === block.start ? rows : [block.start, ...rows];
  const atoms = starts.flatMap((start, index) => splitLong(text, start, starts[index + 1] ?? block.end, tokensTarget));
  const header = repeatedHeader(block.tableHeader ?? '', CONTEXT_UNITS_MAX) || null;
  const startsWithHeader = block.kind === 'table';
  return pack(atoms, tokensTarget, false).map((part, index) => ({
    ...part,
    context: startsWithHeader && index === 0 ? null : header,
  }));
}

/** Cuts code before lines that are not indented and follow an empty line. A longer atom is cut between lines. */
function codeAtoms(text: string, block: Block, tokensTarget: number): TextRange[] {
  const atoms: TextRange[] = [];
  let from = block.start;
  for (let i = text.indexOf('\n\n', from); i !== -1 && i < block.end; i = text.indexOf('\n\n', i + 1)) {
    const next = text.charCodeAt(i + 2);
    if (next <= 0x20 || next === 0x7d || i + 2 >= block.end) continue;
    for (const atom of lineAtoms(text, from, i + 2, tokensTarget)) atoms.push(atom);
    from = i + 2;
  }
  for (const atom of lineAtoms(text, from, block.end, tokensTarget)) atoms.push(atom);
  return atoms;
}

function lineAtoms(text: string, start: number, end: number, tokensTarget: number): TextRange[] {
  const tokens = estimateTokens(text, start, end);
  if (tokens <= tokensTarget) return [{ start, end, tokens, sentence: false }];
  const atoms: TextRange[] = [];
  for (let from = start; from < end; ) {
    const line = text.indexOf('\n', from);
    const to = line === -1 || line >= end ? end : line + 1;
    for (const atom of splitLong(text, from, to, tokensTarget)) atoms.push(atom);
    from = to;
  }
  return atoms;
}

function splitLong(text: string, start: number, end: number, tokensTarget: number): TextRange[] {
  const tokens = estimateTokens(text, start, end);
  if (tokens <= tokensTarget) return [{ start, end, tokens, sentence: false }];
  return sentenceRanges(text, start, end, tokensTarget);
}

/** Packs adjacent atoms into parts of about equal size near the target. */
function pack(atoms: readonly TextRange[], tokensTarget: number, overlap: boolean): BlockPart[] {
  const total = atoms.reduce((sum, atom) => sum + atom.tokens, 0);
  const target = total / Math.ceil(total / tokensTarget);
  const parts: BlockPart[] = [];
  let part: BlockPart | undefined;
  let last: TextRange | undefined;
  for (const atom of atoms) {
    if (part && (part.tokens >= target || part.tokens + atom.tokens > tokensTarget)) {
      parts.push(part);
      part = undefined;
    }
    if (part) {
      part.end = atom.end;
      part.tokens += atom.tokens;
    } else {
      const repeated = overlap && last?.sentence && last.tokens <= OVERLAP_TOKENS_MAX ? last : undefined;
      const start = repeated?.start ?? atom.start;
      part = { start, end: atom.end, tokens: atom.tokens + (repeated?.tokens ?? 0), context: null };
    }
    last = atom;
  }
  if (part) parts.push(part);
  return parts;
}

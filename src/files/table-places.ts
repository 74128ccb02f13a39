/** Finds the tables of a parsed file, so that they can be built from its text. Pure. */
import type { TablePlace } from '../corpus/values.ts';
import { openOffsets } from '../util/code-points.ts';
import type { Block, ParsedFile } from './parsed.ts';

/** Tables of one source that are remembered. */
export const TABLES_PER_SOURCE_MAX = 200;
/** File types whose tables are built with their source. */
const RECORD_FILES = new Set(['csv', 'tsv', 'xlsx', 'ods', 'json', 'jsonl', 'parquet', 'sqlite']);
const CAPTION_UNITS_MAX = 500;

type Draft = TablePlace & { header?: string; lastBlock: number };

/** Returns the tables in the order of the text, with code points as offsets. */
export function tablesOf({ fileType, text, blocks, rest }: ParsedFile): TablePlace[] {
  const automatic = RECORD_FILES.has(fileType);
  const drafts: Draft[] = [];
  const headings: string[] = [];
  let leading: string[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      const level = block.level ?? 1;
      headings.length = Math.min(headings.length, level - 1);
      headings[level - 1] = (block.title ?? text.slice(block.start, block.end).replace(/^#+ /, '')).trim();
    }
    const open = drafts.at(-1);
    if (open && open.lastBlock === index - 1 && continues(open, block)) {
      open.end = block.end;
      open.lastBlock = index;
      continue;
    }
    if (block.kind === 'paragraph' && drafts.length === 0) leading.push(text.slice(block.start, block.end));
    const form = formOf(fileType, text, block);
    if (!form || drafts.length >= TABLES_PER_SOURCE_MAX) continue;
    // The header of records stands between their block and the block before.
    const start = block.kind === 'record' && form === 'grid' ? (blocks[index - 1]?.end ?? 0) : block.start;
    const caption = automatic && !block.region ? leading.join(' ').slice(0, CAPTION_UNITS_MAX).toWellFormed() : '';
    const path = block.headingPath ?? headings.filter((heading) => heading !== undefined);
    drafts.push({
      form,
      automatic,
      start,
      end: block.end,
      ...block.region,
      ...(block.pages && { page: block.pages[0] }),
      ...(path.length > 0 && !block.region && { headingPath: [...path] }),
      ...(caption !== '' && { caption }),
      ...(block.tableHeader !== undefined && block.kind === 'record' && { header: block.tableHeader }),
      lastBlock: index,
    });
    leading = [];
  }
  const last = drafts.at(-1);
  // The note about further rows belongs to the table: these rows are visible as the note is.
  if (last && rest) Object.assign(last, { end: text.length, rest: true });
  return inCodePoints(text, drafts);
}

function continues({ form, header }: Draft, block: Block): boolean {
  if (block.kind !== 'record' || block.region) return false;
  return form === 'records' ? block.tableHeader === undefined : header !== undefined && block.tableHeader === header;
}

function formOf(fileType: string, text: string, block: Block): TablePlace['form'] | undefined {
  if (block.kind === 'record') {
    if (block.tableHeader !== undefined) return 'grid';
    return fileType === 'json' || fileType === 'jsonl' ? 'records' : undefined;
  }
  return block.kind === 'table' && text[block.start] === '|' ? 'grid' : undefined;
}

/** Returns the places with code points instead of UTF-16 indices. */
function inCodePoints(text: string, drafts: readonly Draft[]): TablePlace[] {
  const { pointsAt } = openOffsets(text);
  return drafts.map(({ header: _, lastBlock: __, ...place }) => ({
    ...place,
    start: pointsAt(place.start),
    end: pointsAt(place.end),
  }));
}

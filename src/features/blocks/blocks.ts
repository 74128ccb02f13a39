/**
 * The blocks of a source: its headings, paragraphs, tables and records. They are not stored. The stored file is parsed again, and what the
 * parser returns counts only if its text is the stored text, which readers see.
 */
import { accessOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { conflict, notFound, orNotFound, ServiceError } from '../../errors.ts';
import { plainHeading } from '../../files/chunk/heading-text.ts';
import type { BlockPart, BlockTask, PlacedBlock } from '../../files/parsed.ts';
import type { Deps } from '../../http/deps.ts';
import { openIncludes } from '../../ingest/runs/includes.ts';
import { redactFact, redactText } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import type { IngestRules } from '../../redaction/redactors.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { type ReadRange, readerViewOfParts, readText } from '../../retrieval/reading/lookup.ts';
import { checkRules, findWholeFile, type WholeFile } from '../../retrieval/reading/whole-file.ts';
import { cellsOf, isDelimiterLine } from '../../tables/build/read-rows.ts';
import { codePointLength, truncated } from '../../util/code-points.ts';

/** A file that takes longer has no blocks. Ingestion has other limits. */
const PARSE_MS_MAX = 60_000;
/** Characters of the text of a block in an answer. */
export const CONTENT_LENGTH_MAX = 4_000;
/** Rows of a table in an answer. */
export const ROWS_MAX = 500;

type Uses = Pick<Deps, 'db' | 'blobs' | 'processor' | 'redactors' | 'config' | 'clock'>;
type Named = Parameters<typeof accessOf>[3];

export interface ReadableFile {
  file: WholeFile;
  rules: IngestRules | null;
  /** Whether a rule may hide something of the content. */
  isRedacted: boolean;
}

/**
 * Returns the file of a source.
 *
 * @throws ServiceError not_found if the source does not exist or the caller may not see all of it; conflict while the stored text follows
 *   other redaction rules than the present ones.
 */
export async function openFile(uses: Uses, caller: Caller, id: string, named: Named): Promise<ReadableFile> {
  const { file, redactor, rules } = await withRedactor(uses, caller.tenantId, async (tx) => ({
    file: await findWholeFile(tx, id, await accessOf(uses, tx, caller, named)),
    rules: await uses.redactors.atIngest(tx),
  }));
  if (!file) throw notFound();
  return { file, rules, isRedacted: await checkRules(file, redactor, RULES_CHANGED) };
}

const ROW_KINDS = new Set<PlacedBlock['kind']>(['table', 'record']);
const RULES_CHANGED = 'The redaction rules have changed: the blocks can be shown when the file was read again.';
const READ_AGAIN = 'The blocks can be shown when the file was read again.';

export interface TableRow {
  start: number;
  end: number;
  cells: string[];
}

/** A block as the caller may see it. Of a block in which rules change words, nothing says where in the text it is. */
export interface SeenBlock {
  kind: PlacedBlock['kind'];
  level: number | null;
  title: string | null;
  place: { start: number; end: number } | null;
  pages: number[] | null;
  content: string;
  header: string[] | null;
  rows: TableRow[] | null;
  sheet: string | null;
  range: string | null;
}

/**
 * Returns some blocks, and how many the file has.
 *
 * @throws ServiceError not_found if the source is gone meanwhile or if a rule blocks a part of the text; conflict if the file is read
 *   otherwise today than when it was ingested; overloaded if it cannot be read now.
 */
export async function readBlocks(
  uses: Uses,
  caller: Caller,
  { file, rules }: ReadableFile,
  named: Named,
  task: BlockTask,
  signal: AbortSignal,
): Promise<{ blocks: SeenBlock[]; total: number }> {
  const part = await parseAgain(uses, caller, file, rules, task, signal);
  const [first] = part.blocks;
  if (!first) return { blocks: [], total: part.total };
  const start = first.start;
  const end = start + codePointLength(part.text);
  const { redactor, read } = await uses.db.transaction(caller.tenantId, async (tx) => {
    const now = await uses.redactors.forTenant(tx);
    const access = await accessOf(uses, tx, caller, named);
    return { redactor: now, read: await readText(tx, file.id, access, { start, end }, now) };
  });
  if (!read) throw notFound();
  const stored = [...read.text].slice(read.from, read.to).join('');
  if (stored !== part.text || read.textLength !== part.textLength)
    throw conflict(`The file is read otherwise today than when it was ingested. ${READ_AGAIN}`);
  return { blocks: await seenBlocks(redactor, read, part, signal), total: part.total };
}

/** Asks a child process for blocks of the stored file, with all that ingestion told it. */
async function parseAgain(
  uses: Uses,
  { tenantId, keyFamilyId }: Caller,
  file: WholeFile,
  rules: IngestRules | null,
  task: BlockTask,
  signal: AbortSignal,
): Promise<BlockPart> {
  const { name, size, chunkMetadataKeys, memberDepth: depth, groupPath, url, charset } = file;
  const path = uses.blobs.localPath(tenantId, file.blobHash);
  const origin = {
    ...(groupPath !== null && { groupPath }),
    ...(url !== null && { url }),
    ...(charset !== null && { charset }),
  };
  const request = { path, name, size, chunkMetadataKeys, depth, ...origin, blocks: task };
  const include = openIncludes(uses, { tenantId, groupId: file.sourceGroupId }, file, new Map());
  const timeout = AbortSignal.timeout(PARSE_MS_MAX);
  const outcome = await uses.processor
    .process(
      rules ? { ...request, redaction: rules } : request,
      AbortSignal.any([signal, timeout]),
      undefined,
      { owner: tenantId, part: keyFamilyId },
      include,
    )
    .catch((error: unknown) => {
      if (signal.aborted || !timeout.aborted) throw error;
      throw new ServiceError('overloaded', `The file was not read within ${PARSE_MS_MAX / 1_000} seconds.`);
    });
  if (outcome.ok) return outcome.file.blocks!;
  if (outcome.failure.retryable) throw new ServiceError('overloaded', outcome.failure.message);
  throw conflict('The stored file cannot be read again as it was ingested.');
}

async function seenBlocks(
  redactor: Redactor | null,
  read: ReadRange,
  { blocks, text }: BlockPart,
  signal: AbortSignal,
): Promise<SeenBlock[]> {
  const base = blocks[0]!.start - read.from;
  const parts = blocks.map(({ start, end }) => ({ from: start - base, to: Math.min(end - base, read.to) }));
  const views = orNotFound(await readerViewOfParts(redactor, read, parts, signal));
  const reached = blocks[0]!.start + codePointLength(text);
  const redact = async (line: string) => redactText(redactor, line, read.steps, signal);
  const unchanged = async (line: string) => ((await redact(line)) === line ? line : null);
  const seen: SeenBlock[] = [];
  for (const [i, block] of blocks.entries()) {
    const { text: whole, isChanged } = views[i]!;
    // Where rules apply, nothing is known of the words behind the end of the part.
    const isHidden = isChanged || (read.steps.length > 0 && block.end > reached);
    const { kind, level = null, title, pages, header, sheet, range = null } = block;
    seen.push({
      kind,
      level,
      title: title === undefined ? null : isHidden ? plainHeading(whole) : await unchanged(title),
      place: isHidden ? null : { start: block.start, end: block.end },
      pages: pages ? Array.from({ length: pages[1] - pages[0] + 1 }, (_, n) => pages[0] + n) : null,
      content: truncated(whole, CONTENT_LENGTH_MAX),
      header: header === undefined ? null : await headerCells(header, unchanged),
      rows: isHidden || !ROW_KINDS.has(kind) ? null : rowsOf(whole, block.start, block.end > reached),
      sheet: sheet === undefined ? null : ((await redactFact(redactor, sheet, signal)) ?? null),
      range: isHidden ? null : range,
    });
  }
  return seen;
}

async function headerCells(header: string, unchanged: (line: string) => Promise<string | null>) {
  const line = await unchanged(header);
  return line === null ? null : cellsOf(line);
}

/** Returns the rows of a Markdown table, without the line below its header; null if the text is no such table. */
function rowsOf(text: string, start: number, isCut: boolean): TableRow[] | null {
  if (!text.startsWith('|')) return null;
  const rows: TableRow[] = [];
  const lines = text.split('\n');
  if (isCut) lines.pop();
  let at = start;
  for (const [i, line] of lines.entries()) {
    const end = at + codePointLength(line);
    if (line.startsWith('|') && !(i === 1 && isDelimiterLine(line)))
      rows.push({ start: at, end, cells: cellsOf(line) });
    if (rows.length === ROWS_MAX) break;
    at = end + 1;
  }
  return rows;
}

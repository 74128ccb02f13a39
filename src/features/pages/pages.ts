/**
 * Pages of PDFs: their sizes, their pictures, and the boxes of passages. A page is drawn from the stored file, so everything that
 * policies and redaction hide from readers must be hidden here again.
 */
import { accessOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, notFound, ServiceError } from '../../errors.ts';
import type { Box, PageAnswer, PageTask, Passage, TextRange } from '../../files/page-task.ts';
import type { Deps } from '../../http/deps.ts';
import { FACT_STEPS, redactText } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { areTellingHeaders } from '../../redaction/telling-headers.ts';
import { readTextRange } from '../../retrieval/reading/lookup.ts';
import { checkRules, findWholeFile, type WholeFile } from '../../retrieval/reading/whole-file.ts';
import { readingsOf, toPage } from './readings.ts';
import { listPageChunks, listPageHeaders, listPageRanges, type PageChunk, type PageRange } from './store.ts';

/** Chunks of one page whose boxes are computed. */
const PAGE_CHUNKS_MAX = 200;
/** Code points around a passage that tell equal passages apart. */
const CONTEXT_CODE_POINTS = 300;
const BELOW_HEADERS =
  'The page has a table in which a redaction rule finds values by the header of their column. It is not shown while the rule applies.';
const RULES_CHANGED = 'The redaction rules have changed: the pages can be shown when the file was read again.';

type Uses = Pick<Deps, 'db' | 'blobs' | 'processor' | 'redactors' | 'config' | 'clock'>;
type Named = Parameters<typeof accessOf>[3];

/** A PDF that the caller may see as a whole. */
export interface VisiblePdf {
  source: WholeFile;
  redactor: Redactor | null;
  /** Whether a rule may hide something of the content. */
  isRedacted: boolean;
}

/**
 * Returns the PDF.
 *
 * @throws ServiceError not_found if it does not exist, has no pages, or the caller may not see all of it; conflict while the stored text
 *   follows other rules than the present ones.
 */
export async function openPdf(uses: Uses, caller: Caller, id: string, named: Named): Promise<VisiblePdf> {
  const { source, redactor } = await withRedactor(uses, caller.tenantId, async (tx) => ({
    source: await findWholeFile(tx, id, await accessOf(uses, tx, caller, named)),
  }));
  if (source?.fileType !== 'pdf') throw notFound();
  return { source, redactor, isRedacted: await checkRules(source, redactor, RULES_CHANGED) };
}

/**
 * Returns what was read from a PDF that was opened before, if the PDF may still be shown: the work waits for its turn while rights and
 * rules change.
 *
 * @throws ServiceError as `openPdf`; conflict if the bytes or the redaction rules have changed.
 */
export function whileShown<T>(
  uses: Uses,
  caller: Caller,
  { source, redactor }: VisiblePdf,
  named: Named,
  work: Promise<T>,
): Promise<T> {
  // Also after a failure: the file of a deleted source is gone.
  return work.finally(async () => {
    const now = await openPdf(uses, caller, source.id, named);
    if (now.source.blobHash !== source.blobHash || now.redactor?.version !== redactor?.version)
      throw conflict('The file or the redaction rules were changed meanwhile. Ask again.');
  });
}

export interface PageSize {
  width: number;
  height: number;
  range: PageRange | undefined;
}

/** Returns the size of each page in points, and the range of the chunks on it. */
export async function listPages(
  uses: Uses,
  caller: Caller,
  { source }: VisiblePdf,
  signal: AbortSignal,
): Promise<PageSize[]> {
  const { tenantId } = caller;
  const { sizes } = await ask(uses, tenantId, source, { kind: 'sizes' }, signal);
  const ranges = await uses.db.transaction(tenantId, (tx) => listPageRanges(tx, source));
  const byPage = new Map(ranges.map((range) => [range.page, range]));
  return sizes.map((size, i) => ({ ...size, range: byPage.get(i + 1) }));
}

/**
 * Returns the PNG of a page. All that a rule hides is covered. While rules apply, nothing is drawn that no rule can read.
 *
 * @throws ServiceError not_found for a page that does not exist or that a rule blocks; conflict, while rules apply, for a page whose
 *   characters the file does not name, and for a table whose header tells what a rule hides.
 */
export async function drawPage(
  uses: Uses,
  caller: Caller,
  pdf: VisiblePdf,
  { page, scale }: { page: number; scale: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { tenantId } = caller;
  const { source, redactor } = pdf;
  let cover: TextRange[] | null = null;
  if (pdf.isRedacted) {
    if (await hidesBelowHeaders(uses, tenantId, pdf, page, signal)) throw conflict(BELOW_HEADERS);
    const task = { kind: 'texts', pages: [page - 1, page, page + 1] } as const;
    const { texts } = await ask(uses, tenantId, source, { ...task, pages: [...task.pages] }, signal);
    cover = await findHidden(redactor!, texts, signal);
  }
  const { png } = await ask(uses, tenantId, source, { kind: 'picture', page, scale, cover }, signal);
  if (png === null) throw notFound();
  return png;
}

/**
 * Returns whether a rule may find values of a table on the page by the header of their column only. The lines of the page do not say which
 * words stand in a column, so these values cannot be covered.
 */
async function hidesBelowHeaders(
  { db }: Pick<Uses, 'db'>,
  tenantId: string,
  { source, redactor, isRedacted }: VisiblePdf,
  page: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isRedacted) return false;
  const headers = await db.transaction(tenantId, (tx) => listPageHeaders(tx, source, page));
  return areTellingHeaders(redactor!, headers, FACT_STEPS, signal);
}

/**
 * Returns the ranges of a page that rules hide.
 *
 * @throws ServiceError not_found if a rule blocks the page, conflict if no rule can read it.
 */
async function findHidden(
  redactor: Redactor,
  [before, page, after]: readonly (string | null)[],
  signal: AbortSignal,
): Promise<TextRange[]> {
  if (page == null) {
    const message = 'The file does not say which characters this page shows, so redaction rules cannot read the page.';
    throw conflict(`${message} It is not shown while rules apply.`);
  }
  const ranges: TextRange[] = [];
  for (const reading of readingsOf(before ?? '', page, after ?? '')) {
    for (const step of FACT_STEPS) {
      if (!redactor.appliesAt(step)) continue;
      const { matches, blocked } = await redactor.redact(reading.text, step, signal);
      if (blocked) throw notFound();
      ranges.push(...matches.flatMap((match) => toPage(reading, match) ?? []));
    }
  }
  return ranges;
}

/** Returns the boxes of a range of the extracted text on a page. Nothing is marked where rules change the text. */
export async function findBoxes(
  uses: Uses,
  caller: Caller,
  pdf: VisiblePdf,
  page: number,
  range: { start: number; end: number },
  signal: AbortSignal,
): Promise<Box[]> {
  const { tenantId } = caller;
  if (await hidesBelowHeaders(uses, tenantId, pdf, page, signal)) return [];
  const passage = await uses.db.transaction(tenantId, (tx) => readPassage(tx, pdf.source, range));
  const shown = await withoutHidden(pdf, [passage], signal);
  const { boxes } = await ask(uses, tenantId, pdf.source, { kind: 'boxes', page, passages: shown }, signal);
  return boxes[0] ?? [];
}

export async function findChunkBoxes(
  uses: Uses,
  caller: Caller,
  pdf: VisiblePdf,
  page: number,
  signal: AbortSignal,
): Promise<{ chunk: PageChunk; boxes: Box[] }[]> {
  const { tenantId } = caller;
  const { chunks, passages } = await uses.db.transaction(tenantId, async (tx) => {
    const found = await listPageChunks(tx, pdf.source, page, PAGE_CHUNKS_MAX);
    const texts: Passage[] = [];
    for (const { startOffset: start, endOffset: end } of found)
      texts.push(await readPassage(tx, pdf.source, { start, end }));
    return { chunks: found, passages: texts };
  });
  if (await hidesBelowHeaders(uses, tenantId, pdf, page, signal)) return chunks.map((chunk) => ({ chunk, boxes: [] }));
  const shown = await withoutHidden(pdf, passages, signal);
  const { boxes } = await ask(uses, tenantId, pdf.source, { kind: 'boxes', page, passages: shown }, signal);
  return chunks.map((chunk, i) => ({ chunk, boxes: boxes[i] ?? [] }));
}

async function readPassage(
  tx: Tx,
  source: WholeFile,
  { start, end }: { start: number; end: number },
): Promise<Passage> {
  const from = Math.max(0, start - CONTEXT_CODE_POINTS);
  const range = { start: from, end: end + CONTEXT_CODE_POINTS };
  const points = [...(await readTextRange(tx, source, range))];
  return {
    before: points.slice(0, start - from).join(''),
    text: points.slice(start - from, end - from).join(''),
    after: points.slice(end - from).join(''),
  };
}

/** Returns the passages without the lines that a rule changes: their boxes would tell where on the page hidden words are. */
async function withoutHidden(
  { redactor, isRedacted }: VisiblePdf,
  passages: readonly Passage[],
  signal: AbortSignal,
): Promise<Passage[]> {
  if (!isRedacted) return [...passages];
  const shown: Passage[] = [];
  for (const passage of passages) {
    const whole = passage.before + passage.text + passage.after;
    const isChanged = (await redactText(redactor, whole, FACT_STEPS, signal)) !== whole;
    shown.push(isChanged ? { before: '', text: '', after: '' } : passage);
  }
  return shown;
}

type AnswerTo<T extends PageTask> = Extract<PageAnswer, { kind: T['kind'] }>;

/** Asks a child process about the stored file. */
async function ask<T extends PageTask>(
  { blobs, processor }: Pick<Uses, 'blobs' | 'processor'>,
  tenantId: string,
  { name, blobHash, size }: WholeFile,
  task: T,
  signal: AbortSignal,
): Promise<AnswerTo<T>> {
  const path = blobs.localPath(tenantId, blobHash);
  const outcome = await processor.process({ path, name, size, chunkMetadataKeys: [], pages: task }, signal, undefined, {
    owner: tenantId,
    part: 'pages',
  });
  if (!outcome.ok) {
    if (outcome.failure.retryable) throw new ServiceError('overloaded', outcome.failure.message);
    throw notFound();
  }
  return outcome.file.pages as AnswerTo<T>;
}

/**
 * Stores the results of processing: several small files in one transaction, a large file in parts.
 *
 * On the embedded database transactions queue with searches, so each transaction stays small (PART_*). The parts of a large
 * file are invisible until its last transaction. That transaction makes a new source `ready`, or raises the generation of a
 * source that gets a new version. Until then search finds the old version; afterwards it finds the new one. Chunks of the old
 * version are removed later (remove-replaced.ts).
 */
import { deleteChunksOfSources, insertChunks, type NewChunk } from '../../corpus/chunk-writer.ts';
import { addChunkMetadatasCount } from '../../corpus/group-store.ts';
import { dropUpdates, failUpdates } from '../../corpus/origin-store.ts';
import { addProgress, insertRunErrors } from '../../corpus/run-store.ts';
import { insertRunFiles } from '../../corpus/runs/run-file-store.ts';
import { isPending } from '../../corpus/source-lookup.ts';
import { type SavedResult, saveSourceResults, setMixed } from '../../corpus/source-store.ts';
import { deleteTexts, insertTexts, type TextSegment } from '../../corpus/sources/text-store.ts';
import type { FileFailure } from '../../corpus/values.ts';
import { cacheVectorsOfSources } from '../../corpus/vector-store.ts';
import type { Tx } from '../../db/database.ts';
import { isDataError } from '../../db/pg-errors.ts';
import { FileError } from '../../files/failure.ts';
import type { ProgressStep } from '../../jobs/progress.ts';
import { idsOf, newId } from '../../util/ids.ts';
import { inBackground } from '../background.ts';
import { type ActiveRun, checkFence } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { requestTables } from '../tables/request-tables.ts';
import { requestVectors } from '../vectors/embed-queue.ts';
import { failedRows, type SourceRows } from './rows.ts';
import { replaceMembers, storeWithMembers } from './store-members.ts';

export const PART_CHUNKS_MAX = 40;
export const PART_WEIGHT_MAX = 200_000;

const NOTHING_DONE: ProgressStep = { filesDone: 0, chunksDone: 0, added: 0, updated: 0, failed: 0 };

const REFUSED: FileFailure = {
  stage: 'store',
  title: 'The file could not be stored',
  message: 'The database refused a value of this file. The log of the service says more.',
  retryable: false,
};

/**
 * Returns whether the rows of a file fit into one transaction together with other files. A file with members is stored alone.
 */
export function isSmall(rows: SourceRows): boolean {
  return rows.chunks.length <= PART_CHUNKS_MAX && rows.weight <= PART_WEIGHT_MAX && rows.members.length === 0;
}

/**
 * Stores a batch of small files. `then` runs last in the same transaction, to claim the next files.
 *
 * If the database refuses a value, the files are stored one by one, so that only the file with this value fails.
 *
 * @throws RunLost
 */
export async function storeSmall<T>(
  deps: IngestDeps,
  active: ActiveRun,
  batch: readonly SourceRows[],
  then: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await storeTogether(deps, active, batch, then);
  } catch (error) {
    if (batch.length === 0 || !isDataError(error)) throw error;
    deps.log.warn({ err: error, sources: batch.map((rows) => rows.source.id) }, 'values of a file were refused');
    for (const rows of batch) await storeAlone(deps, active, rows);
    return storeTogether(deps, active, [], then);
  }
}

async function storeAlone(deps: IngestDeps, active: ActiveRun, rows: SourceRows): Promise<void> {
  const nothing = async (): Promise<void> => undefined;
  await storeTogether(deps, active, [rows], nothing).catch((error) => {
    if (!isDataError(error)) throw error;
    return storeTogether(deps, active, [failedRows(rows.source, REFUSED)], nothing);
  });
}

async function storeTogether<T>(
  deps: IngestDeps,
  active: ActiveRun,
  batch: readonly SourceRows[],
  then: (tx: Tx) => Promise<T>,
): Promise<T> {
  let step = NOTHING_DONE;
  const result = await writeInRun(deps, active, async (tx) => {
    if (batch.length > 0) {
      const results = batch.map((rows) => rows.result);
      const saved = await saveSourceResults(tx, results);
      const savedRows = batch.filter((rows) => saved.has(rows.result.id));
      await deleteEarlierRows(deps, tx, savedRows);
      const chunks = savedRows.flatMap((rows) => rows.chunks);
      await insertChunks(tx, active.groupId, chunks);
      const texts = savedRows.flatMap((rows) => rows.texts);
      await insertTexts(tx, texts);
      await hideOldMembers(deps, tx, active, savedRows, saved);
      await requestTables(deps, tx, savedRows);
      step = await count(deps, tx, active, savedRows, saved);
      await requestVectors(deps, tx, idsOf(chunks));
    }
    return then(tx);
  });
  measure(deps, step);
  return result;
}

/** Stores one large file, part by part, and the files inside it as new sources. @throws RunLost */
export async function storeLarge(deps: IngestDeps, active: ActiveRun, rows: SourceRows): Promise<void> {
  try {
    if (rows.members.length === 0) await storeParts(deps, active, rows);
    else
      await storeWithMembers(deps, active, rows, (storedRows, insert) => storeParts(deps, active, storedRows, insert));
  } catch (error) {
    if (error instanceof FileError) {
      await storeTogether(deps, active, [failedRows(rows.source, error.failure)], async () => undefined);
      return;
    }
    if (!isDataError(error)) throw error;
    deps.log.warn({ err: error, sources: [rows.source.id] }, 'values of a file were refused');
    await storeTogether(deps, active, [failedRows(rows.source, REFUSED)], async () => undefined);
  }
}

async function storeParts(
  deps: IngestDeps,
  active: ActiveRun,
  rows: SourceRows,
  insertInside: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<void> {
  const id = rows.result.id;
  await writeInRun(deps, active, async (tx) => {
    if (rows.source.isUpdate) await setMixed(tx, [id]);
    await deleteEarlierRows(deps, tx, [rows]);
  });
  for (const part of parts(rows)) {
    await writeInRun(deps, active, async (tx) => {
      if (!(await isPending(tx, id))) return;
      await insertChunks(tx, active.groupId, part.chunks);
      await insertTexts(tx, part.texts);
      await requestVectors(deps, tx, idsOf(part.chunks));
    });
  }
  deps.crash.reach('ingest.parts_stored');
  const step = await writeInRun(deps, active, async (tx) => {
    const saved = await saveSourceResults(tx, [rows.result]);
    if (!saved.has(id)) return NOTHING_DONE;
    await hideOldMembers(deps, tx, active, [rows], saved);
    await insertInside(tx);
    await requestTables(deps, tx, [rows]);
    return count(deps, tx, active, [rows], saved);
  });
  measure(deps, step);
}

function writeInRun<T>(deps: IngestDeps, active: ActiveRun, write: (tx: Tx) => Promise<T>): Promise<T> {
  return inBackground(deps, active.tenantId, async (tx) => {
    await checkFence(tx, active);
    return write(tx);
  });
}

/** Deletes the rows that an earlier attempt left of the same version. */
async function deleteEarlierRows(deps: IngestDeps, tx: Tx, batch: readonly SourceRows[]): Promise<void> {
  const versions = batch.map(({ source }) => source);
  await cacheVectorsOfSources(
    tx,
    versions.flatMap(({ id, isUpdate }) => (isUpdate ? [] : [id])),
    deps.clock.now(),
  );
  await deleteChunksOfSources(tx, versions);
  await deleteTexts(tx, versions);
}

/** Hides the members of replaced versions when the new version has no members. */
async function hideOldMembers(
  deps: IngestDeps,
  tx: Tx,
  active: ActiveRun,
  savedRows: readonly SourceRows[],
  saved: ReadonlyMap<string, SavedResult>,
): Promise<void> {
  for (const { result, members } of savedRows) {
    if (saved.get(result.id)?.wasUpdate && result.status === 'ready' && members.length === 0)
      await replaceMembers(deps, tx, active, result.id, []);
  }
}

function* parts(rows: SourceRows): Iterable<{ chunks: NewChunk[]; texts: TextSegment[] }> {
  let part: { chunks: NewChunk[]; texts: TextSegment[] } = { chunks: [], texts: [] };
  let weight = 0;
  for (const chunk of rows.chunks) {
    part.chunks.push(chunk);
    weight += chunk.content.length + chunk.terms.length;
    if (part.chunks.length < PART_CHUNKS_MAX && weight < PART_WEIGHT_MAX) continue;
    yield part;
    part = { chunks: [], texts: [] };
    weight = 0;
  }
  for (const text of rows.texts) {
    part.texts.push(text);
    weight += text.content.length;
    if (weight < PART_WEIGHT_MAX) continue;
    yield part;
    part = { chunks: [], texts: [] };
    weight = 0;
  }
  if (part.chunks.length > 0 || part.texts.length > 0) yield part;
}

async function count(
  deps: IngestDeps,
  tx: Tx,
  active: ActiveRun,
  savedRows: readonly SourceRows[],
  saved: ReadonlyMap<string, SavedResult>,
): Promise<ProgressStep> {
  const updates = savedRows.filter((rows) => saved.get(rows.result.id)?.wasUpdate);
  const idsWith = (status: string): string[] =>
    updates.flatMap(({ result }) => (result.status === status ? [result.id] : []));
  await dropUpdates(tx, idsWith('ready'));
  await failUpdates(tx, idsWith('failed'));
  const errors = savedRows.flatMap((rows) => (rows.error ? [{ ...rows.error, id: newId() }] : []));
  await insertRunErrors(tx, active.runId, errors);
  const changed = savedRows.flatMap((rows) => {
    const change = updates.includes(rows) ? ('updated' as const) : ('added' as const);
    return rows.error ? [] : [{ sourceId: rows.result.id, change, readMs: rows.readMs }];
  });
  await insertRunFiles(tx, active.runId, changed);
  const chunkMetadatas = savedRows.reduce((sum, rows) => sum + saved.get(rows.result.id)!.chunkMetadatasAdded, 0);
  if (chunkMetadatas !== 0) await addChunkMetadatasCount(tx, active.groupId, chunkMetadatas);
  const step = {
    filesDone: savedRows.length,
    chunksDone: savedRows.reduce((sum, rows) => sum + rows.chunks.length, 0),
    added: savedRows.filter((rows) => !rows.error && !updates.includes(rows)).length,
    updated: updates.filter((rows) => !rows.error).length,
    failed: errors.length,
  };
  await addProgress(tx, active.runId, step, deps.clock.now());
  return step;
}

/** Call after the commit. */
function measure({ metrics }: IngestDeps, { filesDone, failed, chunksDone }: ProgressStep): void {
  metrics.ingested('files', filesDone - failed);
  metrics.ingested('failed_files', failed);
  metrics.ingested('chunks', chunksDone);
}

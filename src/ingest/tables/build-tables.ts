/**
 * The job `table-build`: builds the tables of a source from its text. A file that is built is committed under the fence of the
 * source's generation, so a table never belongs to a text that is gone. The job may be stopped and restarted at any point.
 */

import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Tx } from '../../db/database.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import type { BuiltTable } from '../../tables/build/build-table.ts';
import { runBuild } from '../../tables/build/run-build.ts';
import { schemaChange } from '../../tables/drift.ts';
import { sqlNameOf, uniqueName } from '../../tables/names.ts';
import { type NamedPlace, namePlaces, tableName } from '../../tables/places.ts';
import {
  bindWaiting,
  commitTable,
  countTables,
  deleteTables,
  failTable,
  findTableSource,
  insertTable,
  listSqlNames,
  listTablesOfSource,
  listWaiting,
  markBuilding,
  readChunkEnds,
  readSegments,
  TABLES_PER_TENANT_MAX,
  type TableRow,
  type TableSource,
  withWarning,
} from '../../tables/store.ts';
import { inTempFolder } from '../../util/folders.ts';
import { newId } from '../../util/ids.ts';
import { inBackground } from '../background.ts';
import { storeWithBlobs } from '../durable-blobs.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** Segments of the text in one transaction: about a million characters. */
const SEGMENTS_AT_ONCE = 64;
const FILE_MODE = 0o600;

type BuildDeps = Pick<IngestDeps, 'db' | 'blobs' | 'clock' | 'log' | 'processor' | 'redactors'>;

export function buildTables(deps: BuildDeps): JobHandler {
  return async ({ tenantId, sourceId }, { signal, lastAttempt }) => {
    if (!tenantId || !sourceId) throw new Error('table-build needs tenantId and sourceId');
    const planned = await deps.db.transaction(tenantId, async (tx) => {
      const source = await findTableSource(tx, sourceId);
      return source && { source, due: await planTables(deps, tx, source) };
    });
    if (!planned || planned.due.length === 0) return;
    const { source, due } = planned;
    const chunks = await chunkEnds(deps, tenantId, source);
    for (const { row, named } of due) {
      try {
        await buildOne(deps, tenantId, source, row, named, chunks, signal);
      } catch (error) {
        if (signal.aborted || !lastAttempt) throw error;
        deps.log.error({ err: error, tableId: row.tableId }, 'a table could not be built');
        await fail(deps, row, 'An internal error occurred. The log of the service says more.');
      }
    }
  };
}

interface Due {
  row: TableRow;
  named: NamedPlace;
}

/** Adds tables that are new in the source, removes those that are gone, and returns the tables that have to be built. */
async function planTables({ clock }: Pick<BuildDeps, 'clock'>, tx: Tx, source: TableSource): Promise<Due[]> {
  const now = clock.now();
  const places = namePlaces(source.tables);
  const automatic = places.filter(({ place }) => place.automatic);
  await bindTables(tx, source, places, now);
  const known = new Map((await listTablesOfSource(tx, source.id)).map((row) => [row.placeKey, row]));
  const keys = new Set(places.map(({ key }) => key));
  const gone = [...known.values()].filter(({ placeKey }) => !keys.has(placeKey));
  const dropped = gone.flatMap(({ requested, tableId }) => (requested ? [] : [tableId]));
  await deleteTables(tx, dropped);
  for (const row of gone)
    if (row.requested) await failTable(tx, row.tableId, 'The source no longer has this table.', now);
  let left = TABLES_PER_TENANT_MAX - (await countTables(tx));
  for (const named of automatic) {
    if (known.has(named.key) || left <= 0) continue;
    left -= 1;
    const name = tableName(source.name, named, automatic);
    const base = sqlNameOf(name, 'table');
    await insertTable(
      tx,
      {
        id: newId(),
        sourceId: source.id,
        sourceGroupId: source.sourceGroupId,
        placeKey: named.key,
        position: named.position,
        name,
        sqlName: uniqueName(base, await listSqlNames(tx, base)),
        description: null,
        requested: false,
        schemaPolicy: 'accept',
      },
      now,
    );
  }
  const rows = await listTablesOfSource(tx, source.id);
  const due = rows.flatMap((row) => {
    const named = places.find(({ key }) => key === row.placeKey);
    const isDue = row.status === 'building' || row.generation !== source.generation;
    return named && isDue ? [{ row, named }] : [];
  });
  // A table that a user deleted comes back with a new version of the source.
  await markBuilding(
    tx,
    due.map(({ row }) => row.tableId),
    now,
  );
  return due;
}

/** Finds the tables in this source that were asked for by its address. */
async function bindTables(tx: Tx, source: TableSource, places: readonly NamedPlace[], now: Date): Promise<void> {
  for (const { tableId, wantedIndex } of await listWaiting(tx, source.sourceGroupId)) {
    const wanted = places.filter(({ position }) => wantedIndex === null || position.index === wantedIndex);
    const [named, ...others] = wanted;
    if (!named || others.length > 0) {
      const what = named
        ? `The file has ${wanted.length} tables: name one by its index.`
        : 'The file has no table there.';
      await failTable(tx, tableId, what, now);
      continue;
    }
    const before = (await listTablesOfSource(tx, source.id)).filter(({ placeKey }) => placeKey === named.key);
    const tableIds = before.map((row) => row.tableId);
    await deleteTables(tx, tableIds);
    await bindWaiting(tx, tableId, { ...named, sourceId: source.id, placeKey: named.key }, now);
  }
}

async function buildOne(
  deps: BuildDeps,
  tenantId: string,
  source: TableSource,
  row: TableRow,
  { place, position }: NamedPlace,
  chunks: ChunkEnds,
  signal: AbortSignal,
): Promise<void> {
  await inTempFolder(async (folder) => {
    const text = path.join(folder, 'text');
    await writeText(deps, tenantId, source, place, text, signal);
    if (place.rest) await appendRest(deps, tenantId, source, text, signal);
    const out = path.join(folder, 'table.parquet');
    const answer = await runBuild(
      {
        text: { path: text, start: place.start, form: place.form, exact: place.automatic },
        place,
        language: source.language,
        chunks,
        settings: row.columnSettings,
        out,
      },
      signal,
    );
    if ('problem' in answer) return await fail(deps, row, answer.problem);
    const table = withDrift(row, answer.table);
    if (table === undefined) {
      return await fail(deps, row, 'The columns of the source changed, and the schema policy of the table is freeze.');
    }
    const staged = await deps.blobs.stage(tenantId, createReadStream(out), signal);
    await storeWithBlobs(deps, tenantId, [staged], async (release) => {
      await deps.db.transaction(tenantId, async (tx) => {
        const place = { sourceId: source.id, tableId: row.tableId, generation: source.generation, position };
        // False: a newer version of the source has a job of its own. The collector removes the file.
        await commitTable(tx, place, { ...table, blobHash: staged.hash }, deps.clock.now());
        await release(tx);
      });
    });
  });
}

/** Returns the table with a warning if its columns changed; undefined if they must not change. */
function withDrift(row: TableRow, table: BuiltTable): BuiltTable | undefined {
  const change = row.version === 0 ? undefined : schemaChange(row.columns, table.columns);
  if (!change) return table;
  if (row.schemaPolicy === 'freeze') return undefined;
  const warning = { code: 'schema_changed', message: 'The columns changed with the last version.', ...change };
  return { ...table, warnings: withWarning(table.warnings, warning) };
}

async function fail({ db, clock }: BuildDeps, { tenantId, tableId }: TableRow, message: string): Promise<void> {
  await db.transaction(tenantId, (tx) => failTable(tx, tableId, message, clock.now()));
}

interface ChunkEnds {
  ends: Int32Array;
  ordinals: Int32Array;
  pages: Int32Array;
}

async function chunkEnds(deps: BuildDeps, tenantId: string, source: TableSource): Promise<ChunkEnds> {
  const read = (tx: Tx) => readChunkEnds(tx, source.id, source.generation);
  const rows = await inBackground(deps, tenantId, read);
  return {
    ends: Int32Array.from(rows, ({ endOffset }) => endOffset),
    ordinals: Int32Array.from(rows, ({ ordinal }) => ordinal),
    pages: Int32Array.from(rows, ({ page }) => page ?? 0),
  };
}

async function writeText(
  deps: BuildDeps,
  tenantId: string,
  source: TableSource,
  { start, end }: { start: number; end: number },
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(file, 'wx', FILE_MODE);
  try {
    for (let at = start; at < end; ) {
      signal.throwIfAborted();
      const read = (tx: Tx) => readSegments(tx, source, at, SEGMENTS_AT_ONCE);
      const segments = await inBackground(deps, tenantId, read);
      if (segments.length === 0) break;
      for (const { startOffset, endOffset, content } of segments) {
        if (startOffset >= end) break;
        const whole = startOffset >= start && endOffset <= end;
        await handle.write(
          whole ? content : [...content].slice(Math.max(0, start - startOffset), end - startOffset).join(''),
        );
      }
      at = segments.at(-1)!.endOffset;
    }
  } finally {
    await handle.close();
  }
}

/** Appends the rows that are not in the text: a parser process reads them from the raw file and applies the ingest rules. */
async function appendRest(
  { db, blobs, processor, redactors }: BuildDeps,
  tenantId: string,
  { name, fileSize: size, blobHash, charset }: TableSource,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const redaction = await db.transaction(tenantId, (tx) => redactors.atIngest(tx));
  const path = blobs.localPath(tenantId, blobHash);
  const handle = await open(file, 'a', FILE_MODE);
  try {
    await handle.write('\n');
    const request = { path, name, size, chunkMetadataKeys: [], rest: true as const };
    const more = { ...(charset !== null && { charset }), ...(redaction && { redaction }) };
    let next = 0;
    const outcome = await processor.process(
      { ...request, ...more },
      signal,
      async ({ index, bytes }) => {
        // A process that was started again sends all pieces again.
        if (index === next) await handle.write(bytes);
        next = Math.max(next, index + 1);
      },
      { owner: tenantId, part: 'tables' },
    );
    if (!outcome.ok) throw new Error(`the rest of a file could not be read: ${outcome.failure.message}`);
  } finally {
    await handle.close();
  }
}

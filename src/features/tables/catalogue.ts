/** Rules of the catalogue of tables: reading rows, and tables on request. */
import { type Access, accessOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import { lockGroup } from '../../corpus/group-store.ts';
import type { Tx } from '../../db/database.ts';
import type { PageRequest } from '../../db/page-sql.ts';
import { isUniqueViolation } from '../../db/pg-errors.ts';
import { conflict, invalidAt, orNotFound, type ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { checkMayCreateGroup } from '../../http/key-limits.ts';
import { addOriginGroup } from '../../ingest/origins/add-origin.ts';
import { requestDeletion } from '../../ingest/removal/delete-group.ts';
import { startRun } from '../../ingest/runs/run-actions.ts';
import { FACT_STEPS, isSourceBlocked, redactFact } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import type { ColumnSetting } from '../../tables/build/build-table.ts';
import { sqlNameOf, uniqueName } from '../../tables/names.ts';
import { nameOfUrl, namePlaces, tableName } from '../../tables/places.ts';
import { openTable, type TableReader, type TableRowRead } from '../../tables/read-table.ts';
import { type NamedColumn, type ReaderNames, readerSqlName, withReaderNames } from '../../tables/reader-names.ts';
import {
  changeTable,
  countTables,
  deleteTables,
  findTableSource,
  hideTable,
  insertTable,
  listSqlNames,
  listTablesOfSource,
  markBuilding,
  TABLES_PER_TENANT_MAX,
} from '../../tables/store.ts';
import { collect } from '../../util/collect.ts';
import { newId } from '../../util/ids.ts';
import {
  type CatalogueTable,
  findVisibleTable,
  listVisibleNames,
  listVisibleTables,
  type TableFilter,
  type TableNames,
  visibleParts,
} from './catalogue-store.ts';
import { checkUrl, scheduleChange } from './from-url.ts';

/** Rows that are read at once while rows of hidden chunks are left out. */
const ROWS_AT_ONCE = 1_000;
/** A request reads at most this many rows. */
const ROWS_READ_MAX = 50_000;

type Named = Parameters<typeof accessOf>[3];

export interface OpenTable {
  table: ReaderNames<CatalogueTable>;
  access: Access;
  /** Ordinals of the visible chunks; null: all. */
  parts: ReadonlySet<number> | null;
  redactor: Redactor | null;
}

/** Returns a table that the caller may see, with the names that the caller uses. @throws ServiceError not_found */
export async function openVisible(deps: Deps, caller: Caller, id: string, named: Named): Promise<OpenTable> {
  const { table, ...opened } = await deps.db.transaction(caller.tenantId, async (tx) => {
    const access = await accessOf(deps, tx, caller, named);
    const table = orNotFound(await findVisibleTable(tx, id, access));
    const redactor = await deps.redactors.forTenant(tx);
    return { table, access, parts: await visibleParts(tx, table, access), redactor };
  });
  const seen = orNotFound(await forReader(table, opened.redactor));
  return { ...opened, table: seen };
}

/**
 * Returns a page of the tables that the caller may see, with one extra row if there is a next page. Rules that hide tables or their names
 * apply before the page and `total`, which would tell what is hidden.
 */
export async function listTables(
  deps: Deps,
  caller: Caller,
  filter: Omit<TableFilter, 'ids'>,
  page: PageRequest,
  named: Named,
): Promise<{ rows: CatalogueTable[]; total: number; redactor: Redactor | null }> {
  const { tenantId } = caller;
  const isNamed = filter.name !== undefined;
  const first = await deps.db.transaction(tenantId, async (tx) => {
    const access = await accessOf(deps, tx, caller, named);
    const redactor = await deps.redactors.forTenant(tx);
    const rulesDecide = FACT_STEPS.some((step) => redactor?.blocksAt(step) || (isNamed && redactor?.appliesAt(step)));
    if (rulesDecide) return { names: await listVisibleNames(tx, access, filter), redactor };
    return { ...(await listVisibleTables(tx, access, filter, page)), redactor };
  });
  if (!('names' in first)) return first;
  const ids = await collect(first.names, async (names) => {
    const isShown =
      !(await isBlocked(names, first.redactor)) && (!isNamed || (await hasName(names, filter.name!, first.redactor)));
    return isShown ? names.tableId : undefined;
  });
  return deps.db.transaction(tenantId, async (tx) => {
    const access = await accessOf(deps, tx, caller, named);
    const redactor = await deps.redactors.forTenant(tx);
    return { ...(await listVisibleTables(tx, access, { ...filter, ids }, page)), redactor };
  });
}

function isBlocked({ sourceName, sourcePath }: TableNames, redactor: Redactor | null): Promise<boolean> {
  return isSourceBlocked(redactor, { name: sourceName, path: sourcePath });
}

/** Returns whether readers see this name of a table that matches by its stored names. */
async function hasName(table: TableNames, name: string, redactor: Redactor | null): Promise<boolean> {
  const known = [await redactFact(redactor, table.name), await readerSqlName(table, redactor)];
  return known.some((one) => one?.toLowerCase() === name.toLowerCase());
}

/** Returns the table with the names that a reader uses; undefined if a rule blocks the name or the path of its source. */
export async function forReader(
  table: CatalogueTable,
  redactor: Redactor | null,
): Promise<ReaderNames<CatalogueTable> | undefined> {
  return (await isBlocked(table, redactor)) ? undefined : withReaderNames(table, redactor);
}

/** Returns visible rows after `afterRow`, and the row after which the next page begins. */
export async function readVisibleRows(
  deps: Pick<Deps, 'blobs'>,
  { table, parts }: OpenTable,
  page: { afterRow: number; limit: number; columns: readonly NamedColumn[]; onlyData?: boolean },
): Promise<{ rows: TableRowRead[]; nextAfter: number | null }> {
  if (table.blobHash === null) return { rows: [], nextAfter: null };
  const { tenantId, blobHash, bytes } = table;
  const reader: TableReader = await openTable(deps.blobs, { tenantId, blobHash, bytes });
  const rows: TableRowRead[] = [];
  const start = page.afterRow + 1;
  const step = parts ? ROWS_AT_ONCE : page.limit + 1;
  let at = start;
  for (; at < reader.rows && at - start < ROWS_READ_MAX && rows.length <= page.limit; at += step) {
    const read = await reader.read(at, Math.min(at + step, reader.rows), page.columns);
    for (const row of read)
      if ((!parts || parts.has(row.part)) && !(page.onlyData && row.kind === 'total')) rows.push(row);
  }
  if (rows.length > page.limit) return { rows: rows.slice(0, page.limit), nextAfter: rows[page.limit - 1]!.row };
  return { rows, nextAfter: at < reader.rows ? at - 1 : null };
}

export interface TableRequest {
  name?: string | undefined;
  description?: string | null | undefined;
  source: { id: string } | { url: string; rrule: string };
  /** Null: the only table of the source. */
  index: number | null;
  schemaPolicy: 'accept' | 'freeze';
}

export interface CreatedTable {
  id: string;
  sourceGroupId: string;
}

type Commit = (tx: Tx, created: CreatedTable) => Promise<void>;

/**
 * Adds a table and starts its build, or the run that reads its file.
 *
 * @throws ServiceError not_found, invalid_request if the source has no such table, conflict if the table or its name exists.
 */
export function createTable(
  deps: Deps,
  caller: Caller,
  request: TableRequest,
  commitWith: Commit,
): Promise<CreatedTable> {
  const { source, ...wanted } = request;
  return namesAreUnique(
    'url' in source
      ? createTableOfUrl(deps, caller, { ...wanted, ...source }, commitWith)
      : createTableOfSource(deps, caller, { ...wanted, sourceId: source.id }, commitWith),
  );
}

type Wanted = Omit<TableRequest, 'source'>;

async function createTableOfUrl(
  deps: Deps,
  caller: Caller,
  request: Wanted & { url: string; rrule: string },
  commitWith: Commit,
): Promise<CreatedTable> {
  checkMayCreateGroup(caller);
  const { url, index } = request;
  const now = deps.clock.now();
  const id = newId(now.getTime());
  const file = await checkUrl(deps, url, request.rrule, now);
  return deps.db.transaction(caller.tenantId, async (tx) => {
    await checkRoom(tx);
    const named = request.name ?? nameOfUrl(url);
    const described = await describe(tx, named, request);
    const { name } = described;
    const group = { ...file, name, secretId: null, needsCredential: false, metadata: {}, createdAt: now };
    const sourceGroupId = await addOriginGroup(deps, tx, group);
    const table = {
      id,
      sourceId: null,
      sourceGroupId,
      placeKey: null,
      position: { index: index ?? 0 },
      ...described,
      address: { url: file.origin.urls[0]!, index },
    };
    await insertTable(tx, table, now);
    const created = { id, sourceGroupId };
    await commitWith(tx, created);
    await recordChange(tx, caller, 'create', 'table', id, { name, source_group_id: sourceGroupId, rrule: file.rrule });
    return created;
  });
}

async function checkRoom(tx: Tx): Promise<void> {
  if ((await countTables(tx)) >= TABLES_PER_TENANT_MAX)
    throw conflict(`There are ${TABLES_PER_TENANT_MAX} tables already: delete one first.`);
}

/** Returns the wanted table with a free name in SQL. @throws ServiceError conflict if the caller chose a name that is taken. */
async function describe(tx: Tx, name: string, wanted: Wanted) {
  const base = sqlNameOf(name, 'table');
  const taken = await listSqlNames(tx, base);
  if (wanted.name !== undefined && taken.has(base)) throw nameTaken();
  const { description = null, schemaPolicy } = wanted;
  return { name, sqlName: uniqueName(base, taken), description, requested: true, schemaPolicy };
}

async function createTableOfSource(
  deps: Pick<Deps, 'db' | 'clock' | 'queue'>,
  caller: Caller,
  request: Wanted & { sourceId: string },
  commitWith: Commit,
): Promise<CreatedTable> {
  const { tenantId } = caller;
  const now = deps.clock.now();
  const id = newId(now.getTime());
  return deps.db.transaction(tenantId, async (tx) => {
    const source = orNotFound(await findTableSource(tx, request.sourceId, caller));
    const places = namePlaces(source.tables);
    const wanted = request.index === null ? places : places.filter(({ position }) => position.index === request.index);
    const [named, ...others] = wanted;
    if (!named) throw invalidAt(['source', 'position'], 'the source has no table there.');
    if (others.length > 0)
      throw invalidAt(['source', 'position'], 'the source has several tables. Name one by its index.');
    await checkRoom(tx);
    const known = (await listTablesOfSource(tx, source.id)).find(({ placeKey }) => placeKey === named.key);
    if (known && !known.hiddenAt) throw conflict(`The table exists already: ${known.tableId}.`);
    if (known) await deleteTables(tx, [known.tableId]);
    const wantedName = request.name ?? tableName(source.name, named, places);
    const described = await describe(tx, wantedName, request);
    const table = {
      id,
      sourceId: source.id,
      sourceGroupId: source.sourceGroupId,
      placeKey: named.key,
      position: named.position,
      ...described,
    };
    await insertTable(tx, table, now);
    await deps.queue.enqueue(tx, 'table-build', { tenantId, sourceId: source.id });
    const created = { id, sourceGroupId: source.sourceGroupId };
    await commitWith(tx, created);
    await recordChange(tx, caller, 'create', 'table', id, { name: described.name, source_id: source.id });
    return created;
  });
}

export interface TableChange {
  name?: string | undefined;
  description?: string | null | undefined;
  schemaPolicy?: 'accept' | 'freeze' | undefined;
  rrule?: string | undefined;
  columns?: readonly ({ sqlName: string } & ColumnSetting)[] | undefined;
}

/** Changes what users set. Another type of a column builds the table again. @throws ServiceError */
export async function updateTable(deps: Deps, caller: Caller, id: string, change: TableChange): Promise<void> {
  const now = deps.clock.now();
  const storedNames = change.columns && (await storedNamesOf(deps, caller, id));
  const reschedule = change.rrule === undefined ? undefined : await planSchedule(deps, caller, id, change.rrule);
  await namesAreUnique(
    deps.db.transaction(caller.tenantId, async (tx) => {
      const table = await findManaged(tx, caller, id);
      if (reschedule) await lockGroup(tx, table.sourceGroupId);
      await reschedule?.(tx);
      const settings = { ...table.columnSettings };
      const columns = [...table.columns];
      let rebuilds = false;
      for (const { sqlName, ...setting } of change.columns ?? []) {
        const at = columns.findIndex((column) => column.sqlName === storedNames!.get(sqlName));
        const column = columns[at];
        if (!column) throw invalidAt(['columns'], `there is no column ${JSON.stringify(sqlName)}.`);
        if (setting.type !== undefined && setting.type !== column.type) rebuilds = true;
        settings[column.header] = { ...settings[column.header], ...setting };
        const { name = column.name, description = column.description } = setting;
        columns[at] = { ...column, name, description };
      }
      const name = change.name ?? table.name;
      const sqlName =
        change.name === undefined || change.name === table.name ? table.sqlName : sqlNameOf(name, 'table');
      const { description = table.description, schemaPolicy = table.schemaPolicy } = change;
      await changeTable(
        tx,
        { ...table, name, sqlName, description, schemaPolicy, columnSettings: settings, columns },
        now,
      );
      if (rebuilds) await rebuild(deps, tx, table, now);
      await recordChange(tx, caller, 'change', 'table', id, { name });
    }),
  );
}

/** Returns the names of the columns in the file by the names that readers see. */
async function storedNamesOf(deps: Deps, caller: Caller, id: string): Promise<ReadonlyMap<string, string>> {
  const { found, redactor } = await deps.db.transaction(caller.tenantId, async (tx) => ({
    found: await findManaged(tx, caller, id),
    redactor: await deps.redactors.forTenant(tx),
  }));
  const { columns } = await withReaderNames(found, redactor);
  return new Map(columns.map(({ sqlName, storedName }) => [sqlName, storedName]));
}

async function planSchedule(deps: Deps, caller: Caller, id: string, rrule: string) {
  const table = await deps.db.transaction(caller.tenantId, (tx) => findManaged(tx, caller, id));
  return scheduleChange(deps, caller, table, rrule);
}

/** Builds a table again, or starts a run that reads the file of its address. @throws ServiceError not_found, conflict during a run */
export async function rebuildTable(deps: Deps, caller: Caller, id: string): Promise<void> {
  const table = await deps.db.transaction(caller.tenantId, async (tx) => {
    const found = await findManaged(tx, caller, id);
    if (found.url === null) await rebuild(deps, tx, found, deps.clock.now());
    return found;
  });
  if (table.url !== null) await startRun(deps, caller.tenantId, table.sourceGroupId, caller, { onlyFailed: false });
}

/**
 * Deletes a table. One that comes with its source stays away until the source changes; with the table of an address, the source group
 * that follows the file is deleted.
 *
 * @throws ServiceError not_found
 */
export async function deleteTable(deps: Deps, caller: Caller, id: string): Promise<void> {
  const { tenantId } = caller;
  const found = await deps.db.transaction(tenantId, (tx) => findManaged(tx, caller, id));
  // First: a group that nobody asks for any more must not follow the file.
  if (found.url !== null) await requestDeletion(deps, caller, found.sourceGroupId);
  await deps.db.transaction(tenantId, async (tx) => {
    const table = found.url === null ? await findManaged(tx, caller, id) : found;
    if (table.requested) await deleteTables(tx, [id]);
    else await hideTable(tx, id, deps.clock.now());
    await recordChange(tx, caller, 'delete', 'table', id, { name: table.name });
  });
}

/** Returns a table within the limits of the key. Policies are for readers, not for those who manage tables. */
async function findManaged(tx: Tx, caller: Caller, id: string): Promise<CatalogueTable> {
  const { sourceGroupIds, tagIds } = caller;
  return orNotFound(await findVisibleTable(tx, id, { sourceGroupIds, tagIds, policy: null }));
}

async function rebuild({ queue }: Deps, tx: Tx, table: CatalogueTable, now: Date): Promise<void> {
  // The table of an address is built when its file is read.
  if (table.sourceId === null) return;
  await markBuilding(tx, [table.tableId], now);
  await queue.enqueue(tx, 'table-build', { tenantId: table.tenantId, sourceId: table.sourceId });
}

function nameTaken(): ServiceError {
  return conflict('Another table has this name.');
}

async function namesAreUnique<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw isUniqueViolation(error) ? nameTaken() : error;
  });
}

/** Rules for metadata columns. */

import type { Caller } from '../../access/caller.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import {
  countColumns,
  deleteColumn,
  findColumn,
  insertColumn,
  lockColumns,
  type MetadataColumn,
} from '../../corpus/column-store.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, orNotFound, ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { newId } from '../../util/ids.ts';

/** Maximum number of columns of one tenant. */
export const COLUMNS_MAX = 100;

type Uses = Pick<Deps, 'db' | 'clock'>;

/** Refuses limited keys, because a column belongs to the whole tenant. */
export function refuseLimited({ sourceGroupIds, tagIds }: Caller): void {
  if (sourceGroupIds !== null || tagIds !== null)
    throw new ServiceError('forbidden', 'A key with limits cannot declare or delete metadata columns.');
}

/**
 * Declares a column and returns it. Filters may name it from the commit on.
 *
 * @param commitWith writes more rows in the same transaction.
 * @throws ServiceError conflict when the key is declared already, or when the tenant has COLUMNS_MAX columns.
 */
export async function declareColumn(
  { db, clock }: Uses,
  caller: Caller,
  fields: Pick<MetadataColumn, 'key' | 'type' | 'description'>,
  commitWith: (tx: Tx, column: MetadataColumn) => Promise<void>,
): Promise<MetadataColumn> {
  const now = clock.now();
  const column: MetadataColumn = { id: newId(now.getTime()), ...fields, coercionFailures: 0 };
  await db.transaction(caller.tenantId, async (tx) => {
    await lockColumns(tx);
    if (await findColumn(tx, fields.key, caller))
      throw conflict('A metadata column with this key is declared already.');
    if ((await countColumns(tx)) >= COLUMNS_MAX)
      throw conflict(`There are ${COLUMNS_MAX} metadata columns already: delete one first.`);
    await insertColumn(tx, column, now);
    await commitWith(tx, column);
    await recordChange(tx, caller, 'create', 'metadata_column', column.key, { type: column.type });
  });
  return column;
}

/** Deletes a column and returns it. @throws ServiceError not_found */
export async function removeColumn({ db }: Pick<Uses, 'db'>, caller: Caller, key: string): Promise<MetadataColumn> {
  return db.transaction(caller.tenantId, async (tx) => {
    await lockColumns(tx);
    const column = orNotFound(await findColumn(tx, key, caller));
    await deleteColumn(tx, column.id);
    await recordChange(tx, caller, 'delete', 'metadata_column', column.key, { type: column.type });
    return column;
  });
}

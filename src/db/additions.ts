/** Caps on how many rows of a kind a tenant has. */
import type { Tx } from './database.ts';
import { sql } from './sql.ts';

/** Until the transaction ends, nobody else adds rows of this kind to the tenant: a count taken after it stays right. */
export async function holdAdditions(
  tx: Tx,
  tenantId: string,
  table: 'api_key' | 'connector_setting' | 'secret' | 'tag',
): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${table}::text || ' ' || ${tenantId}::text, 0))`);
}

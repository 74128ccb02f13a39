/** Locks for limits on the number of rows that a tenant has of a kind, and for rules that depend on these rows. */
import type { Tx } from './database.ts';
import { sql } from './sql.ts';

/** Blocks other transactions that add rows of this kind to the tenant. A count stays right until the transaction ends. */
export async function lockAdditions(
  tx: Tx,
  table: 'api_key' | 'connector_setting' | 'redaction_policy' | 'secret' | 'tag',
): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${table}::text || ' ' || ${tx.tenantId}::text, 0))`);
}

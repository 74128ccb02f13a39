/** SQL of the table usage_day: how many tokens of the chat model API keys used. */
import type { Database, Queryable, SystemDatabase } from '../db/database.ts';
import { recordset } from '../db/recordset.ts';
import { sql } from '../db/sql.ts';

export interface UsageRow {
  requests: number;
  inputTokens: number;
  outputTokens: number;
}

/** `day` as `2026-11-22`. */
export interface KeyUsage extends UsageRow {
  tenantId: string;
  apiKeyId: string;
  day: string;
}

/** Input and output tokens together. */
export interface TokensOfKey {
  tenantId: string;
  apiKeyId: string;
  tokens: number;
}

const USAGE_COLUMNS = {
  tenant_id: 'uuid',
  api_key_id: 'uuid',
  day: 'date',
  requests: 'bigint',
  input_tokens: 'bigint',
  output_tokens: 'bigint',
} as const;

/** Adds the counts to the stored counts. Rows of deleted tenants are dropped. */
export async function addUsage(tx: Queryable, rows: readonly KeyUsage[]): Promise<void> {
  const given = recordset(USAGE_COLUMNS, rows);
  await tx.query(sql`
    insert into usage_day (${given.columns}) select ${given.values} from ${given.table}
    where exists (select from tenant t where t.id = r.tenant_id)
    on conflict (tenant_id, api_key_id, day) do update set
      requests = usage_day.requests + excluded.requests,
      input_tokens = usage_day.input_tokens + excluded.input_tokens,
      output_tokens = usage_day.output_tokens + excluded.output_tokens`);
}

/** Returns the tokens of each key of these tenants that was used on that day. */
export async function readTokensOfDay(
  db: Queryable,
  tenantIds: readonly string[],
  day: string,
): Promise<TokensOfKey[]> {
  return db.query(sql`
    select tenant_id, api_key_id, input_tokens + output_tokens as tokens
    from usage_day where tenant_id = any (${tenantIds}::uuid[]) and day = ${day}::date`);
}

/** Returns the days from `sinceDay` on which the key was used, oldest first. */
export async function listUsage(
  db: Database,
  tenantId: string,
  apiKeyId: string,
  sinceDay: string,
): Promise<(UsageRow & { day: string })[]> {
  return db.query(
    tenantId,
    sql`
    select to_char(day, 'YYYY-MM-DD') as day, requests, input_tokens, output_tokens
    from usage_day where tenant_id = ${tenantId} and api_key_id = ${apiKeyId} and day >= ${sinceDay}::date order by usage_day.day`,
  );
}

export async function dropUsageBefore(system: SystemDatabase, day: string): Promise<void> {
  await system.query(sql`delete from usage_day where day < ${day}::date`);
}

/**
 * A tenant with one table whose rows belong to teams: a principal sees the rows of its team, and every row has a canary. Doors to the
 * table are compared with the API on it.
 */
import assert from 'node:assert/strict';
import { sql } from '../../../src/db/sql.ts';
import { buildWorker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../app.ts';
import { eventually, ingest, multipartBody, waitForGroup } from '../upload.ts';

const TEAMS = ['red', 'green'];
const LEDGER = `team,secret,amount
red,canary-red-one,10
green,canary-green-one,200
red,canary-red-two,30
`;
/** `undefined` names nobody. */
export const LEDGER_PRINCIPALS = [undefined, ...TEAMS, 'nobody'];
export const LEDGER_CANARIES = /canary-(?:red|green)-\w+/g;
export const LEDGER_STATEMENTS = [
  'select team, secret, amount from ledger order by amount',
  'select count(*), sum(amount), string_agg(secret) from ledger',
  'select cast(secret as integer) from ledger',
  'select distinct secret from ledger order by all',
  'select amunt from ledger',
];

export interface LedgerWorld {
  t: TestApp;
  tableId: string;
  /** API keys by what limits them. */
  keys: Record<string, string>;
  close(): Promise<void>;
}

export async function openLedgerWorld(env: Record<string, string> = {}): Promise<LedgerWorld> {
  const t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on', ...env } });
  const worker = buildWorker(t.deps);
  await worker.start();
  const keyed = JSON.stringify([{ key: 'team', type: 'string' }]);
  const form = multipartBody([{ name: 'ledger.csv', content: LEDGER }], [['chunk_metadata_keys', keyed]]);
  const uploaded = await t.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { 'x-api-key': t.key, ...form.headers },
    payload: form.body,
  });
  const group = uploaded.json().source_group_id as string;
  assert.equal(await waitForGroup(t, group), 'success');
  const own = {
    target: 'chunk_metadata',
    key: 'team',
    operator: 'eq',
    value: { subject: 'team' },
    trust_content: true,
  };
  assert.equal((await t.put('/authz/policies/default', { filters: [own] })).status, 200);
  for (const team of TEAMS)
    assert.equal((await t.put(`/authz/subjects/${team}/attributes`, { attributes: { team } })).status, 200);
  const tableId = await eventually(async () => {
    const [row] = await t.deps.db.system.query<{ id: string; status: string }>(
      sql`select id, status from source_table`,
    );
    return row?.status === 'ready' && row.id;
  });
  const others = await ingest(t, [{ name: 'other.txt', content: 'text' }]);
  const scopes = ['knowledge:read', 'inference:run'] as const;
  const keys = {
    all: t.key,
    group: await t.issueKey(scopes, { sourceGroupIds: [group] }),
    'other group': await t.issueKey(scopes, { sourceGroupIds: [others] }),
    'other tenant': (await t.secondTenant()).key,
    'no reader': await t.issueKey(['inference:run']),
    'no asker': await t.issueKey(['knowledge:read']),
  };
  return {
    t,
    tableId,
    keys,
    async close() {
      await worker.stop(0);
      await t.close();
    },
  };
}

/** Returns an answer of the table engine without its time, in which two runs of a statement differ. */
export function timeless(record: Record<string, unknown>): Record<string, unknown> {
  return { ...record, elapsed_ms: undefined };
}

/**
 * A service with three tables whose rows policies hide from principals, and what each principal may see, computed apart from the service.
 * Each secret of a row is a word of its own, so that an answer shows whose rows it tells of.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { sql } from '../../../src/db/sql.ts';
import type { EngineTable } from '../../../src/tables/engine/protocol.ts';
import type { TableColumn } from '../../../src/tables/table.ts';
import { buildWorker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../app.ts';
import type { Random } from '../random.ts';
import { eventually, multipartBody, waitForGroup } from '../upload.ts';

const TEAMS = 8;
const LEVELS = 4;
const ROWS_PER_TEAM = 12;
const REGIONS = ['north', 'south', 'east', 'west'];
const NOTHING_SEEN = 0.03;

/** A row with what policies ask about. A number is too large to be another count or position. */
interface LedgerRow {
  team: string;
  level: number;
  region: string;
  secret: string;
  amount: number;
  day: string;
}

export interface Principal {
  id: string;
  policy: string;
  attributes: Record<string, string | number | string[]>;
}

/** The tables of a principal without the rows that it may not see. */
export interface Shown {
  /** Tables of which no row is visible are not there. */
  tables: EngineTable[];
  /** All words and numbers of the visible rows. */
  words: ReadonlySet<string>;
  /** A word and a number of a row that the principal may not see. */
  hidden: { secret: string; amount: number };
  /** Tables of which each row is visible. */
  whole: ReadonlySet<string>;
}

export interface TablePolicyWorld {
  t: TestApp;
  /** Name in SQL -> id, and the id of its source. */
  ids: Record<string, { id: string; sourceId: string }>;
  principal(random: Random, number: number): Promise<Principal>;
  shownTo(principal: Principal): Promise<Shown>;
  close(): Promise<void>;
}

/** What tells of a row in an answer. */
export const ROW_WORDS = /canary-[a-z]+-\d+|(?<![\w.])[78]\d{6}(?![\w.])/g;

const own = (key: string, operator = 'eq') => ({
  ...{ target: 'chunk_metadata', key, operator, value: { subject: key }, trust_content: true },
});
const inRegions = { ...own('region', 'in'), value: { subject: 'regions' } };
const inGroup = { target: 'source_group', operator: 'eq', value: { subject: 'group' } };
const POLICIES: Record<string, object> = {
  team: { operator: 'or', filters: [own('team'), inGroup] },
  level: { operator: 'or', filters: [{ operator: 'and', filters: [own('team'), own('level', 'lte')] }, inGroup] },
  regions: { filters: [inRegions] },
  either: { operator: 'or', filters: [own('team'), { operator: 'and', filters: [inRegions, own('level', 'lt')] }] },
};

const LEDGER: LedgerRow[] = Array.from({ length: TEAMS * ROWS_PER_TEAM }, (_, i) => ({
  team: `canary-team-${i % TEAMS}`,
  level: Math.floor(i / TEAMS) % LEVELS,
  region: REGIONS[Math.floor(i / 5) % REGIONS.length]!,
  secret: `canary-row-${i}`,
  amount: 7_000_000 + ((i * i * 7_919 + i * 104_729 + 3) % 999_983),
  // The last day is a cell that is no date.
  day:
    i === TEAMS * ROWS_PER_TEAM - 1 ? `canary-day-${i}` : new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10),
}));
const STAFF = Array.from({ length: TEAMS }, (_, i) => ({
  ...{ team: `canary-team-${i}`, level: i % LEVELS, region: REGIONS[i % REGIONS.length]! },
  ...{ manager: `canary-manager-${i}`, pay: 8_000_003 + i * 1_013 },
}));
/** A source that is seen as a whole or not at all, under the policies that name its group. */
const CLOSED = Array.from({ length: 5 }, (_, i) => ({ plan: `canary-plan-${i}`, cost: 8_500_003 + i * 1_019 }));

export async function openTablePolicyWorld(): Promise<TablePolicyWorld> {
  const t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
  const worker = buildWorker(t.deps);
  await worker.start();
  const upload = async (name: string, rows: readonly object[], keys: object[]): Promise<string> => {
    const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map((cells) => cells.join(','));
    const form = multipartBody(
      [{ name: `${name}.csv`, content: lines.join('\n') }],
      keys.length > 0 ? [['chunk_metadata_keys', JSON.stringify(keys)]] : [],
    );
    const headers = { 'x-api-key': t.key, ...form.headers };
    const url = '/api/v1/local-file-groups';
    const answer = await t.app.inject({ method: 'POST', url, headers, payload: form.body });
    assert.equal(answer.statusCode, 201, answer.body);
    const id = answer.json().source_group_id as string;
    assert.equal(await waitForGroup(t, id), 'success');
    return id;
  };
  const keys = [
    { key: 'team', type: 'string' },
    { key: 'level', type: 'integer' },
    { key: 'region', type: 'string' },
  ];
  await upload('ledger', LEDGER, keys);
  await upload('staff', STAFF, keys);
  const closedGroup = await upload('closed', CLOSED, []);
  for (const [name, policy] of Object.entries(POLICIES)) {
    const { status, text } = await t.put(`/authz/policies/${name}`, policy);
    assert.equal(status, 200, text);
  }
  type Stored = { id: string; sourceId: string; sqlName: string; blobHash: string; columns: TableColumn[] };
  const stored = await eventually(async () => {
    const rows = await t.deps.db.system.query<Stored & { status: string }>(
      sql`select id, source_id, sql_name, blob_hash, columns, status from source_table order by id`,
    );
    return rows.length === 3 && rows.every(({ status }) => status === 'ready') && rows;
  });

  const folder = mkdtempSync(join(tmpdir(), 'pinakes-shown-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const cache = new Map<string, Promise<Shown>>();

  const visible = ({ policy, attributes: of }: Principal): Record<string, number[]> => {
    const shows = (row: { team: string; level: number; region: string }): boolean => {
      const isTeam = row.team === of['team'];
      const isRegion = Array.isArray(of['regions']) && of['regions'].includes(row.region);
      const level = typeof of['level'] === 'number' ? of['level'] : -1;
      if (policy === 'team') return isTeam;
      if (policy === 'level') return isTeam && row.level <= level;
      if (policy === 'regions') return isRegion;
      return isTeam || (isRegion && row.level < level);
    };
    const seesClosed = (policy === 'team' || policy === 'level') && of['group'] === closedGroup;
    return {
      ledger: LEDGER.flatMap((row, i) => (shows(row) ? [i] : [])),
      staff: STAFF.flatMap((row, i) => (shows(row) ? [i] : [])),
      closed: seesClosed ? CLOSED.map((_, i) => i) : [],
    };
  };

  function shownTo(principal: Principal): Promise<Shown> {
    const rows = visible(principal);
    const key = JSON.stringify(rows);
    const shown = cache.get(key) ?? copyShown(rows, join(folder, `${cache.size}`));
    cache.set(key, shown);
    return shown;
  }

  async function copyShown(rows: Record<string, number[]>, own: string): Promise<Shown> {
    mkdirSync(own);
    const tables: EngineTable[] = [];
    for (const { sqlName, blobHash, columns } of stored) {
      if (rows[sqlName]!.length === 0) continue;
      const file = join(own, `${sqlName}.parquet`);
      const original = t.deps.blobs.localPath(t.tenantId, blobHash);
      // The places count the visible rows, so that a statement that reads a place is noticed.
      const places = ['_row', '_part', '_start'].map((name) => `(n - 1)::integer as ${name}`);
      const numbered = `select *, row_number() over (order by _row) as n from read_parquet('${original}')
        where _row in (${rows[sqlName]})`;
      await connection.run(`copy (select * exclude (n) replace (${places}) from (${numbered}) order by n)
        to '${file}' (format parquet)`);
      tables.push({
        ...{ sqlName, file, hasTotals: false, parts: null },
        columns: columns.map(({ sqlName: name, type }) => ({ name, type })),
      });
    }
    const cells = [
      ...rows['ledger']!.map((i) => LEDGER[i]!),
      ...rows['staff']!.map((i) => STAFF[i]!),
      ...rows['closed']!.map((i) => CLOSED[i]!),
    ].flatMap((row) => Object.values(row).map(String));
    const hidden = LEDGER.find((_, i) => !rows['ledger']!.includes(i))!;
    const lengths: Record<string, number> = { ledger: LEDGER.length, staff: STAFF.length, closed: CLOSED.length };
    const whole = new Set(Object.keys(lengths).filter((name) => rows[name]!.length === lengths[name]));
    return { tables, words: new Set(cells), hidden: hidden ?? LEDGER[0]!, whole };
  }

  return {
    t,
    ids: Object.fromEntries(stored.map(({ sqlName, id, sourceId }) => [sqlName, { id, sourceId }])),
    shownTo,
    async principal(random, number) {
      const seesNothing = random.next() < NOTHING_SEEN;
      const regions = seesNothing ? [] : REGIONS.filter(() => random.next() < 0.4);
      const attributes = {
        team: seesNothing ? 'none' : `canary-team-${random.integer(0, TEAMS - 1)}`,
        ...(random.next() < 0.9 && !seesNothing && { level: random.integer(0, LEVELS - 1) }),
        ...(regions.length > 0 && { regions }),
        ...(random.next() < 0.3 && { group: closedGroup }),
      };
      const id = `principal-${number}`;
      const { status, text } = await t.put(`/authz/subjects/${id}/attributes`, { attributes });
      assert.equal(status, 200, text);
      return { id, policy: random.pick(Object.keys(POLICIES)), attributes };
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true, force: true });
      await worker.stop(0);
      await t.close();
    },
  };
}

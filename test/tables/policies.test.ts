/**
 * Policies on tables: for each principal, an answer is what it would be if the hidden rows did not exist. Results, aggregates, windows,
 * joins, citations, errors and the catalogue are looked at. `npm run check:table-policies` asks for 1,000 principals
 * (PINAKES_TEST_PRINCIPALS).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { QueryFailure } from '../../src/tables/engine/failures.ts';
import { readAllowedFunctions } from '../../src/tables/engine/gate.ts';
import type { QueryResult } from '../../src/tables/engine/protocol.ts';
import { closeEngine, openEngine, runQuery } from '../../src/tables/engine/run-query.ts';
import type { TestAnswer } from '../support/app.ts';
import { openRandom, TEST_SEED } from '../support/random.ts';
import { BY_LUCK, policyQueries, policyStatements } from '../support/worlds/policy-statements.ts';
import {
  openTablePolicyWorld,
  type Principal,
  ROW_WORDS,
  type Shown,
  type TablePolicyWorld,
} from '../support/worlds/table-policy-world.ts';

const PRINCIPALS = Number(process.env['PINAKES_TEST_PRINCIPALS'] ?? 3);
const TIMEOUT_MS = 30_000;
const ROW_LIMIT = 1_000;

let world: TablePolicyWorld;
before(async () => {
  world = await openTablePolicyWorld();
});
after(() => world.close());

const allowed = readAllowedFunctions();
type Expected = QueryResult | { failure: string };
const expected = new WeakMap<Shown, Map<string, Promise<Expected>>>();

/** Runs the statement where the hidden rows do not exist. */
function expect(shown: Shown, statement: string): Promise<Expected> {
  const known = expected.get(shown) ?? new Map<string, Promise<Expected>>();
  expected.set(shown, known);
  const run = async (): Promise<Expected> => {
    const engine = await openEngine(256);
    const tables = shown.tables.filter(({ sqlName }) => statement.includes(sqlName));
    const request = { id: 1, sql: statement, tables, rowLimit: ROW_LIMIT, timeoutMs: TIMEOUT_MS };
    try {
      return await runQuery(engine, { ...request, traces: true }, allowed);
    } catch (error) {
      if (error instanceof QueryFailure) return { failure: error.message };
      throw error;
    } finally {
      closeEngine(engine);
    }
  };
  const result = known.get(statement) ?? run();
  known.set(statement, result);
  return result;
}

/**
 * Asserts that the answer has words of visible rows only.
 *
 * @param said text of the caller, which an answer may repeat.
 * @param counted the right result: an average may be the number of a hidden row by chance.
 */
function assertOwnWords(shown: Shown, answer: TestAnswer, what: string, said = '', counted = ''): void {
  for (const [word] of answer.text.matchAll(ROW_WORDS))
    assert.ok(
      shown.words.has(word) || said.includes(word) || counted.includes(word),
      `${word}: ${what}\n${answer.text.slice(0, 500)}`,
    );
  assert.ok(answer.status < 500, `${what}: ${answer.text}`);
}

async function check(principal: Principal): Promise<number> {
  const shown = await world.shownTo(principal);
  const { id: principal_id, policy: authz_policy } = principal;
  const common = { principal_id, authz_policy, timeout_ms: TIMEOUT_MS, row_limit: ROW_LIMIT };
  let asked = 0;
  const compare = async (body: { sql?: string; query?: object }): Promise<void> => {
    asked += 1;
    const answer = await world.t.post('/tables/query', { ...common, ...body });
    const { status, body: told } = answer;
    const statement = body.sql ?? told.sql ?? '';
    const what = `${principal_id} (${JSON.stringify(principal.attributes)}, ${authz_policy}): ${statement || JSON.stringify(body)}`;
    const isCompared = statement !== BY_LUCK && statement !== '';
    const wanted = isCompared && (await expect(shown, statement));
    assertOwnWords(shown, answer, what, statement, wanted && 'rows' in wanted ? JSON.stringify(wanted.rows) : '');
    if (!wanted) return;
    if ('failure' in wanted) {
      assert.equal(status, 400, what);
      // A place and the names of other visible tables may follow.
      assert.ok(told.error.message.startsWith(wanted.failure), `${told.error.message}, not ${wanted.failure}: ${what}`);
      return;
    }
    assert.equal(status, 200, `${what}: ${answer.text}`);
    assert.deepEqual(told.rows, wanted.rows, what);
    assert.equal(told.witness_count, wanted.trace.kind === 'aggregates' ? wanted.trace.count : null, what);
    const gaps =
      !shown.whole.has('ledger') &&
      told.citations.some(
        ({ name, row }: { name: string; row: { row: number | null } }) => name === 'ledger.csv' && row.row !== null,
      );
    assert.ok(!gaps, `numbers of rows tell of gaps: ${what}`);
  };
  for (const sql of policyStatements(shown.hidden)) await compare({ sql });
  for (const query of policyQueries(shown.hidden)) await compare({ query });
  return asked + (await checkCatalogue(principal, shown));
}

async function checkCatalogue(principal: Principal, shown: Shown): Promise<number> {
  const asking = `principal_id=${principal.id}&authz_policy=${principal.policy}`;
  const get = async (path: string): Promise<TestAnswer> => {
    const answer = await world.t.get(`${path}${path.includes('?') ? '&' : '?'}${asking}`);
    assertOwnWords(shown, answer, `${principal.id}: GET ${path}`);
    return answer;
  };
  const names = shown.tables.map(({ sqlName }) => sqlName);
  const listed = await get('/tables');
  assert.deepEqual(listed.body.tables.map(({ sql_name }: { sql_name: string }) => sql_name).sort(), names.sort());
  let asked = 1;
  for (const [name, { id, sourceId }] of Object.entries(world.ids)) {
    const status = names.includes(name) ? 200 : 404;
    const table = await get(`/tables/${id}`);
    const rows = await get(`/tables/${id}/rows?limit=100`);
    const ofSource = await get(`/sources/${sourceId}/tables`);
    asked += 3;
    assert.deepEqual(
      [table.status, rows.status, ofSource.status],
      [status, status, status],
      `${principal.id}: ${name}`,
    );
    if (status === 404) continue;
    const all = await expect(shown, `select * from ${name}`);
    assert.ok('rows' in all);
    assert.deepEqual(
      rows.body.rows.map(({ values }: { values: object }) => Object.values(values)),
      all.rows,
    );
    const isPartial = !shown.whole.has(name);
    for (const { row_count, columns, warnings } of [table.body]) {
      assert.equal(row_count === null, isPartial, principal.id);
      const counts = warnings.some(({ code }: { code: string }) => code === 'cast_failures');
      assert.equal(counts, name === 'ledger' && !isPartial, `${name}: ${JSON.stringify(warnings)}`);
      if (isPartial) assert.ok(columns.every(({ nullable }: { nullable: boolean }) => nullable));
      for (const { distinct, min, examples } of columns)
        assert.deepEqual([distinct === null, min === null, examples.length === 0], [isPartial, isPartial, isPartial]);
    }
  }
  return asked;
}

test(`${PRINCIPALS} principals learn nothing of hidden rows`, async (t) => {
  const random = openRandom(TEST_SEED);
  const principals: Principal[] = [];
  for (let i = 0; i < PRINCIPALS; i++) principals.push(await world.principal(random, i));
  let asked = 0;
  await Promise.all(
    [0, 1].map(async (first) => {
      for (let i = first; i < principals.length; i += 2) {
        const requests = await check(principals[i]!);
        asked += requests;
      }
    }),
  );
  t.diagnostic(`seed ${TEST_SEED}: ${asked} requests of ${PRINCIPALS} principals`);
});

test('for a principal without a visible row, the table does not exist', async () => {
  for (const principal_id of ['nobody', undefined]) {
    const asking = { principal_id, authz_policy: 'team' };
    const { status, body } = await world.t.post('/tables/query', { sql: 'select * from ledger', ...asking });
    assert.deepEqual([status, body.error.message], [400, 'There is no table ledger. (at character 15)']);
  }
  const tables = [world.ids['ledger']!.id];
  const asking = { principal_id: 'nobody', authz_policy: 'team', tables };
  assert.equal((await world.t.post('/tables/query', { sql: 'select 1', ...asking })).status, 404);
});

/** Tables of a file at an address: read by a run, on a schedule, kept when the address fails. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { type CompiledPolicy, NOTHING } from '../../src/access/policy-sql.ts';
import { openWebConnector } from '../../src/connectors/web/connector.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { findVisibleTable } from '../../src/features/tables/catalogue-store.ts';
import { openHttpClient } from '../../src/net/http-client.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakePage, type FakeSite, openFakeSite } from '../support/fakes/site.ts';
import { eventually } from '../support/upload.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they assert
type Loose = any;

let t: TestApp;
let worker: Worker;
let site: FakeSite;
let ahead = 0;
const clock = { now: () => new Date(Date.now() + ahead) };
const http = openHttpClient({
  allow: ['127.0.0.0/8'],
  lookup: async (name) => [{ address: name === 'inside.example' ? '10.1.2.3' : '127.0.0.1' }],
});
before(async () => {
  site = await openFakeSite();
  const web = openWebConnector({ http, clock, delayMs: 0, delayMinMs: 0, retryBaseMs: 1 });
  t = await openTestApp({ given: { clock, connectors: { web } as Loose } });
  worker = buildWorker(t.deps, { scheduleIntervalMs: 100 });
  await worker.start();
});
after(async () => {
  await worker.stop(1_000);
  await t.close();
  await http.close();
  await site.close();
});
beforeEach(() => {
  site.pages.clear();
  site.requests.length = 0;
});
afterEach(async () => {
  const found = await findViolations(t.deps.db, t.deps.blobs, { now: new Date(), graceSeconds: 60 });
  assert.deepEqual(found, []);
});

const at = (path: string, host = 'data.example') => `http://${host}:${site.port}${path}`;
const csv = (body: string): FakePage => ({ type: 'text/csv', body });

/** Creates the table of an address, and returns it when its first run has ended and its build is done. */
async function follow(body: Loose): Promise<Loose> {
  const { status, body: made } = await t.post('/tables', body);
  assert.equal(status, 201, JSON.stringify(made));
  await runEnds(made.source_group_id);
  return settled(made.table_id);
}

const runEnds = (groupId: string): Promise<unknown> =>
  eventually(async () => {
    const { status } = (await t.get(`/source-groups/${groupId}`)).body;
    return !['queued', 'starting', 'started'].includes(status);
  });

const settled = (id: string): Promise<Loose> =>
  eventually(async () => {
    const { body } = await t.get(`/tables/${id}`);
    return body.status !== 'building' && body;
  });

/** Reads the address again. */
async function refresh(table: Loose): Promise<Loose> {
  assert.equal((await t.post(`/tables/${table.id}/runs`, {})).status, 202);
  await runEnds(table.source_group_id);
  return settled(table.id);
}

const latestRun = async (table: Loose): Promise<Loose> =>
  (await t.get(`/source-groups/${table.source_group_id}/runs?order=desc`)).body.runs[0];

test('a file at an address becomes a table, and each changed file a new version', async () => {
  site.set({ '/prices.csv': csv('item,price\nnut,1.50\nbolt,2.25\n') });
  const request = { name: 'Prices', source: { url: at('/prices.csv') }, rrule: 'FREQ=DAILY;BYHOUR=5' };
  const first = await follow(request);
  assert.deepEqual([first.status, first.version, first.row_count, first.error], ['ready', 1, 2, null]);
  assert.deepEqual([first.url, first.rrule, first.sql_name], [request.source.url, request.rrule, 'prices']);
  assert.equal((await t.get(`/source-groups/${first.source_group_id}`)).body.status, 'managed');
  const { tables, pagination } = (await t.get(`/tables?source_group_id=${first.source_group_id}`)).body;
  assert.deepEqual([tables.length, pagination.total], [1, 1]);

  const same = await refresh(first);
  assert.equal(same.version, 1);
  assert.equal(site.requests.at(-1)!.status, 304);

  site.set({ '/prices.csv': csv('item,price\nnut,1.75\nbolt,2.25\nscrew,0.10\n') });
  const second = await eventually(async () => {
    const table = await refresh(first);
    return table.version === 2 && table;
  });
  assert.deepEqual([second.row_count, second.id], [3, first.id]);
  const { rows, citations } = (await t.post('/tables/query', { sql: "select price from prices where item = 'nut'" }))
    .body;
  assert.deepEqual(rows, [[1.75]]);
  assert.deepEqual([citations[0].url, citations[0].row.table_id], [request.source.url, first.id]);
  assert.equal((await t.post('/tables', request)).status, 409, 'the name is taken');
});

test('an address that fails leaves the served version, and the table says why until the next good run', async () => {
  site.set({ '/stock.csv': csv('part,count\nA1,3\nB2,5\n') });
  const first = await follow({ name: 'Stock', source: { url: at('/stock.csv') } });
  const html = '<!doctype html><title>Sign in</title><p>Please sign in.</p>';
  const failures: [FakePage | null, RegExp][] = [
    [null, /was not found.*404/],
    [{ status: 403, body: 'no' }, /refuses.*403/],
    [{ status: 503, body: 'later' }, /503/],
    [{ body: html }, /web page, not with a csv file/],
    [{ type: 'image/png', body: 'PNG' }, /nothing to read in image\/png/],
    [{ to: at('/stock.csv') }, /circle/],
    [{ to: at('/x.csv', 'inside.example') }, /stock|inside|address/i],
  ];
  for (const [page, reason] of failures) {
    site.set({ '/stock.csv': page });
    const failed = await refresh(first);
    assert.deepEqual([failed.status, failed.version, failed.row_count], ['failed', 1, 2], String(reason));
    assert.match(failed.error, reason);
    assert.equal((await latestRun(failed)).status, 'failure');
    const { rows } = (await t.post('/tables/query', { sql: 'select sum("count") from stock' })).body;
    assert.deepEqual(rows, [[8]]);
  }
  site.set({ '/stock.csv': csv('part,count\nA1,3\nB2,5\n') });
  const again = await refresh(first);
  assert.deepEqual([again.status, again.error, again.version], ['ready', null, 1]);
});

test('a table whose file was never read says why, waits, and is built by a later run', async () => {
  const table = await follow({ name: 'Late', source: { url: at('/late.json') } });
  assert.deepEqual([table.status, table.version, table.source_id, table.columns], ['failed', 0, null, []]);
  assert.match(table.error, /was not found/);
  assert.deepEqual((await t.get(`/tables/${table.id}/rows`)).body.rows, []);
  site.set({ '/late.json': { type: 'application/json', body: '[{"a": 1}, {"a": 2}]' } });
  const built = await eventually(async () => {
    const next = await refresh(table);
    return next.version === 1 && next;
  });
  assert.deepEqual([built.id, built.status, built.row_count], [table.id, 'ready', 2]);
});

test('an address that may not be requested is never connected to', async () => {
  const table = await follow({ name: 'Inside', source: { url: at('/secret.csv', 'inside.example') } });
  assert.deepEqual([table.status, table.version], ['failed', 0]);
  assert.deepEqual(site.requests, []);
  for (const url of [
    'file:///etc/passwd',
    'ftp://data.example/a.csv',
    'http://user:pw@data.example/a.csv',
    'prices.csv',
  ])
    assert.equal((await t.post('/tables', { source: { url } })).status, 400, url);
});

test('a file keeps its table wherever redirects lead', async () => {
  let turn = 0;
  site.set({ '/download': { to: '', status: 302 } });
  const lead = () => site.set({ '/download': { to: at(`/blob-${++turn}.csv`, 'cdn.example'), status: 302 } });
  site.invent = (path) => (path.startsWith('/blob') ? csv(`n\n${turn}\n${turn + 1}\n`) : undefined);
  lead();
  const first = await follow({ name: 'Signed', source: { url: at('/download') } });
  assert.deepEqual([first.status, first.version, first.row_count], ['ready', 1, 2]);
  lead();
  const second = await eventually(async () => {
    const table = await refresh(first);
    return table.version === 2 && table;
  });
  assert.deepEqual([second.id, second.source_id, second.columns[0].max], [first.id, first.source_id, '3']);
});

test('one of several tables is named by its index', async () => {
  const table = (name: string) =>
    `<table><tr><th>${name}</th><th>n</th></tr><tr><td>x</td><td>1</td></tr><tr><td>y</td><td>2</td></tr></table>`;
  const two = `<h1>Lists</h1>${table('a')}<p>And another list.</p>${table('b')}`;
  site.set({ '/lists': { body: `<!doctype html><title>Lists</title>${two}` } });
  const open = await follow({ name: 'Any', source: { url: at('/lists') } });
  assert.match(open.error, /has 2 tables: name one by its index/);
  const second = await follow({ name: 'Second', source: { url: at('/lists'), position: { index: 1 } } });
  assert.deepEqual([second.status, second.columns[0].sql_name], ['ready', 'b']);
  const none = await follow({ name: 'None', source: { url: at('/lists'), position: { index: 7 } } });
  assert.match(none.error, /has no table there/);
});

test('the schedule is changed, ended and refused where it does not belong', async () => {
  site.set({ '/plan.csv': csv('n\n1\n') });
  const table = await follow({ source: { url: at('/plan.csv') } });
  assert.deepEqual([table.name, table.rrule], ['plan', '']);
  assert.equal((await t.put(`/tables/${table.id}`, { rrule: 'FREQ=HOURLY' })).status, 200);
  assert.equal((await t.get(`/tables/${table.id}`)).body.rrule, 'FREQ=HOURLY');
  assert.equal((await t.put(`/tables/${table.id}`, { rrule: 'FREQ=SECONDLY' })).status, 400);
  assert.equal((await t.put(`/tables/${table.id}`, { rrule: '' })).status, 200);
  assert.equal((await t.get(`/tables/${table.id}`)).body.rrule, '');
  const source = { source_id: table.source_id };
  assert.equal((await t.post('/tables', { source, rrule: 'FREQ=DAILY' })).status, 400);
  assert.equal((await t.post('/tables', { source: { ...source, url: at('/plan.csv') } })).status, 400);
  assert.equal((await t.post('/tables', { source: {} })).status, 400);
  assert.equal((await t.post('/tables', { source: { url: at('/plan.csv') }, rrule: 'FREQ=MINUTELY' })).status, 400);
});

test('deleting the table of an address deletes its source and its schedule', async () => {
  site.set({ '/gone.csv': csv('n\n1\n') });
  const body = { name: 'Short lived', source: { url: at('/gone.csv') }, rrule: 'FREQ=DAILY' };
  const table = await follow(body);
  assert.equal((await t.delete(`/tables/${table.id}`)).status, 200);
  for (const path of [`/tables/${table.id}`, `/sources/${table.source_id}`])
    assert.equal((await t.get(path)).status, 404);
  await eventually(async () => (await t.get(`/source-groups/${table.source_group_id}`)).status === 404);
  assert.equal((await follow(body)).version, 1, 'the name is free again');
});

test('a table of an address needs the scope, and a key without limits', async () => {
  const body = { name: 'Barred', source: { url: at('/barred.csv') } };
  const reader = await t.issueKey(['knowledge:read']);
  assert.equal((await t.post('/tables', body, reader)).status, 403);
  const { body: group } = await t.post('/crawls', { name: 'Site', urls: [at('/')], max_depth: 0 });
  const limited = await t.issueKey(['ingestion:manage'], { sourceGroupIds: [group.id] });
  assert.equal((await t.post('/tables', body, limited)).status, 403);
  assert.deepEqual((await t.get('/tables?name=Barred')).body.tables, []);
});

test('a table that waits for its file is hidden from others, and from every principal', async () => {
  const table = await follow({ name: 'Private', source: { url: at('/private.csv') } });
  const { body: group } = await t.post('/crawls', { name: 'Other', urls: [at('/')], max_depth: 0 });
  const limited = await t.issueKey(['knowledge:read', 'ingestion:manage'], { sourceGroupIds: [group.id] });
  for (const key of [limited, (await t.secondTenant()).key]) {
    const answers = [
      await t.get(`/tables/${table.id}`, key),
      await t.put(`/tables/${table.id}`, { rrule: 'FREQ=DAILY' }, key),
      await t.post(`/tables/${table.id}/runs`, {}, key),
      await t.delete(`/tables/${table.id}`, key),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 404, 404, 404],
    );
    assert.deepEqual((await t.get('/tables?name=Private', key)).body.tables, []);
  }
  const access = { sourceGroupIds: null, tagIds: null };
  const seenWith = (policy: CompiledPolicy | null) =>
    t.deps.db.transaction(t.tenantId, (tx) => findVisibleTable(tx, table.id, { ...access, policy }));
  assert.equal((await seenWith(null))?.tableId, table.id);
  assert.equal(await seenWith({ ...NOTHING, source: null }), undefined, 'also under a policy that allows everything');
});

test('at its times, an address is read again by itself', async () => {
  site.set({ '/rates.csv': csv('currency,rate\nEUR,1.10\n') });
  const first = await follow({ name: 'Rates', source: { url: at('/rates.csv') }, rrule: 'FREQ=HOURLY' });
  assert.deepEqual([first.version, first.row_count], [1, 1]);
  site.set({ '/rates.csv': csv('currency,rate\nEUR,1.25\nCHF,0.95\n') });
  ahead += 3_600_000 + 120_000;
  const second = await eventually(async () => {
    const { body } = await t.get(`/tables/${first.id}`);
    return body.version === 2 && body.status === 'ready' && body;
  });
  assert.deepEqual([second.row_count, second.error], [2, null]);
  const { rows } = (await t.post('/tables/query', { sql: 'select sum(rate) from rates' })).body;
  assert.deepEqual(rows, [[2.2]]);
});

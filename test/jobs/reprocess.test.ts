/** Ingest rules of a redaction policy: redacted text is stored, and sources are read again when the rules change. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findViolations } from '../../src/corpus/invariants.ts';
import { sql } from '../../src/db/sql.ts';
import { wakeReprocessing } from '../../src/ingest/runs/reprocess.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import { openTestApp, type TestApp, type TestTenant } from '../support/app.ts';
import { eventually, ingest } from '../support/upload.ts';

const EMAIL = 'jane.doe@example.com';
const CARD = '4111 1111 1111 1111';

let t: TestApp;
before(async () => {
  t = await openTestApp({ runsJobs: true });
});
after(() => t.close());

const rule = (name: string, more: object) => ({ name, action: 'mask', apply_at: ['ingest'], ...more });
const MASK_EMAIL = rule('mail', { kind: 'entity', entities: ['email'] });
const MASK_CARD = rule('card', { kind: 'entity', entities: ['credit_card'] });
const setPolicy = async (tenant: TestTenant, ...rules: object[]) => {
  const { status, text } = await t.put('/redaction-policy', { enabled: true, rules }, tenant.key);
  assert.equal(status, 200, text);
};
const search = async (tenant: TestTenant, query = 'heron') =>
  (await t.post('/search', { query, limit: 100 }, tenant.key)).body.results as Record<string, never>[];
/** Returns everything that the database stores of the texts of a tenant. */
const stored = async ({ tenantId }: TestTenant) =>
  JSON.stringify(
    await t.deps.db.query(
      tenantId,
      sql`select content, context, heading_path, metadata, terms from chunk union all
        select content, null, null, null, '' from source_text union all
        select '', null, null, origin_metadata, '' from source`,
    ),
  );
/** Resolves when every source was read under the current rules, and no run is active. */
const idle = ({ tenantId, key }: TestTenant) =>
  eventually(async () => {
    const { source_groups: groups } = (await t.get('/source-groups', key)).body;
    const [{ outdated } = { outdated: 1 }] = await t.deps.db.transaction(tenantId, async (tx) => {
      const mark = (await t.deps.redactors.forTenant(tx))?.ingestMark ?? '';
      return tx.query<{ outdated: number }>(sql`
        select (select count(*) from source where redacted_by <> ${mark}) + (select count(*) from source_update) as outdated`);
    });
    return outdated === 0 && groups.every((group: { status: string }) => group.status === 'success');
  });
const violations = async () =>
  findViolations(t.deps.db, t.deps.blobs, { now: new Date(Date.now() + 1_000), graceSeconds: 0 });

const FILES = [
  {
    name: 'heron.md',
    content: `---\ntitle: Notes of ${EMAIL}\n---\n# Heron of ${EMAIL}\n\n😀 The heron 😀 is fed by ${EMAIL} with ${CARD}.\n\n[Write](https://example.org/write?to=${EMAIL}) to her about the heron.\n`,
  },
  { name: 'birds.csv', content: `bird,keeper\nheron,${EMAIL}\nheron egret,nobody\n` },
  {
    name: 'table.md',
    content: `# Heron\n\n| keeper ${EMAIL} | bird |\n|---|---|\n| ${EMAIL} | heron |\n| x | egret |\n`,
  },
];

test('redacted text is stored nowhere, and all offsets belong to the redacted text', async () => {
  const tenant = await t.secondTenant();
  await setPolicy(tenant, MASK_EMAIL);
  const group = await ingest(t, FILES, tenant.key);
  const texts = await stored(tenant);
  assert.ok(!texts.includes('jane') && texts.includes(CARD) && texts.includes('[EMAIL]'), texts);
  const hits = (await search(tenant)) as unknown as Record<string, string & number>[];
  assert.ok(hits.length >= 3);
  for (const hit of hits) {
    const range = `start_offset=${hit['start_offset']}&end_offset=${hit['end_offset']}`;
    const { text } = (await t.get(`/sources/${hit['source_id']}/text?${range}`, tenant.key)).body;
    assert.equal(text, hit['content']);
  }
  assert.ok(hits.some((hit) => String(hit['content']).includes('😀 The heron 😀 is fed by [EMAIL] with')));
  assert.equal((await t.get(`/source-groups/${group}/runs`, tenant.key)).body.runs.length, 1, 'nothing is read again');
});

test('a rule with the action block makes the file fail with its reason', async () => {
  const tenant = await t.secondTenant();
  await setPolicy(tenant, { ...MASK_EMAIL, action: 'block' });
  const withheld = { ...FILES[0]!, name: `of ${EMAIL}.md` };
  const group = await ingest(t, [withheld, { name: 'ok.txt', content: 'A heron.' }], tenant.key);
  assert.deepEqual(
    (await search(tenant)).map((hit) => hit['name']),
    ['ok.txt'],
  );
  const [run] = (await t.get(`/source-groups/${group}/runs`, tenant.key)).body.runs;
  const { text } = await t.get(`/runs/${run.id}/errors`, tenant.key);
  assert.match(text, /Blocked by the redaction policy/);
  assert.ok(!text.includes(EMAIL) && !(await stored(tenant)).includes('jane'));
});

test('files that a rule blocked are read again when the rule goes', async () => {
  const tenant = await t.secondTenant();
  const served = await ingest(t, FILES.slice(0, 1), tenant.key);
  const names = async () => (await search(tenant)).map((hit) => String(hit['name'])).sort();
  await setPolicy(tenant, { ...MASK_EMAIL, action: 'block' });
  await eventually(async () => (await t.get(`/source-groups/${served}`, tenant.key)).body.status === 'failure');
  const late = { name: 'late.txt', content: `A heron of ${EMAIL}.` };
  const refused = await ingest(t, [late, { name: 'ok.txt', content: 'An egret.' }], tenant.key);
  assert.deepEqual(await names(), []);
  const runsOf = async (group: string) => (await t.get(`/source-groups/${group}/runs`, tenant.key)).body.runs;
  const ended = async (group: string, count: number) => {
    const runs = await runsOf(group);
    return runs.length === count && !['queued', 'starting', 'started'].includes(runs.at(-1).status);
  };
  // Another rule that blocks: the file is read again, and fails again.
  await setPolicy(tenant, { ...MASK_EMAIL, action: 'block' }, MASK_CARD);
  await eventually(() => ended(refused, 2));
  await eventually(() => ended(served, 3));
  // A start does not read it again.
  await wakeReprocessing(t.deps);
  const [job] = await t.deps.db.system.query<{ id: string }>(sql`
    select id from pgboss.job where name = 'reprocess' and data ->> 'tenantId' = ${tenant.tenantId}
    order by created_on desc limit 1`);
  await eventually(
    async () =>
      (await t.deps.db.system.query(sql`select from pgboss.job where id = ${job!.id} and state <> 'completed'`))
        .length === 0,
  );
  assert.equal((await runsOf(refused)).length, 2);
  await setPolicy(tenant, MASK_CARD);
  await idle(tenant);
  assert.deepEqual([...new Set(await names())], ['heron.md', 'late.txt']);
  const { sources } = (await t.get(`/source-groups/${served}/sources`, tenant.key)).body;
  assert.equal(sources[0].error, null);
});

test('changed rules apply at once, and a visible run reads the sources again', async () => {
  const tenant = await t.secondTenant();
  const group = await ingest(t, FILES, tenant.key);
  const before_ = (await search(tenant)).map((hit) => hit['source_id']);
  assert.ok((await stored(tenant)).includes('jane'));
  await setPolicy(tenant, MASK_EMAIL);
  // The test does not wait for the run: the text is hidden before and after it.
  assert.ok(!JSON.stringify(await search(tenant)).includes(EMAIL));
  await setPolicy(tenant, MASK_EMAIL, MASK_CARD);
  await setPolicy(tenant, MASK_EMAIL, MASK_CARD, rule('other', { kind: 'regex', pattern: 'egret' }));
  assert.ok(!JSON.stringify(await search(tenant)).includes(CARD));
  await idle(tenant);
  const texts = await stored(tenant);
  for (const secret of ['jane', '4111', 'egret']) assert.ok(!texts.includes(secret), secret);
  assert.deepEqual((await search(tenant)).map((hit) => hit['source_id']).sort(), before_.sort());
  const { runs } = (await t.get(`/source-groups/${group}/runs`, tenant.key)).body;
  assert.ok(runs.length >= 2 && runs.length <= 4, 'changes that come together need no run each');
  const last = runs.at(-1);
  assert.deepEqual([last.status, last.statistics.updated, last.statistics.failed], ['success', FILES.length, 0]);
  // A change of other rules reads nothing again.
  await setPolicy(tenant, MASK_EMAIL, MASK_CARD, rule('other', { kind: 'regex', pattern: 'egret' }), {
    ...rule('late', { kind: 'regex', pattern: 'fed' }),
    apply_at: ['retrieval'],
  });
  await idle(tenant);
  assert.equal((await t.get(`/source-groups/${group}/runs`, tenant.key)).body.runs.length, runs.length);
  // Without the policy the text is complete again, because the stored files never change.
  assert.equal((await t.delete('/redaction-policy', tenant.key)).status, 200);
  await eventually(async () => (await stored(tenant)).includes(EMAIL));
  await idle(tenant);
  assert.ok(JSON.stringify(await search(tenant)).includes(EMAIL));
  // Tables are built after the run. The collector removes the files of their old versions.
  await eventually(async () => {
    await collectGarbage(t.deps)({}, { signal: new AbortController().signal, lastAttempt: false });
    return (await violations()).length === 0;
  });
});

test('a group with an active run is read again after that run', async () => {
  const tenant = await t.secondTenant();
  const group = await ingest(t, FILES.slice(0, 1), tenant.key);
  const status = (to: string) =>
    t.deps.db.query(
      tenant.tenantId,
      sql`update source_group set status = ${to} where tenant_id = ${tenant.tenantId} and id = ${group}`,
    );
  for (const step of ['queued', 'starting', 'started']) await status(step);
  const jobs = () =>
    t.deps.db.system.query<{ state: string; late: boolean }>(sql`
      select state::text as state, start_after > created_on + interval '1 s' as late from pgboss.job
      where name = 'reprocess' and data ->> 'tenantId' = ${tenant.tenantId}`);
  await setPolicy(tenant, MASK_EMAIL);
  await eventually(async () => (await jobs()).some(({ state, late }) => state === 'created' && late));
  assert.ok(!JSON.stringify(await search(tenant)).includes(EMAIL));
  await status('success');
  await setPolicy(tenant, MASK_EMAIL, MASK_CARD);
  await idle(tenant);
  assert.ok(!(await stored(tenant)).includes('jane'));
});

test('the start enqueues runs for sources that were read under other rules', async () => {
  const tenant = await t.secondTenant();
  const group = await ingest(t, FILES.slice(0, 1), tenant.key);
  await setPolicy(tenant, { ...MASK_EMAIL, apply_at: ['output'] });
  await idle(tenant);
  await t.deps.db.query(
    tenant.tenantId,
    sql`update source set redacted_by = 'another key' where tenant_id = ${tenant.tenantId}`,
  );
  await wakeReprocessing(t.deps);
  await idle(tenant);
  assert.equal((await t.get(`/source-groups/${group}/runs`, tenant.key)).body.runs.length, 2);
});

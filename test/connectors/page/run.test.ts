/**
 * A page workspace through the whole service: what runs report, what search finds, what is downloaded, and that no fault
 * removes sources.
 */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { findViolations } from '../../../src/corpus/invariants.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeNotion, openFakeNotion } from '../../support/fakes/notion.ts';
import { block, paragraph, says } from '../../support/fakes/notion-world.ts';
import { SECRET_CANARY } from '../../support/passages/canary.ts';
import { assertRawDownload } from '../../support/raw-download.ts';
import { waitForRun } from '../../support/upload.ts';

const HOUR_MS = 3_600_000;

let fake: FakeNotion;
let t: TestApp;
/** Difference by which the clock of the workspace is behind during edits: pages edited recently are compared by their bytes. */
let behindMs = HOUR_MS;

before(async () => {
  fake = await openFakeNotion({ token: `${SECRET_CANARY}page`, now: () => new Date(Date.now() - behindMs) });
  t = await openTestApp({
    runsJobs: true,
    env: { PINAKES_PAGE_API_URL: fake.url, PINAKES_OUTBOUND_ALLOW: '127.0.0.1' },
  });
});
after(async () => {
  await t.close();
  await fake.close();
});

function longAgo(change: () => void): void {
  behindMs = HOUR_MS / 2;
  change();
  behindMs = 0;
}

async function runAgain(groupId: string) {
  fake.forget();
  const started = await t.post(`/source-groups/${groupId}/runs`, {});
  assert.equal(started.status, 201, started.text);
  return waitForRun(t, started.body.id);
}

/** Returns the names of sources that search finds for these words. */
async function found(query: string): Promise<string[]> {
  const { body } = await t.post('/search', { query, mode: 'lexical', limit: 50 });
  const words = query.split(' ');
  const hits = body.results.filter(({ content }: { content: string }) => words.every((word) => content.includes(word)));
  return hits.map(({ name }: { name: string }) => name).sort();
}

async function sourcesOf(groupId: string): Promise<Map<string, string>> {
  const { body } = await t.get(`/source-groups/${groupId}/sources?limit=100`);
  return new Map(body.sources.map(({ name, id }: { name: string; id: string }) => [name, id]));
}

const counts = ({ statistics }: { statistics: object }) =>
  Object.fromEntries(Object.entries(statistics).filter(([, count]) => count !== 0));

test('sources follow a workspace and stay when its token is revoked', async () => {
  const { world } = fake;
  const root = world.addPage('Handbook', [paragraph('Welcome aboard.')]);
  const leave = world.addPage('Leave', [says('bulleted_list_item', 'Everybody has 28 days.')], root);
  const canteen = world.addPage('Canteen', [paragraph('Herring with beetroot on Fridays.')], root);
  const projects = world.addDatabase('Projects', root);
  const attachment = block('file', world.hostedFile('offer.txt', 'The glazing takes eleven weeks.\n'));
  const status = { id: 's', type: 'status', status: { name: 'Underway' } };
  world.addRow(projects, 'Lantern room', { Phase: status }, [paragraph('Rebuilt by Holm.'), attachment]);
  behindMs = 0;

  const secret = await t.post('/secrets', { name: 'integration', type: 'page', secret: fake.token });
  const page_id = `https://www.notion.so/w/Handbook-${root.replaceAll('-', '')}?pvs=4`;
  const created = await t.post('/page-sources', { name: 'Handbook', page_id, secret_id: secret.body.id });
  assert.equal(created.status, 201, created.text);
  const groupId = created.body.id;
  const { body: runs } = await t.get(`/source-groups/${groupId}/runs`);
  const first = await waitForRun(t, runs.runs[0].id);
  assert.equal(first.status, 'success', JSON.stringify(first.error));
  assert.deepEqual(counts(first), { scanned: 5, added: 5 });

  const sources = await sourcesOf(groupId);
  assert.deepEqual([...sources.keys()].sort(), [
    'Canteen.md',
    'Handbook.md',
    'Lantern room.md',
    'Leave.md',
    'offer.txt',
  ]);
  await assertRawDownload(t, sources.get('Leave.md')!, Buffer.from('# Leave\n\n- Everybody has 28 days.\n'));
  await assertRawDownload(t, sources.get('offer.txt')!, Buffer.from('The glazing takes eleven weeks.\n'));
  const { body: hits } = await t.post('/search', {
    query: 'lantern room Holm',
    source_metadata: { filters: [{ key: 'Phase', operator: 'eq', value: 'Underway' }] },
  });
  assert.equal(hits.results[0]?.name, 'Lantern room.md');
  assert.match(hits.results[0]?.url, /^https:\/\/www\.notion\.so\/Lantern-room-/);
  const patch = { metadata: { records: [{ key: 'owner', val: 'Ada' }] } };
  assert.equal((await t.put(`/sources/${sources.get('Leave.md')}/metadata`, patch)).status, 200);

  const second = await runAgain(groupId);
  assert.deepEqual(counts(second), { scanned: 5, unchanged: 5 });
  assert.equal(fake.counts.get('GET /v1/blocks/:id/children'), 1, 'only the page that has others below it');

  longAgo(() => {
    world.edit(leave, (page) => page.blocks.splice(0, 1, says('bulleted_list_item', 'Everybody has 30 days.')));
    world.trash(canteen);
    world.addPage('Sick leave', [paragraph('Call before nine.')], leave);
  });
  const third = await runAgain(groupId);
  assert.deepEqual(counts(third), { scanned: 5, added: 1, updated: 2, unchanged: 2, deleted: 1 });
  assert.deepEqual(await found('30 days'), ['Leave.md']);
  assert.deepEqual(await found('Call before nine'), ['Sick leave.md']);
  for (const gone of ['28 days', 'Herring beetroot']) assert.deepEqual(await found(gone), [], gone);
  assert.equal((await t.get(`/sources/${sources.get('Canteen.md')}`)).status, 404);
  assert.equal((await sourcesOf(groupId)).get('Leave.md'), sources.get('Leave.md'));
  const { body: kept } = await t.get(`/sources/${sources.get('Leave.md')}`);
  assert.ok(kept.metadata.records.some(({ key, val }: Record<string, string>) => key === 'owner' && val === 'Ada'));

  // This page was edited a moment ago, so the next run reads it again and finds equal bytes.
  world.edit(leave, (page) => page.blocks.push(paragraph('Ask early.')));
  assert.deepEqual(counts(await runAgain(groupId)), { scanned: 5, updated: 1, unchanged: 4 });
  assert.deepEqual(counts(await runAgain(groupId)), { scanned: 5, unchanged: 5 });
  assert.deepEqual(await found('Ask early'), ['Leave.md']);

  await t.put(`/secrets/${secret.body.id}`, { name: 'integration', secret: 'ntn_revoked' });
  const refused = await runAgain(groupId);
  assert.equal(refused.status, 'failure');
  assert.equal(refused.error.title, 'The page workspace refused the token');
  assert.deepEqual(await found('30 days'), ['Leave.md']);
  assert.equal((await sourcesOf(groupId)).size, 5);
  const { db, blobs } = t.deps;
  assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 3_600 }), []);
});

test('a page that moves while a run reads the workspace keeps its source, its metadata and its place in search', async () => {
  const { world } = fake;
  behindMs = HOUR_MS;
  const root = world.addPage('Harbour');
  const first = world.addPage('Piers', [paragraph('Two piers.')], root);
  const second = world.addPage('Boats', [paragraph('Six boats.')], root);
  const moving = world.addPage('Crane', [paragraph('It lifts nine tonnes.')], second);
  behindMs = 0;
  const secret = await t.post('/secrets', { name: 'harbour', type: 'page', secret: fake.token });
  const created = await t.post('/page-sources', { name: 'Harbour', page_id: root, secret_id: secret.body.id });
  assert.equal(created.status, 201, created.text);
  const groupId = created.body.id;
  const { body: runs } = await t.get(`/source-groups/${groupId}/runs`);
  assert.deepEqual(counts(await waitForRun(t, runs.runs[0].id)), { scanned: 4, added: 4 });
  const id = (await sourcesOf(groupId)).get('Crane.md')!;
  await t.put(`/sources/${id}/metadata`, { metadata: { records: [{ key: 'owner', val: 'Ada' }] } });

  let isDone = false;
  fake.faults(({ path }) => {
    if (!isDone && path === `/v1/blocks/${second}/children`) {
      isDone = true;
      longAgo(() => world.move(moving, first));
    }
    return undefined;
  });
  const run = await runAgain(groupId);
  fake.faults(undefined);
  assert.deepEqual([isDone, run.status, run.statistics.deleted, run.statistics.added], [true, 'success', 0, 0]);
  assert.equal((await sourcesOf(groupId)).get('Crane.md'), id);
  assert.deepEqual(await found('nine tonnes'), ['Crane.md']);
  const { body: kept } = await t.get(`/sources/${id}`);
  const valueIn = (records: Record<string, string>[], wanted: string) =>
    records.find(({ key }) => key === wanted)?.['val'];
  assert.equal(valueIn(kept.metadata.records, 'owner'), 'Ada');
  assert.equal(valueIn(kept.origin_metadata.records, 'path'), 'Harbour / Piers');
});

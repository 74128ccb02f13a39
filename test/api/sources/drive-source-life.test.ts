/** The life of a Drive source as a caller sees it: real HTTP, a worker, and a simulated Drive. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeDrive, openFakeDrive } from '../../support/fakes/drive.ts';
import { assertRawDownload } from '../../support/raw-download.ts';
import { eventually } from '../../support/upload.ts';

const ACTIVE = ['queued', 'starting', 'started', 'canceling', 'unknown'];

let ahead = 0;
const now = () => new Date(Date.now() + ahead);
let drive: FakeDrive;
let t: TestApp;
let worker: Worker;
before(async () => {
  drive = await openFakeDrive({ now });
  t = await openTestApp({
    env: { PINAKES_GOOGLE_API_URL: drive.url },
    given: { clock: { now } },
  });
  worker = buildWorker(t.deps, { scheduleIntervalMs: 100 });
  await worker.start();
});
after(async () => {
  await worker.stop(5_000);
  await t.close();
  await drive.close();
});

const folderUrl = (id: string) => `https://drive.google.com/drive/folders/${id}`;

/** Waits for the end of the run with this number, counted from 1, and returns it. */
async function ended(id: string, count: number) {
  return eventually(async () => {
    const { runs } = (await t.get(`/source-groups/${id}/runs`)).body;
    return runs.length === count && !ACTIVE.includes(runs.at(-1).status) && runs.at(-1);
  });
}

/** Returns the names of the sources whose chunks match the query. */
async function found(query: string): Promise<string[]> {
  const { status, body } = await t.post('/search', { query, mode: 'lexical', source_types: ['drive'] });
  assert.equal(status, 200);
  return body.results.map(({ name }: { name: string }) => name).sort();
}

test('a Drive source with a one-time key is read, found and downloaded; then the key is erased and the content stays', async () => {
  const once = drive.state.addFolder(drive.state.root, 'Once');
  drive.state.addFile(once, 'osprey.txt', 'The osprey dives for fish.');
  const { status, body: source } = await t.post('/drive-sources', {
    name: 'Birds',
    folder_url: folderUrl(once),
    service_account_key: drive.key,
  });
  assert.equal(status, 201);
  const run = await ended(source.id, 1);
  assert.deepEqual([run.status, run.statistics.added, run.statistics.failed], ['success', 1, 0]);
  assert.equal((await t.get(`/drive-sources/${source.id}`)).body.status, 'success');
  assert.deepEqual(await found('osprey'), ['osprey.txt']);

  const [{ id, url }] = (await t.get(`/source-groups/${source.id}/sources`)).body.sources;
  assert.match(url, /^https:\/\/drive\.google\.com\/file\/d\//);
  await assertRawDownload(t, id, Buffer.from('The osprey dives for fish.'));

  const again = await t.post(`/source-groups/${source.id}/runs`, {});
  assert.deepEqual([again.status, again.body.error.type], [409, 'conflict_error']);
  assert.equal((await t.delete(`/drive-sources/${source.id}`)).status, 202);
  assert.deepEqual(await found('osprey'), []);
  assert.equal((await t.get(`/sources/${id}/raw`)).status, 404);
  await eventually(async () => (await t.get(`/drive-sources/${source.id}`)).status === 404);
});

test('a Drive source with a stored secret and a schedule is synchronized until the secret is deleted', async () => {
  const folder = drive.state.addFolder(drive.state.root, 'Kept');
  const heron = drive.state.addFile(folder, 'heron.txt', 'The heron nests in the oak.');
  const bittern = drive.state.addFile(folder, 'bittern.txt', 'The bittern booms.');
  const secret = (await t.post('/secrets', { name: 'reader', type: 'drive', secret: drive.key })).body.id;
  const source = (
    await t.post('/drive-sources', {
      name: 'Birds',
      folder_url: folderUrl(folder),
      secret_id: secret,
      rrule: 'FREQ=DAILY',
    })
  ).body;
  const first = await ended(source.id, 1);
  assert.equal(first.status, 'success', JSON.stringify(first));
  assert.equal((await t.get(`/drive-sources/${source.id}`)).body.status, 'managed');
  assert.deepEqual(await found('heron bittern'), ['bittern.txt', 'heron.txt']);
  const [{ id }] = (await t.get(`/source-groups/${source.id}/sources?limit=100`)).body.sources.filter(
    ({ name }: { name: string }) => name === 'heron.txt',
  );
  const mine = { records: [{ key: 'checked', val: 'yes' }] };
  assert.equal((await t.put(`/sources/${id}/metadata`, { metadata: mine })).status, 200);

  drive.state.edit(heron, 'The heron moved to the willow.');
  drive.state.trash(bittern);
  const day = 24 * 3_600_000;
  ahead += day + 60_000;
  const second = await ended(source.id, 2);
  assert.deepEqual(
    [second.status, second.statistics.updated, second.statistics.deleted],
    ['success', 1, 1],
    JSON.stringify(second),
  );
  assert.deepEqual([await found('oak'), await found('bittern'), await found('willow')], [[], [], ['heron.txt']]);
  assert.deepEqual((await t.get(`/sources/${id}`)).body.metadata.records, [
    { key: 'checked', val: 'yes', type: 'string' },
  ]);

  assert.equal((await t.delete(`/secrets/${secret}`)).status, 200);
  ahead += day;
  const third = await ended(source.id, 3);
  assert.deepEqual([third.status, third.error.title], ['failure', 'The credential of the source is gone']);
  assert.deepEqual(await found('willow'), ['heron.txt'], 'what is stored stays');
});

test('a file of Drive is found by its folder, and after the folder is renamed only by the new name', async () => {
  const folder = drive.state.addFolder(drive.state.root, 'Offers');
  const client = drive.state.addFolder(folder, 'Brimtal');
  drive.state.addFile(client, 'price.txt', 'A crane costs 40 Euro.');
  const secret = (await t.post('/secrets', { name: 'offers', type: 'drive', secret: drive.key })).body.id;
  const { id } = (await t.post('/drive-sources', { name: 'Offers', folder_url: folderUrl(folder), secret_id: secret }))
    .body;
  await ended(id, 1);
  assert.deepEqual(await found('brimtal'), ['price.txt']);
  drive.state.rename(client, 'Zelquist');
  assert.equal((await t.post(`/source-groups/${id}/runs`, {})).status, 201);
  const second = await ended(id, 2);
  assert.deepEqual([second.status, second.statistics.updated], ['success', 1]);
  assert.deepEqual([await found('brimtal'), await found('zelquist')], [[], ['price.txt']]);
});

test('a file of Drive without permission is tried in every run, and the folder is not listed again for it', async () => {
  const folder = drive.state.addFolder(drive.state.root, 'Guarded');
  drive.state.addFile(folder, 'kestrel.txt', 'The kestrel hovers over the verge.');
  const guarded = drive.state.addFile(folder, 'merlin.txt', 'The merlin hunts over the moor.', {
    access: 'unreadable',
  });
  const secret = (await t.post('/secrets', { name: 'guarded', type: 'drive', secret: drive.key })).body.id;
  const { id } = (await t.post('/drive-sources', { name: 'Guarded', folder_url: folderUrl(folder), secret_id: secret }))
    .body;
  const first = await ended(id, 1);
  assert.deepEqual([first.status, first.statistics.added, first.statistics.failed], ['success', 1, 1]);
  const runAgain = async (count: number) => {
    drive.requests.length = 0;
    assert.equal((await t.post(`/source-groups/${id}/runs`, {})).status, 201);
    const { status, error, statistics } = await ended(id, count);
    return { status, title: error?.title, statistics, routes: drive.requests.map(({ route }) => route) };
  };
  for (const count of [2, 3]) {
    const { status, title, statistics, routes } = await runAgain(count);
    assert.deepEqual([status, title, statistics.scanned], ['success', '1 of 1 file failed', 1]);
    assert.deepEqual(routes, ['changes', 'get', 'media'], 'only the failed file was asked for');
  }
  // The change log does not name the file: only the failure of the last run does.
  drive.state.get(guarded).access = 'ok';
  const shared = await runAgain(4);
  assert.deepEqual([shared.status, shared.statistics.added, shared.statistics.failed], ['success', 1, 0]);
  assert.deepEqual(await found('merlin'), ['merlin.txt']);
  assert.deepEqual((await runAgain(5)).routes, ['changes']);
});

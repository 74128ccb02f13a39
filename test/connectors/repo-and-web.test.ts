/** Repositories and web sites through the whole service: what runs report and change, what search finds, what is downloaded. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakeGitHub, type FakeRepository, openFakeGitHub } from '../support/fakes/github.ts';
import { type FakeSite, htmlPage, openFakeSite } from '../support/fakes/site.ts';
import { assertRawDownload } from '../support/raw-download.ts';
import { waitForRun } from '../support/upload.ts';

const ACCESS_TOKEN = 'ghp_reader';

let github: FakeGitHub;
let manual: FakeRepository;
let site: FakeSite;
let t: TestApp;

before(async () => {
  github = await openFakeGitHub();
  manual = github.add('acme/manual', { privateTo: ACCESS_TOKEN });
  site = await openFakeSite();
  const env = { PINAKES_REPO_API_URL: github.url, PINAKES_OUTBOUND_ALLOW: '127.0.0.0/8' };
  t = await openTestApp({ runsJobs: true, env });
});
after(async () => {
  await t.close();
  await github.close();
  await site.close();
});

async function firstRun(groupId: string) {
  const { body } = await t.get(`/source-groups/${groupId}/runs`);
  return waitForRun(t, body.runs[0].id);
}

async function runAgain(groupId: string) {
  const started = await t.post(`/source-groups/${groupId}/runs`, {});
  assert.equal(started.status, 201, started.text);
  return waitForRun(t, started.body.id);
}

/** Returns the addresses of sources that search finds for a word. */
async function found(word: string): Promise<string[]> {
  const { body } = await t.post('/search', { query: word, mode: 'lexical', limit: 50 });
  return body.results.map((result: { url: string }) => result.url).sort();
}

async function sourceIdOf(groupId: string, name: string): Promise<string> {
  const { body } = await t.get(`/source-groups/${groupId}/sources?limit=100`);
  return body.sources.find((source: { name: string }) => source.name === name).id;
}

const NOTES = Array.from({ length: 30 }, (_, i) => [`notes/${i}.md`, note(i)]);

/** Returns a text with a unique word. */
function note(number: number): string {
  return `# Note ${number}\n\nThe badger ${wordOf(number)} sleeps.\n`;
}

function wordOf(number: number): string {
  return createHash('sha1')
    .update(String(number))
    .digest('hex')
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!);
}

describe('a repository', () => {
  let id: string;

  test('a repository is read with a stored secret, and skipped files are counted', async () => {
    const commit = manual.git.commit({
      ...Object.fromEntries(NOTES),
      'README.md': '# Manual\n\nTurn the purple handle.\n',
      'node_modules/x/index.js': 'x',
      'logo.png': 'x',
      module: { submodule: '1'.repeat(40) },
    });
    const secret = await t.post('/secrets', { name: 'reader', type: 'repo', secret: ACCESS_TOKEN });
    const made = await t.post('/repo-sources', {
      name: 'Manual',
      repository: 'acme/manual',
      reference_type: 'branch',
      reference_param: 'main',
      secret_id: secret.body.id,
    });
    assert.equal(made.status, 201, made.text);
    id = made.body.id;
    const run = await firstRun(id);
    assert.equal(run.status, 'success', JSON.stringify(run));
    assert.deepEqual(run.statistics, {
      scanned: 34,
      added: 31,
      updated: 0,
      unchanged: 0,
      skipped: 3,
      deleted: 0,
      failed: 0,
    });
    assert.deepEqual(await found('purple'), [`https://github.com/acme/manual/blob/${commit}/README.md`]);
    const { results } = (await t.post('/search', { query: wordOf(7), mode: 'lexical', limit: 1 })).body;
    const [{ name, path, source_group_name: group }] = results;
    assert.deepEqual([name, path, group], ['7.md', 'notes/7.md', 'Manual']);
    await assertRawDownload(t, await sourceIdOf(id, 'README.md'), Buffer.from('# Manual\n\nTurn the purple handle.\n'));
  });

  test('a run changes exactly the sources that new commits change, and a renamed file keeps its id and metadata', async () => {
    const renamed = await sourceIdOf(id, '2.md');
    const twin = await sourceIdOf(id, '3.md');
    await t.put(`/sources/${renamed}/metadata`, { metadata: { records: [{ key: 'team', val: 'badgers' }] } });
    manual.git.commit({
      'README.md': '# Manual\n\nTurn the green handle.\n',
      'notes/1.md': null,
      'notes/2.md': null,
      'kept/2.md': note(2),
      'copy/3.md': note(3),
    });
    github.requests.length = 0;
    const run = await runAgain(id);
    assert.deepEqual(run.statistics, {
      scanned: 34,
      added: 1,
      updated: 2,
      unchanged: 28,
      skipped: 3,
      deleted: 1,
      failed: 0,
    });
    assert.equal(github.count(/\/git\/blobs\//), 3);
    const moved = (await t.get(`/sources/${renamed}`)).body;
    assert.match(moved.url, /\/kept\/2\.md$/);
    const { records } = moved.metadata;
    assert.equal(records.find(({ key }: { key: string }) => key === 'team')?.val, 'badgers', JSON.stringify(records));
    assert.match((await t.get(`/sources/${twin}`)).body.url, /\/notes\/3\.md$/, 'a copied file is a new source');
    manual.git.commit({ 'copy/3.md': null });
    assert.equal((await runAgain(id)).statistics.deleted, 1);
    assert.deepEqual(await found('purple'), []);
    assert.deepEqual(await found(wordOf(1)), []);
    assert.equal((await found(wordOf(2))).length, 1);
    assert.equal((await found('green')).length, 1);
  });

  test('a run of an unchanged repository downloads nothing', async () => {
    github.requests.length = 0;
    const run = await runAgain(id);
    assert.equal(run.status, 'success');
    assert.equal(github.count(/\/git\/(?:trees|blobs)\/|tarball/), 0);
    assert.equal((await found('badger')).length, 29);
  });

  for (const [what, status, title] of [
    ['fails', 500, 'GitHub failed'],
    ['no longer accepts the credential', 401, 'GitHub does not accept the access token'],
    ['no longer finds the repository', 404, 'The repository was not found'],
  ] as const) {
    test(`all sources of a repository stay when GitHub ${what}`, async () => {
      github.faults.add(/./, { status, headers: { 'retry-after': '0' } }, 9);
      const run = await runAgain(id);
      github.faults.clear();
      assert.deepEqual([run.status, run.error.title], ['failure', title]);
      assert.equal(run.statistics.deleted, 0);
      assert.equal((await found('badger')).length, 29);
    });
  }

  test('files of a repository that failed in one run are read by the next run', async () => {
    manual.git.commit({ 'README.md': '# Manual\n\nTurn the yellow handle.\n', 'late.md': 'A walrus arrives.\n' });
    github.faults.add(/\/git\/blobs\//, { status: 500, headers: { 'retry-after': '0' } }, 6);
    const run = await runAgain(id);
    assert.deepEqual([run.status, run.statistics.failed], ['success', 2], JSON.stringify(run));
    assert.equal((await found('green')).length, 1);
    const next = await runAgain(id);
    assert.deepEqual([next.statistics.added, next.statistics.updated, next.statistics.failed], [1, 1, 0]);
    assert.deepEqual([(await found('yellow')).length, (await found('walrus')).length], [1, 1]);
  });
});

describe('a web site', () => {
  let id: string;
  const home = htmlPage('Home', ['/guide', '/paper.txt', '/hidden']);

  test('a site is crawled as robots.txt allows, and its bytes are stored unchanged', async () => {
    site.set({
      '/': home,
      '/guide': htmlPage('Guide to otters', ['/guide/deep']),
      '/guide/deep': htmlPage('Deep waters', []),
      '/paper.txt': { type: 'text/plain', body: 'A paper about herons.' },
      '/hidden': htmlPage('Hidden', [], '<meta name="robots" content="noindex">'),
      '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /secret' },
    });
    const made = await t.post('/crawls', { name: 'Site', urls: [`${site.url}/`], use_sitemap: false });
    assert.equal(made.status, 201, made.text);
    id = made.body.id;
    const run = await firstRun(id);
    assert.equal(run.status, 'success', JSON.stringify(run));
    assert.deepEqual([run.statistics.added, run.statistics.skipped], [4, 1]);
    assert.deepEqual(await found('herons'), [`${site.url}/paper.txt`]);
    assert.deepEqual(await found('otters'), [`${site.url}/guide`]);
    await assertRawDownload(t, await sourceIdOf(id, 'Home'), Buffer.from(home));
  });

  test('a run changes exactly the sources of pages that changed', async () => {
    site.set({ '/paper.txt': { type: 'text/plain', body: 'A paper about storks.' }, '/guide/deep': null });
    site.requests.length = 0;
    const run = await runAgain(id);
    const { added, updated, unchanged, deleted, failed } = run.statistics;
    assert.deepEqual(
      { added, updated, unchanged, deleted, failed },
      { added: 0, updated: 1, unchanged: 2, deleted: 1, failed: 0 },
    );
    const bodies = site.requests.filter(({ path, status }) => status === 200 && !/robots|hidden/.test(path));
    assert.deepEqual(
      bodies.map(({ path }) => path),
      ['/paper.txt'],
    );
    assert.deepEqual([(await found('herons')).length, (await found('storks')).length], [0, 1]);
    assert.deepEqual(await found('waters'), []);
  });

  test('all sources of a site stay while it is down', async () => {
    site.faults.add(/./, { status: 503, headers: { 'retry-after': '0' } }, 99);
    const run = await runAgain(id);
    site.faults.clear();
    assert.deepEqual([run.status, run.error.title], ['failure', 'The site could not be read']);
    assert.deepEqual([(await found('storks')).length, (await found('otters')).length], [1, 1]);
  });

  test('a page is decoded with the charset of its header, and its links are relative to its address', async () => {
    // "Zażółć gęślą jaźń" in ISO 8859-2; in the more common windows-1250 three of its bytes are other letters.
    const words = Buffer.from([0x67, 0xea, 0xb6, 0x6c, 0xb1, 0x20, 0x6a, 0x61, 0xbc, 0xf1]);
    const body = Buffer.concat([Buffer.from('<p>'), words, Buffer.from(' <a href="dalej/ksztaltka">tu</a></p>')]);
    site.set({ '/pismo/strona': { type: 'text/html; charset=ISO-8859-2', body } });
    const made = await t.post('/crawls', {
      name: 'Old',
      urls: [`${site.url}/pismo/strona`],
      max_depth: 0,
      use_sitemap: false,
    });
    const run = await firstRun(made.body.id);
    assert.equal(run.status, 'success', JSON.stringify(run));
    assert.deepEqual(await found('gęślą'), [`${site.url}/pismo/strona`]);
    assert.deepEqual(await found('pismo'), [`${site.url}/pismo/strona`]);
  });
});

test('files at fixed addresses are read by a crawl of depth 0, and again only when they change', async () => {
  const parquet = (name: string) => readFileSync(new URL(`../parsing/fixtures/tables/${name}`, import.meta.url));
  site.set({
    '/export/prices.parquet': { body: parquet('duckdb.parquet'), type: 'application/octet-stream' },
    '/download?id=7': { body: 'city,year\nPorto,1999\n', type: 'text/csv' },
  });
  const made = await t.post('/crawls', {
    name: 'Files',
    urls: [`${site.url}/export/prices.parquet`, `${site.url}/download?id=7`],
    max_depth: 0,
    use_sitemap: false,
  });
  const run = await firstRun(made.body.id);
  assert.deepEqual([run.status, run.statistics.added], ['success', 2], JSON.stringify(run));
  const listed = await t.get(`/source-groups/${made.body.id}/sources`);
  assert.deepEqual(
    listed.body.sources.map((one: { name: string; file_type: string }) => [one.name, one.file_type]).sort(),
    [
      ['download.csv', 'csv'],
      ['prices.parquet', 'parquet'],
    ],
  );
  assert.equal((await runAgain(made.body.id)).statistics.unchanged, 2);
  site.set({ '/export/prices.parquet': { body: parquet('pyarrow.parquet'), type: 'application/octet-stream' } });
  const { statistics } = await runAgain(made.body.id);
  assert.deepEqual([statistics.updated, statistics.unchanged], [1, 1]);
  assert.deepEqual(await found('Käse'), [`${site.url}/export/prices.parquet`]);
});

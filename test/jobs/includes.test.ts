/** Files that include other files of their group: their text, and when they are read again. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { zipSync } from 'fflate';
import { findViolations } from '../../src/corpus/invariants.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type FakeGitHub, openFakeGitHub } from '../support/fakes/github.ts';
import { counts, fileChanges } from '../support/file-changes.ts';
import { eventually, ingest, waitForGroup } from '../support/upload.ts';

let github: FakeGitHub;
let service: TestApp;
let worker: Worker;

before(async () => {
  github = await openFakeGitHub();
  const env = { PINAKES_REPO_API_URL: github.url, PINAKES_OUTBOUND_ALLOW: '127.0.0.0/8' };
  service = await openTestApp({ env, given: { processor: openProcessPool({ children: 1 }) } });
  worker = buildWorker(service.deps);
  await worker.start();
});
after(async () => {
  await worker.stop(5_000);
  await service.deps.processor.close();
  await service.close();
  await github.close();
});
afterEach(async () => {
  const { db, blobs } = service.deps;
  assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 60 }), []);
});

const { change, changeAndWait, removal, sources, found } = fileChanges(() => service);

/** Makes a group of files with paths. */
async function make(files: Record<string, string>): Promise<string> {
  const id = await ingest(service, [{ name: 'first.txt', content: 'A harbour.' }]);
  await changeAndWait(id, files);
  return id;
}

async function warningsOf(id: string, path: string): Promise<string[]> {
  const source = (await sources(id)).get(path)!;
  return (await service.get(`/sources/${source.id}`)).body.warnings;
}

test('a file has the text of the files that it includes, and its chunks are its own', async () => {
  const id = await make({
    'docs/guide.rst':
      'Guide\n=====\n\n.. include:: parts/notice.rst\n\n.. literalinclude:: /code/dive.py\n   :pyobject: dive\n',
    'docs/parts/notice.rst': 'The beacon is called amarene.\n\n.. include:: ../more.txt\n',
    'docs/more.txt': 'The pontoon is called belvane.\n',
    'code/dive.py': 'def rise():\n    return 1\n\ndef dive():\n    return "cormelo"\n',
  });
  assert.deepEqual(await found('amarene'), ['guide.rst', 'notice.rst']);
  assert.deepEqual(await found('cormelo'), ['dive.py', 'guide.rst']);
  const guide = (await sources(id)).get('docs/guide.rst')!;
  const { text } = (await service.get(`/sources/${guide.id}/text`)).body;
  assert.match(text, /amarene[\s\S]*belvane[\s\S]*cormelo/);
  assert.doesNotMatch(text, /rise/);
  assert.deepEqual(await warningsOf(id, 'docs/guide.rst'), []);
});

test('a file is read again when a file that it includes is changed, deleted, added or moved', async () => {
  const id = await make({
    'a.adoc': '= Manual\n\ninclude::parts/b.adoc[]\n',
    'parts/b.adoc': 'The jetty is called delmara.\n',
  });
  assert.deepEqual(await found('delmara'), ['a.adoc', 'b.adoc']);

  const { counts: told, run } = await changeAndWait(id, { 'parts/b.adoc': 'The jetty is called estrona.\n' });
  assert.deepEqual([told, run.status, run.statistics.updated], [{ updated: 1 }, 'success', 2]);
  assert.deepEqual(await found('delmara'), []);
  assert.deepEqual(await found('estrona'), ['a.adoc', 'b.adoc']);

  assert.equal((await removal(id, ['parts/b.adoc'])).status, 202);
  await eventually(async () => (await found('estrona')).length === 0);
  await waitForGroup(service, id);
  assert.match((await warningsOf(id, 'a.adoc'))[0]!, /includes parts\/b\.adoc, which is not in its source group/);

  await changeAndWait(id, { 'parts/b.adoc': 'The jetty is called falkora.\n' });
  assert.deepEqual(await found('falkora'), ['a.adoc', 'b.adoc']);
  assert.deepEqual(await warningsOf(id, 'a.adoc'), []);

  const moved = await change(id, {}, { moves: [{ from: 'a.adoc', to: 'deep/a.adoc' }] });
  assert.deepEqual(counts(moved.body), { moved: 1 });
  await waitForGroup(service, id);
  assert.deepEqual(await found('falkora'), ['b.adoc']);
});

test('a deleted source leaves the files that include it', async () => {
  const id = await make({ 'a.rst': '.. include:: b.txt\n', 'b.txt': 'The lighthouse is called gelmira.\n' });
  const { id: sourceId } = (await sources(id)).get('b.txt')!;
  assert.equal((await service.delete(`/sources/${sourceId}`)).status, 202);
  await eventually(async () => (await found('gelmira')).length === 0);
  await waitForGroup(service, id);
});

test('files that include each other are reported, and no path leads out of the group', async () => {
  const other = await make({ 'secret.txt': 'The vault is called halmeda.\n' });
  const id = await make({
    'a.adoc': 'Alpha.\n\ninclude::b.adoc[]\n',
    'b.adoc': 'Beta.\n\ninclude::a.adoc[]\n',
    'c.rst': 'Gamma.\n\n.. include:: ../../etc/passwd\n.. include:: /etc/passwd\n.. include:: secret.txt\n',
  });
  assert.deepEqual(await warningsOf(id, 'a.adoc'), ['The file includes a.adoc, which includes the file again.']);
  assert.deepEqual(await warningsOf(id, 'c.rst'), [
    'The file includes ../../etc/passwd, which is not a file of its source group.',
    'The file includes /etc/passwd, which is not in its source group.',
    'The file includes secret.txt, which is not in its source group.',
  ]);
  assert.deepEqual(await found('halmeda'), ['secret.txt']);
  assert.notEqual(other, id);
});

test('files of an archive include each other', async () => {
  const content = zipSync({
    'docs/a.adoc': Buffer.from('= Manual\n\ninclude::{docdir}/b.adoc[]\n'),
    'docs/b.adoc': Buffer.from('The buoy is called irmanta.\n'),
  });
  await ingest(service, [{ name: 'docs.zip', content }]);
  assert.deepEqual(await found('irmanta'), ['docs/a.adoc', 'docs/b.adoc']);
});

test('files of a repository include each other, and follow their changes', async () => {
  const manual = github.add('acme/manual');
  manual.git.commit({ 'doc/a.rst': 'Alpha.\n\n.. include:: b.inc\n', 'doc/b.inc': 'The crane is called jolanta.\n' });
  const fields = { name: 'Manual', repository: 'acme/manual', reference_type: 'branch', reference_param: 'main' };
  const made = await service.post('/repo-sources', fields);
  assert.equal(made.status, 201, made.text);
  const settled = () =>
    eventually(async () => (await service.get(`/repo-sources/${made.body.id}`)).body.status === 'success');
  await settled();
  assert.deepEqual(await found('jolanta'), ['a.rst', 'b.inc']);
  manual.git.commit({ 'doc/a.rst': 'Alpha.\n\n.. include:: b.inc\n', 'doc/b.inc': 'The crane is called kelvane.\n' });
  assert.equal((await service.post(`/source-groups/${made.body.id}/runs`, {})).status, 201);
  await settled();
  assert.deepEqual(await found('jolanta'), []);
  assert.deepEqual(await found('kelvane'), ['a.rst', 'b.inc']);
});

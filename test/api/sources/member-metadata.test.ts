/** Metadata of files inside archives and mails. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { zipSync } from 'fflate';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { fileChanges } from '../../support/file-changes.ts';
import { uploadFiles, waitForGroup } from '../../support/upload.ts';

let t: TestApp;
before(async () => {
  t = await openTestApp({ runsJobs: true });
});
after(() => t.close());

const put = (records: { key: string; val: string | null }[], id: string) =>
  t.put(`/sources/${id}/metadata`, { metadata: { records } });

test('files inside a file get its records, also when they are found later, and keep their own', async () => {
  const box = (...names: string[]) =>
    zipSync(Object.fromEntries(names.map((name) => [name, Buffer.from(`The periscope of ${name}.`)])));
  const outer = (...names: string[]) =>
    zipSync({ 'inner.zip': box(...names), 'top.txt': Buffer.from('The periscope.') });
  const id = await uploadFiles(t, { 'outer.zip': outer('a.txt') });
  assert.equal(await waitForGroup(t, id), 'success');
  const recordsOf = async () =>
    Object.fromEntries(
      (await t.get(`/source-groups/${id}/sources`)).body.sources.map(
        (one: { name: string; metadata: { records: { key: string; val: string }[] } }) => [
          one.name,
          Object.fromEntries(one.metadata.records.map(({ key, val }) => [key, val])),
        ],
      ),
    );
  const { sources } = (await t.get(`/source-groups/${id}/sources`)).body;
  const idOf = (name: string): string => sources.find((one: { name: string }) => one.name === name).id;
  assert.equal(
    (
      await put(
        [
          { key: 'label', val: 'secret' },
          { key: 'team', val: 'x' },
          { key: 'constructor', val: 'x' },
        ],
        idOf('outer.zip'),
      )
    ).status,
    200,
  );
  assert.equal((await put([{ key: 'team', val: 'own' }], idOf('a.txt'))).status, 200);
  assert.deepEqual((await recordsOf())['a.txt'], { constructor: 'x', label: 'secret', team: 'own' });
  const filter = { filters: [{ key: 'label', operator: 'not_exists' }] };
  const found = await t.post('/search', { query: 'periscope', source_metadata: filter });
  assert.equal(found.status, 200, found.text);
  assert.deepEqual(found.body.results, []);
  // A new version of the archive has another file.
  await fileChanges(() => t).changeAndWait(id, { 'outer.zip': Buffer.from(outer('a.txt', 'b.txt')) });
  assert.deepEqual((await recordsOf())['b.txt'], { constructor: 'x', label: 'secret', team: 'x' });
  assert.equal(
    (
      await put(
        [
          { key: 'label', val: null },
          { key: 'team', val: null },
          { key: 'constructor', val: null },
        ],
        idOf('outer.zip'),
      )
    ).status,
    200,
  );
  const left = await recordsOf();
  assert.deepEqual([left['a.txt'], left['b.txt'], left['top.txt']], [{ team: 'own' }, {}, {}]);
});

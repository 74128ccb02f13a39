/** Lists of keys, secrets, subjects and local file groups: newest first, and only those with a text in their name. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { uploadFiles } from '../../support/upload.ts';

const NAMES = ['Heron 100%_a', 'oak', 'heron two'];

let t: TestApp;
before(async () => {
  t = await openTestApp();
  for (const name of NAMES) {
    assert.equal((await t.post('/api-keys', { name, scopes: ['knowledge:read'] })).status, 201);
    assert.equal((await t.post('/secrets', { name, type: 'repo', secret: 's' })).status, 201);
    const subject = `/authz/subjects/${encodeURIComponent(name)}/attributes`;
    assert.equal((await t.put(subject, { attributes: {} })).status, 200);
    const id = await uploadFiles(t, { 'x.txt': 'x' });
    assert.equal((await t.put(`/source-groups/${id}`, { name })).status, 200);
  }
});
after(() => t.close());

const LISTS = [
  ['/api-keys', 'api_keys', 'name'],
  ['/secrets', 'secrets', 'name'],
  ['/authz/subjects', 'subjects', 'principal_id'],
  ['/local-file-groups', 'local_file_groups', 'name'],
] as const;

for (const [path, member, named] of LISTS) {
  const page = async (query: string) => {
    const { status, body, text } = await t.get(`${path}?${query}`);
    assert.equal(status, 200, text);
    // The tenant's first key has a name of its own.
    const rows = (body[member] as Record<string, string>[])
      .map((row) => row[named]!)
      .filter((name) => NAMES.includes(name));
    return { rows, pagination: body.pagination };
  };

  test(`${path} is listed in both orders`, async () => {
    assert.deepEqual((await page('')).rows, NAMES);
    assert.deepEqual((await page('order=desc')).rows, NAMES.toReversed());
    assert.equal((await t.get(`${path}?order=up`)).status, 400);
    const first = await page('order=desc&limit=2');
    assert.deepEqual(first.rows, ['heron two', 'oak']);
    const next = await page(`order=desc&limit=2&after_id=${first.pagination.next_id}`);
    assert.deepEqual(next.rows, ['Heron 100%_a']);
  });

  test(`${path} finds a part of the name, in upper or lower case`, async () => {
    const found = await page('q=HERON');
    assert.deepEqual(found.rows, ['Heron 100%_a', 'heron two']);
    assert.equal(found.pagination.total, 2);
    assert.deepEqual((await page(`q=${encodeURIComponent(' 100%_A ')}`)).rows, ['Heron 100%_a']);
    assert.deepEqual((await page('q=100__')).rows, []);
    assert.equal((await t.get(`${path}?q=${'x'.repeat(201)}`)).status, 400);
  });
}

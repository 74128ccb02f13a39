/** Download of the stored files of sources with an origin: ranges, revalidation, safe headers. Uploaded files are not served. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { after, before, test } from 'node:test';
import { insertBlobRows } from '../../../src/corpus/blob-row-store.ts';
import { insertGroup } from '../../../src/corpus/group-store.ts';
import { insertSources } from '../../../src/corpus/source-store.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { uploadFiles } from '../../support/upload.ts';

let t: TestApp;
before(async () => {
  t = await openTestApp();
});
after(() => t.close());

/** Creates a source as a crawl does. */
async function crawled(content: Uint8Array, name = 'page.html', tenantId = t.tenantId) {
  const { db, blobs } = t.deps;
  async function* bytes() {
    yield content;
  }
  const staged = await blobs.stage(tenantId, bytes());
  await blobs.commit([staged]);
  const createdAt = new Date();
  const group = { id: newId(), sourceType: 'web', createdAt };
  const id = newId();
  await db.transaction(tenantId, async (tx) => {
    await insertBlobRows(tx, [staged], createdAt);
    await insertGroup(tx, { ...group, name: 'Crawl', chunkMetadataKeys: [], uploadAt: null });
    const source = { id, name, fileType: 'html', fileSize: staged.size, blobHash: staged.hash, contentAt: createdAt };
    await insertSources(tx, group, [source]);
  });
  return { id, group: group.id, hash: staged.hash };
}

const raw = (id: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET', key = t.key) =>
  t.app.inject({ method, url: `/api/v1/sources/${id}/raw`, headers: { 'x-api-key': key, ...headers } });

test('the whole file is downloaded as an attachment that no browser runs', async () => {
  const content = Buffer.from('<script>alert(1)</script>\r\n\0\xff', 'latin1');
  const { id, hash } = await crawled(content, 'Übersicht "1"\r\nx: y/../a.html');
  const answer = await raw(id);
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.rawPayload, content);
  const expected = {
    'content-type': 'application/octet-stream',
    'content-length': String(content.length),
    'content-disposition':
      `attachment; filename="_bersicht _1___x_ y_.._a.html"; ` +
      `filename*=UTF-8''%C3%9Cbersicht%20_1___x_%20y_.._a.html`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    etag: `"${hash}"`,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(String(answer.headers[name]), value, name);
  assert.match(String(answer.headers['x-request-id']), /./);
});

test('one range of the file is downloaded', async () => {
  const { id } = await crawled(Buffer.from('0123456789'));
  for (const [range, text, positions] of [
    ['bytes=2-4', '234', '2-4'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=8-', '89', '8-9'],
    ['bytes=9-99', '9', '9-9'],
  ] as const) {
    const answer = await raw(id, { range });
    const { 'content-range': positionsSent, 'content-length': length } = answer.headers;
    assert.deepEqual([answer.statusCode, answer.body, positionsSent], [206, text, `bytes ${positions}/10`]);
    assert.equal(Number(length), text.length);
  }
  const outside = await raw(id, { range: 'bytes=10-' });
  assert.deepEqual([outside.statusCode, outside.headers['content-range']], [416, 'bytes */10']);
  assert.equal(outside.json().error.type, 'invalid_request_error');
  const several = await raw(id, { range: 'bytes=0-1,3-4' });
  assert.deepEqual([several.statusCode, several.body], [200, '0123456789']);
});

test('a download with the current entity tag is answered with 304', async () => {
  const { id, hash } = await crawled(Buffer.from('the same as before'));
  const same = await raw(id, { 'if-none-match': `"x", W/"${hash}"`, range: 'bytes=0-1' });
  assert.deepEqual([same.statusCode, same.body, same.headers.etag], [304, '', `"${hash}"`]);
  assert.equal((await raw(id, { 'if-none-match': '"x"' })).statusCode, 200);
  assert.equal((await raw(id, { range: 'bytes=0-1', 'if-range': `"${hash}"` })).statusCode, 206);
  assert.equal((await raw(id, { range: 'bytes=0-1', 'if-range': '"x"' })).statusCode, 200);
});

test('an empty file is downloaded, and HEAD returns the headers only', async () => {
  const empty = await crawled(Buffer.alloc(0));
  const answer = await raw(empty.id);
  assert.deepEqual([answer.statusCode, answer.body], [200, '']);
  assert.equal((await raw(empty.id, { range: 'bytes=0-' })).statusCode, 416);
  const full = await crawled(Buffer.from('not empty'));
  const head = await raw(full.id, {}, 'HEAD');
  assert.deepEqual([head.statusCode, head.body, Number(head.headers['content-length'])], [200, '', 9]);
});

test('a download accepts and ignores the principal, and refuses other parameters', async () => {
  const { id } = await crawled(Buffer.from('x'));
  assert.equal((await t.get(`/sources/${id}/raw?principal_id=ann&authz_policy=default`)).status, 200);
  assert.equal((await t.get(`/sources/${id}/raw?colour=red`)).status, 400);
});

test('uploaded files, files of other tenants or outside the limits of the key, and deleted files are 404', async () => {
  const uploaded = await uploadFiles(t, { 'local.txt': 'Local.' });
  const local = (await t.get(`/source-groups/${uploaded}/sources`)).body.sources[0].id;
  const other = await t.secondTenant();
  const foreign = await crawled(Buffer.from('foreign'), 'f.html', other.tenantId);
  assert.equal((await raw(foreign.id, {}, 'GET', other.key)).statusCode, 200);
  const own = await crawled(Buffer.from('own'));
  const limited = await t.issueKey(['knowledge:read'], { sourceGroupIds: [uploaded] });
  const answers = [
    await raw(local),
    await raw(foreign.id),
    await raw(own.id, {}, 'GET', other.key),
    await raw(own.id, {}, 'GET', limited),
    await raw(newId()),
    await raw('nonsense'),
  ];
  const [one, two] = [await crawled(Buffer.from('one')), await crawled(Buffer.from('two'))];
  for (const { id } of [one, two]) assert.equal((await raw(id)).statusCode, 200);
  assert.equal((await t.delete(`/sources/${one.id}`)).status, 202);
  assert.equal((await t.delete(`/source-groups/${two.group}`)).status, 202);
  answers.push(await raw(one.id), await raw(two.id));
  for (const answer of answers) assert.deepEqual([answer.statusCode, answer.body], [404, answers[0]!.body]);
  assert.equal((await t.get(`/sources/${own.id}`)).body.source_type, 'web');
});

test('a large file is streamed completely over a socket, and a client that leaves causes no error', async () => {
  const content = randomBytes(24 * 1024 * 1024);
  const { id, hash } = await crawled(content, 'large.bin');
  const address = `${await t.url()}/api/v1/sources/${id}/raw`;
  const headers = { 'x-api-key': t.key };
  const whole = Buffer.from(await (await fetch(address, { headers })).arrayBuffer());
  assert.ok(whole.equals(content), hash);
  const part = await fetch(address, { headers: { ...headers, range: 'bytes=1000000-2000000' } });
  assert.equal(part.status, 206);
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(content.subarray(1_000_000, 2_000_001)));
  await new Promise<void>((resolve) => {
    const leaving = get(address, { headers, agent: false }, (answer) => answer.once('data', () => answer.destroy()));
    leaving.once('close', resolve);
  });
  assert.equal((await fetch(address, { headers, method: 'HEAD' })).status, 200);
  assert.ok(!t.logs.some((line) => line['msg'] === 'a download failed'));
});

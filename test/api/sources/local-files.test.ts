/** POST /local-file-groups: accepted uploads, and refused uploads, of which nothing is stored. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { findViolations } from '../../../src/corpus/invariants.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { eventually, multipartBody, type UploadFile } from '../../support/upload.ts';

let service: TestApp;
let stagingDir: string;

before(async () => {
  service = await openTestApp(); // no worker: groups stay queued
  const { blobs } = service.deps.config;
  stagingDir = `${blobs.directory}/.staging`;
});
after(() => service.close());

let groupsBefore = 0;
beforeEach(async () => {
  groupsBefore = await countGroups();
});

async function countGroups(): Promise<number> {
  return (await service.get('/local-file-groups?limit=1')).body.pagination.total;
}

async function post(body: Buffer | string, headers: Record<string, string>, key = service.key) {
  const all = { 'x-api-key': key, ...headers };
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: all,
    payload: body,
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json(), text: answer.body };
}

const upload = (files: readonly UploadFile[], fields: readonly (readonly [string, string])[] = []) => {
  const { headers, body } = multipartBody(files, fields);
  return post(body, headers);
};

const file = (name = 'a.txt', content = 'text'): UploadFile => ({ name, content });

/** Returns a form with parts in exactly this order. A part with a file name is a file. */
function form(...parts: [name: string, value: string, fileName?: string][]) {
  const body = parts
    .map(([name, value, fileName]) => {
      const disposition = `form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}`;
      return `--b\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n`;
    })
    .join('');
  return post(`${body}--b--\r\n`, { 'content-type': 'multipart/form-data; boundary=b' });
}

async function assertNothingStays(): Promise<void> {
  assert.deepEqual(await readdir(stagingDir), [], 'staging is empty');
  assert.equal(await countGroups(), groupsBefore, 'no group was made');
  // Without grace time: not even a blob or a reservation may be left.
  const now = new Date(Date.now() + 1000);
  const left = await findViolations(service.deps.db, service.deps.blobs, { now, graceSeconds: 0 });
  assert.deepEqual(
    left.filter((violation) => violation.invariant === 'I3'),
    [],
  );
}

async function assertRefused(
  answer: Promise<{ status: number; body: { error: { type: string; message: string } } }>,
  message: RegExp,
) {
  const { status, body } = await answer;
  assert.equal(status, 400, JSON.stringify(body));
  assert.match(body.error.message, message);
  await assertNothingStays();
}

test('an upload is answered with the id of its group, whose run is queued', async () => {
  const answer = await upload(
    [{ ...file(), lastModified: 1_700_000_000_000 }],
    [
      ['name', 'My files 📚'],
      ['chunk_metadata_keys', '[{"key":"year","type":"integer"}]'],
    ],
  );
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(Object.keys(answer.body), ['source_group_id']);
  const id = answer.body.source_group_id;
  const { body: group } = await service.get(`/local-file-groups/${id}`);
  assert.ok(group.upload_time >= group.creation_time);
  assert.deepEqual(
    { ...group, upload_time: 0, creation_time: 0 },
    {
      id,
      name: 'My files 📚',
      status: 'queued',
      upload_time: 0,
      creation_time: 0,
      start_time: null,
      end_time: null,
      error: null,
      metadata: { records: [] },
      chunk_metadata_keys: [{ key: 'year', type: 'integer' }],
      chunk_metadatas_count: 0,
    },
  );
  const { body } = await service.get(`/source-groups/${id}/sources`);
  assert.equal(body.sources[0].content_time, 1_700_000_000);
  assert.equal(body.sources[0].file_size, 4);
});

test('the fields of an upload may come in any order, and files may have the same name', async () => {
  const answer = await form(
    ['last_modified', '1700000000001'],
    ['files', 'one', 'a.txt'],
    ['name', 'mixed'],
    ['files', 'two', 'a.txt'],
    ['last_modified', '1700000000002'],
  );
  assert.equal(answer.status, 201, answer.text);
  const { body } = await service.get(`/source-groups/${answer.body.source_group_id}/sources`);
  assert.deepEqual(
    body.sources.map((source: { name: string }) => source.name),
    ['a.txt', 'a.txt'],
  );
  assert.equal(new Set(body.sources.map((source: { id: string }) => source.id)).size, 2);
});

test('without last_modified the time of the upload counts, and without paths the file name is the path', async () => {
  const before = Math.floor(Date.now() / 1000);
  const named = await form(['files', 'one', 'docs/a.txt'], ['files', 'two', 'a.txt']);
  const { body } = await service.get(`/source-groups/${named.body.source_group_id}/sources`);
  for (const source of body.sources) assert.ok(source.content_time >= before, `${source.content_time}`);
  assert.deepEqual(
    body.sources.map((source: { path: string }) => source.path),
    ['a.txt', 'a.txt'],
  );
});

test('paths are stored in one form, and only keys that may ingest see the hash of the bytes', async () => {
  const { body } = await form(
    ['paths', './docs//u\u0308ber.txt'],
    ['files', 'one', 'name.txt'],
    ['paths', 'b\u200e.txt'],
    ['files', 'two', 'b.txt'],
  );
  const listed = async (key?: string) =>
    (await service.get(`/source-groups/${body.source_group_id}/sources`, key)).body.sources;
  const [first, second] = await listed();
  assert.deepEqual([first.name, first.path], ['name.txt', 'docs/über.txt']);
  assert.equal(second.path, 'b.txt');
  assert.equal(first.content_hash, createHash('sha256').update('one').digest('hex'));
  const reader = await service.issueKey(['knowledge:read']);
  assert.equal((await listed(reader))[0].content_hash, null);
  assert.equal((await service.get(`/sources/${first.id}`, reader)).body.content_hash, null);
  assert.equal((await service.get(`/sources/${first.id}`)).body.content_hash, first.content_hash);
});

test('a group without a name gets the name of its first file', async () => {
  const { body } = await upload([file('first.md'), file('second.md')]);
  assert.equal((await service.get(`/local-file-groups/${body.source_group_id}`)).body.name, 'first.md and 1 more');
});

test('file names are returned, but never used as paths on the disk', async () => {
  const { body } = await upload([file('../../../../tmp/evil.txt'), file('C:\\dir\\b.txt'), file('n\u0007ul.txt')]);
  const sources = (await service.get(`/source-groups/${body.source_group_id}/sources`)).body.sources;
  assert.deepEqual(
    sources.map((source: { name: string }) => source.name),
    ['evil.txt', 'b.txt', 'nul.txt'],
  );
});

test('an error names the wrong field of an upload, and nothing is stored', async () => {
  const [f, t]: [[string, string, string], [string, string]] = [
    ['files', 'text', 'a.txt'],
    ['last_modified', '1700000000001'],
  ];
  await assertRefused(form(f, t, ['colour', 'red']), /Unknown field "colour"/);
  await assertRefused(form(t), /"files" is missing/);
  await assertRefused(form(f, t, t), /last_modified must have as many elements as files: 1 file, 2 times/);
  await assertRefused(form(f, ['last_modified', 'yesterday']), /Unix milliseconds/);
  await assertRefused(form(f, ['last_modified', '1.5']), /Unix milliseconds/);
  await assertRefused(form(f, ['last_modified', '999999999999999']), /Unix milliseconds/);
  await assertRefused(form(f, ['last_modified', '1700000000']), /before 1980. It must be in milliseconds, not seconds/);
  await assertRefused(form(f, ['last_modified', '-1']), /before 1980/);
  await assertRefused(form(f, f, ['paths', 'a']), /paths must have as many elements as files: 2 files, 1 path/);
  await assertRefused(form(f, ['paths', '../a']), /must not have the segment ".."/);
  await assertRefused(form(f, ['paths', '..']), /must not have the segment ".."/);
  await assertRefused(form(f, ['paths', './/']), /must name a file/);
  await assertRefused(form(f, ['paths', 'é'.repeat(1_001)]), /at most 2000 bytes/);
  await assertRefused(form(f, ['mode', 'merge']), /Unknown field "mode"/);
  await assertRefused(form(f, t, ['name', '']), /1 to 200 characters, not 0/);
  await assertRefused(form(f, t, ['name', '𠮷'.repeat(201)]), /1 to 200 characters, not 201/);
  await assertRefused(form(f, t, ['name', 'a\0b']), /U\+0000/);
  await assertRefused(form(f, t, ['name', 'a'], ['name', 'b']), /"name" is given twice/);
  await assertRefused(form(t, ['files', 'not a file']), /must be a file/);
  await assertRefused(form(f, t, ['name', 'x', 'name.txt']), /must not be a file/);
  await assertRefused(form(f, t, ['name', 'x'.repeat(70_000)]), /too long/);
  assert.equal((await form(f, t, ['name', '𠮷'.repeat(200)])).status, 201);
});

test('chunk_metadata_keys that do not match the interface are refused', async () => {
  const keys = (value: string) =>
    form(['files', 'text', 'a.txt'], ['last_modified', '1700000000001'], ['chunk_metadata_keys', value]);
  for (const bad of [
    '{}',
    '[{"key":"a"}]',
    '[{"key":"a","type":"number"}]',
    '[{"key":"","type":"string"}]',
    '[{"key":"a","type":"string","more":1}]',
    '[{"key":"a","type":"string"},{"key":"a","type":"date"}]',
    'not json',
    '',
  ]) {
    await assertRefused(keys(bad), /chunk_metadata_keys/);
  }
  assert.equal((await keys('[]')).status, 201);
});

test('an upload that is malformed at any byte is refused, and nothing is stored', async () => {
  const { headers, body } = multipartBody([file('a.txt', 'some text')], [['name', 'group']]);
  for (let length = 0; length < body.length - 2; length += 3) {
    const { status } = await post(body.subarray(0, length), headers);
    assert.equal(status, 400, `cut at byte ${length}`);
  }
  for (let at = 0; at < body.length; at += 2) {
    const damaged = Buffer.from(body);
    damaged[at] = damaged[at]! ^ 0x15;
    const { status } = await post(damaged, headers);
    assert.ok(status === 400 || status === 201, `byte ${at} changed: ${status}`);
    if (status === 201) groupsBefore += 1; // the byte was in the content of a field or file, so the form is still valid
  }
  await assertNothingStays();
});

test('an upload with another content type is refused', async () => {
  for (const type of ['application/json', 'multipart/form-data', 'multipart/mixed; boundary=b']) {
    assert.equal((await post('{}', { 'content-type': type })).status, 415, type);
  }
});

test('nothing is stored of an upload whose client leaves', async () => {
  const { headers, body } = multipartBody([file('big.bin', 'x'.repeat(300_000)), file()]);
  const url = new URL('/api/v1/local-file-groups', await service.url());
  const outgoing = request(url, {
    method: 'POST',
    headers: { ...headers, 'x-api-key': service.key, 'content-length': body.length },
  });
  outgoing.on('error', () => undefined);
  outgoing.write(body.subarray(0, 200_000));
  await eventually(async () => (await readdir(stagingDir)).length > 0);
  outgoing.destroy();
  await eventually(async () => (await readdir(stagingDir)).length === 0);
  await assertNothingStays();
});

test('with an Idempotency-Key, a repeated upload gets the same group, and another upload is a conflict', async () => {
  const send = (files: UploadFile[], boundary: string) => {
    const { headers, body } = multipartBody(files, [], boundary);
    return post(body, { ...headers, 'idempotency-key': 'upload-1' });
  };
  const first = await send([file()], 'one');
  const again = await send([file()], 'another-boundary');
  assert.equal(again.status, 201);
  assert.equal(again.text, first.text);
  assert.equal(again.headers['idempotent-replayed'], 'true');
  assert.equal(await countGroups(), groupsBefore + 1);
  assert.deepEqual(await readdir(stagingDir), []);
  const other = await send([file('a.txt', 'other text')], 'one');
  assert.equal(other.status, 409);
  groupsBefore += 1;
  await assertNothingStays();
});

test('of several uploads at once that want a name for themselves one succeeds, and nothing of the others is stored', async () => {
  const file = { name: 'u.txt', content: 'unique', lastModified: 1_700_000_000_000 };
  const send = (value: string, name = 'mine') =>
    upload(
      [file],
      [
        ['name', name],
        ['unique_name', value],
      ],
    );
  const answers = await Promise.all([send('true'), send('true'), send('true')]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  assert.equal(await countGroups(), groupsBefore + 1);
  const { db, blobs } = service.deps;
  assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 60 }), []);
  assert.equal((await send('true', 'other')).status, 201);
  assert.equal((await send('false')).status, 201, 'without the wish names may be equal');
  assert.equal((await send('yes')).status, 400);
  for (const { id } of (await service.get('/local-file-groups?name=mine')).body.local_file_groups)
    await service.delete(`/local-file-groups/${id}`);
  assert.equal((await send('true')).status, 201, 'a deleted group has no name');
});

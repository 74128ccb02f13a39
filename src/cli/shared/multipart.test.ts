import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { test } from 'node:test';
import { CliError } from './io.ts';
import { multipartBody, type UploadFile } from './multipart.ts';

function file(path: string, text: string, size = Buffer.byteLength(text)): UploadFile {
  return {
    path,
    size,
    modifiedMs: 1_700_000_000_123,
    open: async function* () {
      yield Buffer.from(text);
    },
  };
}

test('a form parser reads back the encoded fields and files, and the announced length is right', async () => {
  const sent: number[] = [];
  const body = multipartBody([['name', 'Größe']], [file('docs/灯台.txt', 'eins'), file('a"b\r\n.md', '')], (bytes) =>
    sent.push(bytes),
  );
  const bytes = Buffer.from(await new Response(body.stream).arrayBuffer());
  assert.equal(bytes.length, body.length);
  assert.equal(sent.at(-1), body.length);

  const form = await new Response(bytes, { headers: { 'content-type': body.contentType } }).formData();
  assert.equal(form.get('name'), 'Größe');
  assert.deepEqual(form.getAll('last_modified'), ['1700000000123', '1700000000123']);
  assert.deepEqual(form.getAll('paths'), ['docs/灯台.txt', 'a"b\r\n.md']);
  const files = form.getAll('files') as File[];
  assert.deepEqual(
    files.map(({ name }) => name),
    ['docs/灯台.txt', 'a"b\r\n.md'],
  );
  assert.equal(await files[0]?.text(), 'eins');
});

test('a file that changes during the upload stops the upload', async () => {
  for (const promised of [3, 5]) {
    const body = multipartBody([], [file('a.txt', 'four', promised)]);
    await assert.rejects(new Response(body.stream).arrayBuffer(), CliError);
  }
});

test('a file that cannot be read any more is named, and stops the upload', async () => {
  const gone = { ...file('a.txt', 'four'), open: () => createReadStream('/no/such/file') };
  await assert.rejects(
    new Response(multipartBody([], [gone]).stream).arrayBuffer(),
    (error) => error instanceof CliError && error.message === '"a.txt" cannot be read: it does not exist.',
  );
});

test('modification times before 1980 are sent as 1980', async () => {
  const { stream, contentType } = multipartBody([], [{ ...file('a.txt', 'x'), modifiedMs: 1_000 }]);
  const form = await new Response(stream, { headers: { 'content-type': contentType } }).formData();
  assert.equal(form.get('last_modified'), String(Date.UTC(1980)));
});

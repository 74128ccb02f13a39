/** Previews of files: what would be read, without storing anything. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { ONE_FILE_HEADERS } from '../../support/upload.ts';
import { tenantSnapshot } from '../../support/worlds/tenant-snapshot.ts';

let t: TestApp;
before(async () => {
  t = await openTestApp();
});
after(() => t.close());

const part = (name: string, fileName: string, text: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n\r\n${text}\r\n`;
const parse = (body: string, key = t.key) =>
  t.request({ method: 'POST', path: '/parse', body, headers: ONE_FILE_HEADERS, key });
const one = (fileName: string, text: string) => parse(`${part('file', fileName, text)}--x--\r\n`);

test('a file is shown as blocks and chunks, and nothing is stored', async () => {
  const stored = await tenantSnapshot(t.deps.db, t.tenantId);
  const { status, body, text } = await one(
    '../../guide.md',
    '# Guide\n\nThe lamp was lit in 1874.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  );
  assert.equal(status, 200, text);
  assert.deepEqual([body.name, body.file_type, body.title, body.problem], ['guide.md', 'md', 'Guide', null]);
  assert.deepEqual(
    body.blocks.map((block: { kind: string }) => block.kind),
    ['heading', 'paragraph', 'table'],
  );
  assert.equal(body.blocks_total, 3);
  assert.equal(body.chunks_total, body.chunks.length);
  assert.match(body.chunks[0].content, /lamp/);
  assert.deepEqual(await tenantSnapshot(t.deps.db, t.tenantId), stored);
  assert.deepEqual(await readdir(join(t.deps.config.blobs.directory, '.staging')), []);
});

test('a file that cannot be read says why, and leaves nothing in staging', async () => {
  const { status, body } = await one('broken.pdf', '%PDF-1.4 broken');
  assert.equal(status, 200);
  assert.equal(body.file_type, null);
  assert.match(body.problem.title, /PDF/);
  assert.deepEqual(await readdir(join(t.deps.config.blobs.directory, '.staging')), []);
});

test('a body without one file is refused', async () => {
  const file = part('file', 'a.txt', 'x');
  for (const body of ['--x--\r\n', `${file}${file}--x--\r\n`, `${part('files', 'a.txt', 'x')}--x--\r\n`])
    assert.equal((await parse(body)).status, 400, body);
  assert.deepEqual(await readdir(join(t.deps.config.blobs.directory, '.staging')), []);
});

test('a long text is cut, and its length is told', async () => {
  const { body } = await one(
    'long.txt',
    Array.from({ length: 3_000 }, (_, i) => `Paragraph ${i} has words.`).join('\n\n'),
  );
  assert.equal(body.blocks.length, 200);
  assert.ok(body.blocks_total > 200, String(body.blocks_total));
});

test('ingest rules of the redaction policy hold', async () => {
  const rules = [{ name: 'mail', kind: 'regex', pattern: '[a-z]+@example', action: 'hash', apply_at: ['ingest'] }];
  const saved = await t.put('/redaction-policy', { enabled: true, rules });
  assert.equal(saved.status, 200, saved.text);
  const { body, text } = await one('note.txt', 'Write to anna@example.com about the lamp.');
  assert.equal(body.problem, null, text);
  assert.ok(!text.includes('anna@example'), text);
});

test('two previews of a tenant at the same time: the second is told to wait', async () => {
  const long = Array.from({ length: 20_000 }, (_, i) => `Paragraph ${i} has some words.`).join('\n\n');
  const answers = await Promise.all([one('a.txt', long), one('b.txt', long)]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 429]);
  assert.equal((await one('c.txt', 'short')).status, 200);
});

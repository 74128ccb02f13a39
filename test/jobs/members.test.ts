/** Members of archives and mails become sources, once, within limits. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { findViolations } from '../../src/corpus/invariants.ts';
import { GROUP_BYTES_MAX } from '../../src/corpus/source-lookup.ts';
import { sql } from '../../src/db/sql.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { makeDocx, makePdf } from '../support/files/make-files.ts';
import { makeTar } from '../support/files/make-tar.ts';
import { uploadFiles, waitForGroup } from '../support/upload.ts';

let service: TestApp;
let worker: Worker;
/** Makes a group whose first file has the recorded size of a full group, before any file is read. */
let full: string;

const setSizeOfFirst = (bytes: number) =>
  service.deps.db.query(
    service.tenantId,
    sql`update source set file_size = ${bytes}
      where tenant_id = ${service.tenantId} and source_group_id = ${full} and name = 'large.txt'`,
  );

before(async () => {
  service = await openTestApp({ given: { processor: openProcessPool({ children: 1 }) } });
  full = await uploadFiles(service, {
    'large.txt': 'words',
    'p.pdf': makePdf({ pages: [['The heron nests.']], attachments: [{ name: 'notes.txt', content: 'Dear Ann' }] }),
    'z.zip': zipSync({ 'a.txt': strToU8('one') }),
  });
  await setSizeOfFirst(GROUP_BYTES_MAX);
  worker = buildWorker(service.deps);
  await worker.start();
});
after(async () => {
  await worker.stop(1_000);
  await service.deps.processor.close();
  await service.close();
});
afterEach(async () => {
  const { db, blobs } = service.deps;
  assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 60 }), []);
});

interface Listed {
  id: string;
  name: string;
  file_type: string;
  status: string;
}

async function ingestAs(files: Record<string, string | Uint8Array>) {
  const id = await uploadFiles(service, files);
  const status = await waitForGroup(service, id);
  const { body } = await service.get(`/source-groups/${id}/sources?limit=100`);
  const runs = (await service.get(`/source-groups/${id}/runs`)).body.runs;
  const errors = (await service.get(`/runs/${runs.at(-1).id}/errors`)).body.errors as {
    name: string;
    message: string;
  }[];
  return { status, sources: body.sources as Listed[], run: runs.at(-1), errors };
}

const names = (sources: readonly Listed[]) => sources.map((source) => source.name).sort();

test('in a full group an archive fails, and a PDF file is read without its attachments', async () => {
  await waitForGroup(service, full);
  await setSizeOfFirst('words'.length);
  const { body } = await service.get(`/source-groups/${full}/sources`);
  const sources = body.sources as Listed[];
  assert.deepEqual(sources.map(({ name, status }) => [name, status]).sort(), [
    ['large.txt', 'failed'],
    ['p.pdf', 'ready'],
    ['z.zip', 'failed'],
  ]);
  const pdf = (await service.get(`/sources/${sources.find(({ name }) => name === 'p.pdf')!.id}`)).body;
  assert.deepEqual(pdf.warnings, ['1 file inside was skipped: the source group has no room for more.']);
});

test('the files of an archive become sources linked to it, except system files and pictures', async () => {
  const zip = zipSync({
    'docs/': new Uint8Array(),
    'docs/a.txt': strToU8('The heron nests by the river.'),
    '../../b.docx': makeDocx({ blocks: [{ paragraph: 'A kingfisher dives.' }] }),
    '__MACOSX/._a.txt': strToU8('x'),
    'p.png': Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    'empty.txt': new Uint8Array(),
  });
  const { status, sources, run, errors } = await ingestAs({ 'birds.zip': zip });
  assert.equal(status, 'success');
  assert.deepEqual(errors, []);
  assert.deepEqual(names(sources), ['b.docx', 'birds.zip', 'docs/a.txt']);
  assert.deepEqual([run.files_done, run.files_total, run.statistics.scanned, run.statistics.added], [3, 3, 3, 3]);
  const [taken] = await service.deps.db.query<{ attempt: number }>(
    service.tenantId,
    sql`select attempt from run where tenant_id = ${service.tenantId} and id = ${run.id}`,
  );
  assert.equal(taken!.attempt, 1, 'the run reads the members that it finds');
  const archive = sources.find((source) => source.name === 'birds.zip')!;
  const found = await service.post('/search', {
    query: 'heron river',
    source_metadata: { operator: 'and', filters: [{ key: 'parent_source_id', operator: 'eq', value: archive.id }] },
  });
  assert.deepEqual(
    found.body.results.map((hit: { content: string }) => hit.content),
    ['The heron nests by the river.'],
  );
  const kingfisher = await service.post('/search', { query: 'kingfisher' });
  assert.equal(kingfisher.body.results[0].content, 'A kingfisher dives.');
});

test('tar and gzip archives with long names are read, and a single compressed text is one source', async () => {
  const long = `${'deep/'.repeat(30)}leaf.txt`;
  const tar = makeTar({ 'a.txt': 'Alder trees.', [long]: 'Birch trees.' });
  const { sources } = await ingestAs({
    'a.tar': tar,
    'b.tgz': gzipSync(tar),
    'notes.txt.gz': gzipSync('Cedar trees.'),
  });
  assert.deepEqual(names(sources), ['a.tar', 'a.txt', 'a.txt', 'b.tgz', long, long, 'notes.txt.gz'].sort());
});

test('attachments of mails, also in archives and mailboxes, and of PDF files become sources', async () => {
  const mail = [
    'From: a@example.com',
    'Subject: Papers',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See the attachment.',
    '--b',
    'Content-Type: text/csv; name="list.csv"',
    'Content-Disposition: attachment; filename="list.csv"',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('bird,count\nheron,3\n').toString('base64'),
    '--b--',
  ].join('\r\n');
  const { sources, run } = await ingestAs({
    'm.eml': mail,
    'box.zip': zipSync({ 'inner.eml': strToU8(mail) }),
    'in.mbox': `From a@example.com Mon Jan  6 10:00:00 2020\n${mail}\n\n`,
    'p.pdf': makePdf({ pages: [['See the attachment.']], attachments: [{ name: 'notes.txt', content: 'Dear Ann' }] }),
  });
  const inside = ['Papers.eml', 'box.zip', 'in.mbox', 'inner.eml', 'list.csv', 'list.csv', 'list.csv'];
  assert.deepEqual(names(sources), [...inside, 'm.eml', 'notes.txt', 'p.pdf']);
  assert.equal(run.files_total, 10);
});

test('a mail and its attachments have the date of the mail, not that of their mailbox, and filters find them by it', async () => {
  const mailOf = (date: string) =>
    `From ann@example.com Mon Jan  6 10:00:00 2020\nFrom: Ann <ann@example.com>\n${date}Subject: Shed\nMIME-Version: 1.0\n` +
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nThe shed leans.\n' +
    '--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="plan.txt"\n\nTwo beams of the shed.\n--b--\n\n';
  const id = await uploadFiles(service, {
    'in.mbox': ['Date: Thu, 5 Mar 2026 09:30:00 +0100\n', 'Date: Sat, 7 Feb 1914 09:00:00 +0000\n', '']
      .map(mailOf)
      .join(''),
  });
  await waitForGroup(service, id);
  const { sources } = (await service.get(`/source-groups/${id}/sources?limit=100`)).body;
  const times = (sources as { name: string; content_time: number }[])
    .map(({ name, content_time: time }) => `${name} ${time}`)
    .sort();
  const sent = Date.UTC(2026, 2, 5, 8, 30) / 1000;
  const file = sources.find((one: { name: string }) => one.name === 'in.mbox').content_time;
  const undated = [`Shed.eml ${file}`, `Shed.eml ${file}`, `in.mbox ${file}`];
  assert.deepEqual(
    times,
    [...undated, `Shed.eml ${sent}`, `plan.txt ${file}`, `plan.txt ${file}`, `plan.txt ${sent}`].sort(),
  );
  const query = { query: 'shed', source_group_ids: [id], date_from: sent, date_to: sent };
  const found = (await service.post('/search', query)).body.results as { name: string; content_time: number }[];
  assert.deepEqual(found.map(({ name }) => name).sort(), ['Shed.eml', 'plan.txt']);
});

test('a chat has the time of its newest message, and other JSON that of its file', async () => {
  const at = Date.UTC(2026, 2, 5, 8, 30);
  const messages = [at, at - 60_000].map((time) => ({
    type: 'message',
    ts: `${time / 1000}.000100`,
    user: 'U1',
    text: 'Hi',
  }));
  const id = await uploadFiles(service, {
    'chat.json': JSON.stringify(messages),
    'other.json': JSON.stringify([{ ts: 1, modified: '2026-03-05T08:30:00Z' }]),
  });
  await waitForGroup(service, id);
  const { sources } = (await service.get(`/source-groups/${id}/sources`)).body;
  const timeOf = (file: string) => sources.find(({ name }: { name: string }) => name === file).content_time;
  assert.equal(timeOf('chat.json'), at / 1000);
  assert.notEqual(timeOf('other.json'), at / 1000);
});

test('names of members lose characters that the database cannot store', async () => {
  const mail = [
    'From: a@example.com',
    'Subject: =?utf-8?q?a=00=E2=80=AEb?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'The heron nests.',
    '--b',
    'Content-Type: text/plain',
    'Content-Disposition: attachment; filename="=?utf-8?q?../c=00d.txt?="',
    '',
    'attached',
    '--b--',
  ].join('\n');
  const { sources, errors } = await ingestAs({
    'in.mbox': `From a@example.com Mon Jan  6 10:00:00 2020\n${mail}\n\n`,
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(names(sources), ['ab.eml', 'cd.txt', 'in.mbox']);
});

test('archives within archives are opened to a limited depth, and an encrypted or damaged archive fails alone', async () => {
  let nested = zipSync({ 'core.txt': strToU8('core') });
  for (const level of [4, 3, 2, 1]) nested = zipSync({ [`level${level}.zip`]: nested });
  const encrypted = zipSync({ 'a.txt': strToU8('secret') });
  for (const [mark, offset] of [
    [0x04034b50, 6],
    [0x02014b50, 8],
  ] as const) {
    const view = new DataView(encrypted.buffer);
    for (let at = 0; at + 4 < encrypted.length; at += 1)
      if (view.getUint32(at, true) === mark) encrypted[at + offset]! |= 1;
  }
  const { status, sources, errors } = await ingestAs({
    'n.zip': nested,
    'e.zip': encrypted,
    'd.tar.gz': gzipSync('x').subarray(0, 12),
  });
  assert.equal(status, 'success');
  assert.deepEqual(names(sources), ['d.tar.gz', 'e.zip', 'level1.zip', 'level2.zip', 'level3.zip', 'n.zip']);
  const byName = new Map(sources.map((source) => [source.name, source]));
  const [failed] = await service.deps.db.query<{ parent: string }>(
    service.tenantId,
    sql`select origin_metadata -> 'parent_source_id' ->> 'val' as parent from source
      where tenant_id = ${service.tenantId} and id = ${byName.get('level3.zip')!.id}`,
  );
  assert.equal(failed!.parent, byName.get('level2.zip')!.id, 'a failed member is linked too');
  const message = (name: string) => errors.find((error) => error.name === name)?.message;
  assert.match(message('e.zip')!, /password/);
  assert.match(message('level3.zip')!, /up to 3 levels/);
  assert.match(message('d.tar.gz')!, /not a complete gzip/);
});

test('the retry of a failed archive adds its files once', async () => {
  const { sources } = await ingestAs({
    'two.zip': zipSync({ 'a.txt': strToU8('one'), 'b.txt': strToU8('two') }),
    'bad.pdf': '%PDF-1.4 broken',
  });
  const group = sources[0]!;
  const { body } = await service.get(`/sources/${group.id}`);
  await service.post(`/source-groups/${body.source_group_id}/runs`, { only_failed: true });
  await waitForGroup(service, body.source_group_id);
  const again = (await service.get(`/source-groups/${body.source_group_id}/sources?limit=100`)).body.sources;
  assert.deepEqual(names(again), ['a.txt', 'b.txt', 'bad.pdf', 'two.zip']);
});

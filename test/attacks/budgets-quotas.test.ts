/** Quotas of a tenant: uploads, changes, connectors and archives stay within them, and another tenant has its own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { runAdminCommand } from '../../src/admin.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import type { TestApp } from '../support/app.ts';
import { eventually, multipartBody, type UploadFile, waitForGroup } from '../support/upload.ts';
import { type ConnectorWorld, openConnectorWorld } from '../support/worlds/connector-world.ts';

const [FILES, BYTES, GROUPS] = [6, 2_000, 3];

let world: ConnectorWorld;
let t: TestApp;
let worker: Worker;
let otherKey: string;

before(async () => {
  world = await openConnectorWorld(
    {},
    { PINAKES_TENANT_FILES: `${FILES}`, PINAKES_TENANT_BYTES: `${BYTES}`, PINAKES_TENANT_GROUPS: `${GROUPS}` },
  );
  t = world.service;
  otherKey = (await t.secondTenant()).key;
  worker = buildWorker(t.deps);
  await worker.start();
});
after(async () => {
  await worker.stop(0);
  await world.close();
});

const text = (name: string, size = 10): UploadFile => ({ name, content: 'x '.repeat(size / 2) });

async function upload(files: UploadFile[], key = t.key, path = '', method: 'POST' | 'PUT' = 'POST') {
  const { headers, body } = multipartBody(files, method === 'PUT' ? [['mode', 'merge']] : []);
  const url = `/api/v1/local-file-groups${path}`;
  const answer = await t.app.inject({ method, url, headers: { 'x-api-key': key, ...headers }, payload: body });
  return { status: answer.statusCode, body: answer.json() };
}

/** Replaces a file of a group; returns the errors of the run. */
async function replaceFile(groupId: string, file: UploadFile): Promise<string[]> {
  assert.equal((await upload([file], t.key, `/${groupId}/files`, 'PUT')).status, 202);
  await waitForGroup(t, groupId);
  const { runs } = (await t.get(`/source-groups/${groupId}/runs`)).body;
  const { errors } = (await t.get(`/runs/${runs.at(-1).id}/errors`)).body;
  return errors.map(({ message }: { message: string }) => message);
}

/** Deletes all groups of the tenant. A group that is listed while it is being deleted may be gone before it is deleted again. */
async function empty(): Promise<void> {
  const { source_groups: groups } = (await t.get('/source-groups')).body;
  for (const { id } of groups) {
    const { status } = await t.delete(`/source-groups/${id}`);
    assert.ok(status === 202 || status === 404, String(status));
  }
}

test('uploads stop at the quotas, deleting makes room at once, and another tenant is not concerned', async () => {
  const first = await upload([text('a.txt'), text('b.txt')]);
  assert.equal(first.status, 201);
  const tooMany = await upload(Array.from({ length: FILES - 1 }, (_, i) => text(`${i}.txt`)));
  assert.deepEqual([tooMany.status, tooMany.body.error.type], [409, 'conflict_error']);
  assert.match(tooMany.body.error.message, /quota of files/);
  const tooLarge = await upload([text('large.txt', BYTES)]);
  assert.deepEqual([tooLarge.status, tooLarge.body.error.type], [413, 'request_too_large_error']);
  assert.match(tooLarge.body.error.message, /quota of bytes/);
  assert.equal((await upload([text('large.txt', BYTES)], otherKey)).status, 201);
  await empty();
  assert.equal((await upload([text('large.txt', BYTES)])).status, 201);
  await empty();
});

test('changes of a group count, and files of the same path replace each other', async () => {
  const { body } = await upload([text('a.txt', 100), text('b.txt', 100)]);
  assert.equal(await waitForGroup(t, body.source_group_id), 'success');
  const change = (files: UploadFile[]) => upload(files, t.key, `/${body.source_group_id}/files`, 'PUT');
  const added = Array.from({ length: FILES - 1 }, (_, i) => text(`new-${i}.txt`));
  assert.equal((await change(added)).status, 409);
  assert.equal((await change([text('a.txt', BYTES)])).status, 413);
  assert.equal((await change([text('a.txt', 110)])).status, 202);
  assert.equal(await waitForGroup(t, body.source_group_id), 'success');
  await empty();
});

test('a tenant creates no more groups than its quota, by any route', async () => {
  for (let i = 0; i < GROUPS; i++) assert.equal((await upload([text('a.txt')])).status, 201);
  const answer = await upload([text('a.txt')]);
  assert.deepEqual([answer.status, /quota of source groups/.test(answer.body.error.message)], [409, true]);
  const crawl = await t.post('/crawls', { name: 'site', urls: ['https://origin.example/'] });
  assert.deepEqual([crawl.status, /quota of source groups/.test(crawl.text)], [409, true]);
  await empty();
});

test('uploads that are sent together stay within the quota together', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload([text('a.txt'), text('b.txt')])));
  assert.equal(answers.filter(({ status }) => status === 201).length, Math.min(GROUPS, FILES / 2));
  await empty();
});

test('a run of an origin stores what fits, its other files fail with the reason, and a later run adds them', async () => {
  const held = await upload([text('a.txt'), text('b.txt'), text('c.txt'), text('d.txt')]);
  const group = await world.makeGroup();
  for (let i = 0; i < 4; i++)
    world.origin.files.set(`${i}`, { name: `page-${i}.txt`, content: `Page ${i} of lanterns.` });
  const run = await world.run(group);
  assert.deepEqual([run.status, run.statistics.added, run.statistics.failed], ['success', 2, 2]);
  const { errors } = (await t.get(`/runs/${run.id}/errors`)).body;
  assert.deepEqual(
    errors.map((error: { title: string }) => error.title),
    ['The quota of the tenant is used up', 'The quota of the tenant is used up'],
  );
  assert.equal((await world.search('lanterns')).length, 2);
  await t.delete(`/source-groups/${held.body.source_group_id}`);
  await world.run(group);
  // The worker may run the job as well, and then `run` returns before it has ended.
  await eventually(async () => (await world.search('lanterns')).length === 4, 60_000);
  await world.assertSound();
  await empty();
});

test('the files inside an archive count', async () => {
  const members = Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`${i}.txt`, strToU8(`member ${i}`)]));
  const { status, body } = await upload([{ name: 'all.zip', content: zipSync(members) }]);
  assert.equal(status, 201);
  assert.equal(await waitForGroup(t, body.source_group_id), 'failure');
  const { runs } = (await t.get(`/source-groups/${body.source_group_id}/runs`)).body;
  const { errors } = (await t.get(`/runs/${runs.at(-1).id}/errors`)).body;
  assert.match(errors[0].message, /do not fit into the quota of the tenant/);
  await empty();
});

test('a new version of an archive takes the room of the files inside the old one', async () => {
  const archive = (version: string, count: number, size = 20) => ({
    name: 'all.zip',
    content: zipSync(
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`${i}.txt`, strToU8(`${version} ${i} `.padEnd(size, 'x '))]),
      ),
    ),
  });
  const { body } = await upload([archive('first', FILES - 1)]);
  assert.equal(await waitForGroup(t, body.source_group_id), 'success');
  const change = (file: UploadFile) => replaceFile(body.source_group_id, file);
  assert.deepEqual(await change(archive('second', FILES - 1)), []);
  assert.match((await change(archive('third', FILES))).join(), /do not fit into the quota/);
  assert.match((await change(archive('fourth', FILES - 1, BYTES / 4))).join(), /do not fit into the quota/);
  await empty();
});

test('a new version of an archive takes the room of an archive inside the old one, with its files', async () => {
  const zip = (count: number, size: number) =>
    zipSync(
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`${i}.txt`, strToU8(`member ${i} `.padEnd(size, 'x '))]),
      ),
    );
  const nested = zipSync({ 'inner.zip': zip(FILES - 2, 150) });
  const { body } = await upload([{ name: 'all.zip', content: nested }]);
  assert.equal(await waitForGroup(t, body.source_group_id), 'success');
  const flat = (count: number, size: number) => ({ name: 'all.zip', content: zip(count, size) });
  const change = (file: UploadFile) => replaceFile(body.source_group_id, file);
  assert.match((await change(flat(FILES, 20))).join(), /do not fit into the quota/);
  assert.match((await change(flat(FILES - 1, BYTES / 4))).join(), /do not fit into the quota/);
  assert.deepEqual(await change(flat(FILES - 1, BYTES / 8)), []);
  const { files, bytes } = (await t.get('/service')).body.quotas;
  assert.deepEqual([files.used, bytes.used > (FILES - 1) * (BYTES / 8)], [FILES, true]);
  await empty();
});

test('a new attachment takes the room of one that a mail no longer has', async () => {
  const mail = (names: string[]) => {
    const parts = names.map(
      (name) =>
        `--x\nContent-Disposition: attachment; filename="${name}"\nContent-Type: text/plain\n\nThe words of ${name}.\n`,
    );
    const head =
      'From: ann@example.com\nSubject: Herons\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x"\n\n';
    return {
      name: 'a.eml',
      content: `${head}--x\nContent-Type: text/plain\n\nThe heron nests.\n${parts.join('')}--x--\n`,
    };
  };
  const names = Array.from({ length: FILES - 1 }, (_, i) => `${i}.txt`);
  const { body } = await upload([mail(names)]);
  assert.equal(await waitForGroup(t, body.source_group_id), 'success');
  const renamed = [...names.slice(1), 'renamed.txt'];
  assert.deepEqual(await replaceFile(body.source_group_id, mail(renamed)), []);
  const { sources } = (await t.get(`/source-groups/${body.source_group_id}/sources`)).body;
  assert.deepEqual(sources.map(({ name }: { name: string }) => name).sort(), [...renamed, 'a.eml'].sort());
  await empty();
});

test('the quotas that the operator set for a tenant replace those of the settings, for it alone', async () => {
  const quotas = (method: string, body?: unknown) => runAdminCommand(t.deps, method, '/quotas/default', body);
  const many = Array.from({ length: FILES + 1 }, (_, i) => text(`${i}.txt`));
  assert.equal((await upload(many)).status, 409);
  assert.deepEqual(await quotas('PATCH', { files: FILES + 2, bytes: 0 }), {
    ...{ bytes: 0, files: FILES + 2, groups: null },
  });
  await Promise.all(Array.from({ length: 8 }, (_, i) => quotas('PATCH', i % 2 ? { files: FILES + 2 } : { bytes: 0 })));
  assert.deepEqual(await quotas('GET'), { bytes: 0, files: FILES + 2, groups: null });
  assert.equal((await upload(many)).status, 201);
  assert.equal((await upload([text('large.txt', BYTES)])).status, 201);
  assert.match((await upload([text('more.txt')])).body.error.message, /quota of files/);
  assert.equal((await upload(many, otherKey)).status, 409);
  await assert.rejects(quotas('PATCH', { files: -1 }), /files/);

  const { body } = await t.get('/service');
  assert.deepEqual(body.quotas, {
    bytes: { used: (FILES + 1) * 10 + BYTES, quota: null },
    files: { used: FILES + 2, quota: FILES + 2 },
    groups: { used: 2, quota: GROUPS },
  });
  const limited = await t.issueKey(['knowledge:read', 'ingestion:manage'], {
    sourceGroupIds: ['0199a3c0-0000-7000-8000-000000000001'],
  });
  assert.equal((await t.get('/service', limited)).body.quotas, null);
  assert.equal((await t.get('/service', await t.issueKey(['knowledge:read']))).body.quotas, null);

  assert.deepEqual(await quotas('PATCH', { files: null, bytes: null }), { bytes: null, files: null, groups: null });
  assert.equal((await upload([text('more.txt')])).status, 409);
  const { audit_events: events } = (await t.get('/audit-events?object_kind=tenant&action=change')).body;
  assert.deepEqual(events[0].details, { quotas: { bytes: 0, files: FILES + 2, groups: null } });
  await empty();
});

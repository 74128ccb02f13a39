/** What a listing must report before sources are deleted, and where the next listing starts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OriginError } from '../../../src/connectors/connector.ts';
import { eventually } from '../../support/upload.ts';
import {
  fetchedDuring,
  figures,
  groupId,
  put,
  setUpOriginGroup,
  useGroup,
  world,
} from '../../support/worlds/origin-group.ts';

setUpOriginGroup();

const titleOf = (run: { error: { title: string } | null }) => run.error?.title;

test('a listing that throws deletes nothing, and its run reports why', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  await world.run(groupId);
  world.origin.script = async function* () {
    yield world.origin.present('a');
    throw new OriginError({ title: 'The key was refused', message: 'Give another key.', retryable: false });
  };
  const run = await world.run(groupId);
  assert.deepEqual(
    [run.status, run.error],
    ['failure', { title: 'The key was refused', message: 'Give another key.' }],
  );
  assert.deepEqual(run.statistics, figures({ scanned: 1, unchanged: 1 }));
  assert.deepEqual(await world.search('badger'), ['b.txt']);
});

test('a listing that stops without an end deletes nothing', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  await world.run(groupId);
  world.origin.script = async function* () {
    yield world.origin.present('a');
  };
  const run = await world.run(groupId);
  assert.deepEqual([run.status, titleOf(run)], ['failure', 'The origin could not be listed to its end']);
  assert.deepEqual(await world.search('badger'), ['b.txt']);
});

test('an empty full listing deletes no stored sources', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  world.origin.script = async function* () {
    yield { kind: 'end', full: true, cursor: null };
  };
  assert.equal((await world.run(groupId)).status, 'success', 'nothing is stored yet');
  world.origin.script = undefined;
  await world.run(groupId);
  world.origin.script = async function* () {
    yield { kind: 'end', full: true, cursor: { page: 2 } };
  };
  const run = await world.run(groupId);
  assert.deepEqual([run.status, titleOf(run)], ['failure', 'The origin listed nothing']);
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
  world.origin.script = undefined;
  await world.run(groupId);
  assert.equal(world.origin.listings.at(-1)!.cursor, null, 'its cursor was not kept');
});

test('an incremental run starts at the cursor of the last run without failures', async () => {
  for (const id of ['a', 'b', 'c']) put(id, `${id}.txt`, `The ${id} numbat.`);
  const listing = (cursor: number, ids: string[], full = false) =>
    async function* () {
      for (const id of ids) yield world.origin.present(id);
      yield { kind: 'end' as const, full, cursor: { at: cursor } };
    };
  world.origin.script = listing(1, ['a', 'b', 'c'], true);
  await world.run(groupId);
  put('b', 'b.txt', 'The changed numbat.');
  put('a', 'a.txt', 'The changed numbat too.');
  world.origin.script = listing(2, ['a', 'b']);
  world.origin.onFetch = async (id) => {
    if (id === 'a') return undefined;
    throw new OriginError({ title: 'No right to read it', message: 'Share the file.', retryable: false });
  };
  const failing = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1)!.cursor, { at: 1 });
  assert.deepEqual([failing.status, failing.error.title], ['success', '1 of 2 files failed']);
  assert.deepEqual(await world.search('numbat'), ['a.txt', 'b.txt', 'c.txt'], 'what was stored stays');
  world.origin.onFetch = async () => undefined;
  const again = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1)!.cursor, { at: 1 }, 'it is listed again');
  assert.deepEqual(again.statistics, figures({ scanned: 2, updated: 1, unchanged: 1 }));
  world.origin.script = async function* () {
    yield { kind: 'gone', originId: 'c' };
    yield { kind: 'gone', originId: 'never there' };
    yield { kind: 'end', full: false, cursor: { at: 3 } };
  };
  const last = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1)!.cursor, { at: 2 });
  assert.deepEqual(last.statistics, figures({ deleted: 1 }));
  assert.deepEqual(await world.search('numbat'), ['a.txt', 'b.txt']);
});

test('an incremental run whose only change fails is a success with an error, because the other files are served', async () => {
  for (const id of ['a', 'b']) put(id, `${id}.txt`, `The ${id} wombat.`);
  world.origin.script = async function* () {
    for (const id of ['a', 'b']) yield world.origin.present(id);
    yield { kind: 'end', full: true, cursor: { at: 1 } };
  };
  await world.run(groupId);
  put('c', 'c.pdf', '%PDF-1.4\nthis is no PDF file');
  world.origin.script = async function* () {
    yield world.origin.present('c');
    yield { kind: 'end', full: false, cursor: { at: 2 } };
  };
  const run = await world.run(groupId);
  assert.deepEqual([run.status, titleOf(run), run.statistics.failed], ['success', '1 of 1 file failed', 1]);
  world.origin.script = async function* () {
    yield { kind: 'end', full: false, cursor: { at: 3 } };
  };
  const next = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1)!.cursor, { at: 2 }, 'the change is not listed again');
  assert.deepEqual([next.status, titleOf(next)], ['success', '1 of 1 file failed'], 'the file is tried again');
  assert.deepEqual(await world.search('wombat'), ['a.txt', 'b.txt']);
});

test('a connector that reports failed items again lets the next run start after the listing', async () => {
  const { origin } = world;
  for (const id of ['a', 'b']) put(id, `${id}.txt`, `The ${id} wombat.`);
  origin.withFailed = (cursor, ids) => (ids.length > 1 ? null : { ...cursor, failed: ids });
  origin.onFetch = async (id) => {
    if (id === 'a') return undefined;
    throw new OriginError({ title: 'No right to read it', message: 'Share the file.', retryable: id === 'c' });
  };
  origin.script = async function* () {
    for (const id of ['a', 'b']) yield origin.present(id);
    yield { kind: 'end', full: true, cursor: { at: 1 } };
  };
  await world.run(groupId);
  const changes = async function* (at: number, ids: string[]) {
    for (const id of ids) yield origin.present(id);
    yield { kind: 'end' as const, full: false, cursor: { at } };
  };
  origin.script = () => changes(2, ['b']);
  const second = await world.run(groupId);
  assert.deepEqual(origin.listings.at(-1)!.cursor, { at: 1, failed: ['b'] });
  assert.deepEqual([second.status, titleOf(second)], ['success', '1 of 1 file failed'], 'the other files are served');
  put('c', 'c.txt', 'The c wombat.');
  origin.script = () => changes(3, ['c']);
  assert.equal((await world.run(groupId)).status, 'failure', 'nothing could be fetched for a reason that may pass');
  assert.deepEqual(origin.listings.at(-1)!.cursor, { at: 2, failed: ['b'] });
  origin.script = () => changes(4, ['b', 'c']);
  await world.run(groupId);
  assert.deepEqual(origin.listings.at(-1)!.cursor, { at: 2, failed: ['b'] }, 'a failed run keeps its cursor');
  await world.run(groupId);
  assert.deepEqual(origin.listings.at(-1)!.cursor, { at: 2, failed: ['b'] }, 'the connector declined two failures');
});

test('stored items that a connector looks up at the same moment cost one transaction', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `item ${i}`);
  for (const id of ids) put(id, `${id}.txt`, `The ${id} wombat.`);
  await world.run(groupId);
  const { db } = world.service.deps;
  const { transaction } = db;
  const { list } = world.origin;
  let transactions = 0;
  let revisions: (string | null | undefined)[] = [];
  world.origin.list = async function* (_origin, _credential, { findStored }) {
    db.transaction = (...given) => {
      transactions += 1;
      return transaction(...given);
    };
    const found = await Promise.all([...ids, 'unknown'].map((id) => findStored(id)));
    db.transaction = transaction;
    revisions = found.map((stored) => stored?.revision);
    for (const id of ids) yield { kind: 'unchanged', originId: id };
    yield { kind: 'end', full: true, cursor: null };
  };
  try {
    assert.equal((await world.run(groupId)).status, 'success');
  } finally {
    Object.assign(world.origin, { list });
    db.transaction = transaction;
  }
  assert.deepEqual(revisions, [...ids.map((id) => world.origin.present(id).item.revision), undefined]);
  assert.ok(transactions < 10, `${transactions} transactions`);
});

test('if a listing reports an item twice, the last report counts', async () => {
  for (const id of ['a', 'b', 'c', 'd']) put(id, `${id}.txt`, `The ${id} echidna.`);
  await world.run(groupId);
  put('e', 'e.txt', 'The e echidna.');
  put('d', 'd.txt', 'The changed echidna.');
  for (const between of [[], [{ kind: 'checkpoint' as const, resume: {} }]]) {
    world.origin.script = async function* () {
      yield { kind: 'gone', originId: 'a' };
      for (const id of ['b', 'd', 'e']) yield world.origin.present(id);
      yield* between;
      yield world.origin.present('a');
      for (const id of ['b', 'd', 'e']) yield { kind: 'gone', originId: id };
      yield { kind: 'end', full: false, cursor: null };
    };
    assert.equal((await world.run(groupId)).status, 'success');
    assert.deepEqual(await world.search('echidna'), ['a.txt', 'c.txt']);
  }
});

test('pending sources of a canceled run are processed or removed by the next run and counted once', async () => {
  for (const id of ['a', 'b', 'c', 'd']) put(id, `${id}.txt`, `The ${id} potoroo.`);
  const runId = await world.queueRun(groupId);
  world.origin.script = async function* () {
    for (const id of ['a', 'b', 'c', 'd']) yield world.origin.present(id);
    yield { kind: 'checkpoint', resume: {} };
    assert.equal((await world.service.post(`/runs/${runId}/cancel`, {})).status, 202);
    yield { kind: 'end', full: true, cursor: null };
  };
  await world.work(runId);
  assert.equal((await world.getRun(runId)).status, 'canceled');
  assert.equal((await world.sources(groupId)).length, 4);
  const problem = { title: 'Not readable now', message: 'Later.', retryable: true };
  world.origin.script = async function* () {
    yield world.origin.present('a');
    yield { kind: 'failed', originId: 'b', name: 'b.txt', problem };
    yield { kind: 'skipped', originId: 'c', name: 'c.txt', reason: 'binary' };
    yield { kind: 'end', full: true, cursor: null };
  };
  const fetched = await fetchedDuring(async () => {
    const run = await world.run(groupId);
    assert.deepEqual(run.statistics, figures({ scanned: 3, added: 1, skipped: 1, deleted: 2, failed: 1 }));
    assert.deepEqual([run.status, run.files_done, run.files_total], ['success', 3, 3]);
  });
  assert.deepEqual(fetched, []);
  assert.deepEqual(await world.search('potoroo'), ['a.txt']);
  world.origin.script = undefined;
  world.origin.files.delete('c');
  world.origin.files.delete('d');
  const last = await world.run(groupId);
  assert.deepEqual(last.statistics, figures({ scanned: 2, added: 1, unchanged: 1 }));
});

test('the problem of an origin is told also when each file of the run failed', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  await world.run(groupId);
  world.origin.script = async function* () {
    yield {
      kind: 'failed',
      originId: 'b',
      name: 'b.txt',
      problem: { title: 'Broken', message: 'x', retryable: false },
    };
    throw new OriginError({ title: 'The credential was revoked', message: 'Give another one.', retryable: false });
  };
  for (const files of [0, 1]) {
    if (files === 1) put('a', 'a.txt', ' ');
    const run = await world.run(groupId);
    assert.deepEqual([run.status, run.error.title], ['failure', 'The credential was revoked']);
    assert.equal((await world.service.get(`/runs/${run.id}/errors`)).body.errors[0].title, 'Broken');
  }
});

test('a listing may succeed with a notice, which the run shows', async () => {
  const notice = { title: 'The crawl stopped after 9 pages', message: 'Raise the limit.', retryable: false };
  put('a', 'a.txt', 'The aardvark digs.');
  world.origin.script = async function* () {
    yield world.origin.present('a');
    yield { kind: 'end', full: true, cursor: null, notice };
  };
  const run = await world.run(groupId);
  assert.deepEqual([run.status, run.error.title], ['success', notice.title]);
});

test('a source that a caller deleted is stored again by the next listing that reports it', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  await world.run(groupId);
  const [{ id }] = await world.sources(groupId);
  assert.equal((await world.service.delete(`/sources/${id}`)).status, 202);
  assert.deepEqual(await world.search('aardvark'), []);
  assert.deepEqual((await world.run(groupId)).statistics, figures({ scanned: 1, added: 1 }));
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
});

test('an expired cursor leads to a full listing', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  world.origin.script = async function* () {
    yield world.origin.present('a');
    yield world.origin.present('b');
    yield { kind: 'end', full: true, cursor: { at: 1 } };
  };
  await world.run(groupId);
  world.origin.script = async function* ({ cursor }) {
    if (cursor) {
      yield { kind: 'gone', originId: 'a' };
      yield { kind: 'checkpoint', resume: { page: 2 } };
      throw new OriginError({ title: 'Too old', message: '', retryable: true }, { cursorExpired: true });
    }
    yield world.origin.present('a');
    yield { kind: 'end', full: true, cursor: { at: 9 } };
  };
  const run = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1), { cursor: null, resume: null });
  assert.deepEqual([run.status, run.statistics], ['success', figures({ scanned: 1, unchanged: 1, deleted: 1 })]);
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
  assert.deepEqual(await world.search('badger'), []);
  world.origin.script = async function* () {
    yield world.origin.present('a');
    throw new OriginError({ title: 'Too old, always', message: 'So it is.', retryable: true }, { cursorExpired: true });
  };
  const never = await world.run(groupId);
  assert.deepEqual([never.status, never.error.title], ['failure', 'Too old, always']);
});

test('a group with a schedule has the status managed between its runs', async () => {
  await world.service.delete(`/source-groups/${groupId}`);
  useGroup(await world.makeGroup({ rrule: 'FREQ=DAILY' }));
  put('a', 'a.txt', 'The aardvark digs.');
  const statusOf = async () => (await world.service.get(`/source-groups/${groupId}`)).body.status;
  const run = await world.run(groupId);
  assert.deepEqual([run.status, await statusOf()], ['success', 'managed']);
  world.origin.script = async function* () {
    yield world.origin.present('a');
    throw new OriginError({ title: 'Down', message: '', retryable: true });
  };
  assert.deepEqual([(await world.run(groupId)).status, await statusOf()], ['failure', 'failure']);
  world.origin.script = undefined;
  await world.run(groupId);
  assert.equal(await statusOf(), 'managed');
});

test('listed items are searchable before the listing ends, and progress counts the items to come', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  const runId = await world.queueRun(groupId);
  let during: { stage: string; files_done: number; files_total: number; statistics: { scanned: number } } | undefined;
  world.origin.script = async function* () {
    yield { kind: 'outlook', waiting: 6 };
    yield world.origin.present('a');
    yield { kind: 'outlook', waiting: 5 };
    // Items before a checkpoint are stored.
    yield { kind: 'checkpoint', resume: { at: 1 } };
    during = await eventually(async () => {
      const run = await world.getRun(runId);
      return run.files_done === 1 && run;
    });
    assert.deepEqual(await world.search('aardvark'), ['a.txt']);
    yield world.origin.present('b');
    yield { kind: 'end', full: true, cursor: null };
  };
  await world.work(runId);
  assert.deepEqual([during?.stage, during?.files_total, during?.statistics.scanned], ['list', 6, 1]);
  const run = await world.getRun(runId);
  assert.deepEqual([run.status, run.files_done, run.files_total], ['success', 2, 2]);
  assert.deepEqual(run.statistics, figures({ scanned: 2, added: 2 }));
});

test('a file in flight while its origin is listed is processed once', async () => {
  const ids = Array.from({ length: 30 }, (_, index) => `f${index}`);
  for (const id of ids) put(id, `${id}.txt`, `The numbat ${id}.`);
  world.origin.script = async function* () {
    for (const id of ids) {
      yield world.origin.present(id);
      yield { kind: 'checkpoint', resume: { id } };
    }
    yield { kind: 'end', full: true, cursor: null };
  };
  const { processor } = world.service.deps;
  const { process } = processor;
  const read: string[] = [];
  processor.process = (file, signal, onMember) => {
    read.push(file.name);
    return process.call(processor, file, signal, onMember);
  };
  try {
    const run = await world.run(groupId);
    assert.deepEqual(run.statistics, figures({ scanned: 30, added: 30 }));
  } finally {
    processor.process = process;
  }
  assert.deepEqual(read.sort(), ids.map((id) => `${id}.txt`).sort());
});

test('a listing that fails ends the processing beside it, and stored results stay', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  const runId = await world.queueRun(groupId);
  world.origin.script = async function* () {
    yield world.origin.present('a');
    yield { kind: 'checkpoint', resume: { at: 1 } };
    await eventually(async () => (await world.getRun(runId)).files_done === 1);
    throw new OriginError({ title: 'The site went away', message: 'Try again.', retryable: true });
  };
  await world.work(runId);
  const run = await world.getRun(runId);
  assert.deepEqual(
    [run.status, titleOf(run), run.files_done, run.files_total],
    ['failure', 'The site went away', 1, 1],
  );
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
});

/** Changes to the files of a group by PUT and DELETE: which content is searchable at each moment, and what a run counts. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { zipSync } from 'fflate';
import { findViolations } from '../../../src/corpus/invariants.ts';
import { sql } from '../../../src/db/sql.ts';
import { openProcessPool } from '../../../src/files/sandbox/process-pool.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { counts, fileChanges, statistics } from '../../support/file-changes.ts';
import { eventually, waitForGroup } from '../../support/upload.ts';
import { type GatedProcessor, gateProcessor } from '../../support/worlds/gated-processor.ts';

let service: TestApp;
let gate: GatedProcessor;
let worker: Worker;

before(async () => {
  gate = gateProcessor(openProcessPool({ children: 1 }));
  service = await openTestApp({ given: { processor: gate } });
  worker = buildWorker(service.deps);
  await worker.start();
});
after(async () => {
  await worker.stop(1_000);
  await gate.close();
  await service.close();
});
afterEach(async () => {
  gate.setOpen(true);
  gate.script = () => undefined;
  const { db, blobs } = service.deps;
  assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 60 }), []);
});

const { change, changeAndWait, removal, sources, found, make } = fileChanges(() => service);

test('files are added and replaced with the same source ids, and unchanged files are not read again', async () => {
  const id = await make({ 'a.txt': 'The quay is called aldemar.', 'b.txt': 'The quay is called bresko.' });
  const before = await sources(id);
  await service.put(`/sources/${before.get('a.txt')!.id}/metadata`, {
    metadata: { records: [{ key: 'owner', val: 'harbour' }] },
  });
  const calls = gate.calls.get('b.txt');

  const { counts: told, run } = await changeAndWait(id, {
    'a.txt': 'The quay is called corvina.',
    'b.txt': 'The quay is called bresko.',
    'docs/c.txt': 'The quay is called dolmara.',
  });

  assert.deepEqual(told, { added: 1, updated: 1, unchanged: 1 });
  assert.deepEqual(statistics(run), { scanned: 3, added: 1, updated: 1, unchanged: 1 });
  assert.deepEqual([run.status, run.files_done, run.files_total], ['success', 3, 3]);
  const now = await sources(id);
  assert.deepEqual([...now.keys()], ['a.txt', 'b.txt', 'docs/c.txt']);
  assert.equal(now.get('a.txt')!.id, before.get('a.txt')!.id);
  const { body } = await service.get(`/sources/${now.get('a.txt')!.id}`);
  assert.deepEqual(body.metadata.records, [{ key: 'owner', val: 'harbour', type: 'string' }]);
  assert.equal(gate.calls.get('b.txt'), calls, 'what is unchanged is not read');
  assert.deepEqual(await found('aldemar'), []);
  assert.deepEqual(await found('corvina'), ['a.txt']);
  assert.deepEqual(await found('dolmara'), ['c.txt']);
});

test('a change request without any change starts no run', async () => {
  const id = await make({ 'same.txt': 'The ferry is called elmenor.' });
  const { counts: told, run } = await changeAndWait(
    id,
    { 'same.txt': 'The ferry is called elmenor.' },
    { mode: 'mirror' },
  );
  assert.deepEqual([told, run], [{ unchanged: 1 }, null]);
  assert.equal((await service.get(`/source-groups/${id}/runs`)).body.pagination.total, 1);
});

test('the old version of a file is served until the new version is searchable, and never after', async () => {
  const id = await make({ 'tide.txt': 'The tide table was printed by fenwick.' });
  gate.setOpen(false);
  assert.equal((await change(id, { 'tide.txt': 'The tide table was printed by garrow.' })).status, 202);
  await eventually(async () => gate.inHand.has('tide.txt'));
  assert.deepEqual(await found('fenwick'), ['tide.txt']);
  assert.deepEqual(await found('garrow'), []);
  gate.setOpen(true);
  assert.equal(await waitForGroup(service, id), 'success');
  assert.deepEqual(await found('fenwick'), []);
  assert.deepEqual(await found('garrow'), ['tide.txt']);
  const { body } = await service.post('/completions', {
    messages: [{ role: 'user', content: 'Who printed the tide table?' }],
  });
  assert.match(body.choices[0].message.content, /garrow/);
  assert.doesNotMatch(JSON.stringify(body), /fenwick/);
});

test('while a run is active, files cannot be changed but can be deleted', async () => {
  const id = await make({ 'x.txt': 'The crane is called hostrel.', 'y.txt': 'The crane is called ilvane.' });
  gate.setOpen(false);
  assert.equal((await change(id, { 'x.txt': 'new hostrel', 'y.txt': 'new ilvane' })).status, 202);
  const again = await change(id, { 'x.txt': 'newer' });
  assert.equal(again.status, 409);
  assert.match(again.body.error.message, /change its files when its run has ended/);
  const deleted = await removal(id, ['y.txt', 'nothing.txt']);
  assert.deepEqual([deleted.status, deleted.body], [202, { source_group_id: id, deleted: 1 }]);
  assert.deepEqual(await found('ilvane'), []);
  gate.setOpen(true);
  assert.equal(await waitForGroup(service, id), 'success');
  const [, run] = (await service.get(`/source-groups/${id}/runs`)).body.runs;
  assert.deepEqual(statistics(run), { scanned: 2, updated: 1, skipped: 1 });
  assert.deepEqual(await found('ilvane'), []);
  assert.deepEqual((await removal(id, ['y.txt'])).body.deleted, 0);
});

test('if a new version cannot be read, the old version stays and the run reports the error', async () => {
  const id = await make({ 'manual.pdf': 'The pump is called jorvane.', 'z.txt': 'The pump is called kelmar.' });
  const before = await sources(id);
  const broken = '%PDF-1.4\nno PDF at all';
  const { run } = await changeAndWait(id, { 'manual.pdf': broken, 'z.txt': 'The pump is called lorimer.' });
  assert.deepEqual(statistics(run), { scanned: 2, updated: 1, failed: 1 });
  assert.equal(run.error.title, '1 of 2 files failed');
  const { errors } = (await service.get(`/runs/${run.id}/errors`)).body;
  assert.equal(errors[0].name, 'manual.pdf');
  assert.deepEqual(await found('jorvane'), ['manual.pdf']);
  const { status, update_status: update } = (await sources(id)).get('manual.pdf')!;
  assert.deepEqual([status, update], ['ready', 'failed']);
  const again = await changeAndWait(id, { 'manual.pdf': broken });
  assert.deepEqual([again.counts, again.run], [{ unchanged: 1 }, null], 'the same bytes would fail again');

  const retried = await service.post(`/source-groups/${id}/runs`, { only_failed: true });
  assert.equal(retried.status, 201);
  await waitForGroup(service, id);
  const { body } = await service.get(`/runs/${retried.body.id}`);
  assert.deepEqual(
    statistics(body),
    { scanned: 1, failed: 1 },
    'a run of the failed files reads the new version again',
  );

  const back = await changeAndWait(id, { 'manual.pdf': 'The pump is called jorvane.' });
  assert.deepEqual(back.counts, { updated: 1 });
  assert.deepEqual(statistics(back.run!), { scanned: 1, updated: 1 });
  assert.equal((await sources(id)).get('manual.pdf')!.content_hash, before.get('manual.pdf')!.content_hash);
  assert.deepEqual(await found('jorvane'), ['manual.pdf']);
});

test('a file whose text was removed is not found by its old words, and neither are the files that were in it', async () => {
  const zip = Buffer.from(zipSync({ 'inside.txt': Buffer.from('The valve is called morvyn.') }));
  const id = await make({
    'blank.txt': 'The valve is called nesworth.',
    'none.txt': 'It is called orlick.',
    'a.zip': zip,
  });
  assert.deepEqual([await found('nesworth'), await found('morvyn')], [['blank.txt'], ['inside.txt']]);
  const empty = Buffer.from(zipSync({}));
  const { run } = await changeAndWait(id, { 'blank.txt': ' \n', 'none.txt': '', 'a.zip': empty, 'first.txt': ' \n' });
  assert.deepEqual(statistics(run), { scanned: 4, updated: 3, deleted: 1, failed: 1 });
  assert.deepEqual([await found('nesworth'), await found('orlick'), await found('morvyn')], [[], [], []]);
  const { status, chunk_count: chunks, warnings, text_length: length } = (await sources(id)).get('blank.txt')!;
  assert.deepEqual([status, chunks, length], ['ready', 0, 0]);
  assert.deepEqual(warnings, ['The file was read, but there are no words in it.']);
  const again = await changeAndWait(id, { 'blank.txt': ' \n' });
  assert.deepEqual([again.counts, again.run], [{ unchanged: 1 }, null]);
  await changeAndWait(id, { 'blank.txt': 'The valve is called nesworth.' });
  assert.deepEqual(await found('nesworth'), ['blank.txt']);
});

test('mirror hides files that were not sent before it answers, and keeps the source id of a moved file', async () => {
  const id = await make({ 'old.txt': 'The lock is called merrow.', 'gone.txt': 'The lock is called nolane.' });
  const before = await sources(id);
  gate.setOpen(false);
  const { status, body } = await change(
    id,
    { 'docs/new.txt': 'The lock is called merrow.', 'more.txt': 'The lock is called ostrev.' },
    { mode: 'mirror' },
  );
  assert.equal(status, 202);
  assert.deepEqual(counts(body), { added: 1, moved: 1, deleted: 1 });
  assert.deepEqual(await found('nolane'), []);
  assert.deepEqual(await found('merrow'), ['new.txt']);
  gate.setOpen(true);
  await waitForGroup(service, id);
  assert.deepEqual(statistics((await service.get(`/runs/${body.run_id}`)).body), {
    scanned: 2,
    added: 1,
    updated: 1,
    deleted: 1,
  });
  assert.equal((await sources(id)).get('docs/new.txt')!.id, before.get('old.txt')!.id);
  const [event] = (await service.get(`/audit-events?object_id=${id}`)).body.audit_events;
  assert.deepEqual(
    [event.action, event.object_kind, event.details],
    ['change', 'source_group', { deleted_files: 1, source_ids: [before.get('gone.txt')!.id] }],
  );
  await eventually(async () => {
    const [row] = await service.deps.db.query<{ n: number }>(
      service.tenantId,
      sql`select count(*) as n from source where id = ${before.get('gone.txt')!.id}`,
    );
    return row!.n === 0;
  });
});

test('files are moved without being sent, and are read again if their ending changes', async () => {
  const id = await make({
    'a.md': '# Piers\n\nThe pier is called pendrel.',
    'b.md': '# Piers\n\nThe pier is called quorin.',
  });
  const before = await sources(id);
  const moves = [
    { from: 'a.md', to: 'docs/a.md' },
    { from: 'b.md', to: 'b.txt' },
  ];
  const { counts: told, run } = await changeAndWait(id, {}, { moves });
  assert.deepEqual(told, { moved: 2 });
  assert.deepEqual(statistics(run), { scanned: 2, updated: 2 });
  const now = await sources(id);
  assert.equal(now.get('docs/a.md')!.id, before.get('a.md')!.id);
  assert.equal((await service.get(`/sources/${now.get('b.txt')!.id}`)).body.file_type, 'txt');
  assert.deepEqual(await found('pendrel'), ['a.md']);
  const taken = await change(id, {}, { moves: [{ from: 'docs/a.md', to: 'b.txt' }] });
  assert.deepEqual(
    [taken.status, taken.body.error.message],
    [409, 'The group has another file with the path "b.txt".'],
  );
});

test('a moved file is found by its new name, and no longer by its old name, also with a title', async () => {
  const texts = { 'vimbor.txt': 'The bittern hides.', 'gramzo.md': '# Birds\n\nThe wader runs.' };
  const id = await make({ ...texts, 'keep.txt': 'The heron stands.' });
  const byName = async (query: string) => (await service.post('/search', { query })).body.results.length;
  assert.deepEqual([await byName('vimbor'), await byName('gramzo')], [1, 1]);
  const moves = [
    { from: 'vimbor.txt', to: 'sub/quexol.txt' },
    { from: 'gramzo.md', to: 'sub/plinth.md' },
    { from: 'keep.txt', to: 'sub/keep.txt' },
  ];
  const { run } = await changeAndWait(id, {}, { moves });
  assert.deepEqual(statistics(run), { scanned: 3, updated: 3 });
  assert.deepEqual([await byName('vimbor'), await byName('quexol')], [0, 1]);
  assert.deepEqual([await byName('gramzo'), await byName('plinth')], [0, 1]);
});

test('a file is found by its folders, and a moved file only by its new folders', async () => {
  const id = await make({ 'keep.txt': 'The heron stands.' });
  const offer = '# Price list\n\nThe crane costs 40 Euro.';
  await changeAndWait(id, { 'Brimtal/2023/offer.md': offer, 'Tosk/offer.txt': 'A winch.' });
  const named = async (query: string) =>
    (await service.post('/search', { query })).body.results.map(({ path }: { path: string }) => path);
  assert.equal((await named('brimtal offer'))[0], 'Brimtal/2023/offer.md');
  assert.deepEqual(await named('tosk'), ['Tosk/offer.txt']);
  const moves = [{ from: 'Brimtal/2023/offer.md', to: 'Zelquist/2023/offer.md' }];
  const { run } = await changeAndWait(id, {}, { moves });
  assert.deepEqual(statistics(run), { scanned: 1, updated: 1 });
  assert.deepEqual([await named('brimtal'), await named('zelquist')], [[], ['Zelquist/2023/offer.md']]);
});

test('an impossible change changes nothing', async () => {
  const id = await make({ 'kept.txt': 'The mast is called rostane.' });
  const refused = async (answer: ReturnType<typeof change>, message: RegExp): Promise<void> => {
    const { status, body } = await answer;
    assert.equal(status, 400);
    assert.match(body.error.message, message);
  };
  await refused(change(id, {}), /"files" is missing/);
  await refused(change(id, {}, { mode: 'mirror', moves: [{ from: 'a', to: 'b' }] }), /"files" is missing/);
  await refused(change(id, { a: '1', './a': '2' }), /paths names "a" twice/);
  await refused(change(id, { a: '1' }, { mode: 'replace' }), /must be merge or mirror/);
  await refused(change(id, { a: '1' }, { fields: [['name', 'x']] }), /Unknown field "name"/);
  await refused(change(id, { a: '1' }, { fields: [['moves', '{}']] }), /moves must be a JSON array/);
  await refused(change(id, { a: '1' }, { fields: [['moves', '[{"from":"../a","to":"b"}]']] }), /segment "\.\."/);
  await refused(
    change(
      id,
      { a: '1' },
      {
        moves: [
          { from: 'a', to: 'b' },
          { from: 'c', to: 'b' },
        ],
      },
    ),
    /moves names "b" twice/,
  );
  assert.equal((await removal(id, [])).status, 400);
  assert.equal((await removal(id, ['..'])).status, 400);
  assert.deepEqual([...(await sources(id)).keys()], ['kept.txt']);
  assert.deepEqual(await found('rostane'), ['kept.txt']);
});

test('with an Idempotency-Key, a repeated change gets the same answer, and another change is a conflict', async () => {
  const id = await make({ 'i.txt': 'one' });
  const headers = { 'idempotency-key': 'change-1' };
  const first = await change(id, { 'i.txt': 'two' }, { headers });
  await waitForGroup(service, id);
  const second = await change(id, { 'i.txt': 'two' }, { headers });
  assert.deepEqual([second.status, second.headers['idempotent-replayed']], [202, 'true']);
  assert.deepEqual(second.body, first.body);
  assert.equal((await change(id, { 'i.txt': 'two' }, { headers, mode: 'mirror' })).status, 409);
  assert.equal((await service.get(`/source-groups/${id}/runs`)).body.pagination.total, 2);
});

test('of two changes at the same time, one is applied and the other is refused with 409', async () => {
  const id = await make({ 'r.txt': 'one' });
  gate.setOpen(false);
  const answers = await Promise.all([change(id, { 'r.txt': 'two' }), change(id, { 'r.txt': 'three' })]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
  gate.setOpen(true);
  await waitForGroup(service, id);
  const before = (await sources(id)).get('r.txt')!;
  const won = answers[0]!.status === 202 ? 'two' : 'three';
  assert.equal(before.status, 'ready');
  assert.match((await service.get(`/sources/${before.id}/text`)).body.text, new RegExp(won));
});

test('files of a group that is being deleted cannot be changed, and an active run does not bring them back', async () => {
  const id = await make({ 'd.txt': 'The bell is called ulmary.' });
  gate.setOpen(false);
  assert.equal((await change(id, { 'd.txt': 'The bell is called vandrel.' })).status, 202);
  assert.equal((await service.delete(`/local-file-groups/${id}`)).status, 202);
  assert.equal((await change(id, { 'd.txt': 'x' })).status, 404);
  assert.equal((await removal(id, ['d.txt'])).status, 404);
  gate.setOpen(true);
  await eventually(async () => (await service.get(`/source-groups/${id}`)).status === 404);
  assert.deepEqual([await found('ulmary'), await found('vandrel')], [[], []]);
});

test('files that a canceled run left unread are read by the next change, even if their bytes are the same', async () => {
  const id = await make({ 'c1.txt': 'one', 'c2.txt': 'two' });
  gate.setOpen(false);
  const { body } = await change(id, { 'c1.txt': 'The gate is called wendow.', 'c3.txt': 'The gate is called xandor.' });
  assert.equal((await service.post(`/runs/${body.run_id}/cancel`, {})).status, 202);
  await waitForGroup(service, id);
  const left = await sources(id);
  const states = ['c1.txt', 'c2.txt', 'c3.txt'].map((path) => [left.get(path)!.status, left.get(path)!.update_status]);
  assert.deepEqual(states, [
    ['ready', 'pending'],
    ['ready', null],
    ['pending', null],
  ]);
  gate.setOpen(true);
  const { counts: told, run } = await changeAndWait(id, { 'c1.txt': 'The gate is called wendow.' });
  assert.equal((await sources(id)).get('c1.txt')!.update_status, null);
  assert.deepEqual(told, { updated: 1 });
  assert.deepEqual(statistics(run), { scanned: 2, added: 1, updated: 1 });
  assert.deepEqual([await found('wendow'), await found('xandor')], [['c1.txt'], ['c3.txt']]);
});

/** A run that reads its origin for long gives its place to runs that wait, and goes on where it was. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { ListRequest } from '../../../src/connectors/connector.ts';
import type { Opaque } from '../../../src/corpus/origin.ts';
import { dropEndedItems } from '../../../src/corpus/origin-store.ts';
import { sql } from '../../../src/db/sql.ts';
import { collectGarbage } from '../../../src/ingest/upkeep/collect-garbage.ts';
import { TURN_MS } from '../../../src/jobs/places.ts';
import { type ConnectorWorld, openConnectorWorld } from '../../support/worlds/connector-world.ts';

let world: ConnectorWorld;
let ahead = 0;
before(async () => {
  world = await openConnectorWorld({ clock: { now: () => new Date(Date.now() + ahead) } });
});
after(() => world.close());
beforeEach(async () => {
  world.origin.files.clear();
  for (const id of ['a', 'b', 'c'])
    world.origin.files.set(id, { name: `${id}.txt`, content: `The heron ${id}.`, listed: true });
  await setWaiting(false);
});

/** Ends all jobs. With `isWaiting`, another one waits. No worker takes the jobs of this world: the tests run them. */
async function setWaiting(isWaiting: boolean): Promise<void> {
  const { db, queue } = world.service.deps;
  await db.system.query(sql`update pgboss.job set state = 'completed' where name in ('ingest-run', 'origin-run')`);
  if (isWaiting) await db.system.transaction((tx) => queue.enqueue(tx, 'origin-run', {}));
}

const storedSteps = async () => (await world.service.deps.db.system.execute('select * from run_step')).rows.length;

type Place = 'step' | 'checkpoint';

/** Lists the files, with a place after each of them; a turn lasts one file. Returns where each listing began. */
function listSlowly(place: Place | 'none'): Opaque[][] {
  const begun: Opaque[][] = [];
  world.origin.script = async function* ({ resume, readSteps }: ListRequest) {
    const steps = (await Array.fromAsync(readSteps!())).flat();
    begun.push(resume ? [resume] : steps);
    const done = resume ? Number(resume['at']) : steps.length;
    for (const [at, id] of ['a', 'b', 'c'].entries()) {
      if (at < done) continue;
      yield world.origin.present(id);
      ahead += TURN_MS;
      if (place === 'step') yield { kind: 'step', step: { at: at + 1 } };
      if (place === 'checkpoint') yield { kind: 'checkpoint', resume: { at: at + 1 } };
    }
    yield { kind: 'end', full: true, cursor: null };
  };
  return begun;
}

async function runAfterRun(runId: string): Promise<{ turns: number; statuses: string[] }> {
  const statuses: string[] = [];
  for (let turns = 1; ; turns += 1) {
    await world.work(runId);
    const { status } = await world.getRun(runId);
    statuses.push(status);
    if (status !== 'queued') return { turns, statuses };
    await setWaiting(true);
  }
}

const PLACES: Record<Place, Opaque[][]> = {
  step: [[], [{ at: 1 }], [{ at: 1 }, { at: 2 }], [{ at: 1 }, { at: 2 }, { at: 3 }]],
  checkpoint: [[], [{ at: 1 }], [{ at: 2 }], [{ at: 3 }]],
};

for (const [place, begun] of Object.entries(PLACES))
  test(`a run with a ${place} gives its place to others after a turn, and loses and repeats nothing`, async () => {
    const groupId = await world.makeGroup();
    const runId = await world.queueRun(groupId);
    await setWaiting(true);
    const listings = listSlowly(place as Place);
    const { statuses } = await runAfterRun(runId);
    assert.deepEqual(statuses, ['queued', 'queued', 'queued', 'success']);
    assert.deepEqual(listings, begun);
    assert.deepEqual((await world.getRun(runId)).statistics.added, 3);
    assert.deepEqual((await world.sources(groupId)).map(({ name }) => name).sort(), ['a.txt', 'b.txt', 'c.txt']);
    await world.assertSound();
  });

test('a run keeps its place while nobody waits, before it has a place to go on from, and after the listing', async () => {
  const alone = await world.queueRun(await world.makeGroup());
  await setWaiting(false);
  listSlowly('step');
  assert.deepEqual((await runAfterRun(alone)).statuses, ['success']);
  const withoutPlace = await world.queueRun(await world.makeGroup());
  await setWaiting(true);
  listSlowly('none');
  assert.deepEqual((await runAfterRun(withoutPlace)).statuses, ['success']);
});

test('a turn that has only repeated the place where it began goes on', async () => {
  const runId = await world.queueRun(await world.makeGroup());
  await setWaiting(true);
  const places: (Opaque | null)[] = [];
  const left = ['a', 'b', 'c'];
  world.origin.script = async function* ({ resume }) {
    places.push(resume);
    yield { kind: 'checkpoint', resume: { commit: 'f00', at: 1 } };
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      ahead += TURN_MS;
      yield world.origin.present(id);
    }
    yield { kind: 'end', full: true, cursor: null };
  };
  assert.deepEqual((await runAfterRun(runId)).statuses, ['queued', 'success']);
  assert.deepEqual(places, [null, { commit: 'f00', at: 1 }]);
});

test('a run that waits for its next turn can be canceled', async () => {
  const runId = await world.queueRun(await world.makeGroup());
  await setWaiting(true);
  listSlowly('step');
  await world.work(runId);
  assert.equal((await world.getRun(runId)).status, 'queued');
  await world.service.post(`/runs/${runId}/cancel`, {});
  await world.work(runId);
  assert.equal((await world.getRun(runId)).status, 'canceled');
});

async function countJobs(runId: string): Promise<number> {
  const rows = await world.service.deps.db.system.query(
    sql`select 1 as one from pgboss.job where name in ('ingest-run', 'origin-run') and state = 'created' and data ->> 'runId' = ${runId}`,
  );
  return rows.length;
}

const collect = () =>
  collectGarbage(world.service.deps)({}, { signal: new AbortController().signal, lastAttempt: true });

test('the next turn has one job, however long the run has lasted, and its steps are deleted after its end', async () => {
  const runId = await world.queueRun(await world.makeGroup());
  await setWaiting(true);
  listSlowly('step');
  ahead += 3 * 3_600_000;
  await world.work(runId);
  const before = await countJobs(runId);
  await collect();
  assert.equal(await countJobs(runId), before);
  assert.ok((await storedSteps()) > 0);
  await runAfterRun(runId);
  await collect();
  assert.equal(await storedSteps(), 0);
});

test('a run that waits for hours gets no other job, and one if it has lost its job', async () => {
  const runId = await world.queueRun(await world.makeGroup());
  await setWaiting(true);
  listSlowly('step');
  await world.work(runId);
  const collectForHours = async () => {
    for (let hour = 0; hour < 5; hour += 1) {
      ahead += 61 * 60_000;
      await collect();
    }
  };
  await collectForHours();
  assert.equal(await countJobs(runId), 1);
  await setWaiting(false);
  await collectForHours();
  assert.equal(await countJobs(runId), 1);
  await runAfterRun(runId);
});

test('steps come back in their order, in blocks, and are deleted in blocks', async () => {
  await collect();
  const runId = await world.queueRun(await world.makeGroup());
  const all = Array.from({ length: 10 }, (_, at) => ({ at }));
  let blocks: (readonly Opaque[])[] = [];
  world.origin.script = async function* ({ readSteps, listUnreported }) {
    for (const step of all) {
      yield { kind: 'step', step };
      // Stores what was reported.
      await listUnreported!();
    }
    blocks = await Array.fromAsync(readSteps!());
    yield { kind: 'end', full: true, cursor: null };
  };
  await world.work(runId);
  assert.deepEqual([blocks.length > 1, blocks.flat()], [true, all]);
  const { db } = world.service.deps;
  const { tenantId } = world.service;
  assert.equal(await db.transaction(tenantId, (tx) => dropEndedItems(tx, 4)), 4);
  assert.equal(await storedSteps(), 6);
  await collect();
  assert.equal(await storedSteps(), 0);
});

test('many bytes of steps are stored before a step more comes', async () => {
  await collect();
  const runId = await world.queueRun(await world.makeGroup());
  let stored = 0;
  world.origin.script = async function* () {
    yield { kind: 'step', step: { text: 'x'.repeat(33 * 1024 * 1024) } };
    stored = await storedSteps();
    yield { kind: 'end', full: true, cursor: null };
  };
  await world.work(runId);
  assert.equal(stored, 1);
});

/** After a change of ingest rules of a redaction policy, sources of an origin are processed again from their stored files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { ingestRun } from '../../../src/ingest/run-ingest.ts';
import { reprocess } from '../../../src/ingest/runs/reprocess.ts';
import { collectGarbage } from '../../../src/ingest/upkeep/collect-garbage.ts';
import { fetchedDuring, figures, groupId, put, setUpOriginGroup, world } from '../../support/worlds/origin-group.ts';

setUpOriginGroup();

/**
 * Runs the job, and then the run that the job queued. `lost`: the job of the run is lost, and the garbage collector enqueues
 * another.
 */
async function readAnew({ lost = false } = {}) {
  const { deps, tenantId } = world.service;
  const context = { signal: new AbortController().signal, lastAttempt: true };
  await reprocess(deps)({ tenantId }, context);
  const { runs } = (await world.service.get(`/source-groups/${groupId}/runs`)).body;
  const runId: string = runs.at(-1).id;
  if (lost) {
    await deps.db.system.query(sql`delete from pgboss.job where data ->> 'runId' = ${runId}`);
    await deps.db.system.query(sql`update run set created_at = created_at - interval '1 day' where id = ${runId}`);
    await collectGarbage(deps)({}, context);
  }
  const [job] = await deps.db.system.query<{ name: string; data: Record<string, string> }>(
    sql`select name, data from pgboss.job where data ->> 'runId' = ${runId}`,
  );
  assert.equal(job!.name, 'ingest-run', 'the run does not use the queue of origins');
  await ingestRun(deps)(job!.data, context);
  return world.getRun(runId);
}

test('reprocessing does not read the origin, and the next run finds nothing changed', async () => {
  const { service } = world;
  put('a', 'a.txt', 'The aardvark of jo@example.com digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  await world.run(groupId);
  const rule = { name: 'mail', kind: 'entity', entities: ['email'], action: 'mask', apply_at: ['ingest'] };
  const listings = world.origin.listings.length;
  const fetched = await fetchedDuring(async () => {
    assert.equal((await service.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
    const run = await readAnew();
    assert.equal(run.status, 'success');
    assert.deepEqual(run.statistics, figures({ scanned: 2, updated: 2 }));
  });
  assert.deepEqual(fetched, []);
  assert.equal(world.origin.listings.length, listings);
  const [hit] = (await service.post('/search', { query: 'aardvark', mode: 'lexical' })).body.results;
  assert.equal(hit.content, 'The aardvark of [EMAIL] digs.');
  assert.deepEqual((await world.run(groupId)).statistics, figures({ scanned: 2, unchanged: 2 }));
  assert.equal((await service.delete('/redaction-policy')).status, 200);
  assert.deepEqual((await readAnew({ lost: true })).statistics, figures({ scanned: 2, updated: 2 }));
  assert.equal(world.origin.listings.length, listings + 1, 'that of the run between');
});

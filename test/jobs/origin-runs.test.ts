/** Runs that wait for their origin do not block other runs. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, ingest } from '../support/upload.ts';
import { createSource, SOURCE_FORMS, scriptedConnectors } from '../support/worlds/connector-sources.ts';

const script = scriptedConnectors();
let t: TestApp;
before(async () => {
  t = await openTestApp({ runsJobs: true, given: { connectors: script.connectors } });
});
after(() => t.close());

test('uploads are read while slow origins block more runs than there are workers', async () => {
  const web = SOURCE_FORMS.find(({ kind }) => kind === 'web')!;
  const gate = Promise.withResolvers<void>();
  script.gate = gate.promise;
  const ids: string[] = [];
  for (let i = 0; i < t.deps.config.workerConcurrency + 1; i++) ids.push((await createSource(t, web)).id);
  const statusOf = async (id: string) => (await t.get(`${web.path}/${id}`)).body.status;
  await eventually(async () => (await statusOf(ids[0]!)) === 'started');
  assert.ok(await ingest(t, [{ name: 'a.txt', content: 'The bittern booms.' }]));
  assert.equal(await statusOf(ids[0]!), 'started');
  gate.resolve();
  for (const id of ids) await eventually(async () => (await statusOf(id)) === 'success');
});

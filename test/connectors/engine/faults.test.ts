/**
 * Every fault of Google during a run: the run ends, explains the fault and deletes nothing by mistake, and the next run repairs
 * the result.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { openDriveConnector } from '../../../src/connectors/drive/connector.ts';
import { sql } from '../../../src/db/sql.ts';
import { openHttpClient } from '../../../src/net/http-client.ts';
import { systemClock } from '../../../src/util/time.ts';
import { type DriveFault, type DriveRoute, type FakeDrive, openFakeDrive } from '../../support/fakes/drive.ts';
import { type ConnectorWorld, openConnectorWorld } from '../../support/worlds/connector-world.ts';

let world: ConnectorWorld;
let fake: FakeDrive;
const http = openHttpClient({ allow: [] });
let groupId: string;

before(async () => {
  fake = await openFakeDrive({ pageSizeMax: 3 });
  const drive = openDriveConnector({
    http,
    baseUrl: fake.url,
    clock: systemClock,
    readsPictures: false,
    retryBaseMs: 1,
  });
  world = await openConnectorWorld({ connectors: { drive } as never });
});
after(async () => {
  await world.close();
  await http.close();
  await fake.close();
});

let ids: string[];
let folder: string;
beforeEach(() => {
  fake.heal();
  folder = fake.state.addFolder(fake.state.root, `Folder ${ids?.length}`);
  const inside = fake.state.addFolder(folder, 'Inside');
  ids = Array.from({ length: 8 }, (_, i) =>
    fake.state.addFile(i % 2 === 0 ? folder : inside, `f${i}.txt`, `The takahe ${i}, at some length.`),
  );
});
afterEach(async () => {
  fake.heal();
  await world.assertSound();
  await world.service.delete(`/source-groups/${groupId}`);
});

const makeGroup = (credential: { oneTimeCredential?: string; secret?: string } = { secret: fake.key }) =>
  world.makeGroup({ origin: { kind: 'drive', folderUrl: folder }, ...credential });

const ALL = ['f0.txt', 'f1.txt', 'f2.txt', 'f3.txt', 'f4.txt', 'f5.txt', 'f6.txt', 'f7.txt'];
const ALWAYS = 1_000;

function assertReadable(error: { title: string; message: string }): void {
  assert.match(error.title, /^[A-Z0-9].{5,80}$/);
  assert.doesNotMatch(error.message, /scripted|ya29|Bearer|assertion|PRIVATE|127\.0\.0\.1|undefined|\[object/);
}

const FAULTS: [string, DriveFault][] = [
  ['429 with Retry-After', { status: 429, reason: 'rateLimitExceeded', retryAfter: '0' }],
  ['500', { status: 500 }],
  ['a truncated body', 'truncated'],
];
const cases: [DriveRoute, string, DriveFault][] = [
  ...(['token', 'list', 'media', 'changes'] as const).flatMap((route) =>
    FAULTS.map(([what, fault]): [DriveRoute, string, DriveFault] => [route, what, fault]),
  ),
  ['list', '401', { status: 401, reason: 'authError' }],
  ['media', '403', { status: 403, reason: 'forbidden' }],
  ['list', 'an endless list', 'loop'],
  ['changes', 'an endless list', 'loop'],
];

for (const [route, what, fault] of cases) {
  test(`a run with ${what} on every call of ${route} explains the fault and deletes nothing`, async () => {
    groupId = await makeGroup();
    if (route === 'list') {
      // Incremental runs do not list the folder, so the first run fails on its second page.
      fake.fail(route, fault, ALWAYS, (url) => fault === 'loop' || url.searchParams.has('pageToken'));
    } else {
      assert.equal((await world.run(groupId)).status, 'success');
      fake.state.edit(ids[0]!, 'The kakapo, at some length.');
      fake.state.trash(ids[1]!);
      if (route === 'token') fake.expireTokens();
      fake.fail(route, fault, ALWAYS);
    }
    const run = await world.run(groupId);
    // A missing permission for one file says nothing about the other files.
    assert.equal(run.status, what === '403' ? 'success' : 'failure');
    assertReadable(run.error);
    if (route === 'media') {
      assert.deepEqual(run.statistics.failed, 1);
      const [error] = (await world.service.get(`/runs/${run.id}/errors`)).body.errors;
      assert.deepEqual([error.name, error.stage], ['f0.txt', 'fetch']);
      assertReadable(error);
      assert.deepEqual(
        await world.search('takahe'),
        ALL.filter((name) => name !== 'f1.txt'),
        'what is gone is gone',
      );
    } else if (route !== 'list') {
      assert.deepEqual([run.statistics.deleted, await world.search('takahe')], [0, ALL]);
    }
    fake.heal();
    const healed = await world.run(groupId);
    assert.deepEqual([healed.status, healed.error], ['success', null]);
    const expected = route === 'list' ? ALL : ALL.filter((name) => name !== 'f0.txt' && name !== 'f1.txt');
    assert.deepEqual(await world.search('takahe'), expected);
    assert.deepEqual(await world.search('kakapo'), route === 'list' ? [] : ['f0.txt']);
  });
}

test('a temporary fault of Google does not change the result of a run', async () => {
  groupId = await makeGroup();
  for (const route of ['token', 'list', 'media'] as const) fake.fail(route, { status: 500 }, 1);
  const run = await world.run(groupId);
  assert.deepEqual([run.status, run.statistics.added, run.statistics.failed], ['success', 8, 0]);
});

async function credentials(): Promise<number> {
  const { deps, tenantId } = world.service;
  const [row] = await deps.db.query<{ count: number }>(
    tenantId,
    sql`select count(*) as count from secret where source_group_id = ${groupId}`,
  );
  return row!.count;
}

for (const ending of ['success', 'failure', 'canceled'] as const) {
  test(`a one-time credential is erased when the first run ends: ${ending}`, async () => {
    groupId = await makeGroup({ oneTimeCredential: fake.key });
    if (ending === 'failure') fake.fail('list', { status: 500 }, ALWAYS);
    const runId = await world.queueRun(groupId);
    assert.equal(await credentials(), 1);
    if (ending === 'canceled') await world.service.post(`/runs/${runId}/cancel`, {});
    await world.work(runId);
    assert.equal((await world.getRun(runId)).status, ending);
    assert.equal(await credentials(), 0);
    fake.heal();
    assert.equal((await world.service.post(`/source-groups/${groupId}/runs`, {})).status, 409);
    const later = await world.run(groupId);
    assert.deepEqual([later.status, later.error.title], ['failure', 'The credential of the source is gone']);
    assert.deepEqual(await world.search('takahe'), ending === 'success' ? ALL : []);
  });
}

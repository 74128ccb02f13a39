/** Commands that go on when the service is killed in the middle and started again at the same address. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncReport } from '../../src/cli/sync/report.ts';
import { openPinakes, type Pinakes } from '../../src/client/client.ts';
import { runPinakes } from '../support/cli.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { eventually } from '../support/upload.ts';

const temporary = mkdtempSync(join(tmpdir(), 'pinakes-restart-'));
const dataDir = join(temporary, 'data');
let port: number;
let service: ServiceProcess;
let client: Pinakes;

const start = async (key?: string) => {
  service = await startServiceProcess({
    dataDir,
    ...(key !== undefined && { key }),
    env: { PINAKES_PORT: String(port), PINAKES_PARSER_PROCESSES: '1' },
  });
};

before(async () => {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  port = (listener.address() as { port: number }).port;
  listener.close();
  await start();
  client = openPinakes({ url: service.url, apiKey: service.key });
});
after(async () => {
  await service.kill();
  rmSync(temporary, { recursive: true });
});

const pinakes = (...args: string[]) =>
  runPinakes(args, { PINAKES_URL: service.url, PINAKES_API_KEY: service.key, PINAKES_DATA_DIR: dataDir });

function makeFolder(name: string, files: number): string {
  const folder = join(temporary, name);
  mkdirSync(folder);
  for (let i = 0; i < files; i += 1)
    writeFileSync(join(folder, `${i}.txt`), `Buoy ${i} of ${name} is red. `.repeat(200));
  return folder;
}

/** Kills the service as soon as a group with this name has a run that reads files, and starts the service again. */
async function restartDuringRun(name: string): Promise<void> {
  await eventually(async () => {
    const [group] = (await client.listLocalFileGroups({ query: { name } })).local_file_groups;
    return group?.status === 'started';
  });
  await service.kill();
  await sleep(1_500);
  await start(service.key);
}

test('sync goes on after a restart of the service and ends with 0', async () => {
  const folder = makeFolder('harbour', 400);
  const [{ code, stdout, stderr }] = await Promise.all([pinakes('sync', '--json', folder), restartDuringRun(folder)]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /The service does not answer\. Waiting/);
  const report = JSON.parse(stdout) as SyncReport;
  assert.deepEqual([report.added.length, report.unchanged, report.failed], [400, 0, []]);
  const again = await pinakes('sync', '--json', folder);
  assert.deepEqual((JSON.parse(again.stdout) as SyncReport).unchanged, 400);
});

test('ingest --wait goes on after a restart of the service', async () => {
  const folder = makeFolder('lagoon', 400);
  const [{ code, stderr }] = await Promise.all([pinakes('ingest', '--wait', folder), restartDuringRun('lagoon')]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /The service does not answer\. Waiting/);
});

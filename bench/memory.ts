/**
 * Prints the memory of the service with the embedded database: of all its processes, from the first start to rest after some work.
 * `npm run bench:memory` measures dist/ (`npm run build` makes it), `npm run bench:memory -- src` the unbuilt sources. Linux only.
 */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, openAsBlob, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..');
const ENTRY = process.argv[2] === 'src' ? 'src/cli/pinakes.ts' : 'dist/cli/pinakes.js';
const SAMPLE_MS = 25;
const REST_MS = 6_000;
/** Idle parser processes end after 10 s. */
const REST_AFTER_WORK_MS = 15_000;
const SEARCHES = 200;
const KEY = /^pk_\w+$/m;

if (!existsSync(join(ROOT, ENTRY))) throw new Error(`${ENTRY} does not exist: run npm run build first`);
const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-memory-'));
try {
  console.log('| | most, all processes together | most of one process | a few seconds later | after some work |');
  console.log('|---|---|---|---|---|');
  for (const start of ['first start', 'later start']) console.log(`| ${start} | ${(await measure()).join(' | ')} |`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

/** Starts the service, and returns resident memory in MB. */
async function measure(): Promise<number[]> {
  const child = spawn(process.execPath, [ENTRY, 'serve'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], MALLOC_ARENA_MAX: '1', PINAKES_DATA_DIR: dataDir, PINAKES_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.once('exit', () => child.kill());
  let most = 0;
  let mostOfOne = 0;
  const sampler = setInterval(() => {
    const processes = treeOf(child.pid!);
    most = Math.max(most, sumOf(processes, 'VmRSS'));
    mostOfOne = Math.max(mostOfOne, ...processes.map((pid) => statusMb(pid, 'VmHWM')));
  }, SAMPLE_MS);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with code ${code} before it was ready`)));
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
      const ready = /ready at (\S+)/.exec(output)?.[1];
      if (ready) resolve(ready);
    });
  });
  await sleep(REST_MS);
  clearInterval(sampler);
  const atRest = sumOf(treeOf(child.pid!), 'VmRSS');
  await work(`${url}/api/v1`);
  await sleep(REST_AFTER_WORK_MS);
  const afterWork = sumOf(treeOf(child.pid!), 'VmRSS');
  child.kill('SIGTERM');
  await ended;
  return [most, mostOfOne, atRest, afterWork].map(Math.round);
}

/** Uploads the files of the demonstration, waits until they can be searched, and searches. */
async function work(api: string): Promise<void> {
  const headers = { 'x-api-key': KEY.exec(readFileSync(join(dataDir, 'admin.key'), 'utf8'))![0] };
  const form = new FormData();
  form.set('name', 'demo');
  for (const file of globSync('demo/*.*', { cwd: ROOT }))
    form.append('files', await openAsBlob(join(ROOT, file)), basename(file));
  const { source_group_id: id } = await json(
    fetch(`${api}/local-file-groups`, { method: 'POST', headers, body: form }),
  );
  let status: unknown;
  while (status !== 'success') {
    await sleep(200);
    ({ status } = await json(fetch(`${api}/local-file-groups/${id}`, { headers })));
  }
  for (let n = 0; n < SEARCHES; n++) {
    const body = JSON.stringify({ query: `records kept for ${n} years` });
    await json(
      fetch(`${api}/search`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }),
    );
  }
}

async function json(answer: Promise<Response>): Promise<Record<string, unknown>> {
  const response = await answer;
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Record<string, unknown>;
}

function sumOf(processes: readonly number[], field: string): number {
  return processes.reduce((sum, pid) => sum + statusMb(pid, field), 0);
}

/** Returns 0 for a process that has ended. */
function statusMb(pid: number, field: string): number {
  try {
    return (
      Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) /
      1024
    );
  } catch {
    return 0;
  }
}

/** Returns the process and all processes that it started. */
function treeOf(pid: number): number[] {
  const tree = [pid];
  for (const at of tree) tree.push(...readChildren(at));
  return tree;
}

function readChildren(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/**
 * Prints the processor time from the upload of many small text files until all are searchable, by process and thread. Linux only.
 *
 *     npm run bench:small-files -- <corpus.jsonl> [files]
 *
 * Each line of the corpus is an object with the members `_id`, `title` and `text` (BEIR), and becomes a file. The service starts with an
 * empty embedded database; its start is not counted.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processorMsOfThread } from '../src/util/work/work-time.ts';
import { type ServiceProcess, startServiceProcess } from '../test/support/service-process.ts';
import { multipartBody, type UploadFile } from '../test/support/upload.ts';

const FILES_PER_UPLOAD = 2_000;
const POLL_MS = 200;
/** The service is idle before it is measured. */
const REST_MS = 3_000;

const [corpus, limit] = process.argv.slice(2);
if (!corpus) throw new Error('usage: npm run bench:small-files -- <corpus.jsonl> [files]');
const files = readFileSync(corpus, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .slice(0, limit === undefined ? undefined : Number(limit))
  .map((line): UploadFile => {
    const { _id, title, text } = JSON.parse(line) as { _id: string; title: string; text: string };
    return { name: `${_id}.txt`, content: `${title}\n\n${text}\n` };
  });

const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-small-files-'));
const service = await startServiceProcess({ dataDir });
try {
  await sleep(REST_MS);
  const before = threadTimes(service.pid);
  const startedAt = performance.now();
  const groups: string[] = [];
  for (let at = 0; at < files.length; at += FILES_PER_UPLOAD)
    groups.push(await upload(service, files.slice(at, at + FILES_PER_UPLOAD)));
  const uploadedAt = performance.now();
  const uploaded = threadTimes(service.pid);
  for (const group of groups) await untilSearchable(service, group);
  const endedAt = performance.now();
  const after = threadTimes(service.pid);
  const total = print(before, after);
  const seconds = (ms: number): string => (ms / 1000).toFixed(2);
  const [all, uploadSeconds, byClock] = [total, sumOf(uploaded) - sumOf(before), endedAt - startedAt].map(seconds);
  console.log(`${files.length} files: ${all} s of processor time; ${byClock} s by the clock`);
  console.log(
    `until the last upload was accepted: ${uploadSeconds} s of processor time; ${seconds(uploadedAt - startedAt)} s by the clock`,
  );
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function upload(to: ServiceProcess, part: readonly UploadFile[]): Promise<string> {
  const { headers, body } = multipartBody(part);
  const answer = await to.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
  if (answer.status !== 201) throw new Error(await answer.text());
  return ((await answer.json()) as { source_group_id: string }).source_group_id;
}

async function untilSearchable(of: ServiceProcess, group: string): Promise<void> {
  for (;;) {
    const { status } = (await (await of.fetch(`/local-file-groups/${group}`)).json()) as { status: string };
    if (status === 'success') return;
    if (status === 'failure') throw new Error('the files could not be ingested');
    await sleep(POLL_MS);
  }
}

/** Returns the processor time of each thread of the process and of all processes below it, in milliseconds by `process thread name`. */
function threadTimes(pid: number, depth = 0): Map<string, number> {
  const times = new Map<string, number>();
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${task}`;
    const name = readFileSync(`${folder}/comm`, 'utf8').trim();
    times.set(`${depth === 0 ? 'service' : `below ${pid}`} ${task} ${name}`, processorMsOfThread(folder) ?? 0);
    for (const child of readFileSync(`${folder}/children`, 'latin1').match(/\d+/g) ?? [])
      for (const [key, ms] of threadTimes(Number(child), depth + 1)) times.set(key, ms);
  }
  return times;
}

function sumOf(times: ReadonlyMap<string, number>): number {
  return times.values().reduce((sum, ms) => sum + ms, 0);
}

/** Prints the difference of each thread and returns the sum. */
function print(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  for (const [key, ms] of after) {
    const used = ms - (before.get(key) ?? 0);
    if (used > 0) console.log(`${(used / 1000).toFixed(2).padStart(6)}  ${key}`);
  }
  return sumOf(after) - sumOf(before);
}

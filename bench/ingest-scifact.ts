/**
 * Uploads the SciFact texts (5,183 files in 3 uploads) to a fresh service and searches meanwhile.
 *
 *     node bench/ingest-scifact.ts [--no-search]
 *
 * Prints the time and the processor time from the first byte until all files are searchable, and the latency of
 * `POST /search` meanwhile. Processor time is `user + system` of the service, its threads and its children.
 */
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, startServiceProcess } from '../test/support/service-process.ts';
import { multipartBody, type UploadFile } from '../test/support/upload.ts';
import { processorSeconds } from './support/processor-time.ts';

const FILES_PER_UPLOAD = 2_000;
const SEARCHES_PER_SECOND = 10;
const folder = path.resolve(import.meta.dirname, '../../shared/data/retrieval/scifact');

async function readFiles(): Promise<UploadFile[]> {
  const files: UploadFile[] = [];
  for await (const line of createInterface({ input: createReadStream(path.join(folder, 'corpus.jsonl')) })) {
    const { _id, title, text } = JSON.parse(line) as { _id: string; title: string; text: string };
    files.push({ name: `${_id}.txt`, content: `${title}\n\n${text}` });
  }
  return files;
}

function readQueries(): string[] {
  const lines = readFileSync(path.join(folder, 'queries.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { text: string }).text);
}

async function searchAlong(service: ServiceProcess, queries: readonly string[], stop: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  for (let i = 0; !stop.aborted; i++) {
    running.push(
      (async () => {
        const startedAt = performance.now();
        const answer = await service.fetch('/search', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: queries[i % queries.length], mode: 'lexical', limit: 10 }),
        });
        await answer.text();
        if (answer.status !== 200) throw new Error(`search answered ${answer.status}`);
        times.push(performance.now() - startedAt);
      })(),
    );
    await sleep(1000 / SEARCHES_PER_SECOND);
  }
  await Promise.all(running);
  return times.sort((a, b) => a - b);
}

/** Returns the total and the milliseconds per file of each part, largest first. */
function describe(before: Map<string, number>, after: Map<string, number>, files: number): string {
  const spent = [...after].map(([part, seconds]) => ({ part, seconds: seconds - (before.get(part) ?? 0) }));
  const total = spent.reduce((sum, { seconds }) => sum + seconds, 0);
  const parts = spent
    .filter(({ seconds }) => seconds > 0)
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ part, seconds }) => `${part} ${((1000 * seconds) / files).toFixed(2)} ms`);
  return `${total.toFixed(1)} s; per file: ${parts.join(', ')}`;
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-bench-'));
const service = await startServiceProcess({ dataDir });
try {
  const files = await readFiles();
  const stop = new AbortController();
  const searching = process.argv.includes('--no-search')
    ? Promise.resolve([])
    : searchAlong(service, readQueries(), stop.signal);
  const before = processorSeconds(service.pid);
  const startedAt = performance.now();
  const groups: string[] = [];
  for (let at = 0; at < files.length; at += FILES_PER_UPLOAD) {
    const { headers, body } = multipartBody(files.slice(at, at + FILES_PER_UPLOAD), [['name', `scifact ${at}`]]);
    const answer = await service.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`upload answered ${answer.status}: ${text}`);
    groups.push((JSON.parse(text) as { source_group_id: string }).source_group_id);
    console.log(`upload ${groups.length}: acknowledged after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
  for (const group of groups) {
    for (;;) {
      const { status } = (await (await service.fetch(`/local-file-groups/${group}`)).json()) as { status: string };
      if (status === 'success') break;
      if (status === 'failure') throw new Error('ingestion failed');
      await sleep(100);
    }
    console.log(`group searchable after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const after = processorSeconds(service.pid);
  stop.abort();
  const times = await searching;
  const at = (q: number): string =>
    (times[Math.min(times.length - 1, Math.floor(q * times.length))] ?? Number.NaN).toFixed(0);
  console.log(
    `${files.length} files searchable ${seconds.toFixed(1)} s after the first byte (${(files.length / seconds).toFixed(0)} files/s)`,
  );
  console.log(
    `POST /search meanwhile: ${times.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`,
  );
  console.log(`processor time: ${describe(before, after, files.length)}`);
  console.log(`resident memory of the serving process: ${(service.rss() / 2 ** 20).toFixed(0)} MiB`);
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

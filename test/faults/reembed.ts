/**
 * Changes the embedding model of a filled service, with kill -9 in between: nothing is lost, and little is embedded again.
 *
 *     npm run faults:reembed -- [--chunks 20000] [--kills 3] [--seed 1234]
 *
 * Searches run all the time. Exits 1 when a promise was broken. The models are a server on loopback whose vectors (of 384 and
 * 256 dimensions) are made from the words of a text; the server counts embedded texts.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { generateApiKey } from '../../src/access/api-key.ts';
import { openDiskBlobStore } from '../../src/blobs/disk.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { listTenants } from '../../src/corpus/tenant-store.ts';
import { openDatabase } from '../../src/db/open.ts';
import { BATCH_TEXTS_MAX } from '../../src/llm/embedding/batches.ts';
import { seed } from '../retrieval/corpus.ts';
import { openFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { newSeed, openRandom } from '../support/random.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const DIMENSIONS: Readonly<Record<string, number>> = { first: 384, second: 256 };
const LANES = 2;
const CHUNKS_PER_SOURCE = 50;
const SOURCES_PER_TRANSACTION = 10;
const WORDS_PER_CHUNK = 40;
const SEARCH_PAUSE_MS = 100;
const POLL_MS = 200;

const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '3' },
    seed: { type: 'string' },
  },
});
const chunks = Number(values.chunks);
const kills = Number(values.kills);
const random = openRandom(values.seed === undefined ? newSeed() : Number(values.seed));
const problems: string[] = [];
const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-reembed-'));
const { key } = generateApiKey();
const fake = await openFakeEmbeddings(DIMENSIONS);
try {
  await fill();
  const first = await timed(() => whole('first', 0));
  console.log(`seed ${random.seed}: ${chunks} chunks, vectors of the first model after ${first.seconds} s`);
  const second = await timed(() => whole('second', kills));
  console.log(`the second model, with ${kills} kills: ${second.seconds} s, ${second.result.join(' ')}`);
  report('second');
  await checkStore();
} finally {
  await fake.close();
  rmSync(dataDir, { recursive: true, force: true });
}
for (const problem of problems) console.log(`BROKEN ${problem}`);
console.log(problems.length === 0 ? 'every promise held' : `${problems.length} promises broken`);
process.exit(problems.length === 0 ? 0 : 1);

/** Writes different chunks of words directly into the database. */
async function fill(): Promise<void> {
  const empty = await startServiceProcess({ dataDir, key });
  await empty.stop();
  const db = await openDatabase({ dataDir });
  const [tenant] = await listTenants(db);
  const sources = Array.from({ length: Math.ceil(chunks / CHUNKS_PER_SOURCE) }, (_, source) => ({
    name: `s${source}.txt`,
    chunks: Array.from({ length: Math.min(CHUNKS_PER_SOURCE, chunks - source * CHUNKS_PER_SOURCE) }, (_, chunk) =>
      [
        `chunk${source}x${chunk}`,
        ...Array.from({ length: WORDS_PER_CHUNK }, () => `w${random.integer(0, 5_000)}`),
      ].join(' '),
    ),
  }));
  for (let i = 0; i < sources.length; i += SOURCES_PER_TRANSACTION) {
    await seed(db, tenant!.id, [{ sources: sources.slice(i, i + SOURCES_PER_TRANSACTION) }]);
  }
  await db.close();
}

/** Runs the service with the model until its vectors serve, and kills it on the way. Returns what searches saw. */
async function whole(model: string, killsLeft: number): Promise<string[]> {
  const env = { PINAKES_EMBEDDING_MODEL: `openai-compatible:${model}`, PINAKES_EMBEDDING_BASE_URL: fake.url };
  const times: number[] = [];
  for (let left = killsLeft; ; left -= 1) {
    const service = await startServiceProcess({ dataDir, key, env });
    const stop = new AbortController();
    const searching = search(service, times, stop.signal);
    try {
      const killAt = left > 0 ? embeddedBy(model) + killDistance(left, model) : Number.POSITIVE_INFINITY;
      while (!(await isServing(model))) {
        if (embeddedBy(model) >= killAt) break;
        await sleep(left > 0 ? random.integer(1, POLL_MS) : POLL_MS);
      }
    } finally {
      stop.abort();
      await searching;
      if (left > 0) await service.kill();
      else if ((await service.stop()) !== 0) problems.push(`the service ended badly: ${service.errors()}`);
    }
    if (left === 0) break;
  }
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    `${Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))]!)} ms`;
  return [`${times.length} searches: p50 ${at(0.5)}, p95 ${at(0.95)}, slowest ${at(1)}`];
}

/** Returns the number of texts after which the process is killed: a random part of the remaining texts. */
function killDistance(left: number, model: string): number {
  const open = chunks - embeddedBy(model);
  return random.integer(1, Math.max(2, Math.floor((2 * open) / (left + 1)) - 1));
}

/** Asserts that no search fails while the service runs. */
async function search(service: ServiceProcess, times: number[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const startedAt = performance.now();
    const body = JSON.stringify({ query: `w${random.integer(0, 5_000)}`, mode: 'hybrid', limit: 10 });
    const headers = { 'content-type': 'application/json' };
    try {
      const answer = await service.fetch('/search', { method: 'POST', headers, body });
      const text = await answer.text();
      if (answer.status !== 200) problems.push(`a search answered ${answer.status}: ${text}`);
      times.push(performance.now() - startedAt);
    } catch (error) {
      problems.push(`a search failed: ${String(error)}`);
    }
    await sleep(SEARCH_PAUSE_MS);
  }
}

function embeddedBy(model: string): number {
  let sum = 0;
  for (const [text, times] of fake.embedded) if (text.startsWith(`${model}\0chunk`)) sum += times;
  return sum;
}

/** Reads the operator's view through the admin socket. */
function isServing(model: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${readFileSync(path.join(dataDir, 'operator.key'), 'utf8').trim()}` };
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: path.join(dataDir, 'admin.sock'), path: '/doctor', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve(text.includes(`${model} (${DIMENSIONS[model]} dimensions) used by 1 tenant"`)));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Texts may be embedded twice only if they were in flight during a kill. */
function report(model: string): void {
  const counts = [...fake.embedded].filter(([text]) => text.startsWith(`${model}\0chunk`)).map(([, times]) => times);
  const again = counts.reduce((sum, times) => sum + times - 1, 0);
  const most = kills * LANES * BATCH_TEXTS_MAX;
  console.log(`${counts.length} texts embedded, ${again} of them again (at most ${most} allowed)`);
  if (counts.length !== chunks) problems.push(`${counts.length} of ${chunks} chunks were embedded`);
  if (again > most) problems.push(`${again} texts were embedded again, at most ${most} were in hand`);
}

async function checkStore(): Promise<void> {
  const db = await openDatabase({ dataDir });
  try {
    const blobs = await openDiskBlobStore(path.join(dataDir, 'blobs'));
    const found = await findViolations(db, blobs, { now: new Date(), graceSeconds: 3_600 });
    // The chunks have no files.
    for (const { message } of found) if (/vector|chunks/.test(message)) problems.push(message);
  } finally {
    await db.close();
  }
}

async function timed<T>(run: () => Promise<T>): Promise<{ result: T; seconds: string }> {
  const startedAt = performance.now();
  const result = await run();
  return { result, seconds: ((performance.now() - startedAt) / 1000).toFixed(0) };
}

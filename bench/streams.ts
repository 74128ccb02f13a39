/**
 * Many answers streamed at once, from a fake model on loopback, to clients that read:
 * `npm run bench:streams -- [--streams 2000] [--provider openai]`.
 *
 * Prints errors, the streams that ended correctly, the memory of the service for each open stream (resident, with and without
 * garbage, and heap), and how long the connection to the provider stays open after a client has left. Exits with 1 when a stream
 * fails or a figure is above its limit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../src/retrieval/measures.ts';
import { type Delta, openFakeOpenAi } from '../test/support/fakes/openai.ts';
import { type ServiceProcess, startServiceProcess } from '../test/support/service-process.ts';
import { type OpenStream, openStream, readEvents, textOfRun } from '../test/support/stream-client.ts';
import { ingestText } from './support/ingest-files.ts';
import { openInspector } from './support/inspector.ts';
import { readOptions } from './support/options.ts';

const { values } = readOptions(import.meta.filename, {
  options: {
    streams: { type: 'string', default: '2000' },
    aborts: { type: 'string', default: '200' },
    provider: { type: 'string', default: 'openai-compatible' },
  },
});
const STREAMS = Number(values.streams);
const ABORTS = Number(values.aborts);
/** RUN_STARTED, TEXT_MESSAGE_START, these, TEXT_MESSAGE_END, CUSTOM, RUN_FINISHED: 20 events. */
const DELTAS = 15;
const STARTING_AT_ONCE = 32;
const BYTES_PER_STREAM_MAX = 40_000;
const THINKING_MS = 10_000;
const ABORT_MS_MAX = 500;
const TIME_MS_MAX = 10 * 60_000;
const TEXT = `${Array.from({ length: DELTAS }, (_, i) => `word${i}`).join(' ')}.`;
const QUESTION = { messages: [{ role: 'user', content: 'How many days of leave do staff get?' }] };

const limit = setTimeout(() => {
  console.error(`not done after ${TIME_MS_MAX / 60_000} minutes`);
  process.exit(1);
}, TIME_MS_MAX);
limit.unref();
const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-streams-'));
const fake = await openFakeOpenAi();
const service = await startServiceProcess({
  dataDir,
  env: {
    PINAKES_CHAT_MODEL: `${values.provider}:fake`,
    PINAKES_CHAT_BASE_URL: fake.url,
    PINAKES_CHAT_API_KEY: 'sk-secret',
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
    // The container and `npm start` set this too.
    MALLOC_ARENA_MAX: '1',
  },
});
let isBad = false;
try {
  const inspector = await openInspector(service.errors);
  await ingestText(
    service,
    'leave.md',
    '# Leave\n\nStaff get 25 days of leave per year. Unused days are not paid out.',
  );
  // One-time costs (code, memory and caches of the database) do not count as memory of an open stream.
  await runTogether(STREAMS, undefined, true);
  await inspector.collectGarbage();
  const before = { rss: service.rss(), heap: await inspector.heapUsed() };
  const outcome = await runTogether(STREAMS, async () => {
    const rss = service.rss();
    await inspector.collectGarbage();
    return { rss, rssCollected: service.rss(), heap: await inspector.heapUsed() };
  });
  const each = (bytes: number): number => Math.round(bytes / STREAMS);
  report('streams', STREAMS);
  report('errors', outcome.errors, outcome.errors === 0);
  report('ended with 20 events and the whole text', outcome.whole, outcome.whole === STREAMS);
  report('seconds until all were open', outcome.openSeconds.toFixed(1));
  report('seconds for the rest of all', outcome.restSeconds.toFixed(1));
  const rss = each(outcome.open!.rss - before.rss);
  const heap = each(outcome.open!.heap - before.heap);
  const collected = each(outcome.open!.rssCollected - before.rss);
  report('bytes each, resident, garbage included', rss);
  report('bytes each, resident after a collection', collected, collected <= BYTES_PER_STREAM_MAX);
  report('bytes each, heap', heap, heap <= BYTES_PER_STREAM_MAX);
  const aborts = await abortLatencies(service);
  report('aborts: p50 ms until the provider knows', percentile(aborts, 0.5).toFixed(1));
  report('aborts: slowest ms', Math.max(...aborts).toFixed(1), Math.max(...aborts) <= ABORT_MS_MAX);
  inspector.close();
} finally {
  await service.kill();
  await fake.close();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = isBad ? 1 : 0;

function report(what: string, value: number | string, isGood = true): void {
  isBad ||= !isGood;
  console.log(`${what.padEnd(44)} ${String(value).padStart(10)}${isGood ? '' : '  ← above the limit'}`);
}

/** Opens all streams, releases the model when each stream has its first words (`oneByOne`: at once), and waits for all ends. */
async function runTogether<T>(count: number, whenOpen?: () => Promise<T>, oneByOne = false) {
  const gate = Promise.withResolvers<void>();
  if (oneByOne) gate.resolve();
  fake.respond(() => ({ deltas: gatedDeltas(gate.promise) }));
  const began = performance.now();
  const streams: OpenStream[] = [];
  let errors = 0;
  const fail = (error: unknown): void => {
    if (errors++ < 3) console.error(error);
  };
  let started = 0;
  const start = async (): Promise<void> => {
    while (started++ < count) {
      try {
        const stream = await openStream(service.url, service.key, QUESTION, 'text/event-stream');
        streams.push(stream);
        await stream.holds('word0');
        if (oneByOne) await stream.ended;
      } catch (error) {
        fail(error);
      }
    }
  };
  await Promise.all(Array.from({ length: STARTING_AT_ONCE }, start));
  const openSeconds = (performance.now() - began) / 1000;
  const open = await whenOpen?.();
  const releasedAt = performance.now();
  gate.resolve();
  let whole = 0;
  await Promise.all(
    streams.map(async (stream) => {
      try {
        const events = readEvents(await stream.ended);
        if (events.length === DELTAS + 5 && textOfRun(events) === TEXT && events.at(-1)!.type === 'RUN_FINISHED')
          whole++;
      } catch (error) {
        fail(error);
      }
    }),
  );
  return { errors, whole, open, openSeconds, restSeconds: (performance.now() - releasedAt) / 1000 };
}

/** Sends one word, waits for the gate, then sends the others; the last has a marker. Sends reasoning while it waits, against time-outs. */
async function* gatedDeltas(gate: Promise<void>): AsyncGenerator<Delta> {
  yield 'word0 ';
  let isOpen = false;
  void gate.then(() => {
    isOpen = true;
  });
  while (!isOpen) {
    const pause = sleep(THINKING_MS, undefined, { ref: false });
    await Promise.race([gate, pause]);
    if (!isOpen) yield { reasoning_content: '…' };
  }
  for (let i = 1; i < DELTAS; i++) yield i < DELTAS - 1 ? `word${i} ` : `word${i} [1].`;
}

/** Returns the milliseconds from a client's disconnect to the end of the service's connection to the provider. */
async function abortLatencies(service: ServiceProcess): Promise<number[]> {
  const latencies: number[] = [];
  fake.respond({ stallAfter: ['word0 '] });
  const streams: { stream: OpenStream; left: Promise<void> }[] = [];
  for (let i = 0; i < ABORTS; i++) {
    fake.calls.length = 0;
    const stream = await openStream(service.url, service.key, QUESTION, 'text/event-stream');
    await stream.holds('word0');
    streams.push({ stream, left: fake.calls[0]!.left });
  }
  await Promise.all(
    streams.map(async ({ stream, left }) => {
      const began = performance.now();
      stream.leave();
      await left;
      latencies.push(performance.now() - began);
    }),
  );
  return latencies;
}

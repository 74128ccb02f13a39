/**
 * Measures how much the service adds to the time until a model's first words, apart from retrieval:
 * `npm run bench:first-token -- [--rounds 200]`.
 *
 * Each round sends the same request directly to a fake model on loopback and then through the service. The time of retrieval
 * (Server-Timing) is subtracted. Exits with 1 when the median is above the limit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile } from '../src/retrieval/ranking/measures.ts';
import { openFakeOpenAi } from '../test/support/fakes/openai.ts';
import { startServiceProcess } from '../test/support/service-process.ts';
import { ingestText } from './support/ingest-files.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } });
const ROUNDS = Number(values.rounds);
const WARM_UP = 30;
const OVERHEAD_MS_MAX = 30;
const FIRST_WORD = 'firstword';

const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-first-token-'));
const fake = await openFakeOpenAi();
const service = await startServiceProcess({
  dataDir,
  env: { PINAKES_CHAT_MODEL: 'openai-compatible:fake', PINAKES_CHAT_BASE_URL: fake.url },
});
try {
  const text = 'Staff get 25 days of leave per year. Unused days are not paid out. '.repeat(20);
  await ingestText(service, 'leave.md', `# Leave\n\n${text}`);
  fake.respond({ deltas: [`${FIRST_WORD} `, 'more.'] });
  const model: number[] = [];
  const whole: number[] = [];
  const beyond: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    fake.calls.length = 0;
    const served = await firstWord(`${service.url}/api/v1/completions`, {
      messages: [{ role: 'user', content: `How many days of leave do staff get? ${round}` }],
    });
    const { model: name, messages } = fake.calls[0]!;
    const direct = await firstWord(`${fake.url}/chat/completions`, { model: name, messages, stream: true });
    if (round < WARM_UP) continue;
    model.push(direct.ms);
    whole.push(served.ms);
    beyond.push(served.ms - direct.ms - served.retrievalMs);
  }
  const line = (what: string, ms: readonly number[]): void =>
    console.log(
      `${what.padEnd(34)} p50 ${percentile(ms, 0.5).toFixed(1).padStart(7)} ms   p95 ${percentile(ms, 0.95).toFixed(1).padStart(7)} ms`,
    );
  line('the model alone', model);
  line('through the service', whole);
  line('added beyond retrieval (paired)', beyond);
  if (percentile(beyond, 0.5) > OVERHEAD_MS_MAX) process.exitCode = 1;
} finally {
  await service.kill();
  await fake.close();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Returns the milliseconds until the first word over a new connection, and the milliseconds of retrieval by Server-Timing. */
function firstWord(url: string, body: object): Promise<{ ms: number; retrievalMs: number }> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': service.key };
    const sent = request(url, { method: 'POST', headers, agent: false }, (response) => {
      const timing = String(response.headers['server-timing'] ?? '');
      const retrievalMs = [...timing.matchAll(/dur=([\d.]+)/g)].reduce((sum, [, ms]) => sum + Number(ms), 0);
      let said = '';
      let ms: number | undefined;
      response.setEncoding('utf8').on('data', (piece: string) => {
        said += piece;
        if (said.includes(FIRST_WORD)) ms ??= performance.now() - began;
      });
      response.once('end', () => (ms === undefined ? reject(new Error(said)) : resolve({ ms, retrievalMs })));
      response.once('error', reject);
    });
    sent.once('error', reject).end(JSON.stringify(body));
  });
}

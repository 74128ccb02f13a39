/** Tests streamed answers: many at once, cut anywhere, to several kinds of clients, to clients that do not read. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as client1 from '@ag-ui/client';
import * as client0 from 'ag-ui-client-0';
import { newId } from '../../../src/util/ids.ts';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';
import { openStream, readEvents, textOfRun } from '../../support/stream-client.ts';
import { ingest } from '../../support/upload.ts';

const STREAMS = 50;
/** Checks without progress after which the provider counts as stopped. */
const QUIET_LOOKS = 8;
const QUESTION = 'How many days of leave do staff get?';
const BODY = { messages: [{ role: 'user', content: QUESTION }] };

let service: TestApp;
let worker: Worker;
let fake: FakeOpenAi;
let url: string;

before(async () => {
  fake = await openFakeOpenAi();
  service = await openTestApp({
    env: {
      PINAKES_CHAT_MODEL: 'openai-compatible:fake',
      PINAKES_CHAT_BASE_URL: fake.url,
      PINAKES_CONCURRENT_REQUESTS: String(STREAMS),
      PINAKES_CHAT_REQUESTS: String(STREAMS),
    },
  });
  worker = buildWorker(service.deps);
  await worker.start();
  await ingest(service, [{ name: 'leave.md', content: 'Staff get 25 days of leave per year. Unused days lapse 😀.' }]);
  url = await service.url();
});
after(async () => {
  await worker.stop(1_000);
  await service.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
});

test('many streams are open at the same time, and all finish', async () => {
  const gate = Promise.withResolvers<void>();
  async function* deltas(): AsyncGenerator<string> {
    yield 'Staff get ';
    await gate.promise;
    yield '25 days of leave [1].';
  }
  fake.respond(() => ({ deltas: deltas() }));
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, () => openStream(url, service.key, BODY, 'text/event-stream')),
  );
  await Promise.all(streams.map((stream) => stream.holds('Staff get')));
  assert.equal(fake.calls.length, STREAMS);
  gate.resolve();
  for (const stream of streams) {
    const events = readEvents(await stream.ended);
    assert.equal(textOfRun(events), 'Staff get 25 days of leave.');
    assert.equal(events.at(-1)!.type, 'RUN_FINISHED');
  }
});

test('answer, spans and citations are the same wherever the words of a model are cut, as JSON and as events', async () => {
  const whole = '😀 Staff get 25 days [1]. 25 or 26 [[1]] lapse【1†x】 😀[9].';
  const seen = new Set<string>();
  for (let at = 0; at <= whole.length; at += 1) {
    fake.respond({ deltas: [whole.slice(0, at), whole.slice(at)].filter((delta) => delta !== '') });
    const json = (await service.post('/completions', BODY)).body.choices[0];
    const events = readEvents(await (await openStream(url, service.key, BODY, 'text/event-stream')).ended);
    const citationsOf = (citations: { id: string; citation: object }[]) =>
      citations.map(({ id, citation }) => [id, citation]);
    const custom = events.find(({ type }) => type === 'CUSTOM')!['value'];
    const unsupported = events.at(-1)!['result'].unsupported_spans;
    seen.add(JSON.stringify([json.message.content, citationsOf(json.citations), json.unsupported_spans]));
    seen.add(JSON.stringify([textOfRun(events), citationsOf(custom.citations), unsupported]));
  }
  assert.equal(seen.size, 1, [...seen].join('\n'));
  assert.match([...seen][0]!, /^\["😀 Staff get 25 days\. 25 or 26 lapse 😀\.",\[\[/);
});

test('both official clients, curl and the text stream give the same text', async (t) => {
  const deltas = ['Staff get ', '25 days 😀 of ', 'leave', ' [1', ']. Unused days', '\n\nlapse\u2028"data: x".'];
  fake.respond({ deltas });
  const expected = 'Staff get 25 days 😀 of leave. Unused days\n\nlapse\u2028"data: x".';
  for (const { HttpAgent } of [client1, client0 as unknown as typeof client1]) {
    const agent = new HttpAgent({
      url: `${url}/api/v1/completions`,
      headers: { 'x-api-key': service.key },
      initialMessages: [{ id: newId(), role: 'user', content: QUESTION }],
    });
    await agent.runAgent();
    assert.equal(agent.messages.at(-1)!.content, expected);
  }
  assert.equal(await (await openStream(url, service.key, { ...BODY, stream: true }, '*/*')).ended, expected);
  const headers = [`x-api-key: ${service.key}`, 'content-type: application/json', 'accept: text/event-stream'];
  const curl = ['-sN', `${url}/api/v1/completions`, ...headers.flatMap((header) => ['-H', header])];
  try {
    const { stdout } = await promisify(execFile)('curl', [...curl, '-d', JSON.stringify(BODY)]);
    assert.equal(textOfRun(readEvents(stdout)), expected);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    t.diagnostic('curl is not installed');
  }
});

test('while a client does not read, the service does not read from the provider', async () => {
  let said = 0;
  // Each unit is an event of its own, so every buffer is full long before the answer reaches its maximum length.
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      said++;
      yield 'x';
    }
  }
  fake.respond(() => ({ deltas: endless() }));
  const payload = JSON.stringify(BODY);
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  socket.write(
    `POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nx-api-key: ${service.key}\r\naccept: text/event-stream\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(payload)}\r\n\r\n${payload}`,
  );
  socket.pause();
  while (said === 0) await sleep(5);
  const call = fake.calls[0]!;
  let hasLeft = false;
  void call.left.then(() => {
    hasLeft = true;
  });
  let before = -1;
  for (let quiet = 0; quiet < QUIET_LOOKS; await sleep(300)) {
    quiet = said === before ? quiet + 1 : 0;
    before = said;
  }
  assert.equal(hasLeft, false, `the answer was read to its end, after ${said} deltas`);
  socket.destroy();
  await call.left;
});

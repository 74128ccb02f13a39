import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { openEventStream, startStream, writeText } from '../../../src/http/sse.ts';

test('a silent event stream sends comments as heartbeats', async () => {
  const app = Fastify();
  const controller = new AbortController();
  app.get('/', async (_request, reply) => {
    const events = openEventStream(reply, controller.signal, { heartbeatMs: 5 });
    await events.send({ type: 'A', text: 'x\n\ndata: y\r\u2028data: z\u0085' });
    let heartbeats = 0;
    const write = reply.raw.write.bind(reply.raw);
    reply.raw.write = ((chunk: string, ...more: []) => {
      heartbeats += 1;
      if (heartbeats === 2) setImmediate(() => events.end({ type: 'B' }));
      return write(chunk, ...more);
    }) as typeof write;
    return reply;
  });
  const { body, headers } = await app.inject('/');
  assert.match(String(headers['content-type']), /^text\/event-stream/);
  const frames = body.split('\n\n').slice(0, -1);
  assert.equal(frames[0], 'data: {"type":"A","text":"x\\n\\ndata: y\\r\\u2028data: z\\u0085"}');
  assert.equal(frames.at(-1), 'data: {"type":"B"}');
  assert.ok(frames.length > 2 && frames.slice(1, -1).every((frame) => frame === ': heartbeat'), body);
  await app.close();
});

test('a reader of an event stream that reads nothing for too long is disconnected', async () => {
  const app = Fastify();
  const ended = Promise.withResolvers<unknown>();
  app.get('/', async (_request, reply) => {
    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort(new Error('the client left')));
    startStream(reply, 'text/plain');
    try {
      for (;;) await writeText(reply, 'x'.repeat(65_536), controller.signal, 50);
    } catch (error) {
      ended.resolve(error);
    }
    return reply;
  });
  const response = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }));
  assert.match(String(await ended.promise), /the client left/);
  await assert.rejects(response.text());
  await app.close();
});

test('the writer of an event stream waits for a reader that does not read, until the reader leaves', async () => {
  const app = Fastify();
  let written = 0;
  const ended = Promise.withResolvers<unknown>();
  app.get('/', async (_request, reply) => {
    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort(new Error('the client left')));
    startStream(reply, 'text/plain');
    try {
      for (;;) {
        await writeText(reply, 'x'.repeat(65_536), controller.signal);
        written += 65_536;
      }
    } catch (error) {
      ended.resolve(error);
    }
    return reply;
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const controller = new AbortController();
  const response = await fetch(address, { signal: controller.signal });
  let before = -1;
  while (written !== before) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  controller.abort();
  await response.text().catch(() => undefined);
  assert.match(String(await ended.promise), /the client left/);
  await app.close();
});

/** The signal of a handler aborts when the client leaves or the service stops, and at no other time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { registerRoutes } from '../../../src/http/register.ts';
import { routesOf } from '../../../src/http/route.ts';
import { openServer } from '../../../src/http/server.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';

let t: TestApp;
let app: FastifyInstance;
let url: string;
const shutdown = new AbortController();
let taken: (signal: AbortSignal) => void = () => {};
let finish: Promise<void> = Promise.resolve();

const slow = routesOf('Test')({
  method: 'POST',
  path: '/slow',
  scopes: ['knowledge:read'],
  operation: { id: 'slow', summary: 'Slow' },
  body: z.strictObject({}),
  response: { status: 200, schema: z.object({ ok: z.boolean() }) },
  async handler({ signal }) {
    taken(signal);
    const aborted = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    await Promise.race([finish, aborted]);
    return { ok: true };
  },
});

before(async () => {
  t = await openTestApp();
  app = openServer(t.deps);
  registerRoutes(app, t.deps, [slow], shutdown.signal);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
after(async () => {
  await app.close();
  await t.close();
});

/** Starts a request, and resolves when its handler runs. */
async function start(signal?: AbortSignal): Promise<{ answer: Promise<Response>; signal: AbortSignal }> {
  const running = new Promise<AbortSignal>((resolve) => {
    taken = resolve;
  });
  const answer = fetch(`${url}/api/v1/slow`, {
    method: 'POST',
    headers: { 'x-api-key': t.key, 'content-type': 'application/json', 'x-request-id': 'slow-one' },
    body: '{}',
    ...(signal ? { signal } : {}),
  });
  answer.catch(() => {});
  return { answer, signal: await running };
}

test('a complete answer does not abort the signal of its handler, although the request was already read to its end', async () => {
  let open = (): void => {};
  finish = new Promise((resolve) => {
    open = resolve;
  });
  const { answer, signal } = await start();
  assert.equal(signal.aborted, false);
  open();
  assert.deepEqual(await (await answer).json(), { ok: true });
  assert.equal(signal.aborted, false);
});

test('a client that leaves aborts the signal of the handler, without an error in the log', async () => {
  finish = new Promise(() => {});
  const client = new AbortController();
  t.logs.length = 0;
  const { signal } = await start(client.signal);
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  client.abort();
  await aborted;
  while (!t.logs.some((line) => line['clientLeft'])) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(
    t.logs.filter((line) => Number(line['level']) >= 50),
    [],
  );
});

test('requests that still run at the end of the grace time are aborted with 503', async () => {
  finish = new Promise(() => {});
  const { answer, signal } = await start();
  shutdown.abort();
  assert.equal(signal.aborted, true);
  const response = await answer;
  assert.equal(response.status, 503);
  assert.ok(response.headers.get('retry-after'));
  assert.equal(((await response.json()) as { error: { type: string } }).error.type, 'overloaded_error');
});

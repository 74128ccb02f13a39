/** `Idempotency-Key` makes it safe to repeat a request: on two routes of this test, and on the real routes that issue API keys. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { SCOPES } from '../../../src/access/caller.ts';
import { sql } from '../../../src/db/sql.ts';
import { ServiceError } from '../../../src/errors.ts';
import { registerRoutes } from '../../../src/http/register.ts';
import { routesOf } from '../../../src/http/route.ts';
import { openServer } from '../../../src/http/server.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';

let t: TestApp;
let app: FastifyInstance;
let now = new Date('2026-03-01T12:00:00Z');
let made = 0;
let discarded = 0;
let failure: Error | undefined;
let gate: Promise<void> | undefined;
let entered: (() => void) | undefined;
let saveInTransaction = false;

const response = { status: 201, schema: z.object({ made: z.int(), name: z.string() }) } as const;
const things = routesOf('Test')({
  method: 'POST',
  path: '/things',
  scopes: ['knowledge:write'],
  operation: { id: 'makeThing', summary: 'Make a thing' },
  body: z.strictObject({ name: z.string() }),
  response,
  idempotent: true,
  async handler({ body, caller, idempotency }) {
    entered?.();
    await gate;
    if (failure) throw failure;
    const answer = { made: ++made, name: body.name };
    if (saveInTransaction) await t.deps.db.transaction(caller.tenantId, (tx) => idempotency.save(tx, answer));
    return answer;
  },
});
const uploads = routesOf('Test')({
  method: 'POST',
  path: '/uploads',
  scopes: ['knowledge:write'],
  operation: { id: 'upload', summary: 'Upload' },
  multipart: { schema: { type: 'object' }, bytesMax: 1000 },
  response,
  idempotent: true,
  async handler({ raw, caller, idempotency }) {
    const pieces: Buffer[] = [];
    for await (const piece of raw.raw) pieces.push(piece as Buffer);
    const [, text = ''] = /=(\w+)/.exec(Buffer.concat(pieces).toString()) ?? [];
    entered?.();
    await gate;
    try {
      await idempotency.bodyRead(createHash('sha256').update(text).digest());
    } catch (error) {
      discarded++;
      throw error;
    }
    return t.deps.db.transaction(caller.tenantId, async (tx) => {
      const answer = { made: made + 1, name: text };
      await idempotency.save(tx, answer);
      made = answer.made;
      return answer;
    });
  },
});

before(async () => {
  t = await openTestApp({ given: { clock: { now: () => now } } });
  app = openServer(t.deps);
  registerRoutes(app, t.deps, [things, uploads], new AbortController().signal);
  await app.ready();
});
beforeEach(() => {
  made = 0;
  discarded = 0;
  failure = undefined;
  gate = undefined;
  entered = undefined;
  saveInTransaction = false;
});
after(async () => {
  await app.close();
  await t.close();
});

let keys = 0;
const freshKey = (): string => `key-${++keys}`;
async function send(idempotencyKey: string, body: unknown, options: { key?: string; path?: string } = {}) {
  const answer = await app.inject({
    method: 'POST',
    url: options.path ?? '/api/v1/things',
    headers: {
      'x-api-key': options.key ?? t.key,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    payload: JSON.stringify(body),
  });
  return { status: answer.statusCode, replayed: answer.headers['idempotent-replayed'], text: answer.body };
}
function upload(idempotencyKey: string, text: string, boundary: string) {
  return app.inject({
    method: 'POST',
    url: '/api/v1/uploads',
    headers: {
      'x-api-key': t.key,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'idempotency-key': idempotencyKey,
    },
    payload: `--${boundary}\r\ntext=${text}`,
  });
}

describe('a repeated request with the same Idempotency-Key', () => {
  test('gets the stored answer', async () => {
    const key = freshKey();
    const first = await send(key, { name: 'a' });
    assert.equal(first.status, 201);
    assert.equal(first.replayed, undefined);
    const second = await send(key, { name: 'a' });
    assert.deepEqual(second, { ...first, replayed: 'true' });
    assert.equal(made, 1);
  });
  test('gets the stored answer if this was stored in the transaction of the resource', async () => {
    saveInTransaction = true;
    const key = freshKey();
    const first = await send(key, { name: 'a' });
    assert.deepEqual(await send(key, { name: 'a' }), { ...first, replayed: 'true' });
    assert.equal(made, 1);
  });
  test('is 409 if it has another body or another address', async () => {
    const key = freshKey();
    await send(key, { name: 'a' });
    assert.equal((await send(key, { name: 'b' })).status, 409);
    assert.equal((await upload(key, 'a', 'x')).statusCode, 409);
    assert.equal(made, 1);
  });
  test('is 409 while the first request runs', async () => {
    let open = (): void => {};
    gate = new Promise((resolve) => (open = resolve));
    const running = new Promise<void>((resolve) => (entered = resolve));
    const key = freshKey();
    const first = send(key, { name: 'a' });
    await running;
    assert.equal((await send(key, { name: 'a' })).status, 409);
    open();
    assert.equal((await first).status, 201);
    assert.equal(made, 1);
  });
  test('creates exactly one resource when it is sent 8 times at once', async () => {
    const key = freshKey();
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => send(key, { name: 'a' })))).map(
      (answer) => answer.status,
    );
    assert.equal(made, 1);
    assert.ok(
      statuses.every((status) => status === 201 || status === 409),
      String(statuses),
    );
  });
  test('counts as another request if it has another API key', async () => {
    const key = freshKey();
    await send(key, { name: 'a' });
    assert.equal((await send(key, { name: 'a' }, { key: await t.issueKey(SCOPES) })).replayed, undefined);
    assert.equal((await send(key, { name: 'a' }, { key: (await t.secondTenant()).key })).replayed, undefined);
    assert.equal(made, 3);
  });
  test('counts as a new request after 24 hours', async () => {
    const key = freshKey();
    const start = now;
    await send(key, { name: 'a' });
    now = new Date(start.getTime() + 24 * 3_600_000 - 1000);
    assert.equal((await send(key, { name: 'a' })).replayed, 'true');
    now = new Date(start.getTime() + 24 * 3_600_000 + 1000);
    assert.equal((await send(key, { name: 'a' })).replayed, undefined);
    now = start;
  });
  test('may succeed after a failure', async () => {
    for (const error of [new ServiceError('conflict', 'no'), new Error('bug')]) {
      const key = freshKey();
      failure = error;
      assert.ok((await send(key, { name: 'a' })).status >= 409);
      failure = undefined;
      const again = await send(key, { name: 'a' });
      assert.equal(again.status, 201);
      assert.equal(again.replayed, undefined);
    }
  });
  test('may have another body if the first body was refused', async () => {
    const key = freshKey();
    assert.equal((await send(key, { nam: 'a' })).status, 400);
    assert.equal((await send(key, { name: 'a' })).status, 201);
  });
});

describe('multipart bodies', () => {
  test('are compared by their fields and files, and not by their boundary', async () => {
    const key = freshKey();
    const first = await upload(key, 'a', 'x1');
    assert.equal(first.statusCode, 201);
    const second = await upload(key, 'a', 'y2');
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.equal(second.body, first.body);
    assert.equal((await upload(key, 'b', 'x1')).statusCode, 409);
    assert.equal(made, 1);
    assert.equal(discarded, 2, 'the handler was told to throw away what it received');
  });
});

describe('an upload whose process stands still', () => {
  const SECOND_MS = 1_000;
  /** Starts an upload that waits, runs `meanwhile`, and lets the upload go on. Returns its status. */
  async function waiting(key: string, meanwhile: () => Promise<void>): Promise<number> {
    const start = now;
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const running = new Promise<void>((done) => (entered = done));
    const first = upload(key, 'a', 'x');
    await running;
    gate = undefined;
    await meanwhile();
    resolve();
    const { statusCode } = await first;
    now = start;
    return statusCode;
  }

  test('holds its key for a minute. Then another request does the work, and the first one does nothing', async () => {
    const key = freshKey();
    const status = await waiting(key, async () => {
      now = new Date(now.getTime() + 59 * SECOND_MS);
      assert.equal((await upload(key, 'a', 'y')).statusCode, 409);
      now = new Date(now.getTime() + 2 * SECOND_MS);
      assert.equal((await upload(key, 'a', 'y')).statusCode, 201);
    });
    assert.deepEqual([status, made], [409, 1]);
    assert.equal((await upload(key, 'a', 'z')).headers['idempotent-replayed'], 'true');
    assert.equal(made, 1);
  });

  test('holds its key for as long as it is alive', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const key = freshKey();
    const status = await waiting(key, async () => {
      for (let i = 0; i < 3; i += 1) {
        now = new Date(now.getTime() + 50 * SECOND_MS);
        context.mock.timers.tick(10 * SECOND_MS);
        await t.deps.db.system.query(sql`select 1`);
        assert.equal((await upload(key, 'a', 'y')).statusCode, 409);
      }
    });
    assert.deepEqual([status, made], [201, 1]);
  });
});

test('a request without a multipart body holds its key for an hour', async () => {
  const key = freshKey();
  const start = now;
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const running = new Promise<void>((done) => (entered = done));
  const first = send(key, { name: 'a' });
  await running;
  gate = undefined;
  now = new Date(start.getTime() + 3_599_000);
  assert.equal((await send(key, { name: 'a' })).status, 409);
  resolve();
  assert.equal((await first).status, 201);
  now = start;
});

test('an Idempotency-Key has 1 to 255 printable characters', async () => {
  assert.equal((await send('x'.repeat(255), { name: 'a' })).status, 201);
  for (const key of ['', 'x'.repeat(256), 'ä', 'a\tb'])
    assert.equal((await send(key, { name: 'a' })).status, 400, JSON.stringify(key));
});

test('the answer with a new API key is never replayed, and the key is never stored', async () => {
  const body = { name: 'k', scopes: ['knowledge:read'] };
  const headers = { 'idempotency-key': freshKey() };
  const first = await t.request({ method: 'POST', path: '/api-keys', body, headers });
  assert.equal(first.status, 201);
  const total = (await t.get('/api-keys')).body.pagination.total;
  assert.equal((await t.request({ method: 'POST', path: '/api-keys', body, headers })).status, 409);
  assert.equal((await t.get('/api-keys')).body.pagination.total, total);
  const rows = await t.deps.db.system.query(sql`select * from idempotency_key`);
  assert.ok(rows.length > 0);
  assert.ok(!JSON.stringify(rows).includes(first.body.key.slice(15)));
});

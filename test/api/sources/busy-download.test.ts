/** A download while the database is busy. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import fastify from 'fastify';
import { notFound, ServiceError } from '../../../src/errors.ts';
import { sendFile } from '../../../src/http/body/download.ts';

/**
 * Serves a download of two parts. The first part is sent at once, the second one when `look` returns true. Looks for the file are counted
 * from 1. `events` has the looks, and when the rights of the caller were confirmed.
 */
async function download(
  t: TestContext,
  look: (count: number, sendSecond: () => void) => void,
): Promise<{ response: Response; events: string[] }> {
  const events: string[] = [];
  let looks = 0;
  const body = new Readable({ read: () => {} });
  body.push('one');
  const file = { name: 'a.txt', size: 6, hash: 'a'.repeat(64), open: async () => body };
  const find = async () => {
    looks += 1;
    events.push(`look ${looks}`);
    look(looks, () => {
      for (const part of ['two', null]) body.push(part);
    });
    return file;
  };
  const app = fastify();
  t.after(() => app.close());
  const { signal } = new AbortController();
  const rights = { confirm: async () => void events.push('confirm') } as never;
  app.get('/', (request, reply) => sendFile(request, reply, find, { signal, rights }));
  return { response: await fetch(await app.listen({ host: '127.0.0.1', port: 0 })), events };
}

const busy = new ServiceError('overloaded', 'The database is busy.');

test('a download goes on when the database is busy for a moment', async (t) => {
  const { response } = await download(t, (count, sendSecond) => {
    if (count === 2) throw busy;
    if (count === 3) sendSecond();
  });
  assert.equal(await response.text(), 'onetwo');
});

test('a part that comes while a look is repeated waits for it, and is sent only with rights that are confirmed then', async (t) => {
  const { response, events } = await download(t, (count, sendSecond) => {
    if (count !== 2) return;
    sendSecond();
    throw busy;
  });
  assert.equal(await response.text(), 'onetwo');
  assert.deepEqual(events, ['look 1', 'confirm', 'look 2', 'look 3', 'confirm']);
});

test('a download ends when its file can not be looked for any more', async (t) => {
  const { response } = await download(t, (count) => {
    if (count > 1) throw busy;
  });
  await assert.rejects(response.text());
});

test('a download ends at once, without a second look, when its file may not be read any more', async (t) => {
  const { response, events } = await download(t, (count) => {
    if (count > 1) throw notFound();
  });
  await assert.rejects(response.text());
  assert.deepEqual(events, ['look 1', 'confirm', 'look 2']);
});

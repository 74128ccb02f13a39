/** A download while the database is busy. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import fastify from 'fastify';
import { ServiceError } from '../../../src/errors.ts';
import { sendFile } from '../../../src/http/body/download.ts';

/** Serves a download of two parts. The first part is sent at once, the second one when `look` returns true; looks are counted from 1. */
async function download(t: TestContext, look: (count: number) => boolean): Promise<Response> {
  let looks = 0;
  const body = new Readable({ read: () => {} });
  body.push('one');
  const file = { name: 'a.txt', size: 6, hash: 'a'.repeat(64), open: async () => body };
  const find = async () => {
    looks += 1;
    if (look(looks)) for (const part of ['two', null]) body.push(part);
    return file;
  };
  const app = fastify();
  t.after(() => app.close());
  const { signal } = new AbortController();
  const rights = { confirm: async () => {} } as never;
  app.get('/', (request, reply) => sendFile(request, reply, find, { signal, rights }));
  return fetch(await app.listen({ host: '127.0.0.1', port: 0 }));
}

const busy = new ServiceError('overloaded', 'The database is busy.');

test('a download goes on when the database is busy for a moment', async (t) => {
  const response = await download(t, (count) => {
    if (count === 2) throw busy;
    return count === 3;
  });
  assert.equal(await response.text(), 'onetwo');
});

test('a download ends when its file can not be looked for any more', async (t) => {
  const response = await download(t, (count) => {
    if (count > 1) throw busy;
    return false;
  });
  await assert.rejects(response.text());
});

/** A download while the database is busy. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fastify from 'fastify';
import { ServiceError } from '../../../src/errors.ts';
import { sendFile } from '../../../src/http/body/download.ts';

test('a download goes on while the database is busy', async (t) => {
  let looks = 0;
  const body = new Readable({ read: () => {} });
  const file = { name: 'a.txt', size: 6, hash: 'a'.repeat(64), open: async () => body };
  const find = async () => {
    looks += 1;
    if (looks === 2) throw new ServiceError('overloaded', 'The database is busy.');
    if (looks === 3) for (const part of ['two', null]) body.push(part);
    return file;
  };
  const app = fastify();
  t.after(() => app.close());
  const { signal } = new AbortController();
  const rights = { confirm: async () => {} } as never;
  app.get('/', (request, reply) => sendFile(request, reply, find, { signal, rights }));
  body.push('one');
  const response = await fetch(await app.listen({ host: '127.0.0.1', port: 0 }));
  assert.equal(await response.text(), 'onetwo');
  assert.equal(looks, 3);
});

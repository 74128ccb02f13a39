/** An upload waits for its answer longer than other requests. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { openClient } from '../../src/cli/shared/client.ts';
import { multipartBody } from '../../src/cli/shared/multipart.ts';

test('an upload goes on when other requests would have given up', async (t) => {
  const before = getGlobalDispatcher();
  // The global `fetch` gives up after 5 minutes: here after a second.
  setGlobalDispatcher(new Agent({ headersTimeout: 1_000 }));
  const server = createServer(async (request, response) => {
    for await (const _part of request);
    await sleep(4_000);
    response.setHeader('content-type', 'application/json').end('{"source_group_id":"1"}');
  });
  server.listen(0, '127.0.0.1');
  t.after(() => {
    setGlobalDispatcher(before);
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const client = openClient({ url: `http://127.0.0.1:${port}`, apiKey: 'k' });
  const uploaded = client.createLocalFileGroup({ body: multipartBody([['name', 'a']], []) });
  await assert.rejects(client.search({ body: { query: 'a' } }), /Headers Timeout/);
  assert.equal((await uploaded).source_group_id, '1');
});

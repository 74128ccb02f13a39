/** When an upload is refused before its end, the rest is dropped and the connection serves the next request. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { multipartBody } from '../../support/upload.ts';

/** More bytes than fit into the buffers of client and server. */
const REST_BYTES = 32 * 1024 * 1024;

let t: TestApp;

before(async () => {
  t = await openTestApp();
});
after(() => t.close());

function send(
  agent: Agent,
  options: { method: string; path: string; headers?: object; body?: Buffer },
): Promise<number> {
  return new Promise((resolve, reject) => {
    void t.url().then((url) => {
      const headers = { 'x-api-key': t.key, ...options.headers, 'content-length': options.body?.length ?? 0 };
      const sent = request(`${url}/api/v1${options.path}`, { agent, method: options.method, headers });
      sent.on('error', reject);
      // Client and server have finished: the answer was read, and the body was received.
      const status = new Promise<number>((got) =>
        sent.on('response', (r) => r.resume().on('end', () => got(r.statusCode!))),
      );
      sent.end(options.body, () => void status.then(resolve));
    });
  });
}

test('a connection whose upload was refused serves the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const file = { name: 'big.txt', content: Buffer.alloc(REST_BYTES, 'a') };
    const { headers, body } = multipartBody([file], [['last_modified', 'x']]);
    for (let round = 0; round < 3; round++) {
      assert.equal(await send(agent, { method: 'POST', path: '/local-file-groups', headers, body }), 400);
      assert.equal(await send(agent, { method: 'GET', path: '/local-file-groups' }), 200);
    }
  } finally {
    agent.destroy();
  }
});

test('many uploads over one connection leave no listeners behind', async () => {
  const sockets = new Set<Socket>();
  t.app.server.on('connection', (socket) => sockets.add(socket));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const listeners = new Set<number>();
    for (let round = 0; round < 4; round++) {
      const { headers, body } = multipartBody([{ name: `${round}.txt`, content: 'a' }]);
      assert.equal(await send(agent, { method: 'POST', path: '/local-file-groups', headers, body }), 201);
      assert.equal(await send(agent, { method: 'GET', path: '/local-file-groups' }), 200);
      listeners.add([...sockets][0]!.listenerCount('timeout'));
    }
    assert.deepEqual([sockets.size, listeners.size], [1, 1], [...listeners].join());
  } finally {
    agent.destroy();
  }
});

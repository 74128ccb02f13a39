/** Uploads and answers of models are waited for longer than other requests, and use the same proxy. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { openClient } from '../../src/cli/shared/client.ts';
import { multipartBody } from '../../src/cli/shared/multipart.ts';

test('an upload and an answer go on when other requests would have given up', async (t) => {
  const before = getGlobalDispatcher();
  // The global `fetch` gives up after 5 minutes: here after a second.
  setGlobalDispatcher(new Agent({ headersTimeout: 1_000 }));
  const server = createServer(async (request, response) => {
    for await (const _part of request);
    await sleep(4_000);
    response.setHeader('content-type', 'application/json').end('{"source_group_id":"1","status":"done"}');
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
  const messages = [{ role: 'user' as const, content: 'a' }];
  const answered = [client.createCompletion({ body: { messages } }), client.createAgentRun({ body: { input: 'a' } })];
  await assert.rejects(client.search({ body: { query: 'a' } }), /Headers Timeout/);
  assert.equal((await uploaded).source_group_id, '1');
  assert.equal((await Promise.all(answered)).length, 2);
});

test('an upload goes through the proxy of the environment when Node.js is told to use it', async (t) => {
  const service = createServer(async (request, response) => {
    const parts = await Array.fromAsync(request.setEncoding('utf8'));
    response.end(`got ${parts.join('')}`);
  });
  const tunnels: (string | undefined)[] = [];
  const proxy = createServer().on('connect', ({ url }, socket) => {
    tunnels.push(url);
    const { port } = service.address() as AddressInfo;
    const onward = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    socket.pipe(onward).pipe(socket);
  });
  for (const server of [service, proxy]) {
    server.listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
  }
  const module = new URL('../../src/net/patient-fetch.ts', import.meta.url).href;
  const program = `
    import { openPatientFetch } from ${JSON.stringify(module)};
    const body = ReadableStream.from([new TextEncoder().encode('a heron')]);
    const answer = await openPatientFetch()('http://pinakes.invalid/', { method: 'POST', body, duplex: 'half' });
    console.log(await answer.text());`;
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  assert.equal(stdout, 'got a heron\n');
  assert.deepEqual(tunnels, ['pinakes.invalid:80']);
});

/** The HTTP client against servers on loopback; the tests resolve names. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ServiceError } from '../../src/errors.ts';
import { type HttpClient, openHttpClient, REDIRECTS_MAX } from '../../src/net/http-client.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const seen: { url: string; headers: IncomingMessage['headers']; method: string }[] = [];
let handler: Handler = (_request, response) => void response.end('ok');
let server: Server;
let port: number;
const opened: HttpClient[] = [];
const never = new AbortController().signal;

before(async () => {
  server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers, method: request.method ?? '' });
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
after(async () => {
  await Promise.all(opened.map((client) => client.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** `names`: addresses of each host, one entry per lookup; the last one repeats. */
function client(names: Record<string, string[][]> = {}, allow: string[] = []): HttpClient {
  const made = openHttpClient({
    allow,
    lookup: async (host) => {
      const answers = names[host] ?? [[host]];
      return (answers.length > 1 ? answers.shift()! : answers[0]!).map((address) => ({ address }));
    },
  });
  opened.push(made);
  return made;
}

const failsWith = (code: string, message?: RegExp) => (error: unknown) =>
  error instanceof ServiceError && error.code === code && (message?.test(error.message) ?? true);

// test/net/ssrf.test.ts tests which addresses tenants may not use.
test('addresses from tenants reach private hosts that the operator allows', async () => {
  const byHost = client({ 'wiki.internal': [['127.0.0.1']] }, ['wiki.internal']);
  assert.equal(
    await (await byHost.request(`http://wiki.internal:${port}/`, { trust: 'tenant', signal: never })).text(),
    'ok',
  );
  const byRange = client({}, ['127.0.0.0/8']);
  assert.equal((await byRange.request(`http://127.0.0.1:${port}/`, { trust: 'tenant', signal: never })).status, 200);
});

describe('redirects', () => {
  test('redirects within an origin are followed up to a limit', async () => {
    const http = client();
    let left = REDIRECTS_MAX;
    handler = (_request, response) =>
      left-- > 0 ? response.writeHead(302, { location: '/next' }).end() : response.end('there');
    const answer = await http.request(`http://127.0.0.1:${port}/start`, { trust: 'operator', signal: never });
    assert.equal(await answer.text(), 'there');
    assert.equal(answer.url, `http://127.0.0.1:${port}/next`);
    left = REDIRECTS_MAX + 1;
    await assert.rejects(
      http.request(`http://127.0.0.1:${port}/start`, { trust: 'operator', signal: never }),
      failsWith('upstream_failed'),
    );
  });
  test('redirects to another origin drop credentials', async () => {
    const http = client({ 'a.example': [['127.0.0.1']], 'b.example': [['127.0.0.1']] }, ['b.example']);
    handler = (request, response) =>
      request.headers.host?.startsWith('a.')
        ? response.writeHead(307, { location: `http://b.example:${port}/` }).end()
        : response.end('b');
    const credentials = {
      authorization: 'Bearer secret',
      cookie: 'a=b',
      'proxy-authorization': 'Basic x',
      'x-api-key': 'secret',
      'private-token': 'secret',
      'x-goog-drive-resource-keys': 'id/secret',
    };
    const answer = await http.request(`http://a.example:${port}/`, {
      headers: { ...credentials, 'x-other': '1' },
      trust: 'operator',
      signal: never,
    });
    assert.equal(await answer.text(), 'b');
    const [first, second] = seen.slice(-2);
    for (const [name, value] of Object.entries(credentials)) {
      assert.equal(first?.headers[name], value);
      assert.equal(second?.headers[name], undefined, name);
    }
    assert.equal(second?.headers['x-other'], '1');
  });
  test('redirects of a body to another origin are refused, because the body may have credentials', async () => {
    const http = client({ 'a.example': [['127.0.0.1']], 'b.example': [['127.0.0.1']] }, ['b.example']);
    const post = (status: number) => {
      handler = (request, response) =>
        request.headers.host?.startsWith('a.')
          ? response.writeHead(status, { location: `http://b.example:${port}/` }).end()
          : response.end('b');
      const url = `http://a.example:${port}/`;
      return http.request(url, { method: 'POST', body: 'assertion', trust: 'operator', signal: never });
    };
    for (const status of [307, 308]) {
      const before = seen.length;
      await assert.rejects(post(status), failsWith('upstream_failed'));
      assert.equal(seen.length, before + 1);
    }
    assert.equal(await (await post(303)).text(), 'b');
    assert.deepEqual([seen.at(-1)?.method, seen.at(-1)?.headers['content-length']], ['GET', undefined]);
  });
});

describe('limits', () => {
  const url = () => `http://127.0.0.1:${port}/`;
  test('a response is limited in bytes', async () => {
    const http = client();
    handler = (_request, response) => response.end(Buffer.alloc(2000));
    await assert.rejects(
      (await http.request(url(), { trust: 'operator', signal: never, responseBytesMax: 1999 })).bytes(),
      failsWith('upstream_failed', /larger than 1999/),
    );
    assert.equal(
      (await (await http.request(url(), { trust: 'operator', signal: never, responseBytesMax: 2000 })).bytes()).length,
      2000,
    );
  });
  test('encodings are decoded, and unknown or too many encodings are refused', async () => {
    const http = client();
    for (const [name, encode] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      handler = (_request, response) =>
        response.writeHead(200, { 'content-encoding': name }).end(encode(Buffer.from('text')));
      assert.equal(await (await http.request(url(), { trust: 'operator', signal: never })).text(), 'text');
    }
    const thrice = gzipSync(gzipSync(gzipSync('text')));
    for (const encoding of ['zstd-unknown', 'gzip, gzip, gzip']) {
      handler = (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(thrice);
      await assert.rejects(
        (await http.request(url(), { trust: 'operator', signal: never })).text(),
        failsWith('upstream_failed'),
      );
    }
    handler = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
    await assert.rejects(
      (await http.request(url(), { trust: 'operator', signal: never })).text(),
      failsWith('upstream_failed'),
    );
  });
  test('a request without an answer ends at its time limit', async () => {
    const http = client();
    handler = () => {};
    await assert.rejects(
      http.request(url(), { trust: 'operator', signal: never, timeoutMs: 50 }),
      failsWith('upstream_timeout'),
    );
  });
  test("an abort rejects with the signal's reason and ends the connection", async () => {
    const http = client();
    const abort = new AbortController();
    const reason = new Error('enough');
    const closed = new Promise<void>((resolve) => {
      handler = (_request, response) => {
        response.on('close', () => resolve());
        response.write('x');
        setImmediate(() => abort.abort(reason));
      };
    });
    await assert.rejects(
      async () => (await http.request(url(), { trust: 'operator', signal: abort.signal })).text(),
      reason,
    );
    await closed;
  });
});

describe('retries', () => {
  const url = () => `http://127.0.0.1:${port}/`;
  test('requests are retried only as often as the caller asks', async () => {
    const http = client();
    let calls = 0;
    handler = (_request, response) =>
      ++calls < 3 ? response.writeHead(503, { 'retry-after': '0' }).end('no') : response.end('yes');
    assert.equal((await http.request(url(), { trust: 'operator', signal: never })).status, 503);
    assert.equal(calls, 1);
    assert.equal(await (await http.request(url(), { trust: 'operator', signal: never, retriesMax: 2 })).text(), 'yes');
    calls = -10;
    assert.equal((await http.request(url(), { trust: 'operator', signal: never, retriesMax: 1 })).status, 503);
    assert.equal(calls, -8);
  });
  test('a request is retried after a broken connection', async () => {
    const http = client();
    let calls = 0;
    handler = (request, response) => (++calls < 2 ? request.socket.destroy() : response.end('yes'));
    assert.equal(await (await http.request(url(), { trust: 'operator', signal: never, retriesMax: 1 })).text(), 'yes');
    await assert.rejects(
      client().request('http://127.0.0.1:1/', { trust: 'operator', signal: never }),
      failsWith('upstream_failed', /could not be reached/),
    );
  });
});

test('operatorFetch reaches private addresses, streams and follows no redirect', async () => {
  const http = client();
  handler = (request, response) =>
    request.url === '/r' ? response.writeHead(302, { location: '/' }).end() : response.end('streamed');
  const answer = await http.operatorFetch(`http://127.0.0.1:${port}/v1`, { method: 'POST', body: '{}' });
  assert.equal(await answer.text(), 'streamed');
  await assert.rejects(http.operatorFetch(`http://127.0.0.1:${port}/r`));
});

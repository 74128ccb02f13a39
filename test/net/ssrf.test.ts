/**
 * Addresses from tenants, redirects, responses and credentials never lead to private hosts. No connection reaches the listeners
 * on this machine, however their address is written, hidden behind a name or changed.
 */
import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openDriveConnector } from '../../src/connectors/drive/connector.ts';
import { ServiceError } from '../../src/errors.ts';
import { type HttpClient, openHttpClient, REDIRECTS_MAX } from '../../src/net/http-client.ts';
import { openFakeDrive } from '../support/fakes/drive.ts';
import { withLongerLimits } from '../support/time-limits.ts';

const never = new AbortController().signal;
/** The loopback address that the tests allow. Servers of tests use it; the listeners do not. */
const ALLOWED = '127.0.0.9';

const canaries: TcpServer[] = [];
let reached = 0;
let port: number;
/** A server on `ALLOWED` with the port of the canaries. */
let outside: Server;
let answer: RequestListener = (_request, response) => void response.end('outside');
const clients: HttpClient[] = [];

before(async () => {
  const first = await listen('127.0.0.1', 0);
  port = (first.address() as AddressInfo).port;
  // A machine without IPv6 has nothing to reach at this address.
  await listen('::1', port).catch(() => undefined);
  outside = createHttpServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => outside.listen(port, ALLOWED, resolve));
});
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  outside.closeAllConnections();
  for (const server of [...canaries, outside]) await new Promise((resolve) => server.close(resolve));
});
afterEach(() => assert.equal(reached, 0, 'a canary was reached'));

function listen(address: string, wanted: number): Promise<TcpServer> {
  const server = createServer((socket) => {
    reached++;
    socket.resume();
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nsecret');
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(wanted, address, () => {
      canaries.push(server);
      resolve(server);
    });
  });
}

/** @param names addresses of each host for each lookup; the last one repeats. Other hosts resolve to themselves. */
function openClient(names: Record<string, string[][]> = {}, lookups: string[] = []): HttpClient {
  const client = openHttpClient({
    allow: [ALLOWED],
    lookup: async (host) => {
      lookups.push(host);
      const answers = names[host] ?? [[host.startsWith('localhost') ? '127.0.0.1' : host]];
      return (answers.length > 1 ? answers.shift()! : answers[0]!).map((address) => ({ address }));
    },
  });
  clients.push(client);
  return client;
}

/** Asserts `upstream_failed` at once, without a response and without a wait. */
async function assertRefused(http: HttpClient, url: string, trust: 'tenant' | 'operator' = 'tenant'): Promise<void> {
  await assert.rejects(
    http.request(url, { trust, signal: never, timeoutMs: 5000 }).then((response) => response.text()),
    (error) => error instanceof ServiceError && error.code === 'upstream_failed',
    url,
  );
}

test('the canaries notice a connection', async () => {
  const response = await openClient().request(`http://127.0.0.1:${port}/`, { trust: 'operator', signal: never });
  assert.equal(await response.text(), 'secret');
  assert.equal(reached, 1);
  reached = 0;
  const allowed = await openClient().request(`http://${ALLOWED}:${port}/`, { trust: 'tenant', signal: never });
  assert.equal(await allowed.text(), 'outside');
});

describe('addresses of tenants', () => {
  const WRITTEN = [
    // IPv4 in every spelling that some parser reads.
    ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.000.000.001', '0177.0.0.1', '0177.0.0.01', '00000177.1'],
    ...['0x7f.0.0.1', '0x7F.0x0.0x0.0x1', '0x7f000001', '0X7F000001', '2130706433', '017700000001', '0x7f.1'],
    ...['%31%32%37.0.0.1', '127。0。0。1', '127．0．0．1', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '127.0.0.1%2e'],
    ...['0', '0.0.0.0', '0x0', '00', '127.255.255.254', '127.0.0.2'],
    // Other networks that are not public.
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254', '169.254.170.2', '100.64.0.1'],
    ...['100.127.255.255', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376'],
    // IPv6, and IPv4 inside it.
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ...['[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]'],
    ...['[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:7f00:0001::1]', '[2001::1]', '[2001:0:7f00:1::80ff:fffe]'],
    ...['[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[2001:db8::1]', '[100::1]'],
    ...['[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]', '[::ffff:169.254.169.254]'],
    // Names.
    ...['localhost', 'LOCALHOST', 'localhost.', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'localhost.localdomain'],
  ];

  test('private addresses are refused in every spelling', async () => {
    const http = openClient();
    for (const host of WRITTEN)
      for (const path of ['/', '/latest/meta-data/']) await assertRefused(http, `http://${host}:${port}${path}`);
  });
  test('private addresses are refused on every port, with http and https', async () => {
    const http = openClient();
    for (const at of ['', ':1', ':22', ':80', ':443', ':6379', ':65535', `:${port}`])
      for (const scheme of ['http', 'https']) await assertRefused(http, `${scheme}://127.0.0.1${at}/`);
  });
  test('private addresses are refused with user names, odd slashes and other schemes', async () => {
    const http = openClient();
    const at = `127.0.0.1:${port}`;
    const urls = [
      ...[`http://u@${at}/`, `http://u:p@${at}/`, `http://8.8.8.8@${at}/`, `http://${ALLOWED}:${port}@${at}/`],
      ...[`http:${at}/`, `http:/${at}/`, `http:\\\\${at}\\`, `http:////${at}/`, ` http://${at}/ `, `ht\ntp://${at}/`],
      ...[`http://${at}\\@${ALLOWED}/`, `http://${at}#@${ALLOWED}/`, `http://${at}?@${ALLOWED}/`, `//${at}/`, at],
      ...[`ftp://${at}/`, `gopher://${at}/_GET`, `file:///etc/passwd`, `file://${at}/etc/passwd`, 'data:text/plain,x'],
      ...[`ws://${at}/`, `wss://${at}/`, `unix:/tmp/x`, `http+unix://%2Ftmp%2Fx/`, `javascript:fetch('http://${at}')`],
      ...[`blob:http://${at}/x`, `view-source:http://${at}/`, `jar:http://${at}!/`, `http://`, ''],
    ];
    for (const url of urls) await assertRefused(http, url);
    for (const url of ['ftp://a.example/', 'ws://a.example/', 'file:///etc/passwd', 'gopher://a.example/'])
      await assert.rejects(
        http.request(url, { trust: 'operator', signal: never }),
        (error) => error instanceof Error && /only http and https/.test(String(error.cause)),
      );
  });
  test('a private address is refused if its user name looks like an allowed address', async () => {
    await assertRefused(openClient(), `http://user:password@${ALLOWED}:${port}/`);
  });
});

describe('names', () => {
  const LED_INSIDE = [
    ...['127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'],
    ...['fe80::1%lo', '::1%lo', '169.254.169.254', '10.1.2.3', '100.64.0.1', '0.0.0.0', '255.255.255.255', 'fd00::1'],
    ...['', 'not an address', '127.0.0.1\n8.8.8.8', '0x7f.1'],
  ];
  test('names that resolve to private addresses are refused', async () => {
    for (const address of LED_INSIDE)
      await assertRefused(openClient({ 'evil.example': [[address]] }), `http://evil.example:${port}/`);
  });
  test('names with one private address among others are refused', async () => {
    for (const address of LED_INSIDE)
      for (const addresses of [
        [ALLOWED, address],
        [address, ALLOWED],
        [ALLOWED, address, ALLOWED],
      ])
        await assertRefused(openClient({ 'mixed.example': [addresses] }), `http://mixed.example:${port}/`);
  });
  test('names without an address and unresolvable names are refused', async () => {
    await assertRefused(openClient({ 'none.example': [[]] }), `http://none.example:${port}/`);
    const failing = openHttpClient({ allow: [], lookup: async () => Promise.reject(new Error('SERVFAIL')) });
    clients.push(failing);
    await assertRefused(failing, 'http://gone.example/');
  });
  test('a connection uses the address that was checked, also if a name changes its address', async () => {
    answer = (_request, response) => response.writeHead(200, { connection: 'close' }).end('outside');
    const lookups: string[] = [];
    const answers = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? [ALLOWED] : ['127.0.0.1']));
    const http = openClient({ 'rebind.example': answers }, lookups);
    let [served, refused] = [0, 0];
    for (let i = 0; i < 39; i++) {
      const request = http.request(`http://rebind.example:${port}/`, { trust: 'tenant', signal: never });
      await request.then(
        async (response) => {
          assert.equal(await response.text(), 'outside');
          served++;
        },
        () => refused++,
      );
    }
    assert.deepEqual([served, refused, lookups.length], [20, 19, 39], 'one lookup for each connection');
  });
  test('names that change their address between attempts are refused', async () => {
    let calls = 0;
    answer = (request) => {
      calls++;
      request.socket.destroy();
    };
    const http = openClient({ 'rebind.example': [[ALLOWED], ['127.0.0.1']] });
    const request = { trust: 'tenant', signal: never, retriesMax: 3 } as const;
    const said = /not allowed\. The operator can allow it with PINAKES_OUTBOUND_ALLOW\.$/;
    await assert.rejects(http.request(`http://rebind.example:${port}/`, request), {
      code: 'upstream_failed',
      message: said,
    });
    assert.equal(calls, 1);
  });
});

describe('redirects', () => {
  const inner = () => [
    ...[`http://127.0.0.1:${port}/`, `//127.0.0.1:${port}/`, `http://2130706433:${port}/`, `http://[::1]:${port}/`],
    ...[`http://[::ffff:7f00:1]:${port}/`, `http://inside.example:${port}/`, `http://localhost:${port}/`],
    ...[
      `http://u:p@127.0.0.1:${port}/`,
      `http://u:p@${ALLOWED}:${port}/`,
      'file:///etc/passwd',
      `gopher://${ALLOWED}/`,
    ],
    ...['http://169.254.169.254/latest/meta-data/', `\\\\127.0.0.1:${port}\\`, 'http://[fe80::1%25lo]/', 'http://'],
  ];
  test('redirects never lead to private addresses at any hop, for tenants and the operator', async () => {
    for (const hops of [1, 2, REDIRECTS_MAX])
      for (const trust of ['tenant', 'operator'] as const)
        for (const status of [301, 302, 303, 307, 308])
          for (const location of status === 302 ? inner() : inner().slice(0, 1)) {
            let left = hops;
            answer = (request, response) => {
              const again = `http://${left % 2 ? 'one' : 'two'}.example:${port}${request.url}`;
              response.writeHead(status, { location: --left === 0 ? location : again }).end();
            };
            const outer = { 'one.example': [[ALLOWED]], 'two.example': [[ALLOWED]], 'inside.example': [['127.0.0.1']] };
            await assertRefused(openClient(outer), `http://one.example:${port}/`, trust);
          }
  });
  test('redirects back to an operator address are not trusted', async () => {
    const http = openClient({ 'api.example': [['127.0.0.1']], 'public.example': [[ALLOWED]] });
    answer = (_request, response) => response.writeHead(302, { location: `http://api.example:${port}/` }).end();
    await assertRefused(http, `http://public.example:${port}/`, 'operator');
  });
  test('redirects with an endless body do not block the client', async () => {
    const http = openClient({ 'one.example': [[ALLOWED]] });
    answer = (request, response) => {
      if (request.url === '/next') return void response.end('there');
      response.writeHead(302, { location: '/next' });
      const more = () => !response.destroyed && response.write(Buffer.alloc(65_536), more);
      more();
    };
    const response = await http.request(`http://one.example:${port}/`, { trust: 'tenant', signal: never });
    assert.equal(await response.text(), 'there');
  });
});

test('no request is sent to an address in a credential', async () => {
  const canary = `http://127.0.0.1:${port}`;
  const keyMembers = { token_uri: `${canary}/token`, auth_uri: canary, client_x509_cert_url: `${canary}/cert` };
  const drive = await openFakeDrive({ keyMembers });
  const http = openClient();
  const connector = openDriveConnector({
    http,
    baseUrl: drive.url,
    clock: { now: () => new Date() },
    readsPictures: false,
  });
  const origin = { kind: 'drive', folderUrl: drive.state.root } as const;
  const request = { cursor: null, resume: null, findStored: async () => undefined, signal: never };
  const changes = await Array.fromAsync(connector.list(origin, drive.key, request));
  assert.equal(changes.at(-1)?.kind, 'end');
  await drive.close();
});

describe('limits', () => {
  const url = () => `http://${ALLOWED}:${port}/`;
  test('a decompression bomb stops at the limit of bytes, compressed once or twice', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    for (const [encoding, body] of [
      ['gzip', bomb],
      ['gzip, gzip', gzipSync(bomb)],
    ] as const) {
      answer = (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body);
      const options = { trust: 'tenant', signal: never, responseBytesMax: 1_000_000 } as const;
      const response = await openClient().request(url(), options);
      let bytes = 0;
      await assert.rejects(async () => {
        for await (const piece of response.body) bytes += piece.length;
      }, /larger than 1000000 bytes/);
      assert.ok(bytes <= 1_000_000);
    }
  });
  test('endless headers end with an error', async () => {
    answer = (request) => {
      const { socket } = request;
      socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\n');
      const more = () => !socket.destroyed && socket.write(`x-more: ${'x'.repeat(8000)}\r\n`, more);
      more();
    };
    await assertRefused(openClient(), url());
  });
  test('a silent name server ends with a timeout', async () => {
    const http = openHttpClient({ allow: [], lookup: () => new Promise(() => {}) });
    clients.push(http);
    // This wait is longer than a person would wait. It also keeps the process alive, which the timeout does not.
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
    }, 9_000);
    await assert.rejects(
      http.request('http://slow.example/', { trust: 'tenant', signal: never, timeoutMs: 50 }),
      (error) => error instanceof ServiceError && error.code === 'upstream_timeout',
    );
    clearTimeout(late);
    assert.equal(isLate, false);
  });
  test('a body that arrives very slowly ends with a timeout', async () => {
    answer = (_request, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    };
    const request = (timeoutMs: number) => openClient().request(url(), { trust: 'tenant', signal: never, timeoutMs });
    const response = await withLongerLimits(200, request);
    await assert.rejects(
      response.text(),
      (error) => error instanceof ServiceError && error.code === 'upstream_timeout',
    );
  });
  test('a response with a Retry-After of an hour is returned without a wait', async () => {
    let calls = 0;
    answer = (_request, response) => {
      calls++;
      response.writeHead(429, { 'retry-after': '3600' }).end('later');
    };
    const options = { trust: 'tenant', signal: never, retriesMax: 3, timeoutMs: 5000 } as const;
    const response = await openClient().request(url(), options);
    assert.deepEqual([response.status, await response.text(), calls], [429, 'later', 1]);
  });
  test('an endless response before a retry is not read', async () => {
    let calls = 0;
    answer = (_request, response) => {
      if (++calls === 2) return void response.end('yes');
      response.writeHead(503);
      const more = () => !response.destroyed && response.write(Buffer.alloc(65_536), more);
      more();
    };
    const response = await openClient().request(url(), { trust: 'tenant', signal: never, retriesMax: 1 });
    assert.equal(await response.text(), 'yes');
  });
});

test('error messages contain neither the address nor the content of a response', async () => {
  const http = openClient({ 'evil.example': [['10.11.12.13']] });
  await assert.rejects(
    http.request('http://evil.example/secret-path', { trust: 'tenant', signal: never }),
    (error) => error instanceof ServiceError && !/10\.11|secret-path/.test(error.message),
  );
});

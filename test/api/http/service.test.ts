/** Routes outside the API, headers of every answer, the log, and the metrics. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { loadConfig } from '../../../src/config.ts';
import { openDeps } from '../../../src/deps.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/upload.ts';

let t: TestApp;
before(async () => {
  t = await openTestApp();
});
after(() => t.close());

describe('every answer', () => {
  test('has a request id, which is the caller’s if that is valid', async () => {
    for (const path of ['//healthz', '/api-keys', '/nothing', '//openapi.json']) {
      const own = await t.get(path);
      assert.match(String(own.headers['x-request-id']), /^[0-9a-f-]{36}$/, path);
      const given = await t.request({ path, headers: { 'x-request-id': 'abc_DEF-123' } });
      assert.equal(given.headers['x-request-id'], 'abc_DEF-123', path);
    }
    for (const bad of ['', 'a b', 'x'.repeat(65), 'ä', 'a;b']) {
      const answer = await t.request({ path: '/api-keys', headers: { 'x-request-id': bad } });
      assert.notEqual(answer.headers['x-request-id'], bad);
      assert.ok(answer.headers['x-request-id']);
    }
  });
  test('has headers against content sniffing, framing, caching and reading by other origins', async () => {
    const { headers } = await t.request({ path: '/api-keys', headers: { origin: 'https://evil.example' } });
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(headers['server'], undefined);
  });
  test('is logged in one line, without query string, headers and body', async () => {
    t.logs.length = 0;
    await t.request({
      path: '/api-keys?limit=7&after_id=no-secret',
      headers: { 'x-request-id': 'find-me', cookie: 'a-cookie' },
    });
    const lines = t.logs.filter((line) => line['reqId'] === 'find-me');
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.['path'], '/api/v1/api-keys');
    assert.equal(lines[0]?.['status'], 400);
    assert.equal(lines[0]?.['tenantId'], t.tenantId);
    const text = JSON.stringify(t.logs);
    for (const secret of [t.key, t.key.slice(15), 'a-cookie', 'no-secret']) assert.ok(!text.includes(secret), secret);
  });
});

test('a stop does not wait for connections that have sent nothing', { timeout: 15_000 }, async () => {
  const own = await openTestApp();
  const { hostname, port } = new URL(await own.url());
  const silent = connect(Number(port), hostname);
  await once(silent, 'connect');
  // The answer to a later connection shows that the server has accepted the one before.
  assert.equal((await fetch(`http://${hostname}:${port}/healthz`)).status, 200);
  const closed = once(silent, 'close');
  await own.close();
  await closed;
});

test('a stop ends with the last answer, and does not wait for the client to close its connection', {
  timeout: 15_000,
}, async () => {
  const own = await openTestApp();
  const { hostname, port } = new URL(await own.url());
  const kept = connect(Number(port), hostname);
  const closed = once(kept, 'close');
  const body = '{"query":"nothing"}';
  const headers = [
    'POST /api/v1/search HTTP/1.1',
    'Host: x',
    `x-api-key: ${own.key}`,
    'content-type: application/json',
  ];
  kept.write(`${headers.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n`);
  await eventually(async () => /http_requests_running 1/.test((await own.deps.metrics.expose()).body));
  const stopped = own.app.close();
  await eventually(async () => !own.app.server.listening);
  kept.write(body);
  const [answer] = await once(kept, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
  await Promise.all([stopped, closed]);
  await own.close();
});

test('a blob folder that cannot be created stops the start with a one-line error', async () => {
  const file = join(t.deps.config.dataDir, 'no-folder');
  writeFileSync(file, '');
  const config = loadConfig({ PINAKES_DATA_DIR: t.deps.config.dataDir, PINAKES_BLOB_URL: `file://${file}/blobs` });
  await assert.rejects(
    openDeps(config, t.deps.log, { db: t.deps.db }),
    /^ConfigError: PINAKES_BLOB_URL [^\n]*ENOTDIR[^\n]*PINAKES_BLOB_URL=file:\/\/\/[^\n]*$/,
  );
});

describe('health and readiness', () => {
  test('need no API key', async () => {
    assert.deepEqual((await t.get('//healthz', null)).body, { status: 'ok' });
    assert.deepEqual((await t.get('//readyz', null)).body, { status: 'ready' });
    assert.equal((await t.request({ method: 'HEAD', path: '//healthz', key: null })).status, 200);
  });
  test('readiness names the failed checks, and health ignores them', async () => {
    const broken = await openTestApp();
    try {
      broken.deps.blobs.check = () => Promise.reject(new Error('EROFS: /secret/path'));
      const answer = await broken.get('//readyz', null);
      assert.equal(answer.status, 503);
      assert.equal(answer.body.error.type, 'overloaded_error');
      assert.match(answer.body.error.message, /blob store/);
      assert.ok(!answer.text.includes('/secret/path'));
      assert.ok(Number(answer.headers['retry-after']) >= 1);
      assert.equal((await broken.get('//healthz', null)).status, 200);
    } finally {
      await broken.close();
    }
  });
});

test('metrics count requests by route, and name no tenants or keys', async () => {
  await t.get('/api-keys');
  await t.delete('/api-keys/some-id-that-must-not-be-a-label');
  const { status, text, headers } = await t.get('//metrics', null);
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^text\/plain/);
  assert.match(
    text,
    /pinakes_http_request_seconds_count\{method="GET",route="\/api\/v1\/api-keys",status="200"\} [1-9]/,
  );
  assert.match(text, /route="\/api\/v1\/api-keys\/:id",status="404"/);
  assert.match(text, /process_resident_memory_bytes/);
  for (const secret of [t.tenantId, t.key.slice(3, 15), 'some-id-that-must-not-be-a-label'])
    assert.ok(!text.includes(secret), secret);
});

describe('the API reference', () => {
  test('loads nothing from other hosts', async () => {
    const page = await t.get('//docs', null);
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.doesNotMatch(page.text, /(?:src|href)="(?:https?:)?\/\//);
    assert.match(page.text, /"url": "\/openapi\.json"/);
    assert.match(page.text, /"withDefaultFonts": false/);
    assert.match(page.text, /"telemetry": false/);
    assert.match(page.text, /"showDeveloperTools": "never"/, 'no menus that share with or deploy to another service');
    const policy = String(page.headers['content-security-policy']);
    for (const rule of ["default-src 'none'", "connect-src 'self'", "font-src 'self' data:"])
      assert.ok(policy.includes(rule), rule);
    const scripts = [...page.text.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map((match) => match[1]);
    assert.deepEqual(scripts, ['/docs/scalar.js']);
  });
  test('serves its script compressed, or plain to clients without support for compression', async () => {
    const packed = await t.app.inject({ url: '/docs/scalar.js', headers: { 'accept-encoding': 'gzip, br' } });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    const script = gunzipSync(packed.rawPayload);
    assert.ok(script.length > 1_000_000);
    const plain = await t.app.inject({ url: '/docs/scalar.js' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.deepEqual(plain.rawPayload, script);
  });
  test('sends its script to a limited number of clients in a time', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => t.app.inject({ url: '/docs/scalar.js' })));
    const refused = answers.filter(({ statusCode }) => statusCode !== 200);
    assert.ok(refused.length >= 10 && refused.length <= 25, `${refused.length} refused`);
    for (const { statusCode, headers } of refused) {
      assert.equal(statusCode, 503);
      assert.equal(headers['retry-after'], '2');
    }
  });
});

test('a service whose console is off does not serve or name it', async () => {
  const own = await openTestApp({ env: { PINAKES_CONSOLE: 'off' } });
  try {
    for (const path of ['//console', '//console/', '//console/sources', '//console/assets/index.js'])
      assert.equal((await own.get(path, null)).status, 404, path);
    assert.doesNotMatch((await own.get('//', null)).text, /console/i);
  } finally {
    await own.close();
  }
});

test('the start page links to the console and to the API reference', async () => {
  const page = await t.get('//', null);
  assert.equal(page.status, 200);
  assert.match(page.text, /href="\/docs"/);
  assert.match(page.text, /href="\/console\/"/);
  assert.match(page.text, /<style>/);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'; style-src 'unsafe-inline'/);
});

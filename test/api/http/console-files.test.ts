/** The console as files: content security policy, caching, compression, and nothing but the files of the build. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { sendError } from '../../../src/http/error-handler.ts';
import { registerConsole } from '../../../src/http/operations/console-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'pinakes-console-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function appOf(root: string): FastifyInstance {
  const app = Fastify();
  app.setErrorHandler(sendError);
  registerConsole(app, root);
  return app;
}

const SCRIPT = 'console.log("built");\n'.repeat(50);
const built = join(folder, 'built');
mkdirSync(join(built, 'assets'), { recursive: true });
writeFileSync(join(folder, 'secret.txt'), 'secret');
writeFileSync(join(built, 'index.html'), '<!doctype html><title>Pinakes</title>');
writeFileSync(join(built, '.hash'), 'hash');
writeFileSync(join(built, 'assets', 'index-a1.js'), SCRIPT);
writeFileSync(join(built, 'assets', 'index-a1.js.gz'), gzipSync(SCRIPT));

describe('the console', () => {
  const app = appOf(built);

  test('scripts and styles come from this service only, and scripts cannot write HTML', async () => {
    const { headers, body } = await app.inject('/console/');
    const policy = String(headers['content-security-policy']);
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      assert.ok(policy.split('; ').includes(rule), rule);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.match(body, /<title>Pinakes/);
  });

  test('every screen gets the page, which the browser asks for each time', async () => {
    for (const path of ['/console/', '/console/sources', '/console/sources/0190-x?start=1', '/console/index.html']) {
      const answer = await app.inject(path);
      assert.equal(answer.statusCode, 200, path);
      assert.equal(answer.headers['cache-control'], 'no-cache');
      assert.match(String(answer.headers['content-type']), /^text\/html/);
    }
    const { statusCode, headers } = await app.inject('/console');
    assert.deepEqual([statusCode, headers.location], [308, '/console/']);
  });

  test('an asset is kept for ever, and is sent in the form that the browser accepts', async () => {
    const plain = await app.inject('/console/assets/index-a1.js');
    assert.equal(plain.body, SCRIPT);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(plain.headers['content-encoding'], undefined);
    const zipped = await app.inject({ url: '/console/assets/index-a1.js', headers: { 'accept-encoding': 'br, gzip' } });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    assert.equal(zipped.headers.vary, 'accept-encoding');
    assert.equal(gunzipSync(zipped.rawPayload).toString(), SCRIPT);
    const etag = String(plain.headers.etag);
    const again = await app.inject({ url: '/console/assets/index-a1.js', headers: { 'if-none-match': etag } });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  });

  test('only files of the build are sent', async () => {
    assert.match((await app.inject('/console/assets/gone-b2.js')).body, /The console has no such file\./);
    for (const path of ['/console/assets/gone-b2.js', '/console/assets/../../secret.txt'])
      assert.equal((await app.inject(path)).statusCode, 404, path);
    for (const path of ['/console/..%2fsecret.txt', '/console/.hash', '/console/assets/%2e%2e/.hash']) {
      const { body } = await app.inject(path);
      assert.doesNotMatch(body, /secret|^hash$/, path);
    }
  });
});

test('without a build, the console names the command that builds it', async () => {
  const { statusCode, body } = await appOf(join(folder, 'missing')).inject('/console/sources');
  assert.equal(statusCode, 503);
  assert.match(body, /npm run build:console/);
});

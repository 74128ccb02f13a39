/** Error answers have one body and one order of checks, even for requests that never reach a route. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ERROR_CODES } from '../../../src/errors.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { sendRaw } from '../../support/raw-http.ts';

let t: TestApp;
let url: string;
before(async () => {
  t = await openTestApp();
  url = await t.url();
});
after(() => t.close());

const TYPES = new Map(Object.values(ERROR_CODES).map(([status, type]) => [status as number, type]));

/** Asserts the status, the type of the error, and exactly the members of the contract. */
function assertError(answer: Pick<TestAnswer, 'status' | 'body' | 'headers'>, status: number, message?: RegExp): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.deepEqual(Object.keys(answer.body), ['error']);
  const { pointer = '', ...others } = answer.body.error;
  assert.deepEqual(Object.keys(others), ['message', 'type']);
  assert.match(pointer, /^(?:\/[^\s]*)?$/);
  assert.equal(answer.body.error.type, TYPES.get(status));
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  assert.ok(answer.headers['x-request-id'], 'has a request id');
  if (message) assert.match(answer.body.error.message, message);
}

const issue = { name: 'k', scopes: ['knowledge:read'] };
const post = (over: Parameters<TestApp['request']>[0] | object = {}) =>
  t.request({ method: 'POST', path: '/api-keys', body: issue, ...over });

describe('requests to routes', () => {
  test('an unknown route is 404, with and without a key, whatever the body', async () => {
    assertError(await t.get('/nothing'), 404);
    assertError(await t.get('/nothing', null), 404);
    // A program with a wrong path would look for a wrong id.
    assert.match((await t.get('/api/v1/search')).body.error.message, /^There is no such address: \/openapi\.json/);
    assert.equal(
      (await t.get('/sources/nothing')).body.error.message,
      'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
    );
    assertError(await t.get('//nothing', null), 404);
    assertError(await t.get('/api-keys/', null), 404);
    assertError(await t.get('/API-KEYS', null), 404);
    assertError(await post({ path: '/nothing', headers: { 'content-type': 'x' }, body: 'x' }), 404);
  });
  test('another method of a known route is 405 with Allow, before the key is checked', async () => {
    const answer = await t.request({ method: 'PUT', path: '/api-keys', key: null });
    assertError(answer, 405);
    assert.equal(answer.headers['allow'], 'GET, HEAD, POST');
    assertError(await t.request({ method: 'OPTIONS', path: '/api-keys', key: null }), 405);
    const one = await t.request({ method: 'GET', path: `/api-keys/${newId()}`, key: null });
    assertError(one, 405);
    assert.equal(one.headers['allow'], 'DELETE');
    assertError(await t.request({ method: 'POST', path: '//healthz', key: null }), 405);
  });
  test('a method of HTTP that no route supports is 405', async () => {
    assertError(await sendRaw(url, 'PROPFIND /api/v1/api-keys HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'), 405);
  });
});

describe('the order of checks', () => {
  const wrongType = { headers: { 'content-type': 'text/plain' } };
  const big = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
  test('401 comes before 403, 415, 413 and 400', async () => {
    assertError(await post({ key: null, ...wrongType, body: big }), 401);
  });
  test('403 comes before 415, 413 and 400', async () => {
    const key = await t.issueKey(['knowledge:read']);
    assertError(await post({ key, ...wrongType, body: big }), 403, /apikeys:issue/);
  });
  test('415 comes before 413 and 400', async () => assertError(await post({ ...wrongType, body: big }), 415));
  test('413 comes before 400', async () => assertError(await post({ body: big }), 413));
  test('400 comes before 404', async () => {
    assertError(await t.request({ method: 'DELETE', path: '/api-keys/x?foo=1' }), 400, /"foo"/);
    assertError(await t.request({ method: 'DELETE', path: `/api-keys/${newId()}`, body: { foo: 1 } }), 400, /"foo"/);
  });
  test('the body is not read before the key is checked', async () => {
    const head = `POST /api/v1/api-keys HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`;
    assertError(await sendRaw(url, head), 401);
  });
});

describe('request bodies', () => {
  test('unsupported content types and encodings are 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'nonsense',
      'application/vnd.api+json',
    ]) {
      assertError(await post({ headers: { 'content-type': type } }), 415);
    }
    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
      'application/json; x=y',
    ]) {
      assert.equal((await post({ headers: { 'content-type': type } })).status, 201, type);
    }
    for (const encoding of ['gzip', 'br', 'identity, gzip'])
      assertError(await post({ headers: { 'content-encoding': encoding } }), 415);
    assert.equal((await post({ headers: { 'content-encoding': 'identity' } })).status, 201);
    const untyped = await sendRaw(
      url,
      `POST /api/v1/api-keys HTTP/1.1\r\nhost: x\r\nx-api-key: ${t.key}\r\ncontent-length: 2\r\n\r\n{}`,
    );
    assertError(untyped, 415);
  });
  test('a JSON body over 1 MiB is 413, by its Content-Length and while it streams', async () => {
    const fits = JSON.stringify(issue).padEnd(1024 * 1024);
    assert.equal((await post({ body: fits })).status, 201);
    assertError(await post({ body: `${fits} ` }), 413);
    const head = `POST /api/v1/api-keys HTTP/1.1\r\nhost: x\r\nx-api-key: ${t.key}\r\ncontent-type: application/json\r\n`;
    assertError(await sendRaw(url, `${head}content-length: 1048577\r\n\r\n`), 413);
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    assertError(await sendRaw(url, `${head}transfer-encoding: chunked\r\n\r\n`, chunk.repeat(17)), 413);
  });
  test('the client can read the answer while it still sends its body', async () => {
    const answer = await fetch(`${url}/api/v1/api-keys`, {
      method: 'POST',
      headers: { 'x-api-key': t.key, 'content-type': 'application/json' },
      body: Buffer.alloc(20_000_000, 0x20),
    });
    assert.equal(answer.status, 413);
    assert.equal(((await answer.json()) as { error: { type: string } }).error.type, 'request_too_large_error');
  });
  test('a body with wrong syntax, depth, characters or members is 400', async () => {
    assertError(await post({ body: '', headers: { 'content-type': 'application/json' } }), 400, /required/);
    assertError(await post({ body: '{' }), 400, /not valid JSON/);
    assertError(await post({ body: '['.repeat(100_000) }), 400, /nested/);
    assertError(await post({ body: '{"name":"a\\u0000"}' }), 400, /U\+0000/);
    assertError(await post({ body: '{"name":"\\ud800"}' }), 400, /surrogate/);
    assertError(await post({ body: '{"name":"a","name":"b","scopes":["knowledge:read"]}' }), 400, /twice/);
    assertError(await post({ body: '{"__proto__":{"scopes":["knowledge:read"]},"name":"a"}' }), 400, /__proto__/);
    assertError(await post({ body: { ...issue, id: newId() } }), 400, /"id"/);
    assertError(await post({ body: { ...issue, constructor: 1 } }), 400, /"constructor"/);
    assertError(await post({ body: '[]' }), 400);
    assertError(await post({ body: 'null' }), 400);
    assertError(await post({ body: { name: 'a', scopes: ['nothing'] } }), 400, /\/scopes\/0/);
  });
  test('a DELETE may have an empty body with a JSON content type', async () => {
    const made = await post();
    const answer = await t.request({
      method: 'DELETE',
      path: `/api-keys/${made.body.id}`,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 200, answer.text);
    const other = await post();
    assert.equal((await t.request({ method: 'DELETE', path: `/api-keys/${other.body.id}`, body: {} })).status, 200);
  });
});

describe('query strings', () => {
  test('unknown, repeated and malformed parameters are 400', async () => {
    assertError(await t.get('/api-keys?limt=5'), 400, /"limt"/);
    assertError(await t.get('/api-keys?limit=5&limit=6'), 400, /"limit"/);
    for (const limit of ['0', '101', '-1', 'x', '', '1.0', '1e1', '%201'])
      assertError(await t.get(`/api-keys?limit=${limit}`), 400, /"limit"/);
    assertError(await t.get('/api-keys?limit=%00'), 400, /U\+0000/);
    assertError(await t.get('/api-keys?limit=%ff'), 400);
    assertError(await t.get('/api-keys?after_id=x'), 400, /"after_id"/);
    assertError(await t.get('/api-keys?after_id='), 400, /"after_id"/);
    assertError(await t.get('/api-keys?__proto__=1'), 400);
  });
  test('any UUID is accepted as after_id', async () => {
    for (const id of [newId(), '00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF']) {
      assert.equal((await t.get(`/api-keys?after_id=${id}`)).status, 200, id);
    }
  });
});

describe('ids in a path', () => {
  test('unknown, malformed, foreign and deleted ids get byte-identical answers', async () => {
    const other = await t.secondTenant();
    const foreign = await t.post('/api-keys', issue, other.key);
    const gone = await post();
    assert.equal((await t.delete(`/api-keys/${gone.body.id}`)).status, 200);
    const ids = [
      newId(),
      foreign.body.id,
      gone.body.id,
      'x',
      '%00',
      '%ff',
      '%',
      '%zz',
      'a%2Fb',
      '..%2F',
      'x'.repeat(2000),
      newId().toUpperCase(),
      `${newId()}%20`,
      "'%20or%201=1--",
    ];
    const bodies = new Set<string>();
    for (const id of ids) {
      const answer = await t.delete(`/api-keys/${id}`);
      assertError(answer, 404);
      bodies.add(answer.text);
    }
    assert.equal(bodies.size, 1);
    assert.equal((await t.get('/api-keys', other.key)).body.pagination.total, 2, 'nothing happened to the foreign key');
  });
});

describe('requests that Node itself refuses get the same error body', () => {
  const head = (more: string) => `GET /api/v1/api-keys HTTP/1.1\r\nhost: x\r\n${more}\r\n\r\n`;
  test('bytes that are not HTTP are 400', async () => {
    assertError(await sendRaw(url, 'nonsense\r\n\r\n'), 400);
    assertError(await sendRaw(url, 'FOO /api/v1/api-keys HTTP/1.1\r\nhost: x\r\n\r\n'), 400);
    assertError(await sendRaw(url, head('bad header')), 400);
    assertError(await sendRaw(url, head('content-length: x')), 400);
    assertError(await sendRaw(url, head('content-length: 5\r\ntransfer-encoding: chunked')), 400);
    assertError(await sendRaw(url, 'GET / HTTP/1.1\r\n\r\n'), 400);
  });
  test('large headers are 431', async () => assertError(await sendRaw(url, head(`x-a: ${'a'.repeat(40_000)}`)), 431));
  test('a long address is 414', async () => {
    assertError(await t.get(`/api-keys?x=${'a'.repeat(9000)}`, null), 414);
  });
  test('an unknown expectation is 417', async () => assertError(await sendRaw(url, head('expect: miracles')), 417));
  test('the expectation 100-continue is answered', async () => {
    const body = JSON.stringify(issue);
    const raw = await sendRaw(
      url,
      `POST /api/v1/api-keys HTTP/1.1\r\nhost: x\r\nx-api-key: ${t.key}\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
      body,
    );
    assert.equal(raw.status, 201);
  });
});

test('an unexpected failure is answered with one constant message, and its reason is only in the log', async () => {
  const broken = await openTestApp();
  try {
    broken.app.server.unref();
    const real = broken.deps.db.transaction;
    broken.deps.db.transaction = () => Promise.reject(new Error('secret detail of the inside'));
    const answer = await broken.get('/api-keys');
    broken.deps.db.transaction = real;
    assertError(answer, 500);
    assert.ok(!answer.text.includes('secret detail'));
    const line = broken.logs.find((entry) => entry['level'] === 50);
    assert.match(JSON.stringify(line), /secret detail/);
    assert.equal(line?.['reqId'], answer.headers['x-request-id']);
  } finally {
    await broken.close();
  }
});

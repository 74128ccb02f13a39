import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ERROR_CODES, ServiceError } from '../errors.ts';
import { answerClientError, errorBody, toServiceError } from './error-handler.ts';

function answerTo(code: string): string {
  const socket = new PassThrough();
  answerClientError(Object.assign(new Error('parse error'), { code }), socket as unknown as Socket);
  return String(socket.read());
}

test('requests that Node refuses get an error answer whose body has the announced length', () => {
  for (const [code, status] of [
    ['ERR_HTTP_REQUEST_TIMEOUT', 408],
    ['HPE_HEADER_OVERFLOW', 431],
    ['HPE_INVALID_METHOD', 400],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ] as const) {
    const [head = '', body = ''] = answerTo(code).split('\r\n\r\n');
    assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    assert.match(head, /\r\nconnection: close/);
    assert.match(head, /\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    assert.match(head, new RegExp(`\\r\\ncontent-length: ${Buffer.byteLength(body)}\\r\\n`));
    const { error, ...others } = JSON.parse(body);
    assert.deepEqual(others, {});
    assert.deepEqual(Object.keys(error), ['message', 'type']);
  }
});

test('nothing is written to a closed connection', () => {
  const socket = new PassThrough();
  answerClientError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }), socket as unknown as Socket);
  assert.equal(socket.read(), null);
  assert.equal(socket.destroyed, true);
});

test('every unexpected failure gets the same message', () => {
  const first = toServiceError(new Error('secret'));
  assert.equal(first.status, 500);
  assert.equal(first.type, 'api_error');
  assert.equal(errorBody(first), errorBody(toServiceError('anything')));
  assert.equal(errorBody(first), errorBody(toServiceError(undefined)));
  assert.ok(!errorBody(first).includes('secret'));
  // The status of an error that is not our own is ignored.
  assert.equal(toServiceError(Object.assign(new Error('x'), { statusCode: 404 })).status, 500);
});

test('an expected failure keeps its message and status', () => {
  for (const code of Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[]) {
    const error = new ServiceError(code, 'text');
    assert.equal(toServiceError(error), error);
    assert.equal(errorBody(error), JSON.stringify({ error: { message: 'text', type: ERROR_CODES[code][1] } }));
  }
});

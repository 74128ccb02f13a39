import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { readPrecondition } from './precondition.ts';

const code = (header: Record<string, string>, version: number | undefined) => {
  try {
    readPrecondition(header).check(version);
    return 'goes on';
  } catch (error) {
    return (error as ServiceError).code;
  }
};

test('a change goes on only if the stored version is one that the caller named', () => {
  assert.equal(code({}, 3), 'goes on');
  for (const tags of ['"3"', ' "3" ', 'W/"3"', '"1", W/"3"', '*'])
    assert.equal(code({ 'if-match': tags }, 3), 'goes on', tags);
  for (const tags of ['"2"', '"13"', '"31"', '"33"', '"1","2"'])
    assert.equal(code({ 'if-match': tags }, 3), 'precondition_failed', tags);
  for (const tags of ['"3"', '*']) assert.equal(code({ 'if-match': tags }, undefined), 'precondition_failed', tags);
});

test('a refusal says what is stored, and what to send', () => {
  const messageOf = (header: Record<string, string>, version: number | undefined) => {
    assert.throws(() => readPrecondition(header).check(version), ServiceError);
    try {
      readPrecondition(header).check(version);
    } catch (error) {
      return (error as ServiceError).message;
    }
  };
  const match = { 'if-match': '"7"' };
  assert.equal(
    messageOf(match, 3),
    'Version 3 is stored, which If-Match does not name. Read it, and send its version.',
  );
  assert.equal(
    messageOf(match, undefined),
    'Nothing is stored here, so If-Match names no version. Leave the header out to create it.',
  );
  assert.equal(
    messageOf({ 'if-none-match': '*' }, 3),
    'Version 3 is stored already. To change it, read it and send If-Match.',
  );
});

test('a caller can ask that nothing is stored', () => {
  assert.equal(code({ 'if-none-match': '*' }, undefined), 'goes on');
  assert.equal(code({ 'if-none-match': '*' }, 1), 'precondition_failed');
});

test('a condition that cannot be understood is refused, not ignored', () => {
  for (const tags of ['3', '', '"x"', '"3" "4"', '"3",', 'null', "'3'"])
    assert.equal(code({ 'if-match': tags }, 3), 'invalid_request', tags);
  assert.equal(code({ 'if-none-match': '"3"' }, undefined), 'invalid_request');
  assert.ok(new ServiceError('precondition_failed', '').status === 412);
});

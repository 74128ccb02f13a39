import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findUnknown } from './unknown-settings.ts';

const known = new Set(['PATH', 'PINAKES_CHAT_MODEL', 'PINAKES_DATA_DIR', 'PINAKES_OCR', 'PINAKES_PORT']);

test('an unknown setting is reported with the nearest known name', () => {
  const env = { PINAKES_CHAT_MODLE: 'a', PINAKES_DATADIR: 'b', PINAKES_PROT: '1', PINAKES_OCR: 'off' };
  assert.deepEqual(findUnknown(env, known), [
    { name: 'PINAKES_CHAT_MODLE', nearest: 'PINAKES_CHAT_MODEL' },
    { name: 'PINAKES_DATADIR', nearest: 'PINAKES_DATA_DIR' },
    { name: 'PINAKES_PROT', nearest: 'PINAKES_PORT' },
  ]);
});

test('an unknown setting that is like no known name is reported alone', () => {
  const long = `PINAKES_${'X'.repeat(100_000)}`;
  assert.deepEqual(findUnknown({ PINAKES_TELEMETRY: 'on', [long]: 'on' }, known), [
    { name: 'PINAKES_TELEMETRY', nearest: undefined },
    { name: long, nearest: undefined },
  ]);
});

test('variables of other programs and of the test suite are not reported', () => {
  assert.deepEqual(findUnknown({ PATHS: '/', PINAKES_TEST_SEED: '1', pinakes_port: '1' }, known), []);
});

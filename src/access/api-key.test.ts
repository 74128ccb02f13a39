import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { generateApiKey, readApiKey, withoutApiKeys } from './api-key.ts';

test('generated keys have the documented form and are all different', () => {
  const keys = new Set(Array.from({ length: 1000 }, () => generateApiKey().key));
  assert.equal(keys.size, 1000);
  for (const key of keys) assert.match(key, /^pk_[0-9A-Za-z]{12}[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
});

test('reading a key returns its id and the SHA-256 of the whole key', () => {
  const made = generateApiKey();
  const read = readApiKey(made.key);
  assert.deepEqual(read, made);
  assert.equal(made.publicId, made.key.slice(3, 15));
  assert.deepEqual(made.hash, createHash('sha256').update(made.key).digest());
});

test('the checksum detects a changed character at every place of a key', () => {
  const { key } = generateApiKey();
  for (let at = 0; at < key.length; at++) {
    const changed = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
    assert.equal(readApiKey(changed), undefined, changed);
  }
});

test('a text with another length, prefix or case is not read as a key', () => {
  const { key } = generateApiKey();
  for (const text of ['', 'pk_', key.slice(1), `${key} `, ` ${key}`, `${key}a`, key.toUpperCase(), `${key}\n`]) {
    assert.equal(readApiKey(text), undefined, JSON.stringify(text));
  }
});

test('all letters of the alphabet are about equally frequent in keys', () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 2000; i++)
    for (const letter of generateApiKey().key.slice(3, 58)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const expected = (2000 * 55) / 62;
  assert.equal(counts.size, 62);
  for (const [letter, count] of counts) assert.ok(Math.abs(count - expected) < expected * 0.2, `${letter}: ${count}`);
});

test('keys within a text are masked, other words are not', () => {
  const { key } = generateApiKey();
  assert.equal(withoutApiKeys(`/api/v1/api-keys/${key}/x${key}y`), '/api/v1/api-keys/pk_…/xpk_…');
  assert.equal(withoutApiKeys('/api/v1/pk_1/spk_index'), '/api/v1/pk_1/spk_index');
});

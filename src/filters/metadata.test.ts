import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { apiRecords, checkPatch, METADATA_ERRORS, mergeMetadata, type PatchRecord } from './metadata.ts';

const set = (count: number, from = 0): PatchRecord[] =>
  Array.from({ length: count }, (_, i) => ({ key: `k${i + from}`, val: 'v' }));
const current = (count: number) => mergeMetadata({}, set(count));

function refused(work: () => unknown, text: string): void {
  assert.throws(work, (error) => error instanceof ServiceError && error.status === 400 && error.message === text);
}

test('a metadata patch merges by key, and null deletes a key', () => {
  const merged = mergeMetadata({ a: '1', b: '2', c: '3' }, [
    { key: 'b', val: null },
    { key: 'c', val: 'new' },
    { key: 'd', val: '' },
    { key: 'none', val: null },
  ]);
  assert.deepEqual(merged, { a: '1', c: 'new', d: '' });
});

test('the maximum number of metadata records applies to the result of a patch', () => {
  assert.equal(Object.keys(mergeMetadata(current(19), set(1, 19))).length, 20);
  refused(() => mergeMetadata(current(20), set(1, 20)), METADATA_ERRORS.full);
  const exchange = [...set(20).map(({ key }) => ({ key, val: null })), ...set(20, 20)];
  checkPatch(exchange);
  assert.equal(Object.keys(mergeMetadata(current(20), exchange)).length, 20);
});

test('a metadata patch is refused for too many records, an empty key or a duplicate key', () => {
  checkPatch([]);
  checkPatch(set(40));
  refused(() => checkPatch(set(41)), METADATA_ERRORS.patchTooLarge);
  refused(() => checkPatch([{ key: '', val: 'v' }]), METADATA_ERRORS.key);
  const duplicate = [
    { key: 'a', val: 'v' },
    { key: 'a', val: null },
  ];
  refused(() => checkPatch(duplicate), METADATA_ERRORS.duplicateKey);
});

test('lengths of metadata keys and values are in code points', () => {
  checkPatch([{ key: '😀'.repeat(256), val: '😀'.repeat(4096) }]);
  refused(() => checkPatch([{ key: '😀'.repeat(257), val: null }]), METADATA_ERRORS.key);
  refused(() => checkPatch([{ key: 'k', val: `${'😀'.repeat(4096)}x` }]), METADATA_ERRORS.value);
  refused(() => checkPatch([{ key: 'k', val: 'x'.repeat(4097) }]), METADATA_ERRORS.value);
});

test('a metadata key such as __proto__ is an ordinary key', () => {
  const merged = mergeMetadata({}, [
    { key: '__proto__', val: 'p' },
    { key: 'constructor', val: 'c' },
  ]);
  assert.deepEqual(apiRecords(merged), [
    { key: '__proto__', val: 'p', type: 'string' },
    { key: 'constructor', val: 'c', type: 'string' },
  ]);
  assert.deepEqual(apiRecords(mergeMetadata(merged, [{ key: '__proto__', val: null }])).length, 1);
});

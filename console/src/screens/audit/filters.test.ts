import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAuditSearch } from './filters.ts';

test('an address gives the filters that there are, and no others', () => {
  const none = { action: undefined, kind: undefined, object: undefined, key: undefined, period: undefined };
  assert.deepEqual(readAuditSearch({ action: 'sing', kind: 7, object: '', other: 1 }), { ...none, event: undefined });
  const given = { action: 'issue', kind: 'api_key', object: 'o', key: 'k', period: '7d', event: 'e' };
  assert.deepEqual(readAuditSearch(given), given);
});

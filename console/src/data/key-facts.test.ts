import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '../../../src/client/api.ts';
import { sampleRequest, stateOf, UNUSED_DAYS } from './key-facts.ts';

const NOW = 1_800_000_000;
const LONG_AGO = NOW - (UNUSED_DAYS + 1) * 86_400;
const key = (given: Partial<ApiKey>): ApiKey => ({
  id: 'k',
  name: 'n',
  scopes: ['knowledge:read'],
  source_group_ids: null,
  tag_ids: null,
  expires_time: null,
  issued_by: null,
  creation_time: LONG_AGO,
  last_used_time: NOW,
  ...given,
});

test('a key is expired from its expiry on, and unused after 90 days without a request', () => {
  assert.equal(stateOf(key({}), NOW), 'active');
  assert.equal(stateOf(key({ expires_time: NOW }), NOW), 'expired');
  assert.equal(stateOf(key({ expires_time: NOW + 1 }), NOW), 'active');
  assert.equal(stateOf(key({ last_used_time: LONG_AGO }), NOW), 'unused');
  assert.equal(stateOf(key({ last_used_time: null }), NOW), 'unused');
  assert.equal(stateOf(key({ last_used_time: null, creation_time: NOW - 60 }), NOW), 'active');
});

test('the sample request is one that the key may make', () => {
  assert.match(
    sampleRequest('pk_1', ['knowledge:read'], 'http://h') ?? '',
    /^curl http:\/\/h\/api\/v1\/search .*pk_1.*query/s,
  );
  assert.match(sampleRequest('pk_1', ['audit:read'], 'http://h') ?? '', /\/audit-events \\\n {2}-H 'x-api-key: pk_1'$/);
  assert.equal(sampleRequest('pk_1', ['knowledge:write'], 'http://h'), null);
});

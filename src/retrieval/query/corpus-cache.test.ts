import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { newId } from '../../util/ids.ts';
import { cacheKey, openCorpusCache } from './corpus-cache.ts';

test('only a statement that depends on nothing but watched tables has a cache key', () => {
  const tenantId = newId();
  assert.ok(
    cacheKey(tenantId, sql`from source s join source_group g on g.id = s.source_group_id where s.name = ${'a'}`),
  );
  assert.equal(cacheKey(tenantId, sql`from source s where exists (select from authz_policy p)`), undefined);
  assert.equal(cacheKey(tenantId, sql`from source s where s.content_at < now()`), undefined);
  assert.notEqual(
    cacheKey(tenantId, sql`from source s where s.name = ${'a'}`),
    cacheKey(tenantId, sql`from source s where s.name = ${'b'}`),
  );
});

test('a full corpus cache drops the least recently used entries first', async () => {
  const large = openCorpusCache({ kind: 'embedded' }).at('1');
  const worked: string[] = [];
  const ask = (key: string): Promise<string> =>
    large.getOrAdd(
      key,
      async () => {
        worked.push(key);
        return key;
      },
      () => 10 * 1024 ** 2,
    );
  for (const key of ['a', 'b', 'a', 'c', 'd', 'a', 'b']) await ask(key);
  assert.deepEqual(worked, ['a', 'b', 'c', 'd', 'b']);
});

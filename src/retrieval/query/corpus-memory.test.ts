import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { newId } from '../../util/ids.ts';
import { memoryKey, openCorpusMemory } from './corpus-memory.ts';

test('only what depends on nothing else has a key', () => {
  const tenantId = newId();
  assert.ok(
    memoryKey(tenantId, sql`from source s join source_group g on g.id = s.source_group_id where s.name = ${'a'}`),
  );
  assert.equal(memoryKey(tenantId, sql`from source s where exists (select from authz_policy p)`), undefined);
  assert.equal(memoryKey(tenantId, sql`from source s where s.content_at < now()`), undefined);
  assert.notEqual(
    memoryKey(tenantId, sql`from source s where s.name = ${'a'}`),
    memoryKey(tenantId, sql`from source s where s.name = ${'b'}`),
  );
});

test('what was not asked for longest goes first when there is no more room', async () => {
  const large = openCorpusMemory({ kind: 'embedded' }).at('1');
  const worked: string[] = [];
  const recall = (key: string): Promise<string> =>
    large.recall(
      key,
      async () => {
        worked.push(key);
        return key;
      },
      () => 10 * 1024 ** 2,
    );
  for (const key of ['a', 'b', 'a', 'c', 'd', 'a', 'b']) await recall(key);
  assert.deepEqual(worked, ['a', 'b', 'c', 'd', 'b']);
});

/** interface.md: source metadata, sources, tags and their links. */
import assert from 'node:assert/strict';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { ingest } from '../support/upload.ts';
import { type Answer, conformance, hasMembers, listRows, statuses, type World } from './world.ts';

const records = (count: number, prefix = 'k') =>
  Array.from({ length: count }, (_, i) => ({ key: `${prefix}${i}`, val: 'v' }));
const put = (w: World, list: unknown): Promise<Answer> =>
  w.http(`PUT /sources/${w.source}/metadata`, { body: { metadata: { records: list } } });
const clear = (w: World): Promise<Answer> => w.http(`DELETE /sources/${w.source}/metadata`);

/** Returns a source that looks like a crawled one: an uploaded file with another source type. */
async function crawled(w: World, content: string): Promise<{ id: string; group: string }> {
  const group = await ingest(w.t, [{ name: 'page.txt', content }]);
  const { tenantId, deps } = w.t;
  await deps.db.transaction(tenantId, async (tx) => {
    await tx.query(sql`update source_group set source_type = 'web' where tenant_id = ${tenantId} and id = ${group}`);
    await tx.query(
      sql`update source set source_type = 'web' where tenant_id = ${tenantId} and source_group_id = ${group}`,
    );
  });
  const [{ id }] = (await w.http(`GET /source-groups/${group}/sources`)).body.sources;
  return { id, group };
}

conformance('source metadata', [
  {
    says: 'PUT /sources/{source_id}/metadata: response is the Metadata container of the merged records (key, val, type)',
    async holds(w) {
      await clear(w);
      const { status, body } = await put(w, [{ key: 'a', val: '1' }]);
      assert.equal(status, 200);
      assert.deepEqual(body, { records: [{ key: 'a', val: '1', type: 'string' }] });
    },
  },
  {
    says: 'The patch is merged into existing metadata by key. A record with val null deletes that key',
    async holds(w) {
      await clear(w);
      await put(w, [
        { key: 'a', val: '1' },
        { key: 'b', val: '2' },
      ]);
      const { body } = await put(w, [
        { key: 'b', val: null },
        { key: 'c', val: '3' },
        { key: 'a', val: '4' },
      ]);
      assert.deepEqual(
        body.records.map(({ key, val }: { key: string; val: string }) => [key, val]),
        [
          ['a', '4'],
          ['c', '3'],
        ],
      );
    },
  },
  {
    says: 'MetadataRecord as sent: key (string), val (string, or null)',
    holds: (w) =>
      statuses(
        (record) => put(w, [record]),
        [
          [{ key: 'a', val: 1 }, 400],
          [{ key: 1, val: 'a' }, 400],
          [{ val: 'a' }, 400],
          [{ key: 'a' }, 400],
        ],
      ),
  },
  {
    says: 'A patch may hold at most 40 records; the merged result is capped at 20 records',
    async holds(w) {
      await clear(w);
      const deletions = Array.from({ length: 20 }, (_, i) => ({ key: `gone${i}`, val: null }));
      assert.equal((await put(w, [...records(20), ...deletions])).body.records.length, 20);
      await statuses(
        (list) => put(w, list),
        [
          [[{ key: 'one more', val: 'v' }], 400],
          [[...records(20), ...deletions, { key: 'x', val: null }], 400],
          [records(20), 200],
        ],
      );
    },
  },
  {
    says: 'DELETE /sources/{source_id}/metadata: deletes the metadata of the source. Response: object with message (string)',
    async holds(w) {
      await put(w, [{ key: 'a', val: '1' }]);
      const { status, body } = await clear(w);
      assert.equal(status, 200);
      hasMembers(body, { message: 'string' });
      assert.deepEqual((await put(w, [])).body, { records: [] });
    },
  },
  {
    says: 'POST /sources/metadata/batch: items (array, maximum 50) of {source_id, source_group_id, metadata}; response success_count and results {id, success, error}',
    async holds(w) {
      await clear(w);
      const item = { source_id: w.source, source_group_id: w.group, metadata: { records: [{ key: 'a', val: '1' }] } };
      const foreign = { ...item, source_id: newId() };
      const batch = (items: unknown) => w.http('POST /sources/metadata/batch', { body: { items } });
      const { status, body } = await batch([item, foreign]);
      assert.equal(status, 200);
      assert.equal(body.success_count, 1);
      for (const result of body.results) hasMembers(result, { id: 'string', success: 'boolean', error: 'string' });
      assert.deepEqual(
        body.results.map(({ id, success }: { id: string; success: boolean }) => [id, success]),
        [
          [w.source, true],
          [foreign.source_id, false],
        ],
      );
      await statuses(batch, [
        [Array(50).fill(item), 200],
        [Array(51).fill(item), 400],
        ['x', 400],
      ]);
    },
  },
  {
    says: 'batch: merge and delete-by-null rules are the same as for the single update',
    async holds(w) {
      await clear(w);
      await put(w, [
        { key: 'a', val: '1' },
        { key: 'b', val: '2' },
      ]);
      const items = [
        {
          source_id: w.source,
          metadata: {
            records: [
              { key: 'a', val: null },
              { key: 'c', val: '3' },
            ],
          },
        },
      ];
      await w.http('POST /sources/metadata/batch', { body: { items } });
      assert.deepEqual(
        (await put(w, [])).body.records.map(({ key }: { key: string }) => key),
        ['b', 'c'],
      );
    },
  },
]);

conformance('sources', [
  {
    says: 'GET /sources lists sources that have metadata records; Source: id, source_group_id, name, file_type, file_size, metadata',
    async holds(w) {
      await clear(w);
      assert.deepEqual((await w.http('GET /sources')).body.sources, []);
      await put(w, [{ key: 'a', val: '1' }]);
      const [source, ...more] = (await w.http('GET /sources')).body.sources;
      assert.deepEqual(more, []);
      hasMembers(source, {
        id: 'string',
        source_group_id: 'string',
        name: 'string',
        file_type: 'string',
        file_size: 'integer',
        metadata: 'object',
      });
      assert.deepEqual(source.metadata, { records: [{ key: 'a', val: '1', type: 'string' }] });
    },
  },
  {
    says: 'GET /sources/{source_id}/raw downloads the whole stored file of a crawled source; tenant ownership is checked',
    async holds(w) {
      const { id, group } = await crawled(w, 'The whole file.');
      const { status, text } = await w.http(`GET /sources/${id}/raw`);
      assert.deepEqual([status, text], [200, 'The whole file.']);
      assert.equal((await w.http(`GET /sources/${id}/raw`, { key: w.stranger.key })).status, 404);
      await w.http(`DELETE /source-groups/${group}`);
    },
  },
  {
    says: 'GET /sources: only local-file sources are returned. Crawl source ids appear in search results',
    async holds(w) {
      const { id, group } = await crawled(w, 'The quokka is a crawled animal.');
      const body = { metadata: { records: [{ key: 'a', val: '1' }] } };
      assert.equal((await w.http(`PUT /sources/${id}/metadata`, { body })).status, 200);
      const listed = (await w.http('GET /sources')).body.sources.map((one: { id: string }) => one.id);
      assert.ok(listed.length > 0 && !listed.includes(id));
      const { results } = (await w.http('POST /search', { body: { query: 'quokka' } })).body;
      assert.deepEqual(
        results.map((one: { source_id: string }) => one.source_id),
        [id],
      );
      await w.http(`DELETE /source-groups/${group}`);
    },
  },
  {
    says: 'GET /sources: several sources with metadata records are all listed',
    async holds(w) {
      const group = await ingest(w.t, [{ name: 'second.txt', content: 'Second.' }]);
      const [{ id }] = (await w.http(`GET /source-groups/${group}/sources`)).body.sources;
      const body = { metadata: { records: [{ key: 'a', val: '1' }] } };
      assert.equal((await w.http(`PUT /sources/${id}/metadata`, { body })).status, 200);
      const listed = (await w.http('GET /sources')).body.sources.map((one: { id: string }) => one.id);
      assert.deepEqual(listed, [w.source, id]);
    },
  },
  ...listRows('/sources', 'sources'),
  {
    says: 'GET /sources/{source_id}/raw: a local-file source id returns 404',
    holds: (w) =>
      statuses(
        (id) => w.http(`GET /sources/${id}/raw`),
        [
          [w.source, 404],
          [newId(), 404],
        ],
      ),
  },
]);

conformance('tags', [
  {
    says: 'GET /tags: no parameters; response tags (array of Tag: id, name, description, strings)',
    async holds(w) {
      assert.equal((await w.http('POST /tags', { body: { name: 'blue' } })).status, 201);
      const { status, body } = await w.http('GET /tags');
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body), ['tags']);
      hasMembers(body.tags[0], { id: 'string', name: 'string', description: 'string' });
      assert.equal((await w.http('GET /tags?limit=1')).status, 400);
    },
  },
  {
    says: 'DELETE /tag-source-groups: body (JSON on a DELETE request) tag_id, source_group_id; response the Tag-source-group link',
    async holds(w) {
      const tag = (await w.http('POST /tags', { body: { name: 'green' } })).body.id;
      const link = { tag_id: tag, source_group_id: w.group };
      assert.equal((await w.http('POST /tag-source-groups', { body: link })).status, 201);
      const { status, body } = await w.http('DELETE /tag-source-groups', { body: link });
      assert.deepEqual([status, body], [200, link]);
      await statuses(
        (again) => w.http('DELETE /tag-source-groups', { body: again }),
        [
          [link, 404],
          [{ tag_id: tag }, 400],
        ],
      );
    },
  },
  {
    says: 'Tags are associated with source groups; completions select by tags (names) and tag_ids (ids)',
    async holds(w) {
      const tag = (await w.http('POST /tags', { body: { name: 'red' } })).body.id;
      const cited = async (more: object) => (await w.complete(more)).body.choices[0].citations.length > 0;
      assert.deepEqual([await cited({ tags: ['red'] }), await cited({ tag_ids: [tag] })], [false, false]);
      await w.http('POST /tag-source-groups', { body: { tag_id: tag, source_group_id: w.group } });
      assert.deepEqual([await cited({ tags: ['red'] }), await cited({ tag_ids: [tag] })], [true, true]);
    },
  },
]);

/** interface.md: the chunks that the filters and the limit of POST /completions select. */
import assert from 'node:assert/strict';
import { sql } from '../../src/db/sql.ts';
import { ingest, waitForGroup } from '../support/upload.ts';
import { conformance, type Row, type World } from './world.ts';

/** Returns a row: with the first filter the answer cites the file of the test world, and with the second filter nothing is found. */
function selects(says: string, yes: object, no: object, prepare?: (w: World) => Promise<unknown>): Row {
  return {
    says: `POST /completions: ${says}`,
    async holds(w) {
      await prepare?.(w);
      assert.deepEqual([await cited(w, yes), await cited(w, no)], [[w.source], []]);
    },
  };
}

/** Returns the ids of the cited sources, each once. */
async function cited(w: World, more: object): Promise<string[]> {
  const { status, body, text } = await w.complete(more);
  assert.equal(status, 200, text);
  const citations = body.choices[0].citations as { source_id: string }[];
  return [...new Set(citations.map((one) => one.source_id))];
}

const has = (key: string, value: string) => ({ filters: [{ key, operator: 'eq', value }] });
const records = (key: string, val: string) => ({ metadata: { records: [{ key, val }] } });

async function tag(w: World, name: string, group?: string): Promise<string> {
  const { id } = (await w.http('POST /tags', { body: { name } })).body;
  const link = { tag_id: id, source_group_id: group };
  if (group !== undefined) assert.equal((await w.http('POST /tag-source-groups', { body: link })).status, 201);
  return id;
}

conformance('POST /completions: filters', [
  selects('source_types select', { source_types: ['local_file', 'web'] }, { source_types: ['web', 'drive'] }),
  selects('file_types select', { file_types: ['pdf', 'md'] }, { file_types: ['pdf'] }),
  selects(
    'metadata filters on the metadata of the source group',
    { metadata: has('team', 'birds') },
    { metadata: has('team', 'fish') },
    (w) => w.http(`PUT /source-groups/${w.group}/metadata`, { body: records('team', 'birds') }),
  ),
  selects(
    'source_metadata filters on individual source/file metadata',
    { source_metadata: has('author', 'Ada') },
    { source_metadata: has('team', 'birds') },
    (w) => w.http(`PUT /sources/${w.source}/metadata`, { body: records('author', 'Ada') }),
  ),
  selects(
    'metadata_filter selects by declared metadata columns, string and integer typed',
    { metadata_filter: { filters: [{ key: 'author', operator: 'eq', value: 'Ada' }] } },
    { metadata_filter: { filters: [{ key: 'author', operator: 'gt', value: 'Ada' }] } },
    (w) => w.http('POST /metadata-columns', { body: { key: 'author', type: 'string' } }),
  ),
  selects('domains: partial matching', { domains: ['nowhere', 'EXAMP'] }, { domains: ['nowhere'] }, (w) =>
    w.t.deps.db.query(
      w.t.tenantId,
      sql`update source set url = 'https://docs.example.org/a' where tenant_id = ${w.t.tenantId} and id = ${w.source}`,
    ),
  ),
  {
    says: 'POST /completions: tag_filter_logic: LogicalOperator of the tags',
    async holds(w) {
      const [on, off] = [await tag(w, 'on', w.group), await tag(w, 'off')];
      for (const both of [{ tags: ['on', 'off'] }, { tag_ids: [on, off] }]) {
        assert.deepEqual(await cited(w, { ...both, tag_filter_logic: 'or' }), [w.source]);
        assert.deepEqual(await cited(w, { ...both, tag_filter_logic: 'and' }), []);
        assert.deepEqual(await cited(w, both), [w.source]);
      }
      // All filters of a request must hold, so the two lists do not become one.
      for (const tag_filter_logic of ['or', 'and']) {
        assert.deepEqual(await cited(w, { tags: ['on'], tag_ids: [on], tag_filter_logic }), [w.source]);
        assert.deepEqual(await cited(w, { tags: ['on'], tag_ids: [off], tag_filter_logic }), []);
      }
    },
  },
  {
    says: 'POST /completions: chunk_metadata filters on chunk-level metadata',
    async holds(w) {
      const form = new FormData();
      form.append('chunk_metadata_keys', '[{"key":"bird","type":"string"}]');
      form.append(
        'files',
        new Blob(['bird,nest\nplover,The plover nests in the sand\nswift,The swift nests in a tower\n']),
        'n.csv',
      );
      form.append('last_modified', '1760000000000');
      const { source_group_id } = (await w.http('POST /local-file-groups', { body: form })).body;
      await waitForGroup(w.t, source_group_id);
      const answer = async (bird: string): Promise<string> =>
        (
          await w.complete({
            messages: [{ role: 'user', content: `Where does the ${bird} nest?` }],
            chunk_metadata: has('bird', bird),
          })
        ).body.choices[0].message.content;
      assert.match(await answer('plover'), /sand/);
      assert.match(await answer('swift'), /tower/);
    },
  },
  {
    says: 'POST /completions: limit: maximum chunks retrieved as context, default 10',
    async holds(w) {
      const files = [
        'On the church tower of Aldham the heron nests every spring.',
        'The heron nests on cliffs in Norway.',
        'Beside the mill pond, where reeds are high, the grey heron nests with its mate.',
      ].map((content, i) => ({ name: `${i}.md`, content }));
      const tags = ['limit'];
      await tag(w, 'limit', await ingest(w.t, files));
      assert.equal((await cited(w, { tags, limit: 1 })).length, 1);
      assert.ok((await cited(w, { tags })).length > 1);
      const document = (await (await fetch(`${w.url}/openapi.json`)).json()) as {
        components: unknown;
        paths: Record<string, { post: unknown }>;
      };
      const described = JSON.stringify(document.paths['/api/v1/completions']?.post);
      assert.match(described, /"limit":\{[^{}]*"default":10/);
    },
  },
]);

/** POST /search and content lookup over HTTP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { seed, type TagIds } from '../retrieval/corpus.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts';

const ids = {
  heron: newId(),
  herons: newId(),
  otter: newId(),
  chunk: newId(),
  deletedChunk: newId(),
  pendingSource: newId(),
  deletedSource: newId(),
};
const tags: TagIds = new Map();
let t: TestApp;
let groups: string[];

before(async () => {
  t = await openTestApp();
  groups = await seed(
    t.deps.db,
    t.tenantId,
    [
      {
        tags: ['birds', 'river'],
        metadata: { region: 'north' },
        sources: [
          {
            id: ids.heron,
            name: 'heron.md',
            path: 'birds/heron.md',
            fileType: 'md',
            url: 'https://user@Docs.Example.org:8443/heron?x=otter.net',
            contentAt: new Date('2026-01-31T23:59:59.900Z'),
            originMetadata: { author: { val: 'Ada', type: 'string' }, pages: { val: '3', type: 'integer' } },
            metadata: { author: 'Grace' },
            chunks: [
              { content: 'Birds of the river.', id: newId() },
              {
                content: 'The grey heron nests in old oaks 🌳.',
                id: ids.chunk,
                metadata: { year: { val: '2021', type: 'integer' } },
              },
              { content: 'It feeds on fish and frogs.', context: 'Food' },
            ],
          },
          { id: ids.herons, name: 'more.txt', chunks: ['Herons and egrets are related birds.', 'Nothing to see.'] },
        ],
      },
      {
        sourceType: 'web',
        tags: ['river'],
        sources: [
          {
            id: ids.otter,
            name: 'otter',
            url: 'https://otter.net/',
            fileType: 'html',
            chunks: ['The otter shares the river with the heron.'],
          },
          { id: ids.deletedSource, deleted: true, chunks: [{ content: 'deleted heron', id: ids.deletedChunk }] },
          { id: ids.pendingSource, status: 'pending', chunks: ['pending heron'] },
        ],
      },
      { deleted: true, sources: [{ chunks: ['heron of a deleted group'] }] },
    ],
    tags,
  );
  const second = await t.secondTenant();
  await seed(t.deps.db, second.tenantId, [{ sources: [{ chunks: ['a foreign heron canary'] }] }]);
});
after(() => t.close());

const search = (body: unknown, key?: string): Promise<TestAnswer> => t.post('/search', body, key);
const names = (answer: TestAnswer): string[] => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body.results.map((result: { name: string }) => result.name);
};

test('a search result is a Content record', async () => {
  const answer = await search({ query: 'Where do grey herons nest?' });
  assert.equal(answer.status, 200, answer.text);
  const [first] = answer.body.results;
  const { score, scores, ...rest } = first;
  assert.ok(score > 0);
  assert.deepEqual(scores, { lexical: score, semantic: null, rerank: null });
  assert.deepEqual(rest, {
    id: ids.chunk,
    source_id: ids.heron,
    source_group_id: groups[0],
    source_group_name: 'a group',
    source_type: 'local_file',
    file_type: 'md',
    name: 'heron.md',
    path: 'birds/heron.md',
    url: 'https://user@Docs.Example.org:8443/heron?x=otter.net',
    content: 'The grey heron nests in old oaks 🌳.',
    chunk_index: 1,
    start_offset: 20,
    end_offset: 55,
    start_line: null,
    end_line: null,
    pages: null,
    heading_path: [],
    metadata: {
      records: [
        { key: 'author', val: 'Grace', type: 'string' },
        { key: 'pages', val: '3', type: 'integer' },
      ],
    },
    chunk_metadata: { records: [{ key: 'year', val: '2021', type: 'integer' }] },
    tags: ['birds', 'river'],
    content_time: Date.parse('2026-01-31T23:59:59Z') / 1000,
  });
  assert.deepEqual(answer.body.warnings, []);
  assert.match(
    String(answer.headers['server-timing']),
    /^analyze;dur=[\d.]+;start=[\d.]+, lexical;dur=[\d.]+;start=[\d.]+, fuzzy;dur=[\d.]+;start=[\d.]+, read;dur=[\d.]+;start=[\d.]+$/,
  );
});

test('each stage begins where the one before it ended, after the request arrived', async () => {
  const { headers } = await search({ query: 'heron' });
  const stages = [...String(headers['server-timing']).matchAll(/dur=([\d.]+);start=([\d.]+)/g)];
  const [ms, starts] = [stages.map(([, dur]) => Number(dur)), stages.map(([, , start]) => Number(start))];
  assert.ok(starts[0]! > 0, 'the key is read first');
  for (const [i, start] of starts.entries())
    if (i > 0) assert.ok(Math.abs(start - starts[i - 1]! - ms[i - 1]!) < 0.16, `${i}: ${headers['server-timing']}`);
});

test('results are ordered, not deleted, of the own tenant, and contain a term of the query', async () => {
  const { body } = await search({ query: 'heron' });
  assert.deepEqual(body.results.map((result: { name: string }) => result.name).toSorted(), [
    'heron.md',
    'more.txt',
    'otter',
  ]);
  const scores = body.results.map((result: { score: number }) => result.score);
  assert.deepEqual(
    scores,
    scores.toSorted((a: number, b: number) => b - a),
  );
  assert.deepEqual(names(await search({ query: 'canary' })), []);
  assert.deepEqual(names(await search({ query: '?!' })), []);
});

test('filters on groups, sources and chunks narrow the search', async () => {
  const cases: [object, string[]][] = [
    [{ tags: ['birds'] }, ['heron.md', 'more.txt']],
    [{ tags: ['birds', 'nothing'] }, ['heron.md', 'more.txt']],
    [{ tags: ['birds', 'nothing'], tag_filter_logic: 'and' }, []],
    [{ tags: ['birds', 'river', 'river'], tag_filter_logic: 'and' }, ['heron.md', 'more.txt']],
    [{ tag_ids: [tags.get('river')] }, ['heron.md', 'more.txt', 'otter']],
    [{ tag_ids: [tags.get('river'), 'no id'] }, ['heron.md', 'more.txt', 'otter']],
    [{ tag_ids: [tags.get('river'), 'no id'], tag_filter_logic: 'and' }, []],
    [{ tag_ids: [tags.get('river'), tags.get('birds')], tag_filter_logic: 'and' }, ['heron.md', 'more.txt']],
    [{ source_group_ids: [groups[1]] }, ['otter']],
    [{ source_group_ids: [groups[0], groups[1]] }, ['heron.md', 'more.txt', 'otter']],
    [{ source_group_ids: [groups[1], groups[2], 'no id'] }, ['otter']],
    [{ source_group_ids: ['no id'] }, []],
    [{ source_group_ids: [groups[1]], tags: ['birds'] }, []],
    [{ source_types: ['web'] }, ['otter']],
    [{ file_types: ['md', 'html'] }, ['heron.md', 'otter']],
    [{ domains: ['EXAMPLE'] }, ['heron.md']],
    [{ domains: ['otter'] }, ['otter']],
    [{ domains: ['user'] }, []],
    [{ domains: ['8443'] }, []],
    [{ domains: ['%'] }, []],
    [{ domains: ['nowhere', 'docs.example.org'] }, ['heron.md']],
    [{ date_from: 1769903999, date_to: 1769903999 }, ['heron.md']],
    [{ date_from: 1769904000 }, []],
    [{ date_to: 1769903998 }, ['more.txt', 'otter']],
    [{ metadata: { filters: [{ key: 'region', operator: 'eq', value: 'north' }] } }, ['heron.md', 'more.txt']],
    [{ source_metadata: { filters: [{ key: 'author', operator: 'eq', value: 'Grace' }] } }, ['heron.md']],
    [{ source_metadata: { filters: [{ key: 'author', operator: 'eq', value: 'Ada' }] } }, []],
    [{ source_metadata: { filters: [{ key: 'pages', operator: 'gt', value: 2.5 }] } }, ['heron.md']],
    [{ chunk_metadata: { filters: [{ key: 'year', operator: 'in', value: [2020, 2021] }] } }, ['heron.md']],
    [{ source_types: ['web'], tags: ['birds'] }, []],
  ];
  for (const [filter, expected] of cases) {
    for (const use_postfilter of [false, true]) {
      const answer = await search({ query: 'heron', ...filter, use_postfilter });
      assert.deepEqual(names(answer).toSorted(), expected, JSON.stringify(filter));
    }
  }
});

test('the limits of a key apply to search and lookup', async () => {
  const byGroup = await t.issueKey(['knowledge:read'], { sourceGroupIds: [groups[1]!] });
  const byTag = await t.issueKey(['knowledge:read'], { tagIds: [tags.get('birds')!] });
  for (const use_postfilter of [false, true]) {
    assert.deepEqual(names(await search({ query: 'heron', use_postfilter }, byGroup)), ['otter']);
    const beyond = { query: 'heron', source_group_ids: [groups[0]], use_postfilter };
    assert.deepEqual(names(await search(beyond, byGroup)), []);
    assert.deepEqual(names(await search({ query: 'heron', use_postfilter }, byTag)).toSorted(), [
      'heron.md',
      'more.txt',
    ]);
  }
  for (const path of [`/contents/${ids.chunk}`, `/sources/${ids.heron}/chunks`, `/sources/${ids.heron}/text`]) {
    assert.equal((await t.get(path, byGroup)).status, 404, path);
    assert.equal((await t.get(path, byTag)).status, 200, path);
  }
});

test('limit, offset and max_chunks_per_source page through one order', async () => {
  const query = 'heron birds river fish';
  const all = (await search({ query, limit: 100 })).body.results;
  assert.ok(all.length >= 5);
  const paged = [];
  for (let offset = 0; offset < all.length + 2; offset += 2) {
    paged.push(...(await search({ query, limit: 2, offset })).body.results);
  }
  assert.deepEqual(paged, all);
  const single = (await search({ query, limit: 100, max_chunks_per_source: 1 })).body.results;
  const best = all.filter(
    (one: { source_id: string }, i: number) =>
      all.findIndex((other: { source_id: string }) => other.source_id === one.source_id) === i,
  );
  assert.deepEqual(single, best);
});

test('`context` adds the neighbouring chunks', async () => {
  const { body } = await search({ query: 'oaks', context: { before: 1, after: 5 } });
  const { context } = body.results[0];
  assert.deepEqual(
    context.before.map((one: { content: string }) => one.content),
    ['Birds of the river.'],
  );
  assert.deepEqual(
    context.after.map((one: { chunk_index: number }) => one.chunk_index),
    [2],
  );
  assert.equal('context' in (await search({ query: 'oaks' })).body.results[0], false);
});

test('equal chunks are shown once', async () => {
  await seed(t.deps.db, t.tenantId, [{ sources: [{ chunks: ['twin badgers'] }, { chunks: ['twin badgers'] }] }]);
  assert.equal((await search({ query: 'badgers' })).body.results.length, 1);
});

test('a query of marks alone finds nothing and says why', async () => {
  assert.deepEqual(
    (await search({ query: '...' })).body.warnings.map(({ type }: { type: string }) => type),
    ['no_words'],
  );
});

test('a postfilter that leaves too few results adds a warning', async () => {
  const many = Array.from({ length: 250 }, (_, i) => ({ name: `n${i}.txt`, chunks: [`newt newt newt ${i}`] }));
  await seed(t.deps.db, t.tenantId, [
    {
      sources: [
        ...many,
        { fileType: 'pdf', name: 'rare', chunks: ['a newt among very many other words of a long text'] },
      ],
    },
  ]);
  const body = { query: 'newt', file_types: ['pdf'] };
  assert.deepEqual(names(await search(body)), ['rare']);
  const answer = await search({ ...body, use_postfilter: true });
  assert.deepEqual(names(answer), []);
  assert.deepEqual(
    answer.body.warnings.map((warning: { type: string }) => warning.type),
    ['postfilter_underfilled'],
  );
});

test('a deleted group is not found by any later search', async () => {
  const [group] = await seed(t.deps.db, t.tenantId, [{ sources: [{ name: 'short', chunks: ['ephemeral mayfly'] }] }]);
  assert.deepEqual(names(await search({ query: 'mayfly' })), ['short']);
  await t.deps.db.query(
    t.tenantId,
    sql`update source_group set deleted_at = now() where tenant_id = ${t.tenantId} and id = ${group}`,
  );
  assert.deepEqual(names(await search({ query: 'mayfly' })), []);
});

test('a malformed search gets 400, and the message names the invalid member', async () => {
  const filter = (value: unknown): object => ({ query: 'x', metadata: value });
  const deep = (levels: number): object =>
    levels === 0 ? { key: 'a', operator: 'exists' } : { filters: [deep(levels - 1)] };
  const cases: [unknown, RegExp][] = [
    [{}, /^Missing member "query"/],
    [{ query: '' }, /\/query/],
    [{ query: 'x'.repeat(4001) }, /\/query/],
    [{ query: 'x', limit: 0 }, /\/limit/],
    [{ query: 'x', limit: 101 }, /\/limit/],
    [{ query: 'x', limit: 1.5 }, /\/limit/],
    [{ query: 'x', offset: -1 }, /\/offset/],
    [{ query: 'x', mode: 'fuzzy' }, /\/mode/],
    [{ query: 'x', mode: 'semantic' }, /no.* embedding model|embedding model.*none/i],
    [{ query: 'x', filter: {} }, /filter/],
    [{ query: 'x', tags: [] }, /\/tags/],
    [{ query: 'x', tags: Array(101).fill('a') }, /\/tags/],
    [{ query: 'x', source_types: ['ftp'] }, /\/source_types\/0/],
    [{ query: 'x', file_types: ['PDF'] }, /\/file_types\/0/],
    [{ query: 'x', domains: [''] }, /\/domains\/0/],
    [{ query: 'x', date_from: 1 }, /\/date_from/],
    [{ query: 'x', date_from: 1800000001, date_to: 1800000000 }, /\/date_from/],
    [{ query: 'x', context: { before: 6 } }, /\/context\/before/],
    [{ query: 'x', context: { around: 1 } }, /around/],
    [{ query: 'x', max_chunks_per_source: 0 }, /\/max_chunks_per_source/],
    [{ query: 'x', authz_policy: 'No' }, /\/authz_policy/],
    [{ query: 'x', principal_id: 'p'.repeat(257) }, /\/principal_id/],
    [filter([]), /\/metadata/],
    [filter({ filters: [] }), /\/metadata\/filters/],
    [filter({ filters: Array(65).fill({ key: 'a', operator: 'exists' }) }), /\/metadata\/filters/],
    [filter({ filters: [{ key: 'a', operator: 'eq', value: 2 ** 53 }] }), /\/metadata\/filters\/0\/value.*as text/],
    [filter({ operator: 'xor', filters: [{ key: 'a', operator: 'exists' }] }), /\/metadata\/operator/],
    [filter({ filters: [{ key: 'a', operator: 'like', value: 'b' }] }), /\/metadata\/filters\/0\/operator/],
    [filter({ filters: [{ key: '', operator: 'exists' }] }), /\/metadata\/filters\/0\/key/],
    [filter({ filters: [{ key: 'a', operator: 'exists', value: 1 }] }), /\/metadata\/filters\/0\/value/],
    [filter({ filters: [{ key: 'a', operator: 'eq' }] }), /\/metadata\/filters\/0\/value/],
    [filter({ filters: [{ key: 'a', operator: 'eq', value: null }] }), /\/metadata\/filters\/0\/value/],
    [filter({ filters: [{ key: 'a', operator: 'in', value: 'b' }] }), /\/metadata\/filters\/0\/value/],
    [filter({ filters: [{ key: 'a', operator: 'in', value: [] }] }), /\/metadata\/filters\/0\/value/],
    [filter({ filters: [{ key: 'a', operator: 'nin', value: [1, {}] }] }), /\/metadata\/filters\/0\/value\/1/],
    [filter({ filters: [{ key: 'a', operator: 'exists', not: true }] }), /\/metadata\/filters\/0\/not/],
    [filter(deep(6)), /\/metadata(\/filters\/0){5}/],
    [
      filter({
        filters: Array.from({ length: 10 }, () => ({ filters: Array(20).fill({ key: 'a', operator: 'exists' }) })),
      }),
      /\/metadata\/filters\/9/,
    ],
    [
      { query: 'x', metadata_filter: { filters: [{ key: 'year', operator: 'eq', value: 1 }] } },
      /\/metadata_filter\/filters\/0\/key/,
    ],
  ];
  for (const [body, message] of cases) {
    const answer = await search(body);
    assert.equal(answer.status, 400, `${JSON.stringify(body).slice(0, 200)}: ${answer.text}`);
    assert.match(answer.body.error.message, message);
    assert.equal(answer.body.error.type, 'invalid_request_error');
  }
  assert.equal((await search(filter(deep(5)))).status, 200);
  assert.equal((await search({ query: 'x', principal_id: '', authz_policy: 'default', rerank: false })).status, 200);
});

test('lookup returns a chunk, the chunks of a source and its text', async () => {
  const chunk = (await t.get(`/contents/${ids.chunk}?principal_id=me`)).body;
  assert.equal(chunk.content, 'The grey heron nests in old oaks 🌳.');
  const first = (await t.get(`/sources/${ids.heron}/chunks?limit=2`)).body;
  assert.deepEqual(
    first.chunks.map((one: { chunk_index: number }) => one.chunk_index),
    [0, 1],
  );
  assert.deepEqual(first.pagination, { limit: 2, has_more: true, total: 3, next_id: ids.chunk });
  const second = (await t.get(`/sources/${ids.heron}/chunks?limit=2&after_id=${ids.chunk}`)).body;
  assert.deepEqual(
    second.chunks.map((one: { chunk_index: number }) => one.chunk_index),
    [2],
  );
  assert.deepEqual(second.pagination, { limit: 2, has_more: false, total: 3, next_id: null });

  const whole = (await t.get(`/sources/${ids.heron}/text`)).body;
  assert.equal(whole.text_length, [...whole.text].length);
  assert.deepEqual([whole.start_offset, whole.end_offset, whole.next_offset], [0, whole.text_length, null]);
  assert.equal([...whole.text].slice(chunk.start_offset, chunk.end_offset).join(''), chunk.content);
  const part = (await t.get(`/sources/${ids.heron}/text?start_offset=53&end_offset=54`)).body;
  assert.deepEqual([part.text, part.next_offset], ['🌳', 54]);
  const beyond = (await t.get(`/sources/${ids.heron}/text?start_offset=5000`)).body;
  assert.deepEqual([beyond.text, beyond.start_offset, beyond.next_offset], ['', whole.text_length, null]);
});

test('lookup answers 404 for deleted or unfinished sources and 400 for bad ranges', async () => {
  for (const source of [ids.deletedSource, ids.pendingSource]) {
    assert.equal((await t.get(`/sources/${source}/text`)).status, 404);
    assert.equal((await t.get(`/sources/${source}/chunks`)).status, 404);
  }
  assert.equal((await t.get(`/contents/${ids.deletedChunk}`)).status, 404);
  for (const query of [
    'start_offset=-1',
    'start_offset=2&end_offset=1',
    'end_offset=200001',
    'from=1',
    'authz_policy=X',
  ]) {
    assert.equal((await t.get(`/sources/${ids.heron}/text?${query}`)).status, 400, query);
  }
});

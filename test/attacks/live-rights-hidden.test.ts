/** Answers tell nothing about content that their reader may not see: no frequencies of words, no gaps between chunks. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

const QUERY = 'heron river';

describe('scores tell nothing about hidden chunks', () => {
  for (const [name, env, isLimited] of [
    ['to a limited key', {}, true],
    ['to a principal', { PINAKES_AUTHORIZATION: 'on' }, false],
  ] as const) {
    test(name, async () => {
      const t = await openTestApp({ env });
      try {
        const visible = [
          { name: 'a.txt', metadata: { team: 'birds' }, chunks: ['heron heron river'] },
          { name: 'b.txt', metadata: { team: 'birds' }, chunks: ['a heron with other words in a longer text'] },
        ];
        const [group] = await seed(t.deps.db, t.tenantId, [{ sources: visible }]);
        const own = { key: 'team', operator: 'eq', value: { subject: 'team' } };
        await t.put('/authz/policies/default', { filters: [own] });
        await t.put('/authz/subjects/ann/attributes', { attributes: { team: 'birds' } });
        const scopes = ['knowledge:read', 'inference:run'] as const;
        const key = await t.issueKey(scopes, isLimited ? { sourceGroupIds: [group!] } : {});
        const principal = { principal_id: 'ann' };
        const searched = async (by: string) => {
          const answer = await t.post('/search', { query: QUERY, ...principal }, by);
          assert.equal(answer.status, 200, answer.text);
          return answer.body.results;
        };
        const completed = async () => {
          const question = [{ role: 'user', content: 'What does the heron do at the river?' }];
          const { body } = await t.post('/completions', { messages: question, trace: true, ...principal }, key);
          const scores = body.choices[0].citations.map((one: { score: number; scores: object }) => [
            one.score,
            one.scores,
          ]);
          return { scores, trace: body.trace.retrieved };
        };
        const [before, completedBefore] = [await searched(key), await completed()];
        assert.equal(before.length, 2);
        assert.ok(completedBefore.trace.length > 0);
        const lexical = async () => (await searched(t.key)).map((one: { score: number }) => one.score);
        const whole = await lexical();
        const hidden = Array.from({ length: 40 }, (_, i) => ({
          name: `hidden-${i}.txt`,
          metadata: { team: 'fish' },
          chunks: [`river word${i}`],
        }));
        await seed(t.deps.db, t.tenantId, [{ sources: hidden }]);
        if (isLimited) assert.notDeepEqual((await lexical()).slice(0, 2), whole, 'the hidden chunks change no score');
        assert.deepEqual(await searched(key), before);
        assert.deepEqual(await completed(), completedBefore);
      } finally {
        await t.close();
      }
    });
  }
});

describe('a policy that decides about chunks', () => {
  const source = newId();
  const shown = { visibility: { val: 'all', type: 'string' as const } };
  let t: TestApp;
  before(async () => {
    t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
    const chunks = Array.from({ length: 9 }, (_, i) => ({
      content: `The heron of part${i} stands in the water.`,
      metadata: i % 4 === 0 ? shown : {},
    }));
    await seed(t.deps.db, t.tenantId, [{ sources: [{ id: source, chunks }] }]);
    const some = { target: 'chunk_metadata', trust_content: true, key: 'visibility', operator: 'eq', value: 'all' };
    const answer = await t.put('/authz/policies/default', { filters: [some] });
    assert.equal(answer.status, 200, answer.text);
    await t.put('/authz/policies/whole', { filters: [{ key: 'x', operator: 'not_exists' }] });
  });
  after(() => t.close());

  const place = ({ chunk_index, start_offset, end_offset }: Record<string, unknown>) => [
    chunk_index,
    start_offset,
    end_offset,
  ];
  const HIDDEN = [null, null, null];

  test('shows no places of chunks, in which gaps would show', async () => {
    const listed = (await t.get(`/sources/${source}/chunks`)).body.chunks;
    const found = (await t.post('/search', { query: 'heron part4', context: { before: 1, after: 1 } })).body.results;
    const read = (await t.get(`/contents/${listed[0].id}`)).body;
    const { body } = await t.post('/completions', {
      messages: [{ role: 'user', content: 'Where is the heron of part4?' }],
    });
    const neighbours = found.flatMap((one: { context: { before: object[]; after: object[] } }) => [
      ...one.context.before,
      ...one.context.after,
    ]);
    assert.deepEqual([listed.length, found.length, neighbours.length], [3, 3, 4]);
    const cited = body.choices[0].citations;
    assert.ok(cited.length > 0);
    for (const chunk of [...listed, ...found, ...neighbours, ...cited, read]) assert.deepEqual(place(chunk), HIDDEN);
  });

  test('shows the next visible chunk as the neighbour, as if nothing was between', async () => {
    const [found] = (await t.post('/search', { query: 'part4', context: { before: 1, after: 1 } })).body.results;
    const { before, after } = found.context;
    assert.deepEqual([before.length, after.length], [1, 1]);
    assert.match(before[0].content, /part0/);
    assert.match(after[0].content, /part8/);
  });

  test('a policy about whole sources shows the places', async () => {
    const { body } = await t.get(`/sources/${source}/chunks?authz_policy=whole`);
    assert.deepEqual(
      body.chunks.map(({ chunk_index }: { chunk_index: number }) => chunk_index),
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
  });
});

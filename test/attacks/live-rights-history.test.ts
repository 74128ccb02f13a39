/** With PINAKES_HISTORY_ON_DELETE=remove, a deletion erases the stored answers that rest on the deleted content. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { must, openWorld, type World } from './live-rights-world.ts';

const TIMEOUT_MS = 120_000;
let world: World;
let t: TestApp;
let groupId: string;
let heron: string;
let otter: string;

before(async () => {
  world = await openWorld({ PINAKES_HISTORY_ON_DELETE: 'remove', PINAKES_AUTHORIZATION: 'off' });
  t = world.t;
});
after(() => world.close());
beforeEach(async () => {
  [heron, otter] = [newId(), newId()];
  const sources = [
    { id: heron, name: 'heron.txt', chunks: ['The heron stands in the water.'] },
    { id: otter, name: 'otter.txt', chunks: ['The otter swims in the river.'] },
  ];
  await t.deps.db.system.query(sql`delete from conversation`);
  await t.deps.db.system.query(sql`delete from source_group`);
  await t.deps.db.system.query(sql`delete from chunk`);
  [groupId] = (await seed(t.deps.db, t.tenantId, [{ sources }])) as [string];
  say('An answer [1].');
});

/** The model answers with this text. */
function say(text: string, before: () => Promise<unknown> = async () => {}): void {
  world.script = async function* () {
    await before();
    yield { type: 'text', delta: text };
    yield { type: 'finish', reason: 'stop' };
  };
}

const ask = (content: string, conversation_id?: string) =>
  t.post('/completions', { messages: [{ role: 'user', content }], ...(conversation_id ? { conversation_id } : {}) });

/** Returns the answers of a conversation as its reader gets them. */
async function answers(id: string): Promise<{ content: string; citations: object[] }[]> {
  const { messages } = await must(t.get(`/conversations/${id}`));
  return messages.filter(({ role }: { role: string }) => role === 'assistant');
}

/** Returns the number of stored messages that have the word anywhere. */
async function holding(word: string): Promise<number> {
  const rows = await t.deps.db.system.query(
    sql`select from message m where m.role = 'assistant' and m::text like ${`%${word}%`}`,
  );
  return rows.length;
}

test('the deletion of a source erases answers that cite it, and no others', { timeout: TIMEOUT_MS }, async () => {
  say('The heron stands [1].');
  const first = (await must(ask('Where is the heron?'))).conversation_id;
  say('The otter swims [1].');
  const second = (await must(ask('Where is the otter?'))).conversation_id;
  assert.equal(await holding(heron), 1);
  await must(t.delete(`/sources/${heron}`));
  assert.deepEqual(
    (await answers(first)).map(({ content, citations }) => ({ content, citations })),
    [{ content: '[removed]', citations: [] }],
  );
  assert.deepEqual([await holding(heron), await holding('heron')], [0, 0]);
  assert.equal((await answers(second))[0]!.content, 'The otter swims.');
});

test('an answer that read a source without citing it is erased with it', { timeout: TIMEOUT_MS }, async () => {
  say('It stands in the water.');
  const id = (await must(ask('Where is the heron?'))).conversation_id;
  await must(t.delete(`/sources/${heron}`));
  assert.equal((await answers(id))[0]!.content, '[removed]');
});

test('an answer that repeats an earlier answer is erased with it', { timeout: TIMEOUT_MS }, async () => {
  const id = (await must(ask('Where is the heron?'))).conversation_id;
  say('As I said, in the water.');
  await must(ask('And the otter?', id));
  await must(t.delete(`/sources/${heron}`));
  assert.deepEqual(
    (await answers(id)).map(({ content }) => content),
    ['[removed]', '[removed]'],
  );
});

test('an erased answer is no longer part of the history', { timeout: TIMEOUT_MS }, async () => {
  const id = (await must(ask('Where is the heron?'))).conversation_id;
  await must(t.delete(`/sources/${heron}`));
  say('The otter swims [1].');
  await must(ask('Where is the otter?', id));
  assert.deepEqual(
    (await answers(id)).map(({ content }) => content),
    ['[removed]', 'The otter swims.'],
  );
  await must(t.delete(`/sources/${otter}`));
  assert.equal((await answers(id))[1]!.content, '[removed]');
});

test('the deletion of a group erases the answers that rest on its sources', { timeout: TIMEOUT_MS }, async () => {
  const id = (await must(ask('Where is the heron?'))).conversation_id;
  await must(t.delete(`/source-groups/${groupId}`));
  assert.equal((await answers(id))[0]!.content, '[removed]');
  assert.equal(await holding(groupId), 0);
});

test('an answer with an unknown context is erased by any deletion', { timeout: TIMEOUT_MS }, async () => {
  const id = (await must(ask('Where is the heron?'))).conversation_id;
  await t.deps.db.system.query(
    sql`update message set context_group_ids = null, context_source_ids = null, context_chunk_ids = null where role = 'assistant'`,
  );
  await must(t.delete(`/sources/${otter}`));
  assert.equal((await answers(id))[0]!.content, '[removed]');
});

test('an answer is not stored if its history is erased meanwhile', { timeout: TIMEOUT_MS }, async () => {
  const id = (await must(ask('Where is the heron?'))).conversation_id;
  // The chunk of the earlier answer was replaced, so only the erased answer shows that its source is gone.
  await t.deps.db.system.query(sql`update source set generation = 2 where id = ${heron}`);
  say('As I said, in the water.', () => must(t.delete(`/sources/${heron}`)));
  const late = await ask('And the otter?', id);
  assert.deepEqual([late.status, late.body.error?.type], [409, 'conflict_error']);
  assert.equal((await answers(id)).length, 1);
});

test('by default, stored answers stay when their sources are deleted', { timeout: TIMEOUT_MS }, async () => {
  const other = await openTestApp();
  try {
    const source = newId();
    await seed(other.deps.db, other.tenantId, [
      { sources: [{ id: source, chunks: ['The heron stands in the water.'] }] },
    ]);
    const body = { messages: [{ role: 'user', content: 'Where is the heron?' }] };
    const { conversation_id: id } = await must(other.post('/completions', body));
    await must(other.delete(`/sources/${source}`));
    const { messages } = await must(other.get(`/conversations/${id}`));
    assert.equal(messages[1].content, 'The heron stands in the water.');
  } finally {
    await other.close();
  }
});

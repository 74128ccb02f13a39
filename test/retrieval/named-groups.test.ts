/** Searches whose query names a source group. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Access } from '../../src/access/access.ts';
import { NOTHING } from '../../src/access/policy-sql.ts';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { compileRedactor } from '../../src/redaction/redact.ts';
import { findNamedGroups } from '../../src/retrieval/query/named-groups.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';
import { chunkTerms } from '../../src/text/chunk-terms.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';

const ALL: Access = { sourceGroupIds: null, tagIds: null, policy: null };
let database: TestDatabase;
let tenant: Tenant;
let groups: string[];

/** Returns a file of code that defines a class, or that mentions it often. */
function file(name: string, content: string, heading: string) {
  const terms = chunkTerms({ content, context: null, headingPath: [heading] }, name, 'en', true);
  return { name, fileType: 'code', language: 'en', chunks: [{ content, terms }] };
}

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'named' });
  groups = await seed(database.db, tenant.id, [
    { name: 'Ropes', sources: [file('ropes.py', 'class Session:\n    ropes = 1\n    knots = 2', 'Session')] },
    {
      name: 'sails',
      sources: [file('sails.py', 'class Session: sheets', 'Session'), file('use.py', 'Ropes, Ropes, ropes', 'x')],
    },
    {
      name: 'my-nets',
      sources: [{ name: 'nets.txt', chunks: ['the nets of the harbour, mended at dusk by their owners'] }],
    },
    { name: 'Häfen', sources: [{ name: 'haefen.txt', chunks: ['piers'] }] },
    { name: 'how', sources: [{ name: 'how.txt', chunks: ['how to moor'] }] },
    { name: 'empty', sources: [] },
    { name: 'waiting', sources: [{ status: 'pending', chunks: ['waiting'] }] },
    { name: 'gone', deleted: true, sources: [{ chunks: ['gone'] }] },
  ]);
});
after(() => database.close());

const namesIn = (query: string, access = ALL): Promise<string[]> =>
  database.db.transaction(tenant.id, async (tx) =>
    (await findNamedGroups(tx, access, query, ['de', 'und'])).map(({ name }) => name),
  );

async function search(query: string, changes: Partial<RetrieveRequest> = {}, deps: object = {}) {
  const request: RetrieveRequest = {
    ...{ tenantId: tenant.id, partitionNo: tenant.partitionNo, sourceGroupIds: null, tagIds: null, principal: null },
    ...{ query, mode: 'hybrid' as const, filters: {}, usePostfilter: false, limit: 10, offset: 0, ...changes },
  };
  const { hits } = await retrieve({ ...database, ...deps }, request);
  return hits.map(({ name, score }) => ({ name, score }));
}
const first = async (...args: Parameters<typeof search>) => (await search(...args))[0]!.name;

test('a query for a definition names a group by its whole name between other words, in any case', async () => {
  for (const query of [
    'ropes',
    'Session in ROPES',
    'Ropes: session',
    'ropes.Session',
    'how do ropes use maxLength and Session',
  ])
    assert.deepEqual(await namesIn(query), ['Ropes'], query);
  assert.deepEqual(await namesIn('Session of my-nets'), ['my-nets']);
  assert.deepEqual((await namesIn('Session in sails and ropes')).toSorted(), ['Ropes', 'sails']);
  assert.deepEqual(await namesIn('Häfen Session'), ['Häfen']);
  for (const word of ['rope', 'myropes', 'nets', 'my nets', 'ropes_old', '', '%'])
    assert.deepEqual(await namesIn(`${word} maxLength`), [], word);
});

test('a query that asks for no definition names no group', async () => {
  for (const query of ['how long are the ropes of ships', 'which ropes are sold at the harbour'])
    assert.deepEqual(await namesIn(query), [], query);
});

test('a stop word names no group, nor do groups without anything to find', async () => {
  assert.deepEqual(await namesIn('how empty and waiting is maxLength, gone'), []);
});

test('chunks of a named group come first, and its name is no part of the name of a definition', async () => {
  assert.equal(await first('session'), 'sails.py');
  assert.equal(await first('ropes session'), 'ropes.py');
  assert.equal(await first('Session class in Ropes'), 'ropes.py');
  assert.equal(await first('sails.Session'), 'sails.py');
  assert.equal(await first('ropes session', { usePostfilter: true }), 'ropes.py');
});

test('a page of results continues the page before it', async () => {
  const all = await search('ropes session');
  const pages = [await search('ropes session', { limit: 1 }), await search('ropes session', { limit: 9, offset: 1 })];
  assert.deepEqual(pages.flat(), all);
});

test('the name of a group that a caller may not see changes nothing', async () => {
  const limits = { ...ALL, sourceGroupIds: [groups[1]!] };
  assert.deepEqual(await namesIn('ropes session', limits), []);
  assert.deepEqual(await namesIn('ropes session', { ...ALL, tagIds: [newId()] }), []);
  assert.deepEqual(await namesIn('ropes session', { ...ALL, policy: NOTHING }), []);
});

test('while a redaction policy is in force, the name of a group changes nothing', async () => {
  const redactor = compileRedactor({ version: 1, enabled: true, rules: [] }, Buffer.alloc(32), null);
  const scoreOf = async (deps: object) =>
    (await search('ropes session', {}, deps)).find(({ name }) => name === 'ropes.py')!.score;
  const redacted = await scoreOf({ redactors: { forTenant: async () => redactor } });
  assert.ok(redacted < (await scoreOf({ redactors: { forTenant: async () => null } })));
});

test('a filter on source groups replaces the preference', async () => {
  const [hit, ...others] = await search('ropes session', { filters: { sourceGroupIds: [groups[0]!] } });
  const [preferred] = await search('ropes session');
  assert.deepEqual([hit!.name, others], ['ropes.py', []]);
  assert.ok(preferred!.score > hit!.score);
});

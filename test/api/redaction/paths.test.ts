/** Paths of sources and names of source groups in results, lookups and citations: a rule treats them as names of sources. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { postMcp, toolCall } from '../../support/mcp.ts';
import { eventually, multipartBody, waitForGroup } from '../../support/upload.ts';

const QUESTION = 'Where does the kingfisher nest?';
const PATH = 'clients/jane.doe@example.com/notes.md';
const GROUP = 'Files of Blue Heron';

let t: TestApp;
let sourceId: string;
let groupId: string;

before(async () => {
  t = await openTestApp({ runsJobs: true });
  const content = '# Birds\n\nThe kingfisher nests in a steep bank of the river.\n';
  groupId = await upload(GROUP, PATH, content);
  [{ id: sourceId }] = (await t.get(`/source-groups/${groupId}/sources`)).body.sources;
});
after(() => t.close());

async function upload(name: string, path: string, content: string | Uint8Array): Promise<string> {
  const { headers, body } = multipartBody(
    [{ name: path, content }],
    [
      ['name', name],
      ['paths', path],
    ],
  );
  const url = '/api/v1/local-file-groups';
  const answer = await t.app.inject({
    method: 'POST',
    url,
    headers: { 'x-api-key': t.key, ...headers },
    payload: body,
  });
  assert.equal(answer.statusCode, 201, answer.body);
  const { source_group_id: id } = answer.json();
  assert.equal(await waitForGroup(t, id), 'success');
  return id;
}

interface Named {
  path: string | null;
  source_group_name: string;
}

/** Returns the record of the chunk from every route that answers with one. */
async function records(): Promise<Record<string, Named[]>> {
  const { results } = (await t.post('/search', { query: 'kingfisher' })).body;
  const { chunks } = (await t.get(`/sources/${sourceId}/chunks`)).body;
  const completion = await t.post('/completions', { messages: [{ role: 'user', content: QUESTION }] });
  assert.equal(completion.status, 200, completion.text);
  const looked = results.length === 0 ? [] : [(await t.get(`/contents/${results[0].id}`)).body];
  return { search: results, chunks, lookup: looked, citations: completion.body.choices[0].citations };
}

const namesOf = (found: Record<string, Named[]>): unknown[] =>
  Object.entries(found).map(([route, [one]]) => [route, one?.path, one?.source_group_name]);

const RULES = [
  { name: 'address', kind: 'entity', entities: ['email'] },
  { name: 'project', kind: 'dictionary', terms: ['Blue Heron'] },
];
async function setPolicy(rules: object[]): Promise<void> {
  const { status, text } = await t.put('/redaction-policy', { enabled: true, rules });
  assert.equal(status, 200, text);
}

test('every content record has the path of its file and the name of its group', async () => {
  const every = ['search', 'chunks', 'lookup', 'citations'];
  assert.deepEqual(
    namesOf(await records()),
    every.map((route) => [route, PATH, GROUP]),
  );
});

for (const action of ['mask', 'hash'])
  test(`a rule that says ${action} masks paths and names of groups before a reader sees them`, async () => {
    const every = ['search', 'chunks', 'lookup', 'citations'];
    await setPolicy(RULES.map((rule) => ({ ...rule, action, apply_at: ['retrieval'] })));
    assert.deepEqual(
      namesOf(await records()),
      every.map((route) => [route, 'clients/[EMAIL]/notes.md', 'Files of [PROJECT]']),
    );
    await setPolicy(RULES.map((rule) => ({ ...rule, action, apply_at: ['output'] })));
    const { citations } = await records();
    assert.deepEqual(namesOf({ citations: citations! }), [
      ['citations', 'clients/[EMAIL]/notes.md', 'Files of [PROJECT]'],
    ]);
  });

test('a rule that blocks leaves out a chunk with a path that it finds, and hides the name of a group', async () => {
  const [path, group] = ['address', 'project'].map((name) => RULES.filter((rule) => rule.name === name));
  await setPolicy(path!.map((rule) => ({ ...rule, action: 'block', apply_at: ['retrieval'] })));
  assert.deepEqual(
    Object.values(await records()).map((list) => list.length),
    [0, 0, 0, 0],
  );
  for (const part of ['text', 'blocks', 'tables'])
    assert.equal((await t.get(`/sources/${sourceId}/${part}`)).status, 404, part);
  const listed = (await postMcp(t, toolCall('list_sources'))).body;
  assert.deepEqual(listed.result.structuredContent.sources, []);
  await setPolicy(group!.map((rule) => ({ ...rule, action: 'block', apply_at: ['retrieval'] })));
  const shown = Object.values(await records()).flat();
  assert.ok(shown.length > 0);
  for (const one of shown) assert.equal(one.source_group_name, '');
});

test('a file of an archive has no path', async () => {
  assert.equal((await t.delete('/redaction-policy')).status, 200);
  await upload('Archive', 'zips/all.zip', zipSync({ 'deep/wren.txt': strToU8('The wren hides in the hedge.') }));
  const [wren] = await eventually(async () => {
    const { results } = (await t.post('/search', { query: 'wren' })).body;
    return results.length > 0 && results;
  });
  assert.deepEqual([wren.path, wren.source_group_name], [null, 'Archive']);
});

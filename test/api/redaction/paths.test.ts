/** Paths of sources and names of source groups in results, lookups and citations: a rule treats them as names of sources. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { postMcp, toolCall } from '../../support/mcp.ts';
import { multipartBody, waitForGroup } from '../../support/upload.ts';

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
  const { sources } = (await postMcp(t, toolCall('list_sources'))).body.result.structuredContent;
  assert.ok(sources.length > 0);
  for (const one of [...shown, ...sources]) assert.equal(one.source_group_name, '');
});

test('what hides the name of an archive hides it in the paths of its files, too', async () => {
  assert.equal((await t.delete('/redaction-policy')).status, 200);
  groupId = await upload(
    'Archive',
    'zips/all.zip',
    zipSync({ 'deep/wren.txt': strToU8('The wren hides in the hedge.') }),
  );
  const found = async () => (await t.post('/search', { query: 'hedge' })).body.results.map((one: Named) => one.path);
  const whole = 'zips/all.zip › deep/wren.txt';
  const listed = async () => (await t.get(`/source-groups/${groupId}/sources`)).body.sources.at(-1).path;
  assert.deepEqual(await found(), [whole]);
  assert.equal(await listed(), whole);
  // The first pattern is in the whole path, the second only in the name, the third only in the path of the archive.
  for (const [pattern, shown] of [
    ['all', 'zips/[ARCHIVE].zip › deep/wren.txt'],
    [String.raw`^all\.zip$`, 'zips/[ARCHIVE] › deep/wren.txt'],
    [String.raw`^zips/all\.zip$`, '[ARCHIVE] › deep/wren.txt'],
  ] as const) {
    const rule = { name: 'archive', kind: 'regex', pattern, apply_at: ['retrieval'] };
    await setPolicy([{ ...rule, action: 'mask' }]);
    assert.deepEqual(await found(), [shown], pattern);
    assert.equal(await listed(), null, pattern);
    const run = (await t.get(`/source-groups/${groupId}/runs`)).body.runs[0].id;
    const { files } = (await t.get(`/runs/${run}/files`)).body;
    assert.deepEqual(
      files.map(({ path }: Named) => path),
      pattern.startsWith('^all') ? ['zips/all.zip', null] : [null, null],
    );
    await setPolicy([{ ...rule, action: 'block' }]);
    assert.deepEqual(await found(), [], pattern);
    const tool = (await postMcp(t, toolCall('list_sources', { source_group_id: groupId }))).body;
    assert.deepEqual(tool.result.structuredContent.sources, [], pattern);
  }
});

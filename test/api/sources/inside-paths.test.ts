/** The path of a file inside a file names the files around it, but only to readers who may know their names. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import type { GroupSource, RunFile } from '../../../src/client/api.ts';
import { sql } from '../../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { fileChanges } from '../../support/file-changes.ts';
import { postMcp, toolCall } from '../../support/mcp.ts';
import { multipartBody, uploadFiles, waitForGroup } from '../../support/upload.ts';

let t: TestApp;
let guarded: TestApp;
before(async () => {
  t = await openTestApp({ runsJobs: true });
  guarded = await openTestApp({ runsJobs: true, env: { PINAKES_AUTHORIZATION: 'on' } });
});
after(async () => {
  await t.close();
  await guarded.close();
});
const files = fileChanges(() => t);

const pack = (content: Record<string, string | Uint8Array>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(content).map(([name, one]) => [name, typeof one === 'string' ? strToU8(one) : one]),
    ),
  );
const outer = (bird: string): Uint8Array =>
  pack({ 'torn.pdf': '%PDF-1.4\nno PDF', 'inner.zip': pack({ 'deep/readme.txt': `The ${bird} wades in the marsh.` }) });

async function sourcesOf(service: TestApp, id: string): Promise<GroupSource[]> {
  return (await service.get(`/source-groups/${id}/sources?limit=100`)).body.sources;
}
const pathsOf = (listed: readonly { path: string | null }[]): string[] => listed.map(({ path }) => String(path)).sort();
const runFiles = async (id: string): Promise<RunFile[]> => (await t.get(`/runs/${id}/files?limit=100`)).body.files;

test('every list, result and report has the files around a file in its path, also after they were moved', async () => {
  const id = await uploadFiles(t, { 'box.zip': outer('avocet') });
  await waitForGroup(t, id);
  const run = (await t.get(`/source-groups/${id}/runs`)).body.runs[0].id;
  const inside = ['box.zip › inner.zip', 'box.zip › inner.zip › deep/readme.txt', 'box.zip › torn.pdf'];
  assert.deepEqual(pathsOf(await sourcesOf(t, id)), ['box.zip', ...inside]);
  assert.deepEqual(pathsOf(await runFiles(run)), ['box.zip', ...inside]);
  assert.deepEqual(pathsOf((await t.get(`/runs/${run}/errors`)).body.errors), ['box.zip › torn.pdf']);
  const { results } = (await t.post('/search', { query: 'avocet' })).body;
  assert.deepEqual(pathsOf(results), [inside[1]]);
  const listed = await postMcp(t, toolCall('list_sources', { source_group_id: id }));
  assert.match(listed.body.result.content[0].text, /^box\.zip › inner\.zip › deep\/readme\.txt \(txt\)/m);
  const found = await t.get('/source-list?q=readme');
  assert.deepEqual(pathsOf(found.body.sources), [inside[1]]);

  await files.changeAndWait(id, {}, { moves: [{ from: 'box.zip', to: 'old/chest.zip' }] });
  const moved = inside.map((path) => path.replace('box.zip', 'old/chest.zip'));
  assert.deepEqual(pathsOf(await sourcesOf(t, id)), ['old/chest.zip', ...moved]);
  const gone = await files.changeAndWait(id, { 'other.txt': 'Nothing wades.' }, { mode: 'mirror' });
  const deleted = (await runFiles(gone.run.id)).filter(({ change }) => change === 'deleted');
  assert.deepEqual(pathsOf(deleted), ['old/chest.zip', ...moved]);
});

test('a path that a file inside has is neither kept, moved nor deleted by it', async () => {
  const id = await uploadFiles(t, { 'crate.zip': pack({ 'a.txt': 'The dunlin.' }) });
  await waitForGroup(t, id);
  const inside = 'crate.zip › a.txt';
  assert.equal((await files.removal(id, [inside])).body.deleted, 0);
  const moves = [{ from: inside, to: 'b.txt' }];
  assert.equal((await files.change(id, {}, { moves })).status, 409);
  await files.changeAndWait(id, { [inside]: 'The knot.' });
  assert.deepEqual(pathsOf(await sourcesOf(t, id)), ['crate.zip', inside, inside]);
});

test('a file inside a file without a path has the name of that file', async () => {
  const id = await uploadFiles(t, { 'boxes/drum.zip': pack({ 'a.txt': 'The siskin.' }) });
  await waitForGroup(t, id);
  // As a file of a Drive folder.
  const drive = sql`update source set path = null, source_type = 'drive' where source_group_id = ${id}`;
  await t.deps.db.query(t.tenantId, drive);
  assert.deepEqual(pathsOf(await sourcesOf(t, id)), ['drum.zip › a.txt', 'null']);
});

test('a principal reads no name of a file around that its policy hides', async () => {
  await guarded.put('/authz/policies/all', { filters: [{ key: 'none', operator: 'not_exists' }] });
  await guarded.put('/authz/policies/source', { filters: [{ key: 'level', operator: 'not_exists' }] });
  await guarded.put('/authz/policies/chunk', {
    filters: [{ target: 'chunk_metadata', key: 'level', operator: 'exists', trust_content: true }],
  });
  const form = multipartBody(
    [{ name: 'layoffs.zip', content: pack({ 'inner.zip': pack({ 'a.csv': 'bird,level\ngannet,1\n' }) }) }],
    [['chunk_metadata_keys', '[{"key":"level","type":"string"}]']],
  );
  const headers = { 'x-api-key': guarded.key, ...form.headers };
  const sent = { method: 'POST', url: '/api/v1/local-file-groups', headers, payload: form.body } as const;
  const { source_group_id: id } = (await guarded.app.inject(sent)).json();
  await waitForGroup(guarded, id);
  const [zip, inner, file] = await sourcesOf(guarded, id);
  const setLevel = (one: GroupSource | undefined, val: string | null) =>
    guarded.put(`/sources/${one!.id}/metadata`, { metadata: { records: [{ key: 'level', val }] } });
  await setLevel(zip, 'hidden');
  await setLevel(inner, null);
  await setLevel(file, null);
  const whole = 'layoffs.zip › inner.zip › a.csv';
  for (const [policy, path] of Object.entries({ all: whole, source: null, chunk: null })) {
    const named = { authz_policy: policy };
    const found = (await guarded.post('/search', { query: 'gannet', ...named })).body.results;
    const question = [{ role: 'user', content: 'What level has the gannet?' }];
    const asked = await guarded.post('/completions', { messages: question, ...named });
    const listed = await postMcp(guarded, toolCall('list_sources'), { 'x-authz-policy': policy });
    const shown = {
      search: found[0],
      lookup: (await guarded.get(`/contents/${found[0].id}?authz_policy=${policy}`)).body,
      chunks: (await guarded.get(`/sources/${file!.id}/chunks?authz_policy=${policy}`)).body.chunks[0],
      citation: asked.body.choices[0].citations[0],
      tool: listed.body.result.structuredContent.sources.find((one: GroupSource) => one.id === file!.id),
    };
    for (const [route, one] of Object.entries(shown)) assert.equal(one.path, path, `${policy} ${route}`);
    assert.equal(found.length, 1);
  }
});

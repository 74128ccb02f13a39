/** Commands for daily work against a real service: ls, show, rm, runs, tags. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '../../src/util/ids.ts';
import { cliService } from '../support/cli-service.ts';

const { folder, start, close, pinakes, pinakesProcess, json, refused, file } = cliService('manage');
/** Two source groups. The first one is older. */
let [ropes, papers] = ['', ''];

before(async () => {
  await start();
  ropes = (await pinakes(['ingest', '-w', '--name', 'Ropes', file('ropes.txt', 'Ropes were made of hemp.')])).stdout;
  mkdirSync(join(folder, 'papers'));
  for (const name of ['a.txt', 'b.txt', 'c.txt']) file(join('papers', name), `Paper ${name}.`);
  file(join('papers', 'broken.pdf'), '%PDF-1.4\nthis is no PDF file');
  papers = (await pinakes(['ingest', '-w', '--name', 'Papers', join(folder, 'papers')])).stdout;
  [ropes, papers] = [ropes.trim(), papers.trim()];
});
after(close);

const ids = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

test('ls lists source groups newest first, with their number of sources and their errors', async () => {
  const { code, stdout, stderr } = await pinakesProcess(['ls', '--search', 'p']);
  assert.equal(code, 0, stderr);
  const [head = '', ...lines] = stdout.trimEnd().split('\n');
  assert.match(head, /^ID +NAME +TYPE +STATUS +SOURCES +CREATED +ERROR$/);
  assert.match(lines[0]!, new RegExp(`^${papers}  Papers  local_file  success +4  20.* 1 of 4 files failed`));
  assert.match(lines[1]!, new RegExp(`^${ropes}  Ropes   local_file  success +1  20.*-$`));
  const one = await pinakes(['ls', '-n', '1']);
  assert.match(one.stderr, /^1 of \d+ shown: --limit <n> or --all shows more\.\n$/);
  assert.deepEqual(ids(await json(['ls', '-q', 'ROPES'])), [ropes]);
  assert.deepEqual(await json(['ls', '--status', 'canceled']), []);
  assert.match((await pinakes(['ls', '--type', 'drive'])).stderr, /There are no such source groups/);
  await refused(['ls', '--status', 'done'], 2, /--status must be queued or/);
});

test('ls with the id of a group lists its sources with status and error', async () => {
  const { stdout } = await pinakes(['ls', papers]);
  assert.match(stdout, /^ID +PATH +TYPE +SIZE +STATUS +CHUNKS +ERROR\n/);
  assert.match(stdout, /broken\.pdf +unknown +28 B +failed +0 +Damaged PDF/);
  const rows: { name: string; status: string; error: { stage: string } | null }[] = await json(['ls', papers]);
  assert.deepEqual(
    rows.map(({ name, status, error }) => [name, status, error?.stage]),
    [
      ['c.txt', 'ready', undefined],
      ['broken.pdf', 'failed', 'parse'],
      ['b.txt', 'ready', undefined],
      ['a.txt', 'ready', undefined],
    ],
  );
  const few = await json(['ls', papers, '--limit', '2']);
  assert.deepEqual(ids(few), ids((await json(['ls', papers, '--all'])).slice(0, 2)));
  await refused(['ls', newId()], 1, /HTTP 404/);
  await refused(['ls', 'papers'], 2, /"papers" is neither an id nor the name of a source group: see pinakes ls/);
});

test('ls and show take the name of a group, if exactly one group has it', async () => {
  assert.deepEqual(ids(await json(['ls', 'Ropes'])), ids(await json(['ls', ropes])));
  assert.equal((await json(['show', 'Ropes'])).id, ropes);
  const rope = join(folder, 'ropes.txt');
  const first = await pinakes(['ingest', '-w', '--name', 'Ropes', rope]);
  const twin = first.stdout.trim();
  await refused(['ls', 'Ropes'], 2, new RegExp(`2 source groups have the name "Ropes": .*${ropes} .*, ${twin}`));
  await refused(['show', 'Ropes'], 2, /give the id of one of them/);
  await refused(['rm', '--yes', 'Ropes'], 2, new RegExp(`${ropes} \\(20.*\\), ${twin} \\(20`));
  await pinakes(['rm', '--yes', twin]);
  assert.equal((await json(['ls', 'Ropes'])).length, 1);
});

test('ingest says that a group with the name exists already, and how to update it', async () => {
  const again = join(folder, 'papers');
  const { code, stdout, stderr } = await pinakes(['ingest', '--name', 'Papers', again]);
  assert.equal(code, 0, stderr);
  const note = `A group "Papers" exists already. Its files stay, and search finds both. To update it instead: pinakes sync <folder> --group ${papers}. To remove it: pinakes rm ${papers}`;
  assert.deepEqual(
    stderr.split('\n').filter((line) => line.startsWith('A group')),
    [note],
  );
  await pinakes(['rm', '--yes', stdout.trim()]);
  const other = await pinakes(['ingest', '--name', 'Nobody has this name', again]);
  assert.doesNotMatch(other.stderr, /exists already/);
  assert.match((await pinakes(['rm', '--yes', 'Nobody has this name'])).stderr, /^Deleted 1 source group/);
});

test('the reason of a failed file is shown as long as the file is failed, also after other runs', async () => {
  const kept = join(folder, 'kept');
  mkdirSync(kept);
  file(join('kept', 'torn.pdf'), '%PDF-1.4\nno PDF at all');
  const { group_id: id } = JSON.parse((await pinakes(['sync', kept, '--json'])).stdout);
  const [torn] = await json(['ls', id]);
  file(join('kept', 'second.txt'), 'A second file.');
  await pinakes(['sync', kept]);
  assert.match((await pinakes(['ls', id])).stdout, /torn\.pdf .* Damaged PDF/);
  const shown = await pinakes(['show', torn.id]);
  assert.match(shown.stdout, /^status +failed\nerror +Damaged PDF/m);
  await pinakes(['rm', '--yes', id]);
});

test('ls of a group prints paths, and filters its sources by status and name', async () => {
  mkdirSync(join(folder, 'code', 'lib'), { recursive: true });
  for (const name of ['index.js', join('lib', 'index.js')]) file(join('code', name), `// The file ${name}.`);
  file(join('code', 'lib', 'broken.pdf'), '%PDF-1.4\nthis is no PDF file');
  const code = (await pinakes(['ingest', '-w', join(folder, 'code')])).stdout.trim();
  const pathsOf = async (...options: string[]) =>
    [...(await pinakes(['ls', code, ...options])).stdout.matchAll(/^[0-9a-f-]{36} {2}(\S+)/gm)].map(([, path]) => path);
  assert.deepEqual(await pathsOf(), ['lib/index.js', 'lib/broken.pdf', 'index.js']);
  assert.deepEqual(await pathsOf('--status', 'failed'), ['lib/broken.pdf']);
  const [run] = await json(['runs', code]);
  assert.match((await pinakes(['runs', 'errors', run.id])).stdout, /^broken\.pdf +lib\/broken\.pdf +parse /m);
  assert.deepEqual(await pathsOf('--search', 'INDEX', '--status', 'ready'), ['lib/index.js', 'index.js']);
  const one = await pinakes(['ls', code, '--search', 'index', '-n', '1']);
  assert.match(one.stderr, /^1 of 2 shown/);
  assert.equal((await json(['ls', code, '--status', 'failed']))[0].error.stage, 'parse');
  assert.match((await pinakes(['ls', code, '--status', 'pending'])).stderr, /^This source group has no such sources/);
  await refused(['ls', code, '--status', 'failure'], 2, /--status must be pending or ready or failed, not "failure"/);
  await refused(['ls', code, '--type', 'web'], 2, /--type is for the list of source groups/);
  await refused(['ls', code, '--tag', 'x'], 2, /--tag is for the list of source groups/);
  await pinakes(['rm', '--yes', code]);
});

test('show prints the source group, source, run or chunk with an id', async () => {
  const group = await pinakesProcess(['show', ropes]);
  assert.match(group.stdout, new RegExp(`^source group +${ropes}\nname +Ropes\ntype +local_file\nstatus +success\n`));
  const shown = await json(['show', ropes]);
  assert.deepEqual([shown.kind, shown.source_count, shown.latest_run.status], ['source_group', 1, 'success']);
  const run = await pinakes(['show', shown.latest_run.id]);
  assert.match(run.stdout, /files +1 of 1, 1 chunk\ncounts +1 scanned, 1 added\n/);
  assert.equal((await json(['show', shown.latest_run.id])).kind, 'run');

  const [source] = await json(['ls', ropes]);
  assert.match((await pinakes(['show', source.id])).stdout, /^name +ropes\.txt$/m);
  assert.equal((await pinakes(['show', source.id, '--text'])).stdout, 'Ropes were made of hemp.\n');
  assert.equal((await json(['show', source.id, '--text'])).text, 'Ropes were made of hemp.');
  const [chunk] = await json(['show', source.id, '--chunks']);
  assert.equal(chunk.content, 'Ropes were made of hemp.');
  assert.match(
    (await pinakes(['show', source.id, '--chunks'])).stdout,
    new RegExp(`^# 0  ${chunk.id}  ropes\\.txt:1\n`),
  );
  assert.match((await pinakes(['show', chunk.id])).stdout, /\n\nRopes were made of hemp\.\n$/);
  assert.equal((await json(['show', chunk.id])).kind, 'chunk');

  const scopes = ['keys', 'issue', '--name', 'uploader', '--scope', 'ingestion:manage', '--json'];
  const { key } = JSON.parse((await pinakes(scopes)).stdout);
  const limited = await pinakes(['show', ropes], { PINAKES_API_KEY: key });
  assert.match(limited.stdout, /^name +Ropes$/m, 'a key that may not read chunks or tags sees the group');
  await refused(['show', newId()], 1, /No source group, source, run or chunk/);
  await refused(['show', ropes, '--text'], 2, /--text is for sources; .* is a source group/);
});

test('runs lists the runs of all groups or of one group, newest first', async () => {
  const all = await json(['runs', '--all']);
  assert.deepEqual(ids(all), ids(all).sort().reverse());
  const [run] = await json(['runs', papers]);
  assert.deepEqual([run.source_group_id, run.statistics.failed], [papers, 1]);
  const { stdout } = await pinakesProcess(['runs']);
  assert.match(stdout, /^ID +GROUP +STATUS +FILES +FAILED +CHUNKS +STARTED +TOOK +ERROR\n/);
  assert.match(stdout, new RegExp(`^${run.id}  Papers +success +4/4 +1 +3  20`, 'm'));
  assert.match((await pinakes(['runs', 'errors', run.id])).stdout, /^broken\.pdf +- +parse +no +Damaged PDF/m);
  assert.equal((await json(['runs', 'errors', run.id]))[0].name, 'broken.pdf');
  assert.deepEqual(await json(['runs', '--status', 'canceled']), []);
  await refused(['runs', 'cancel', run.id], 1, /HTTP 409/);
  await refused(['runs', 'errors'], 2, /needs an id/);
  await refused(['runs', 'stop', run.id], 2, /Unexpected argument/);

  const again = await pinakes(['runs', 'start', 'Papers', '--only-failed', '--wait']);
  assert.equal(again.code, 1, 'the broken file is still broken');
  assert.match(again.stderr, /^broken\.pdf: Damaged PDF.*\[parse\]$/m);
  const [latest] = await json(['runs', 'Papers', '-n', '1']);
  assert.equal(latest.id, again.stdout.trim());
});

test('tags creates tags, adds them to groups, removes them and deletes them, by name or id', async () => {
  const { id } = await json(['tags', 'create', 'maritime', '--description', 'of the sea']);
  assert.equal((await pinakesProcess(['tags', 'add', 'maritime', ropes, 'Papers'])).code, 0);
  assert.match((await pinakes(['tags'])).stdout, new RegExp(`^${id}  maritime +2  of the sea$`, 'm'));
  assert.deepEqual(ids(await json(['ls', '--tag', 'maritime'])), [papers, ropes]);
  assert.deepEqual((await json(['show', ropes])).tags, ['maritime']);
  assert.equal((await pinakes(['tags', 'remove', id, papers])).code, 0);
  assert.equal((await json(['tags'])).find((tag: { id: string }) => tag.id === id).source_group_count, 1);
  await refused(['tags', 'remove', id, papers], 1, /does not have the tag "maritime"/);
  await refused(['tags', 'add', 'maritime', newId()], 1, /There is no source group/);
  await refused(['tags', 'create', 'maritime'], 1, /HTTP 409/);
  await refused(['tags', 'delete', 'maritime'], 2, /remove it from 1 source group\? .*--yes/);
  await refused(['tags', 'delete', 'unknown', '--yes'], 2, /There is no tag "unknown"/);
  await refused(['tags', 'paint', 'maritime'], 2, /There is no "pinakes tags paint"/);
  const issue = ['keys', 'issue', '--name', 'sailor', '--scope', 'knowledge:read', '--tag'];
  for (const tag of ['maritime', id]) assert.deepEqual((await json([...issue, tag])).tag_ids, [id]);
  await refused([...issue, 'unknown'], 2, /There is no tag "unknown"/);
  const limited = await json([...issue, id, '--source-group', 'Papers']);
  await refused(['keys', 'revoke', 'sailor'], 2, /"sailor" is not an id/);
  const list = (await pinakes(['keys', 'list'])).stdout;
  assert.match(list, /^ID +NAME +SCOPES +LIMITED TO +EXPIRES +LAST USED$/m);
  assert.match(list, new RegExp(`^${limited.id} +sailor +knowledge:read +groups: 1, tags: 1 +never +never$`, 'm'));
  assert.match(list, /^\S+ +admin .* - +never +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
  assert.equal((await json(['tags', 'delete', 'maritime', '--yes'])).id, id);
  assert.deepEqual(await json(['tags']), []);
});

test('rm deletes groups and sources with --yes only, and deletes nothing if one id is wrong', async () => {
  const group = (
    await pinakes(['ingest', '-w', '--name', 'Short-lived', join(folder, 'papers', 'a.txt')])
  ).stdout.trim();
  const [source] = await json(['ls', papers, '-n', '1']);
  assert.equal((await pinakesProcess(['rm', group])).code, 2);
  await refused(['rm', group], 2, /^pinakes: Delete 1 source group \(Short-lived\)\? .*--yes/);
  await refused(['rm', '--yes', group, newId()], 1, /No source group/);
  const [run] = await json(['runs', group]);
  await refused(['rm', '--yes', run.id], 2, /is a run, which cannot be deleted/);
  assert.equal((await pinakes(['show', group])).code, 0, 'something was deleted');
  assert.deepEqual(await json(['rm', '--yes', group, source.id]), [
    { kind: 'source_group', id: group, name: 'Short-lived' },
    { kind: 'source', id: source.id, name: source.name },
  ]);
  assert.ok(!ids(await json(['ls', papers])).includes(source.id));
});

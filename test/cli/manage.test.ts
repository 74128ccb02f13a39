/** Commands for daily work against a real service: ls, show, rm, runs, tags, crawl, connect. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type LocalService, startLocalService } from '../../src/cli/operate/local-service.ts';
import { newId } from '../../src/util/ids.ts';
import { type CliResult, runPinakes, runPinakesHere } from '../support/cli.ts';
import { copyTemplate } from '../support/database.ts';
import { type FakeGitHub, openFakeGitHub } from '../support/fakes/github.ts';
import { type FakeSite, htmlPage, openFakeSite } from '../support/fakes/site.ts';

const folder = mkdtempSync(join(tmpdir(), 'pinakes-manage-'));
const dataDir = join(folder, 'data');
let service: LocalService;
let site: FakeSite;
let github: FakeGitHub;
/** Two source groups. The first one is older. */
let [ropes, papers] = ['', ''];

before(async () => {
  site = await openFakeSite();
  github = await openFakeGitHub();
  process.env['PINAKES_OUTBOUND_ALLOW'] = '127.0.0.0/8';
  process.env['PINAKES_REPO_API_URL'] = github.url;
  await copyTemplate(dataDir);
  // A second parser process would cost half a second.
  process.env['PINAKES_PARSER_PROCESSES'] = '1';
  service = await startLocalService(dataDir);
  ropes = (await pinakes(['ingest', '-w', '--name', 'Ropes', file('ropes.txt', 'Ropes were made of hemp.')])).stdout;
  mkdirSync(join(folder, 'papers'));
  for (const name of ['a.txt', 'b.txt', 'c.txt']) file(join('papers', name), `Paper ${name}.`);
  file(join('papers', 'broken.pdf'), '%PDF-1.4\nthis is no PDF file');
  papers = (await pinakes(['ingest', '-w', '--name', 'Papers', join(folder, 'papers')])).stdout;
  [ropes, papers] = [ropes.trim(), papers.trim()];
});
after(async () => {
  await service.stop();
  await Promise.all([site.close(), github.close()]);
  rmSync(folder, { recursive: true });
});

const settings = (env: Record<string, string>) => ({ PINAKES_URL: service.url, PINAKES_DATA_DIR: dataDir, ...env });
const pinakes = (args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
  runPinakesHere(args, settings(env));
/** Each command is run once as a process. */
const pinakesProcess = (args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
  runPinakes(args, settings(env));

/** Runs a command and returns the JSON that it prints, which must be one line. */
async function json(args: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr } = await pinakes([...args, '--json'], env);
  assert.match(stdout, /^[^\n]+\n$/, `${args.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** Asserts that a command ends with `code` and one line of error, with nothing on standard output. */
async function refused(args: readonly string[], code: number, expected: RegExp): Promise<void> {
  const result = await pinakes(args);
  assert.deepEqual([result.code, result.stdout], [code, ''], `${args.join(' ')}: ${result.stderr}`);
  assert.match(result.stderr, /^pinakes: [^\n]+\n$/);
  assert.match(result.stderr, expected);
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

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
  assert.match(run.stdout, /files +1 of 1, 1 chunks\ncounts +1 scanned, 1 added\n/);
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
  await refused(['tags', 'delete', 'unknown', '--yes'], 1, /There is no tag "unknown"/);
  await refused(['tags', 'paint', 'maritime'], 2, /There is no "pinakes tags paint"/);
  const issue = ['keys', 'issue', '--name', 'sailor', '--scope', 'knowledge:read', '--tag'];
  for (const tag of ['maritime', id]) assert.deepEqual((await json([...issue, tag])).tag_ids, [id]);
  await refused([...issue, 'unknown'], 1, /There is no tag "unknown"/);
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

test('crawl creates a crawl with the given options and waits for its pages', async () => {
  site.set({ '/': htmlPage('Harbour', ['/tides', '/private/x']), '/tides': htmlPage('Tides', []) });
  site.set({ '/private/x': htmlPage('Private', []) });
  const { code, stdout, stderr } = await pinakesProcess([
    'crawl',
    site.url,
    '--exclude',
    '/private/',
    '--depth',
    '2',
    '-w',
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /2 of 2 files, 0 failed/);
  const id = stdout.trim();
  const shown = await pinakes(['show', id]);
  assert.match(shown.stdout, new RegExp(`^name +${new URL(site.url).host}$`, 'm'));
  assert.match(shown.stdout, new RegExp(`^address +${site.url}`, 'm'));
  const { origin } = await json(['show', id]);
  assert.deepEqual([origin.max_depth, origin.exclude_paths, origin.use_sitemap], [2, ['/private/'], true]);
  const made = await json(['crawl', `${site.url}/gone`, '--pages', '1', '--name', 'Gone', '--wait']);
  assert.deepEqual([made.name, made.max_pages, made.status], ['Gone', 1, 'failure'], JSON.stringify(made));
  const scheduled = await json(['crawl', site.url, '--schedule', 'daily']);
  assert.equal((await json(['show', scheduled.id])).origin.rrule, 'FREQ=DAILY;BYHOUR=3;BYMINUTE=0');
  await refused(['crawl', 'help.example.com'], 2, /is not an address/);
  await refused(['crawl', site.url, '--depth', '21'], 2, /--depth must be an integer from 0 to 20/);
  await refused(['crawl', site.url, '--schedule', 'sometimes'], 2, /must be hourly, daily/);
});

test('connect creates a repository source with a credential from the environment', async () => {
  const repository = github.add('ada/manual', { privateTo: 'tok-1' });
  repository.git.commit({ 'docs/tides.md': 'The moon pulls the sea.', 'src/x.ts': 'export const x = 1;' });
  const token = { REPO_TOKEN: 'tok-1' };
  const once = await pinakesProcess(
    ['connect', 'repo', 'ada/manual', '--path', 'docs/', '--secret-env', 'REPO_TOKEN', '-w'],
    token,
  );
  assert.equal(once.code, 0, once.stderr);
  assert.deepEqual(
    (await json(['ls', once.stdout.trim()])).map(({ name }: { name: string }) => name),
    ['tides.md'],
  );
  const path = file('token', 'tok-1\n');
  const args = [
    'connect',
    'repo',
    'ada/manual',
    '--secret-file',
    path,
    '--store',
    'reader',
    '--schedule',
    'hourly',
    '-w',
  ];
  const stored = await json(args);
  assert.equal(stored.status, 'success');
  const [secret] = await json(['connect', 'secrets']);
  assert.deepEqual([secret.name, secret.type], ['reader', 'repo']);
  assert.match((await pinakes(['connect', 'secrets'])).stdout, new RegExp(`^${secret.id}  reader  repo  20`, 'm'));
  const byId = await json(['connect', 'repo', 'ada/manual', '--branch', 'main', '--secret-id', secret.id]);
  assert.deepEqual([byId.reference_type, byId.reference_param], ['branch', 'main']);

  await refused(['connect', 'drive', 'https://drive.google.com/drive/folders/1AbC'], 2, /needs --secret-id/);
  await refused(['connect', 'repo', 'a/b', '--secret-env', 'NO_SUCH_VARIABLE'], 2, /NO_SUCH_VARIABLE is not set/);
  await refused(
    ['connect', 'repo', 'a/b', '--secret-file', join(folder, 'none')],
    2,
    /none cannot be read: it does not exist\./,
  );
  await refused(['connect', 'repo', 'a/b', '--secret-file', path, '--schedule', 'daily'], 2, /needs a stored secret/);
  await refused(['connect', 'page', 'x', '--branch', 'main', '--secret-file', path], 2, /--branch is for/);
  await refused(['connect', 'repo', 'a/b', '--branch', 'x', '--tag', 'y'], 2, /Give only one of --branch, --tag/);
  await refused(['connect', 'wiki', 'x'], 2, /There is no "pinakes connect wiki"/);
});

test('connect creates a database source with several tables', async () => {
  const path = file('url', 'postgresql://ada:word@127.0.0.1:9/shop?sslmode=disable\n');
  const made = await json(['connect', 'database', 'public.orders', 'public.people:id,city', '--secret-file', path]);
  assert.equal(made.name, 'public.orders, public.people:id,city');
  const shown = await pinakes(['show', made.id]);
  assert.match(shown.stdout, /^address +public\.orders public\.people$/m);
  const { origin } = await json(['show', made.id]);
  assert.deepEqual(origin.tables, [
    { name: 'public.orders', columns: [] },
    { name: 'public.people', columns: ['id', 'city'] },
  ]);
  await refused(['connect', 'database', '--secret-file', path], 2, /needs the names of tables: schema\.table/);
  await refused(['connect', 'database', 'orders', '--secret-file', path], 1, /schema\.table.*\(HTTP 400\)/);
  await refused(['connect', 'repo', 'a/b', 'c/d'], 2, /Unexpected argument "c\/d"/);
});

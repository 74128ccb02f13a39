/** The commands for origins, `pinakes crawl` and `connect`, against a service in this process. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cliService } from '../support/cli-service.ts';
import { type FakeGitHub, openFakeGitHub } from '../support/fakes/github.ts';
import { type FakeSite, htmlPage, openFakeSite } from '../support/fakes/site.ts';

const { folder, start, close, pinakes, pinakesProcess, json, refused, file } = cliService('origins');
let site: FakeSite;
let github: FakeGitHub;

before(async () => {
  site = await openFakeSite();
  github = await openFakeGitHub();
  process.env['PINAKES_OUTBOUND_ALLOW'] = '127.0.0.0/8';
  process.env['PINAKES_REPO_API_URL'] = github.url;
  await start();
});
after(async () => {
  await close();
  await Promise.all([site.close(), github.close()]);
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
  assert.match((await pinakes(['ls', id])).stdout, /^ID +NAME [\s\S]*^[0-9a-f-]{36} +Tides /m);
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
  assert.match(
    (await pinakes(['ls', once.stdout.trim()])).stdout,
    /^ID +PATH [\s\S]*^[0-9a-f-]{36} +docs\/tides\.md /m,
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

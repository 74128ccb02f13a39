/** `pinakes sync` against a real service. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { strToU8, zipSync } from 'fflate';
import { type LocalService, startLocalService } from '../../src/cli/operate/local-service.ts';
import type { SyncReport } from '../../src/cli/sync/report.ts';
import type { CompletionResult } from '../../src/client/api.ts';
import { openPinakes, type Pinakes, PinakesError } from '../../src/client/client.ts';
import { type CliResult, runPinakes, runPinakesHere } from '../support/cli.ts';
import { copyTemplate } from '../support/database.ts';

const temporary = mkdtempSync(join(tmpdir(), 'pinakes-sync-'));
const dataDir = join(temporary, 'data');
let service: LocalService;
let client: Pinakes;

before(async () => {
  await copyTemplate(dataDir);
  // A second parser process would cost half a second.
  process.env['PINAKES_PARSER_PROCESSES'] = '1';
  service = await startLocalService(dataDir);
  client = openPinakes({ url: service.url, apiKey: readFileSync(join(dataDir, 'admin.key'), 'utf8').trim() });
});
after(async () => {
  await service.stop();
  rmSync(temporary, { recursive: true });
});

const environment = () => ({ PINAKES_URL: service.url, PINAKES_DATA_DIR: dataDir });
const pinakes = (...args: string[]): Promise<CliResult> => runPinakesHere(args, environment());
const pinakesProcess = (...args: string[]): Promise<CliResult> => runPinakes(args, environment());

async function sync(...args: string[]): Promise<SyncReport> {
  const { code, stdout, stderr } = await pinakes('sync', '--json', ...args);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as SyncReport;
}

/** Returns the names of the files that contain this word. */
async function found(word: string): Promise<string[]> {
  const { results } = await client.search({ body: { query: word, limit: 100 } });
  return results.filter(({ content }) => content.split(/\W+/).includes(word)).map(({ name }) => name);
}

/** Runs `pinakes sync --watch` until it is stopped. `line` returns its next line, `errors` what it has printed to standard error. */
function watch(...args: string[]) {
  const bin = join(import.meta.dirname, '..', '..', 'src', 'cli', 'pinakes.ts');
  const child = spawn(process.execPath, [bin, 'sync', '--watch', ...args], {
    env: { ...process.env, ...environment() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const printed = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return {
    line: async () => (await printed.next()).value as string,
    errors: () => errors,
    stop: () => {
      child.kill();
      return ended;
    },
  };
}

function write(folder: string, path: string, text: string): void {
  const place = join(folder, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
}

const filesOf = ({ added, updated, moved, deleted, unchanged }: SyncReport) => ({
  added,
  updated,
  moved,
  deleted,
  unchanged,
});
const nothing = { added: [], updated: [], moved: [], deleted: [] };

test('sync applies exactly 10 edits, 5 deletions and 3 moves among 1,000 files, and no old text is found after the run', async () => {
  const folder = join(temporary, 'thousand');
  const pathOf = (i: number): string => `part ${i % 20}/page-${i}.txt`;
  const textOf = (i: number, state: string): string => `Lamp number ${i} of the coast is ${state}${i} by night.\n`;
  for (let i = 0; i < 1_000; i += 1) write(folder, pathOf(i), textOf(i, 'amberly'));
  const first = await sync(folder);
  assert.deepEqual([first.added.length, first.unchanged], [1_000, 0]);
  assert.deepEqual(await found('amberly7'), ['page-7.txt']);

  const edited = Array.from({ length: 10 }, (_, i) => 7 + 41 * i);
  const removed = [3, 203, 403, 603, 803];
  const moved = [11, 311, 611];
  for (const i of edited) write(folder, pathOf(i), textOf(i, 'verdigris'));
  for (const i of removed) rmSync(join(folder, pathOf(i)));
  mkdirSync(join(folder, 'moved'));
  for (const i of moved) renameSync(join(folder, pathOf(i)), join(folder, `moved/page-${i}.txt`));

  const sorted = (numbers: readonly number[]): string[] => numbers.map(pathOf).sort();
  const expected = {
    added: [],
    updated: sorted(edited),
    moved: moved.map((i) => ({ from: pathOf(i), to: `moved/page-${i}.txt` })),
    deleted: sorted(removed),
    unchanged: 1_000 - edited.length - removed.length - moved.length,
  };
  for (const options of [['--dry-run'], []]) {
    const { updated, deleted, ...report } = filesOf(await sync(folder, ...options));
    assert.deepEqual({ ...report, updated: updated.sort(), deleted: deleted.sort() }, expected);
  }

  for (const i of edited) {
    assert.deepEqual(await found(`amberly${i}`), []);
    assert.deepEqual(await found(`verdigris${i}`), [`page-${i}.txt`]);
  }
  for (const i of removed) assert.deepEqual(await found(`amberly${i}`), []);
  for (const i of moved) assert.deepEqual(await found(`amberly${i}`), [`page-${i}.txt`]);
  const asked = await pinakes('ask', `What is lamp number ${edited[0]} of the coast by night?`, '--json');
  const answer = JSON.parse(asked.stdout) as CompletionResult;
  assert.match(answer.choices[0]?.message.content ?? '', /verdigris7/);
  assert.doesNotMatch(asked.stdout, /amberly7\b/);
  assert.deepEqual(filesOf(await sync(folder)), { ...nothing, unchanged: 995 });
});

test('sync prints the changes as a table with paths below the folder', async () => {
  const folder = join(temporary, 'table');
  for (const name of ['same', 'edited', 'gone', 'old']) write(folder, `${name}.txt`, `This is the file ${name}.`);
  await sync(folder, '--name', 'shown');
  write(folder, 'edited.txt', 'This is another file.');
  write(folder, 'sub/new.txt', 'This is new.');
  rmSync(join(folder, 'gone.txt'));
  renameSync(join(folder, 'old.txt'), join(folder, 'sub', 'old.txt'));
  const { code, stdout } = await pinakesProcess('sync', folder, '--name', 'shown');
  assert.equal(code, 0);
  const lines = stdout.split('\n');
  assert.deepEqual(lines.slice(0, 4), [
    'added    sub/new.txt',
    'updated  edited.txt',
    'moved    old.txt -> sub/old.txt',
    'deleted  gone.txt',
  ]);
  assert.match(lines[4]!, /^1 added, 1 updated, 1 moved, 1 deleted, 1 unchanged \(group [0-9a-f-]{36}\)$/);
});

test('sync updates a group that ingest created, by its name or its id', async () => {
  const folder = join(temporary, 'ingested');
  write(folder, 'docs/a.txt', 'The quarry is called ostrander.');
  const ingested = await pinakes('ingest', '--wait', '--name', 'quarry', folder);
  const id = ingested.stdout.trim();
  const byName = await sync(folder, '--name', 'quarry');
  assert.deepEqual([byName.group_id, filesOf(byName)], [id, { ...nothing, unchanged: 1 }]);
  write(folder, 'docs/a.txt', 'The quarry is called pellworth.');
  assert.deepEqual((await sync(folder, '--group', id)).updated, ['docs/a.txt']);

  const unnamed = await pinakes('ingest', '--wait', join(folder, 'docs'));
  const doubled = await pinakes('sync', join(folder, 'docs'));
  assert.equal(doubled.code, 2);
  assert.match(doubled.stderr, new RegExp(`--group ${unnamed.stdout.trim()} to synchronize it`));
  const twin = await pinakes('ingest', '--wait', '--name', 'quarry', folder);
  const refused = await pinakes('sync', folder, '--name', 'quarry');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, new RegExp(`2 groups have the name "quarry": ${id}, ${twin.stdout.trim()}\\.`));
});

test('sync ends with 1 while an old version is served because the new one cannot be read', async () => {
  const folder = join(temporary, 'broken');
  write(folder, 'guide/manual.pdf', 'The mill is called rushmere.');
  await sync(folder);
  write(folder, 'guide/manual.pdf', '%PDF-1.4\nno PDF at all');
  const { code, stdout } = await pinakes('sync', folder);
  assert.equal(code, 1);
  assert.match(stdout, /^failed {3}guide\/manual\.pdf: .+$/m);
  assert.deepEqual(await found('rushmere'), ['manual.pdf']);
  const again = await pinakes('sync', folder);
  assert.equal(again.code, 1, 'search finds the old version');
  assert.match(
    again.stderr,
    /^1 unchanged file could not be read.*\n {2}guide\/manual\.pdf: Damaged PDF.*old version.*$/m,
  );
  write(folder, 'other.txt', 'Another file.');
  const later = await pinakes('sync', folder, '--json');
  assert.equal(later.code, 1, 'as long as the file is failed');
  const { group_id: id, failed, still_failed: still } = JSON.parse(later.stdout) as SyncReport;
  assert.deepEqual([failed, still.map(({ path }) => path)], [[], ['guide/manual.pdf']]);
  assert.match((await pinakes('ls', id!)).stdout, /manual\.pdf .* Damaged PDF/, 'a later run does not hide the reason');
  write(folder, 'guide/manual.pdf', 'The mill is called rushmere.');
  assert.deepEqual((await sync(folder)).still_failed, []);
});

test('sync ends with 1 once for a new file that can never be read, and names it later', async () => {
  const folder = join(temporary, 'films');
  write(folder, 'film.pdf', '%PDF-1.4\nno PDF at all');
  write(folder, 'empty.txt', '');
  const first = await pinakes('sync', folder);
  assert.equal(first.code, 1);
  assert.match(first.stdout, /^failed {3}film\.pdf: Damaged PDF.*\nskipped {2}1 empty file: empty\.txt$/m);
  for (const options of [[], ['--json']]) {
    const quiet = await pinakes('sync', folder, '--quiet', ...options);
    assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, '', '']);
  }
  const second = await pinakes('sync', folder);
  assert.equal(second.code, 0);
  assert.match(second.stdout, /^1 unchanged, 1 still failed \(/m);
  assert.match(second.stderr, /^ {2}film\.pdf: Damaged PDF/m);
});

test('sync --quiet prints the report of a call that failed, and the files that keep an old version', async () => {
  const folder = join(temporary, 'quiet');
  write(folder, 'manual.pdf', 'The mill is called tidbury.');
  const first = await pinakes('sync', folder, '--quiet');
  assert.deepEqual([first.code, first.stdout, first.stderr], [0, '', '']);
  write(folder, 'manual.pdf', '%PDF-1.4\nno PDF at all');
  const failed = await pinakes('sync', folder, '--quiet');
  assert.match(
    failed.stdout,
    /^updated {2}manual\.pdf\nfailed {3}manual\.pdf: Damaged PDF.*\n1 updated, 1 failed \(group/,
  );
  assert.deepEqual([failed.code, failed.stderr], [1, '']);
  write(folder, 'film.pdf', '%PDF-1.4\nno PDF at all');
  await pinakes('sync', folder, '--quiet');
  const later = await pinakes('sync', folder, '--quiet');
  assert.match(later.stderr, /^1 unchanged file could not be read.*\n {2}manual\.pdf: Damaged PDF.*old version.*\n$/);
  assert.equal(later.code, 1);
  const refused = await pinakes('sync', folder, '--quiet', '--dry-run');
  assert.deepEqual([refused.code, refused.stderr], [2, 'pinakes: Give --quiet or --dry-run, not both.\n']);
});

test('sync --watch --quiet prints the report of a call that failed once, and then changes that failed', async () => {
  const folder = join(temporary, 'quiet watch');
  write(folder, 'manual.pdf', 'The mill is called tidbury.');
  await sync(folder);
  write(folder, 'manual.pdf', '%PDF-1.4\nno PDF at all');
  await pinakes('sync', folder, '--quiet');
  const { line, errors, stop } = watch(folder, '--quiet');
  try {
    assert.match(await line(), /^1 unchanged, 1 still failed \(/);
    // The command does not say when it begins to watch.
    for (let i = 0; i === 0 || (await found('ulverton')).length === 0; i += 1) {
      write(folder, 'mill.txt', `The mill is called ulverton ${i}.`);
      await sleep(1_000);
    }
    write(folder, 'manual.pdf', '%PDF-1.4\nstill no PDF');
    assert.deepEqual([await line(), /^failed {3}manual\.pdf/.test(await line())], ['updated  manual.pdf', true]);
    assert.match(await line(), /^1 updated, 1 unchanged, 1 failed \(/);
  } finally {
    await stop();
  }
  assert.match(errors(), /^1 unchanged file could not be read.*\n {2}manual\.pdf: Damaged PDF.*\n$/);
});

test('search and ask refuse the id of a group that does not exist or is being deleted', async () => {
  const folder = join(temporary, 'gone');
  write(folder, 'a.txt', 'The weir is called ottery.');
  const { group_id: id } = await sync(folder);
  assert.match((await pinakes('search', 'ottery', '--group', id!)).stdout, /a\.txt/);
  const { key } = await client.issueApiKey({ body: { name: 'asks', scopes: ['inference:run'] } });
  const asked = ['ask', 'What is the weir called?', '--group', id!];
  const { stdout } = await runPinakesHere(asked, { ...environment(), PINAKES_API_KEY: key });
  assert.match(stdout, /ottery/, 'a key that reads no groups');
  await pinakes('rm', '--yes', id!);
  for (const command of ['search', 'ask'])
    for (const gone of [id!, '0198b0a4-0000-7000-8000-000000000000']) {
      const { code, stdout, stderr } = await pinakes(command, 'ottery', '--group', gone);
      const text = `pinakes: No source group that this key may see has the id ${gone}: see pinakes ls.\n`;
      assert.deepEqual([code, stdout, stderr], [2, '', text]);
    }
});

test('sync reads new versions that a canceled run left unread, even if nothing has changed', async () => {
  const folder = join(temporary, 'canceled');
  const names = Array.from({ length: 60 }, (_, i) => `f${i}.txt`);
  for (const name of names) write(folder, name, `${name}: the lock is called ashgrove.`);
  const { group_id: id } = await sync(folder);
  // A run that has ended before the request to cancel it is followed by another one.
  for (let round = 1, isCanceled = false; !isCanceled; round += 1) {
    const textOf = (name: string): string => `${name}: the lock is called belbroke in round ${round}.`;
    const body = new FormData();
    for (const name of names) {
      write(folder, name, textOf(name));
      body.append('paths', name);
    }
    for (const name of names) body.append('files', new File([textOf(name)], name));
    const { run_id: runId } = await client.changeLocalFiles({ params: { id: id! }, body });
    isCanceled = await cancel(runId!);
  }
  const report = await sync(folder);
  assert.deepEqual(filesOf(report), { ...nothing, unchanged: 60 });
  assert.deepEqual([(await found('ashgrove')).length, (await found('belbroke')).length], [0, 60]);
});

/** Returns false if the run has already ended. */
async function cancel(id: string): Promise<boolean> {
  try {
    await client.cancelRun({ params: { id } });
    return true;
  } catch (error) {
    if (error instanceof PinakesError && error.status === 409) return false;
    throw error;
  }
}

test('sync deletes all or most files of a group only with --yes', async () => {
  const folder = join(temporary, 'emptied');
  for (let i = 0; i < 30; i += 1) write(folder, `${i}.txt`, `The ferry number ${i} is called stanmore.`);
  const { group_id: group } = await sync(folder);
  for (let i = 0; i < 20; i += 1) rmSync(join(folder, `${i}.txt`));
  const most = await pinakes('sync', folder);
  assert.equal(most.code, 2);
  assert.match(
    most.stderr,
    /Most files of the group are not in .*: 20 of 30 files would be deleted\. Nothing was changed\./,
  );
  for (let i = 20; i < 30; i += 1) rmSync(join(folder, `${i}.txt`));
  const all = await pinakes('sync', folder);
  assert.equal(all.code, 2);
  assert.match(all.stderr, /There is no file in .*: 30 of 30 files would be deleted/);
  rmSync(folder, { recursive: true });
  const missing = await pinakes('sync', folder, '--yes', '--group', group!);
  assert.deepEqual([missing.code, /cannot be read/.test(missing.stderr)], [2, true]);
  assert.ok((await found('stanmore')).length > 0);
  mkdirSync(folder);
  assert.equal((await sync(folder, '--yes')).deleted.length, 30);
  assert.deepEqual(await found('stanmore'), []);
});

test('sync --dry-run prints what would be done and changes nothing', async () => {
  const folder = join(temporary, 'dry');
  write(folder, 'a.txt', 'The weir is called tolworth.');
  const { code, stdout } = await pinakes('sync', '-n', folder);
  assert.equal(code, 0);
  assert.equal(stdout, `added    a.txt\nWould be: 1 added (new group "${folder}")\n`);
  assert.deepEqual(await found('tolworth'), []);
});

test('contradictory options of sync and an unknown group are usage errors', async () => {
  const cases: [string[], RegExp][] = [
    [['--group', 'x', '--name', 'y'], /Give --group or --name, not both/],
    [['--watch', '--dry-run'], /Give --watch or --dry-run, not both/],
    [['--name', 'x'.repeat(201)], /at most 200 characters/],
    [['--group', '0198b0a4-0000-7000-8000-000000000000'], /There is no local file group 0198b0a4/],
  ];
  for (const [options, message] of cases) {
    const { code, stderr } = await pinakes('sync', temporary, ...options);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
});

test('two syncs at the same time lead to the same result as one', async () => {
  const folder = join(temporary, 'twice');
  for (let i = 0; i < 20; i += 1) write(folder, `${i}.txt`, `The sluice ${i} is called wexcombe.`);
  await sync(folder);
  for (let i = 0; i < 20; i += 2) write(folder, `${i}.txt`, `The sluice ${i} is called yatebury.`);
  rmSync(join(folder, '1.txt'));
  const both = await Promise.all([pinakesProcess('sync', folder), pinakesProcess('sync', folder)]);
  for (const { code, stderr } of both) assert.equal(code, 0, stderr);
  assert.deepEqual([(await found('wexcombe')).length, (await found('yatebury')).length], [9, 10]);
  assert.deepEqual(filesOf(await sync(folder)), { ...nothing, unchanged: 19 });
});

test('sync --watch applies changes until it is stopped', async () => {
  const folder = join(temporary, 'watched');
  write(folder, 'a.txt', 'The pier is called upwell.');
  const { line, errors, stop } = watch(folder, '--json');
  try {
    const next = async (): Promise<SyncReport> => JSON.parse(await line()) as SyncReport;
    assert.deepEqual(filesOf(await next()), { ...nothing, added: ['a.txt'], unchanged: 0 });
    while (!errors().includes('Watching')) await sleep(50);
    write(folder, 'a.txt', 'The pier is called viverton.');
    assert.deepEqual(filesOf(await next()), { ...nothing, updated: ['a.txt'], unchanged: 0 });
    assert.deepEqual(await found('viverton'), ['a.txt']);
    renameSync(join(folder, 'a.txt'), join(folder, 'b.txt'));
    assert.deepEqual((await next()).moved, [{ from: 'a.txt', to: 'b.txt' }]);
  } finally {
    await stop();
  }
});

test('files inside an archive are neither sent nor deleted, and one that failed is named with its archive', async () => {
  const folder = join(temporary, 'packed');
  const zip = zipSync({ 'torn.pdf': strToU8('%PDF-1.4\nno PDF'), 'docs/a.txt': strToU8('The dinghy.') });
  mkdirSync(join(folder, 'old'), { recursive: true });
  writeFileSync(join(folder, 'old/box.zip'), zip);
  const { code, stdout } = await pinakes('sync', '--json', folder);
  const first = JSON.parse(stdout) as SyncReport;
  assert.deepEqual(
    [code, first.added, first.failed.map(({ path }) => path)],
    [1, ['old/box.zip'], ['old/box.zip › torn.pdf']],
  );
  const again = await sync(folder);
  assert.deepEqual([filesOf(again), again.still_failed], [{ ...nothing, unchanged: 1 }, []]);
});

/** `pinakes query`, `pinakes show --original` and `pinakes connect page`, with a real service. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type LocalService, startLocalService } from '../../src/cli/operate/local-service.ts';
import type { Operations } from '../../src/client/api.ts';
import { type CliResult, runPinakesHere } from '../support/cli.ts';
import { copyTemplate } from '../support/database.ts';
import { eventually } from '../support/upload.ts';

const SALES = 'region,amount\nNorth,10\nSouth,20.5\nNorth,30\n';

const folder = mkdtempSync(join(tmpdir(), 'pinakes-cli-query-'));
const dataDir = join(folder, 'data');
let service: LocalService;

before(async () => {
  await copyTemplate(dataDir);
  process.env['PINAKES_PARSER_PROCESSES'] = '1';
  service = await startLocalService(dataDir);
  const file = join(folder, 'sales.csv');
  writeFileSync(file, SALES);
  assert.equal((await pinakes(['ingest', '--wait', file])).code, 0);
  await eventually(async () => (await pinakes(['query', 'select 1', '--table', 'sales'])).code === 0);
});
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const pinakes = (args: readonly string[]): Promise<CliResult> =>
  runPinakesHere(args, { PINAKES_URL: service.url, PINAKES_DATA_DIR: dataDir });

test('query prints the rows, and the places that hold them', async () => {
  const { code, stdout, stderr } = await pinakes(['query', 'select region, amount from sales where amount > 15']);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'region  amount\nSouth     20.5\nNorth       30\n\nFrom:\n  sales.csv, rows 2, 3\n');
  const summed = await pinakes(['query', 'select sum(amount) as total from sales', '--table', 'sales']);
  assert.equal(summed.stdout, 'total\n 60.5\n\nFrom:\n  sales.csv, rows 1, 2, 3\n');
});

test('query cuts the rows off at --limit and says so, and --json prints the answer', async () => {
  const { stdout, stderr } = await pinakes(['query', 'select * from sales', '--limit', '1', '--json']);
  const answer = JSON.parse(stdout) as Operations['queryTables']['response'];
  assert.deepEqual([answer.rows, answer.truncated, stderr], [[['North', 10]], true, '']);
  const printed = await pinakes(['query', 'select * from sales', '-n', '1']);
  assert.match(printed.stderr, /^Warning: Only the first 1 rows are returned\.\n$/);
});

test('tables lists as many tables as --limit says, newest first, and says that there are more', async () => {
  for (const name of ['older', 'newer']) {
    const file = join(folder, `${name}.csv`);
    writeFileSync(file, 'stock\n1\n');
    assert.equal((await pinakes(['ingest', '--wait', file])).code, 0);
    await eventually(async () => (await pinakes(['query', `select stock from ${name}`])).code === 0);
  }
  const names = async (...args: string[]) =>
    (JSON.parse((await pinakes(['tables', ...args, '--json'])).stdout) as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(await names('--limit', '1'), ['newer']);
  assert.deepEqual(await names('--all'), ['newer', 'older', 'sales']);
  const { stdout, stderr } = await pinakes(['tables', '-n', '2']);
  assert.match(stdout, /^ID +NAME +SQL NAME +FILE .*\n\S+ +newer +newer +newer\.csv +1 /);
  assert.match(stdout, /^ID +NAME .*\n\S+ +newer .*\n\S+ +older .*\n$/);
  assert.equal(stderr, '2 of 3 shown: --limit <n> or --all shows more.\n');
  assert.match(
    (await pinakes(['tables', 'show', 'newer'])).stdout,
    /^newer \(newer\): ready, version 1, 1 row\nFrom newer\.csv \(/,
  );
  assert.match(
    (await pinakes(['tables', 'show', 'newest'])).stderr,
    /There is no table "newest"\. pinakes tables lists them/,
  );
});

test('a name in SQL names one table, and the tables with one name are listed', async () => {
  const file = join(folder, 'twin.csv');
  writeFileSync(file, 'stock\n2\n');
  const add = async (sqlName: string) => {
    const { stdout } = await pinakes(['ingest', '--wait', file]);
    await eventually(async () => (await pinakes(['query', `select stock from ${sqlName}`])).code === 0);
    return stdout.trim();
  };
  const first = await add('twin');
  await add('twin_2');
  assert.equal((await pinakes(['rm', '--yes', first])).code, 0);
  await eventually(async () => (await pinakes(['query', 'select stock from twin'])).code !== 0);
  await add('twin');
  assert.match((await pinakes(['tables', 'show', 'twin'])).stdout, /^twin \(twin\): ready/);
  const { code, stderr } = await pinakes(['tables', 'show', 'TWIN']);
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^pinakes: 2 tables have the name "TWIN": .* [0-9a-f-]{36} \(twin_2\), [0-9a-f-]{36} \(twin\)\n/,
  );
});

test('every list fits a terminal of 60 columns, and has whole ids', async () => {
  const env = { PINAKES_URL: service.url, PINAKES_DATA_DIR: dataDir };
  for (const list of [['ls'], ['ls', 'sales.csv'], ['runs'], ['tables'], ['keys', 'list']]) {
    const { stdout } = await runPinakesHere(list, env, 60);
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    assert.ok(rows.length > 0, list.join(' '));
    for (const line of [head, ...rows]) assert.ok(line.length <= 60, line);
    for (const row of rows) assert.match(row, /^[0-9a-f-]{36} {2}\S/);
  }
  assert.match((await runPinakesHere(['tables'], env, 60)).stdout, /^ID +SQL NAME +STATUS\n\S+ +\S+ +ready\n/);
  assert.match((await runPinakesHere(['keys', 'usage'], env, 60)).stdout, /^NAME +TOKENS IN +TOKENS OUT\n\S+ +0 +0\n/);
});

test('tables add names what is wrong with an address, and waits for the table', async () => {
  assert.match((await pinakes(['tables', 'add', 'prices.csv'])).stderr, /an address that starts with http/);
  const { code, stdout, stderr } = await pinakes([
    'tables',
    'add',
    'http://127.0.0.1:1/prices.csv',
    '--wait',
    '--json',
  ]);
  const { name, error } = JSON.parse(stdout) as Operations['getTable']['response'];
  assert.deepEqual([code, name], [1, 'prices']);
  assert.match(`${error} ${stderr}`, /not allowed.*not allowed/s);
});

test('query names a wrong column with exit code 1, and an unknown table with exit code 2', async () => {
  const wrong = await pinakes(['query', 'select amunt from sales']);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^pinakes: .*no column amunt\. The nearest names are: amount.*\(HTTP 400\)\n$/);
  const none = await pinakes(['query', 'select 1', '--table', 'nothing']);
  assert.deepEqual([none.code, none.stderr], [2, 'pinakes: There is no table "nothing". pinakes tables lists them.\n']);
});

test('show saves the original of a file that could not be read, and replaces no file', async () => {
  const torn = join(folder, 'torn.pdf');
  writeFileSync(torn, '%PDF-1.4\nno PDF at all');
  const group = (await pinakes(['ingest', '--wait', torn])).stdout.trim();
  const [source] = JSON.parse((await pinakes(['ls', group, '--json'])).stdout);
  assert.equal(source.status, 'failed');
  const saved = join(folder, 'saved.pdf');
  assert.equal((await pinakes(['show', source.id, '--original', saved])).code, 0);
  assert.deepEqual(readFileSync(saved), readFileSync(torn));
  const again = await pinakes(['show', source.id, '--original', saved]);
  assert.match(`${again.code} ${again.stderr}`, /^1 .*saved\.pdf exists already/);
  const wrong = await pinakes(['show', group, '--original', join(folder, 'none')]);
  assert.match(`${wrong.code} ${wrong.stderr}`, /^2 .*--original is for sources/);
  assert.equal((await pinakes(['rm', '--yes', group])).code, 0);
});

test('search prints the part of a long chunk that has the words', async () => {
  const root = join(folder, 'ferry');
  mkdirSync(root);
  const words = Array.from({ length: 90 }, (_, i) => `mooring${i}`).join(' ');
  writeFileSync(join(root, 'ferry.md'), `# Ferry\n\n${words}. The gangplank is drawn at dusk. ${words}.\n`);
  const lines = Array.from({ length: 12 }, (_, i) => `    step_${i} = ${i}\n`).join('');
  writeFileSync(join(root, 'ferry.py'), `def cross():\n${lines}    lower_gangplank()\n    return step_1\n`);
  writeFileSync(join(root, 'quay.md'), `# Quay\n\n${words}. The capstan creaks.\n`);
  writeFileSync(join(root, 'quay.py'), `def moor():\n${lines}    return turn_capstan()\n`);
  assert.equal((await pinakes(['ingest', '--wait', root])).code, 0);
  const { stdout } = await pinakes(['search', 'gangplank']);
  assert.match(
    stdout,
    /ferry\.md:[\d-]+, Ferry .*\n.*\n {3}… mooring\d+ .* The gangplank is drawn at dusk\. mooring0 .*…\n/,
  );
  assert.match(
    stdout,
    /ferry\.py:1-15, .*\n.*\n {3}…\n {3}step_8 = 8\n(?:.*\n){3} {3}lower_gangplank\(\)\n {3}return step_1\n/,
  );
  const refused = await pinakes(['ask', 'Which gangplank did the astronauts Crippen and Young lower?']);
  assert.match(
    refused.stdout,
    /The nearest passages:\n.* {3}… mooring\d+ .* The gangplank is drawn at dusk\. mooring0 /s,
  );
  const atEnd = (await pinakes(['search', 'capstan'])).stdout;
  assert.match(atEnd, /quay\.md:[\d-]+, Quay .*\n.*\n {3}… mooring\d+ .{250,285} The capstan creaks\.\n/);
  assert.match(atEnd, /quay\.py:[\d-]+, .*\n.*\n {3}…\n {3}step_7 = 7\n(?:.*\n){4} {3}return turn_capstan\(\)\n/);
});

test('search says how to search by meaning if the user asks for it and there is no model', async () => {
  const both = await pinakes(['search', 'North', '--mode', 'hybrid']);
  assert.match(both.stderr, /^Found by words alone\..* pinakes models --help\.\n$/);
  assert.equal((await pinakes(['search', 'North'])).stderr, '');
  const meant = await pinakes(['search', 'North', '--mode', 'semantic']);
  assert.match(meant.stderr, /^pinakes: Mode: semantic search needs an embedding model, .*"pinakes models pull"/);
});

test('connect page calls the source group by the title in the address, unless it gets a name', async () => {
  const token = join(folder, 'token');
  writeFileSync(token, 'secret_of_ada\n');
  const id = '248104cd477e80fdb757e945d38000bd';
  const nameOf = async (...args: string[]): Promise<string> =>
    JSON.parse((await pinakes(['connect', 'page', ...args, '--secret-file', token, '--json'])).stdout).name;
  assert.equal(await nameOf(`https://www.notion.so/acme/Leave-policy-${id}?pvs=4`), 'Leave policy');
  assert.equal(await nameOf(`https://www.notion.so/acme/Leave-policy-${id}`, '--name', 'Leave'), 'Leave');
  assert.equal(await nameOf(id), id);
});

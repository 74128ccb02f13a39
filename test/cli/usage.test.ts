/** The help and the errors of the command line without any service. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { waitWithProgress } from '../../src/cli/ingest.ts';
import { openClient } from '../../src/cli/shared/client.ts';
import { CliError } from '../../src/cli/shared/io.ts';
import { runPinakes, runPinakesHere } from '../support/cli.ts';

const BIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'pinakes.ts');
const folder = mkdtempSync(join(tmpdir(), 'pinakes-usage-'));
after(() => rmSync(folder, { recursive: true }));

/** Nothing listens at this port: the system gives higher ports to servers. `fetch` refuses port 1. */
const UNUSED_PORT = 2;

/** Commands that run until they are stopped, and so print no answer. */
const SERVICE = ['serve', 'api', 'worker', 'mcp'];
/** Commands whose output is that of another program. */
const PASSED_ON = ['backup'];
const COMMANDS = [
  ...SERVICE,
  ...PASSED_ON,
  ...[
    'ingest',
    'ask',
    'search',
    'query',
    'ls',
    'show',
    'rm',
    'crawl',
    'connect',
    'runs',
    'tags',
    'tables',
    'models',
    'eval',
    'parse',
    'keys',
  ],
  ...['authz', 'tenants', 'console', 'doctor', 'migrate', 'rotate-master-key'],
];

test('ingest --wait says that the run goes on when the service cannot be reached any more', async (t) => {
  // The command waits for a restart by a clock that runs fast here.
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() * 300);
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void request.socket.destroy();
    request.resume().on('end', () => {
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ source_group_id: 'g1' }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const path = join(folder, 'note.txt');
  writeFileSync(path, 'A note.');
  const env = { PINAKES_URL: `http://127.0.0.1:${port}`, PINAKES_API_KEY: 'a-key-of-nobody' };
  const { code, stdout, stderr } = await runPinakesHere(['ingest', '--wait', path], env);
  const unfollowed = await runPinakesHere(['ingest', path], env);
  server.close();
  assert.deepEqual([unfollowed.code, unfollowed.stdout], [0, 'g1\n']);
  assert.match(unfollowed.stderr, /^Search finds the files when they have been read\. To see it: pinakes runs g1$/m);
  assert.doesNotMatch(stderr, /Search finds the files/);
  assert.deepEqual([code, stdout], [1, 'g1\n'], stderr);
  assert.match(stderr, /^The service does not answer\. Waiting up to 120 s/m);
  assert.match(stderr, /The run goes on when the service runs again\. To see it: pinakes runs g1\n$/);
});

test('ingest says that an upload may have arrived if the connection is lost before the answer', async () => {
  const server = createServer((request, response) => {
    if (request.method === 'POST') return void request.resume().on('end', () => request.socket.destroy());
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ local_file_groups: [] }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const path = join(folder, 'note.txt');
  writeFileSync(path, 'A note.');
  const of = (portNumber: number) =>
    runPinakesHere(['ingest', path], {
      PINAKES_URL: `http://127.0.0.1:${portNumber}`,
      PINAKES_API_KEY: 'a-key-of-nobody',
    });
  const lost = await of(port);
  server.close();
  assert.equal(lost.code, 1);
  assert.match(
    lost.stderr,
    /^pinakes: The request to \S+ failed: .+\. The upload may have arrived all the same: .*pinakes ls/m,
  );
  assert.doesNotMatch((await of(UNUSED_PORT)).stderr, /may have arrived/);
});

test('an address of another server is named, and https at a port that speaks http', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<p>Welcome.');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const of = (url: string) => runPinakesHere(['ls'], { PINAKES_URL: url, PINAKES_API_KEY: 'a-key-of-nobody' });
  const [page, https] = await Promise.all([of(`http://127.0.0.1:${port}`), of(`https://127.0.0.1:${port}`)]);
  server.close();
  assert.match(page.stderr, /^pinakes: \S+ answers with a web page\. PINAKES_URL must be .*\n$/);
  assert.match(https.stderr, /^pinakes: \S+ does not speak https\. PINAKES_URL must be .*\n$/);
});

test('search prints the time of each result, and --mode hybrid says that there is no embedding model, also if no result was found by meaning', async (t) => {
  let embedding: string | null = null;
  const scores = { lexical: 9, semantic: null, rerank: null };
  const hit = { id: 'c1', score: 0.5, scores, content: 'text', file_type: 'md', name: 'a.md', path: 'a.md' };
  const more = { url: null, content_time: Date.UTC(2026, 2, 5, 9, 30) / 1000 };
  const results = [{ ...hit, ...more, heading_path: [], pages: null, highlights: null, source_id: 's1' }];
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.method === 'GET' ? { models: { embedding } } : { results, warnings: [] }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const env = { PINAKES_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, PINAKES_API_KEY: 'a-key' };
  const said = async (...options: string[]) => (await runPinakesHere(['search', 'x', ...options], env)).stderr;
  const { stdout } = await runPinakesHere(['search', 'x'], env);
  assert.match(stdout, /^1\. a\.md {2}\(score 0\.500, 2026-03-05T09:30:00Z\)\n/);
  assert.match(await said('--mode', 'hybrid'), /^Found by words alone\. .* needs an embedding model/);
  assert.equal(await said(), '');
  embedding = 'local:small';
  assert.equal(await said('--mode', 'hybrid'), '');
});

test('an empty argument is a usage error of the command', async () => {
  for (const args of [
    ['search', ''],
    ['ask', ' '],
    ['rm', '--yes', 'a', ''],
  ]) {
    const { code, stderr } = await runPinakesHere(args, {});
    assert.deepEqual(
      [code, stderr],
      [2, `pinakes: An argument of pinakes ${args[0]} is empty. See pinakes ${args[0]} --help.\n`],
    );
  }
});

test('Ctrl-C while a command waits for a run says that the run goes on', async (t) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ source_group_id: 'g1', id: 'g1', status: 'started', runs: [], local_file_groups: [] }),
      );
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const path = join(folder, 'letter.txt');
  writeFileSync(path, 'A letter.');
  const child = spawn(process.execPath, [BIN, 'ingest', '--wait', path], {
    env: { PINAKES_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, PINAKES_API_KEY: 'a-key' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (!stderr.includes('Ingesting') && (stderr + text).includes('Ingesting')) child.kill('SIGINT');
    stderr += text;
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGINT', 'a script sees that the command was interrupted');
  assert.match(stderr, /\nThe run goes on in the service\. To see it: pinakes runs g1\n$/);
});

test('an output that cannot be written is one line of error', { skip: !existsSync('/dev/full') }, () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [BIN, '--help'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  assert.match(String(stderr), /^pinakes: The output cannot be written: ENOSPC[^\n]*\n$/);
  assert.equal(status, 1);
});

test('--version prints the version of the package', async () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  assert.deepEqual(await runPinakes(['--version']), { code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});

test('warnings that a part of Node.js is experimental are not shown, other warnings are', async () => {
  const warn = ['ExperimentalWarning', 'TestWarning'].map((name) => `process.emitWarning('about ${name}', '${name}')`);
  const script = `process.once('beforeExit', () => { ${warn.join(';')} })`;
  const env = { NODE_OPTIONS: `--import="data:text/javascript,${encodeURIComponent(script)}"` };
  const { code, stderr } = await runPinakes(['--version'], env);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /about TestWarning/);
  assert.doesNotMatch(stderr, /about ExperimentalWarning/);
});

test('the help lists every command, and every command has help', async () => {
  const { code, stdout } = await runPinakesHere(['--help']);
  assert.equal(code, 0);
  for (const name of COMMANDS) assert.match(stdout, new RegExp(`^ {2}${name} +\\S`, 'm'));
  const listed = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name!);
  for (const name of listed) {
    const help = await runPinakesHere([name, '--help']);
    assert.equal(help.code, 0, name);
    assert.match(help.stdout, new RegExp(`Usage: pinakes ${name}`));
    assert.match(
      help.stdout,
      new RegExp(`^ {2}\\S.*pinakes ${name}|^ {2}pinakes ${name}`, 'm'),
      `no example of ${name}`,
    );
    for (const line of help.stdout.split('\n')) assert.ok(line.length <= 140, `${name}: ${line}`);
    if (![...SERVICE, ...PASSED_ON].includes(name)) assert.match(help.stdout, /^ +--json /m, `${name} has no --json`);
  }
});

test('"help <command>" prints the same as "<command> --help"', async () => {
  assert.deepEqual(await runPinakesHere(['help', 'ask']), await runPinakesHere(['ask', '--help']));
});

test('usage errors end with exit code 2 and one line', async () => {
  assert.deepEqual(await runPinakes(['ask']), await runPinakesHere(['ask']), 'as the process says it');
  for (const args of [
    ['frobnicate'],
    ['help', 'frobnicate'],
    ['--frobnicate'],
    ['ask'],
    ['ask', 'a', 'b'],
    ['search', 'x', '--limit', '0'],
    ['query'],
    ['query', 'select 1', '--limit', '1001'],
    ['ingest', '/no/such/file'],
    ['eval', folder],
    ['ls', '--all', 'a', 'b'],
    ['ls', '--limit', 'many'],
    ['rm'],
    ['show', 'x', '--text', '--chunks'],
    ['crawl', 'x'],
    ['connect', 'wiki'],
    ['runs', 'errors'],
    ['tags', 'add', 'x'],
    ['tags', 'paint', 'x'],
    ['tables', 'show'],
    ['tables', 'paint', 'x'],
    ['models', 'pull'],
    ['models', 'pull', '../x'],
    ['models', 'push', 'x/y'],
  ]) {
    const { code, stdout, stderr } = await runPinakesHere(args);
    assert.equal(code, 2, args.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, /^pinakes: [^\n]+\n$/);
  }
});

test('a key that the service refuses is named by the place that has it', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { type: 'authentication_error', message: 'A valid API key is needed.' } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'admin.key'), 'pk_old');
  const inFile = await runPinakesHere(['ls'], { PINAKES_URL: url, PINAKES_DATA_DIR: folder });
  const said = (place: string) =>
    `pinakes: The service at ${url} refuses the API key in ${place}: it is wrong, expired or revoked. (HTTP 401)\n`;
  assert.deepEqual([inFile.code, inFile.stderr], [1, said(join(folder, 'admin.key'))]);
  const { stderr } = await runPinakesHere(['ls'], { PINAKES_URL: url, PINAKES_API_KEY: 'pk_wrong' });
  assert.equal(stderr, said('PINAKES_API_KEY'));
});

test('a command that finds no service says how to start one', async () => {
  const { code, stderr } = await runPinakes(['search', 'x'], {
    PINAKES_URL: `http://127.0.0.1:${UNUSED_PORT}`,
    PINAKES_API_KEY: 'pk_x',
  });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`No service answers at http://127.0.0.1:${UNUSED_PORT}.*pinakes serve`));
});

test('sync finds out that no service answers before it compares files', async () => {
  const { code, stderr } = await runPinakesHere(['sync', folder], {
    PINAKES_URL: `http://127.0.0.1:${UNUSED_PORT}`,
    PINAKES_API_KEY: 'pk_x',
  });
  assert.equal(code, 1);
  assert.match(stderr, /^pinakes: No service answers at [^\n]+\n$/);
});

test('the key of the local service is not sent to another machine', async () => {
  writeFileSync(join(folder, 'admin.key'), 'pk_secret\n');
  const { code, stderr } = await runPinakes(['search', 'x'], {
    PINAKES_URL: 'http://pinakes.invalid:7700',
    PINAKES_DATA_DIR: folder,
  });
  assert.equal(code, 1);
  assert.match(stderr, /PINAKES_API_KEY is not set/);
});

test('a wrong setting stops the start with a one-line error', async () => {
  const { code, stdout, stderr } = await runPinakes(['serve'], { PINAKES_DATA_DIR: folder, PINAKES_PORT: 'eighty' });
  assert.equal(code, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /^pinakes: PINAKES_PORT [^\n]*eighty[^\n]*PINAKES_PORT=7700\n$/);
});

test('serve names unknown settings, and names an unreachable database server without its password', async () => {
  const { code, stderr } = await runPinakes(['serve'], {
    PINAKES_DATA_DIR: folder,
    PINAKES_DATABASE_URL: `postgres://me:open-sesame@127.0.0.1:${UNUSED_PORT}/books`,
    PINAKES_LOG_LEVL: 'open-sesame',
  });
  assert.equal(code, 2);
  assert.match(
    stderr,
    /PINAKES_LOG_LEVL is not a setting of Pinakes and has no effect; did you mean PINAKES_LOG_LEVEL\?/,
  );
  assert.match(
    stderr,
    /^pinakes: PINAKES_DATABASE_URL names 127\.0\.0\.1:\d+, which cannot be reached \(ECONNREFUSED\)/m,
  );
  assert.ok(!stderr.includes('open-sesame'));
});

test('a data directory that cannot be created stops the start with a one-line error', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { code, stderr } = await runPinakes(['serve'], { PINAKES_DATA_DIR: join(file, 'data'), PINAKES_PORT: '0' });
  assert.equal(code, 2);
  assert.match(stderr, /^pinakes: PINAKES_DATA_DIR [^\n]*ENOTDIR[^\n]*PINAKES_DATA_DIR=\.\/\.pinakes\n$/);
});

test('a data directory in which no file can be created stops the start with a one-line error', {
  skip: process.platform !== 'linux' && 'there is no /proc',
  timeout: 30_000,
}, async () => {
  const { code, stderr } = await runPinakes(['serve'], { PINAKES_DATA_DIR: '/proc/x/y', PINAKES_PORT: '0' });
  assert.equal(code, 2);
  assert.match(stderr, /^pinakes: PINAKES_DATA_DIR [^\n]*ENOENT[^\n]*PINAKES_DATA_DIR=\.\/\.pinakes\n$/);
});

test('ingest refuses a name that is too long, and does not cut it', async () => {
  const file = join(folder, 'named.txt');
  writeFileSync(file, 'text');
  const env = { PINAKES_URL: `http://127.0.0.1:${UNUSED_PORT}`, PINAKES_API_KEY: 'pk_x' };
  const { code, stderr } = await runPinakes(['ingest', '--name', '😀'.repeat(201), file], env);
  assert.equal(code, 2);
  assert.match(stderr, /^(.*\n)?pinakes: The name of a source group may have at most 200 characters\.\n$/);
  const fits = await runPinakes(['ingest', '--name', '😀'.repeat(200), file], env);
  assert.match(fits.stderr, /No service answers/);
});

test('keys generate prints a key that PINAKES_BOOTSTRAP_KEY accepts', async () => {
  assert.match((await runPinakes(['keys', 'generate'])).stdout, /^pk_[0-9A-Za-z]{61}\n$/);
});

test('operator commands refuse a data directory without a database, and make nothing there', async () => {
  const dataDir = join(folder, 'elsewhere');
  const message =
    `pinakes: There is no database in ${dataDir}: set PINAKES_DATA_DIR to the data directory of the service. ` +
    '`pinakes serve` or `pinakes migrate` makes a new one.\n';
  const commands = [['rotate-master-key'], ['doctor'], ['tenants', 'list'], ['tenants', 'create', 'a'], ['console']];
  for (const args of commands) {
    const { code, stdout, stderr } = await runPinakesHere(args, { PINAKES_DATA_DIR: dataDir });
    assert.deepEqual([code, stdout, stderr], [2, '', message], args.join(' '));
  }
  assert.ok(!existsSync(dataDir));
  assert.equal((await runPinakesHere(['migrate'], { PINAKES_DATA_DIR: dataDir })).code, 0);
  const { code, stderr } = await runPinakesHere(['tenants', 'list'], { PINAKES_DATA_DIR: dataDir });
  assert.equal(code, 0, stderr);
});

test('when a run cannot be followed to its end, nothing is said any more on Ctrl-C', async () => {
  const said: string[] = [];
  const onInterrupt = (sentence: string) => {
    said.push(sentence);
    return () => void said.pop();
  };
  const client = openClient({ url: `http://127.0.0.1:${UNUSED_PORT}`, apiKey: 'none' });
  const io = { out() {}, err() {}, terminal: false, columns: 80, onInterrupt };
  const id = '00000000-0000-7000-8000-000000000000';
  await assert.rejects(waitWithProgress(client, [id], 1, io), CliError);
  assert.deepEqual(said, []);
});

test('a command that loses the service says how to see the runs of all its groups', async () => {
  const client = openClient({ url: `http://127.0.0.1:${UNUSED_PORT}`, apiKey: 'none' });
  const io = { out() {}, err() {}, terminal: false, columns: 80 };
  await assert.rejects(waitWithProgress(client, ['g1', 'g2'], 2, io), /To see it: pinakes runs$/);
});

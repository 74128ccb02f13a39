/** The command line with a real service, which the command line has started. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { CompletionResult, Operations } from '../../src/client/api.ts';
import { runPinakes } from '../support/cli.ts';
import { cliService } from '../support/cli-service.ts';

const { folder, dataDir, start, stop, startAgain, close, pinakes, pinakesProcess, file } = cliService('cli');

before(start);
after(close);

test('the first start writes a key that only its owner can read', () => {
  assert.equal(statSync(join(dataDir, 'admin.key')).mode & 0o777, 0o600);
  assert.equal(statSync(join(dataDir, 'admin.sock')).mode & 0o777, 0o600);
});

test('ingested files are found by search and cited by ask', async () => {
  const papers = join(folder, 'papers');
  mkdirSync(join(papers, 'node_modules'), { recursive: true });
  writeFileSync(
    join(papers, 'lighthouse.md'),
    '# Lighthouse\n\nThe lighthouse of Tidewick was lit for the first time in 1874.\n',
  );
  writeFileSync(join(papers, 'ropes.txt'), 'Ropes were made of hemp until the works closed in 1958.\n');
  writeFileSync(join(papers, 'node_modules', 'skipped.txt'), 'Nobody should find the word quartzite.\n');

  const ingested = await pinakesProcess(['ingest', '--wait', '--name', 'papers', papers]);
  assert.equal(ingested.code, 0, ingested.stderr);
  assert.match(ingested.stdout, /^[0-9a-f-]{36}\n$/);
  assert.match(ingested.stderr, /2 of 2 files, 0 failed/);
  const again = JSON.parse((await pinakes(['ingest', '--wait', '--json', join(papers, 'ropes.txt')])).stdout);
  assert.deepEqual([again[0].status, again[0].errors, again[0].run.files_done], ['success', [], 1]);
  assert.equal((await pinakes(['rm', '--yes', again[0].id])).code, 0);
  assert.doesNotMatch(ingested.stderr, /\r|\x1b/, 'a bar was drawn although this is no terminal');

  const found = await pinakesProcess(['search', 'hemp ropes', '--limit', '1']);
  assert.match(found.stdout, /^1\. ropes\.txt/);
  const { results } = JSON.parse(
    (await pinakes(['search', 'quartzite', '--json'])).stdout,
  ) as Operations['search']['response'];
  assert.deepEqual(results, []);

  const asked = await pinakesProcess(['ask', 'When was the lighthouse lit for the first time?']);
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /1874/);
  assert.match(asked.stdout, /\[1\] quoted from lighthouse\.md:\d, Lighthouse\n {6}".*1874.*"\n$/);
  const answer = JSON.parse(
    (await pinakes(['ask', 'When was the lighthouse lit?', '--json'])).stdout,
  ) as CompletionResult;
  assert.equal(answer.choices[0]?.citations[0]?.name, 'lighthouse.md');
  assert.match(asked.stderr, /Conversation [0-9a-f-]{36}/);
});

test('results and citations say which file they are from, and which group if there are several', async () => {
  const made = async (group: string, text: string): Promise<string> => {
    const root = join(folder, group);
    mkdirSync(join(root, 'lib'), { recursive: true });
    writeFileSync(join(root, 'lib', 'index.md'), `# Guide\n\n${text}\n`);
    return (await pinakes(['ingest', '--wait', root])).stdout.trim();
  };
  const one = await made('pumps', 'The sluice of the old mill opens at 12:00.');
  assert.match((await pinakes(['search', 'sluice'])).stdout, /^1\. lib\/index\.md:1-3, Guide {2}\(/);
  const two = await made('mills', 'The sluice of the new mill opens at 5:30, at dawn.');
  const { stdout } = await pinakes(['search', 'sluice']);
  assert.match(stdout, /^\d\. pumps: lib\/index\.md:1-3, Guide {2}\(/m);
  assert.match(stdout, /^\d\. mills: lib\/index\.md:1-3, Guide {2}\(/m);
  const asked = await pinakes(['ask', 'When does the sluice of the old mill open?']);
  assert.match(asked.stdout, /\[1\] quoted from (?:pumps: )?lib\/index\.md:3, Guide\n/);
  const [chunk] = JSON.parse((await pinakes(['search', 'sluice dawn', '--json'])).stdout).results;
  const shown = (await pinakes(['show', chunk.id])).stdout;
  assert.match(shown, /^place +lib\/index\.md:1-3, Guide$/m);
  assert.match(shown, new RegExp(`^source group +${two} mills$`, 'm'));
  assert.match((await pinakes(['show', chunk.source_id])).stdout, /^path +lib\/index\.md$/m);
  assert.equal((await pinakes(['rm', '--yes', one, two])).code, 0);
});

test('the first example of the README answers the question that it asks', async () => {
  const project = join(import.meta.dirname, '..', '..');
  const readme = readFileSync(join(project, 'README.md'), 'utf8');
  const [, question = '', answer = ''] = /"content": "([^"]+)"}]}'\n# "content":"([^"]+)"/.exec(readme) ?? [];
  assert.match(question, /\?$/);
  const guide = join(project, 'demo', 'visitor-guide.md');
  assert.ok(readme.includes('files=@demo/visitor-guide.md'));
  assert.equal((await pinakes(['ingest', '--wait', guide])).code, 0);
  const result = JSON.parse((await pinakes(['ask', question, '--json'])).stdout) as CompletionResult;
  assert.equal(result.choices[0]?.message.content, answer);
});

test('ingest --wait names a file that failed, and ends with exit code 1', async () => {
  const good = file('good.txt', 'This one is fine.');
  const bad = file('broken.pdf', '%PDF-1.4\nthis is no PDF file');
  const { code, stdout, stderr } = await pinakesProcess(['ingest', '-w', good, bad]);
  assert.equal(code, 1);
  assert.match(stdout, /^[0-9a-f-]{36}\n$/);
  assert.match(stderr, /^broken\.pdf: .+\[parse\]/m);
  assert.doesNotMatch(stderr, /^good\.txt/m);
});

test('a Python package with empty files is ingested with exit code 0, and what was left out is counted', async () => {
  const root = join(folder, 'package');
  mkdirSync(join(root, 'basket', '.cache'), { recursive: true });
  for (const name of ['__init__.py', 'py.typed']) writeFileSync(join(root, 'basket', name), '');
  writeFileSync(join(root, 'basket', 'weave.py'), 'def weave():\n    return 1\n');
  const { code, stdout, stderr } = await pinakes(['ingest', '--wait', root]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Left out: 2 empty files\.\nLeft out: 1 hidden: basket\/\.cache\/\.\n/);
  assert.match(stderr, /1 of 1 file, 0 failed/);
  await pinakes(['rm', '--yes', stdout.trim()]);
  const empty = await pinakes(['ingest', join(root, 'basket', 'py.typed')]);
  assert.deepEqual([empty.code, empty.stdout], [1, '']);
  assert.match(empty.stderr, /^Left out: 1 empty file\.\n.*There is no file to upload\./);
});

test('search prints ids that show accepts and lines of code, and search and ask filter by group, tag and type', async () => {
  const root = join(folder, 'looms');
  mkdirSync(root);
  const code = 'def shuttle(warp):\n    weft = warp + 1\n    return weft\n';
  writeFileSync(join(root, 'loom.py'), code);
  writeFileSync(join(root, 'loom.md'), '# Looms\n\nThe shuttle carries\nthe weft through the warp.\n');
  const id = (await pinakes(['ingest', '--wait', root])).stdout.trim();
  const { stdout } = await pinakes(['search', 'shuttle weft warp']);
  assert.match(
    stdout,
    /\. loom\.py:1-3, .*\n {3}[0-9a-f-]{36}\n {3}def shuttle\(warp\):\n {7}weft = warp \+ 1\n {7}return weft\n/,
  );
  assert.match(
    stdout,
    /\. loom\.md:1-4, Looms .*\n {3}[0-9a-f-]{36}\n {3}# Looms The shuttle carries the weft through the warp\.\n/,
  );
  const shown = await pinakes(['show', /[0-9a-f-]{36}/.exec(stdout)![0]]);
  assert.match(shown.stdout, /shuttle/);

  const placesOf = async (...options: string[]): Promise<(string | undefined)[]> =>
    [...(await pinakes(['search', 'shuttle', ...options])).stdout.matchAll(/^\d+\. ([\w.]+)/gm)].map(
      ([, file]) => file,
    );
  assert.deepEqual(await placesOf('--type', 'code'), ['loom.py']);
  assert.deepEqual((await placesOf('--type', 'code', '--type', 'md')).sort(), ['loom.md', 'loom.py']);
  await pinakes(['tags', 'create', 'weaving']);
  assert.equal((await pinakes(['tags', 'add', 'weaving', id])).code, 0);
  assert.equal((await placesOf('--tag', 'weaving')).length, 2);
  const other = join(folder, 'watermills');
  mkdirSync(other);
  writeFileSync(join(other, 'mill.md'), '# Mills\n\nA shuttle of a mill.\n');
  const mill = (await pinakes(['ingest', '--wait', other])).stdout.trim();
  assert.deepEqual(await placesOf('--group', 'watermills'), ['mill.md']);
  assert.deepEqual((await placesOf('--group', mill, '--group', 'looms')).sort(), ['looms', 'looms', 'watermills']);
  const asked = await pinakes(['ask', 'What carries the weft?', '--group', 'watermills']);
  assert.doesNotMatch(asked.stdout, /loom/);
  assert.match((await pinakes(['ask', 'What carries the weft?', '--group', 'looms'])).stdout, /loom\.md/);
  const refused = await pinakes(['ask', 'Which shuttle did the astronauts Crippen and Young fly?', '--group', 'looms']);
  assert.match(
    refused.stdout,
    /\n\nThe nearest passages:\n1\. loom\..*\n2\. loom\.md\S*, Looms .*\n {3}[0-9a-f-]{36}\n {3}# Looms/s,
  );
  assert.doesNotMatch(refused.stdout, /mill\.md/);
  const nowhere = await pinakes(['ask', 'What carries the weft?', '--group', 'knitting']);
  assert.deepEqual([nowhere.code, /"knitting" is neither an id nor the name/.test(nowhere.stderr)], [2, true]);
  await pinakes(['rm', '--yes', mill]);
  const unknown = await pinakes(['search', 'shuttle', '--tag', 'knitting']);
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, 'pinakes: There is no tag "knitting". pinakes tags lists them.\n'],
  );
  const citedBy = async (...options: string[]) => {
    const { stdout: text } = await pinakes(['ask', 'shuttle weft warp', '--tag', 'weaving', ...options]);
    return [...new Set([...text.matchAll(/quoted from (loom\.\w+)/g)].map(([, file]) => file))];
  };
  assert.deepEqual(await citedBy('--type', 'code'), ['loom.py']);
  assert.deepEqual(await citedBy('--type', 'md'), ['loom.md']);
  assert.equal((await pinakes(['ask', 'What carries the weft?', '--tag', 'knitting'])).code, 2);
  const wrong = await pinakes(['search', 'shuttle', '--type', 'python']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--type must be one of pdf, .*code, .*not "python"/);
  await pinakes(['rm', '--yes', id]);
});

test('eval ranks every entry of the corpus in a separate service, and calibrates only with vectors', async () => {
  const set = join(folder, 'set');
  mkdirSync(join(set, 'qrels'), { recursive: true });
  const lines = (...entries: object[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const corpus = lines(
    { _id: 'https://a.example/#1', title: 'Tides', text: 'The moon pulls the sea.' },
    { _id: 'b', title: '', text: 'Granite is a hard rock.' },
    { _id: 'c', text: 'Herring swim in shoals.' },
  );
  writeFileSync(join(set, 'corpus.jsonl'), corpus);
  writeFileSync(
    join(set, 'queries.jsonl'),
    lines(
      { _id: 'q1', text: 'tides and moon' },
      { _id: 'q2', text: 'lighthouse 1874' },
      { _id: 'q3', text: 'herring' },
    ),
  );
  writeFileSync(join(set, 'qrels', 'test.tsv'), 'query-id\tcorpus-id\tscore\nq1\thttps://a.example/#1\t1\nq2\tb\t1\n');

  const { code, stdout, stderr } = await runPinakes(['eval', set, '--json']);
  assert.equal(code, 0, stderr);
  const report = JSON.parse(stdout) as Record<string, number>;
  // q1 is found at rank 1. The words of q2 are only in the other service. q3 has no judgements.
  assert.deepEqual([report['files'], report['queries']], [3, 2]);
  assert.deepEqual([report['ndcg10'], report['recall100'], report['mrr10']], [0.5, 0.5, 0.5]);

  const uncalibrated = await pinakes(['eval', set, '--calibrate']);
  assert.equal(uncalibrated.code, 1);
  assert.match(uncalibrated.stderr, /embedding model/);
});

test('an operator command without the key of the admin socket says what to do', async () => {
  const file = join(dataDir, 'operator.key');
  const kept = readFileSync(file);
  rmSync(file);
  const without = await pinakes(['tenants', 'list']);
  assert.equal(without.code, 1);
  assert.match(without.stderr, /asks for its key, but .*operator\.key is missing\. A restart of the service writes it/);
  writeFileSync(file, 'of another service\n', { mode: 0o600 });
  assert.match((await pinakes(['tenants', 'list'])).stderr, /is not the key of this service/);
  writeFileSync(file, kept, { mode: 0o600 });
  assert.equal((await pinakes(['tenants', 'list'])).code, 0);
});

test('operator commands work while the service runs and while it does not', async () => {
  const created = await pinakesProcess(['tenants', 'create', 'acme']);
  const key = /^(pk_\w+)$/m.exec(created.stdout)?.[1] ?? '';
  const inAcme = await pinakes(['search', 'lighthouse', '--json'], { PINAKES_API_KEY: key });
  assert.deepEqual(
    (JSON.parse(inAcme.stdout) as Operations['search']['response']).results,
    [],
    'a tenant sees another one’s chunks',
  );
  assert.equal((await pinakes(['tenants', 'create', 'acme'])).code, 1);
  const quota = async (...options: string[]) => (await pinakes(['tenants', 'quota', 'acme', ...options])).stdout;
  assert.equal(await quota('--files', '5', '--bytes', '0'), 'bytes  0\nfiles  5\ngroups  default\n');
  assert.equal(await quota('--files', 'default'), 'bytes  0\nfiles  default\ngroups  default\n');
  assert.equal(await quota(), 'bytes  0\nfiles  default\ngroups  default\n');
  assert.equal((await pinakes(['tenants', 'quota', 'acme', '--files', 'many'])).code, 2);
  const doctor = await pinakesProcess(['doctor', '--check', '--hashes']);
  assert.equal(doctor.code, 0, doctor.stdout);
  assert.match(doctor.stdout, /^ok {4}stored files: the bytes of [1-9]\d* files are those of their hashes$/m);
  assert.match(doctor.stdout, /^ok {4}embedding model: .*\n {6}to add it: pinakes models pull/m);
  assert.equal((await pinakes(['doctor', '--hashes'])).code, 2);
  const link = await pinakes(['console', '--tenant', 'acme', '--url', 'https://pinakes.example/']);
  assert.match(link.stdout, /^https:\/\/pinakes\.example\/console\/#t=[\w-]{43}$/m);

  await stop();
  const names = async () => (await pinakes(['tenants', 'list'])).stdout.match(/\w+$/gm);
  assert.deepEqual(await names(), ['acme', 'default'], 'newest first');
  assert.equal((await pinakes(['tenants', 'delete', 'acme'])).code, 2, 'deleted without --yes');
  assert.equal((await pinakesProcess(['tenants', 'delete', 'acme', '--yes'])).code, 0);
  assert.deepEqual(await names(), ['default']);
  assert.match((await pinakesProcess(['migrate'])).stdout, /, 0 pending/);
  assert.deepEqual(JSON.parse((await pinakes(['migrate', '--json'])).stdout).pending, []);

  await startAgain();
  assert.match((await pinakes(['search', 'hemp'])).stdout, /ropes\.txt/, 'a restart lost a file');
});

test('a second service on the same data directory refuses to start', async () => {
  const { code, stderr } = await runPinakes(['serve'], { PINAKES_DATA_DIR: dataDir, PINAKES_PORT: '0' });
  assert.notEqual(code, 0);
  assert.match(stderr, /^pinakes: another Pinakes process uses [^\n]*\n$/);
});

test('a start that cannot succeed says so before it makes a database', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const newDir = join(tmpdir(), `pinakes-port-${port}`);
  t.after(() => rmSync(newDir, { recursive: true, force: true }));
  for (const [command, setting, value, problem] of [
    ['serve', 'PINAKES_PORT', String(port), 'is in use by another process'],
    ['serve', 'PINAKES_EMBEDDING_MODEL', 'local:unknown', 'names the model unknown, which is neither'],
    ['serve', 'PINAKES_CHAT_MODEL', 'anthropic:claude', 'is a model of anthropic'],
    ['migrate', 'PINAKES_EMBEDDING_MODEL', 'openai:ada', 'is a model of openai'],
    ['serve', 'PINAKES_BLOB_URL', 'file:///proc/x', '/proc/x cannot be used'],
  ] as const) {
    const env = { PINAKES_DATA_DIR: newDir, PINAKES_PORT: '0', [setting]: value };
    const { code, stderr } = await runPinakes([command], env);
    assert.equal(code, 2, stderr);
    assert.match(stderr, new RegExp(`^pinakes: [^\n]*${setting} [^\n]*${problem}[^\n]*\n$`));
    assert.ok(!existsSync(join(newDir, 'database')), setting);
  }
});

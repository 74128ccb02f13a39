/** `pinakes models` with a simulated hub: downloads, refusals, resumed downloads, and the use of the model by the service. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startLocalService } from '../../src/cli/operate/local-service.ts';
import { type CliResult, runPinakes, runPinakesHere } from '../support/cli.ts';
import { copyTemplate } from '../support/database.ts';
import { COMMIT, type FakeHub, openFakeHub, sha256 } from '../support/fakes/hub.ts';
import { writeTinyModel } from '../support/files/tiny-model.ts';

const NAME = 'acme/tiny-e5-small';
const MODEL_FILE = 'onnx/model.onnx';
const DIMENSIONS = 64;

let folder: string;
let dataDir: string;
let hub: FakeHub;
let files: Record<string, Buffer>;
let dataDirs = 0;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-models-'));
  hub = await openFakeHub();
  // Words with the same meaning have the same vector.
  const vector = (axis: number): number[] => new Array<number>(DIMENSIONS).fill(0).with(axis, 2);
  const words = { ferry: vector(1), boat: vector(1), vessel: vector(1), bread: vector(2), loaf: vector(2) };
  writeTinyModel(join(folder, 'tiny'), { words });
  const names = readdirSync(join(folder, 'tiny'), { recursive: true }) as string[];
  files = Object.fromEntries(
    names.filter((name) => /\.\w+$/.test(name)).map((name) => [name, readFileSync(join(folder, 'tiny', name))]),
  );
});
after(async () => {
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  hub.models.clear();
  hub.models.set(NAME, { files, license: 'mit', task: 'sentence-similarity', tags: ['sentence-transformers'] });
  hub.requests.length = 0;
  hub.cuts.clear();
  hub.beforeCut = async () => {};
  hub.wrong.clear();
  hub.ignoresRanges = false;
  dataDirs += 1;
  dataDir = join(folder, `data-${dataDirs}`);
});

function pinakes(
  args: readonly string[],
  env: Record<string, string> = {},
  run: (args: readonly string[], env: Record<string, string>) => Promise<CliResult> = runPinakesHere,
): Promise<CliResult> {
  const settings = { PINAKES_HUB_URL: hub.url, PINAKES_DATA_DIR: dataDir, PINAKES_OUTBOUND_ALLOW: 'localhost' };
  return run(['models', ...args], { ...settings, ...env });
}

/** Asserts that a pull ends with `code`, nothing on standard output, and a last line with the reason. */
async function refused(args: readonly string[], code: number, why: RegExp, env = {}): Promise<void> {
  const result = await pinakes(['pull', ...args], env);
  assert.deepEqual([result.code, result.stdout], [code, ''], result.stderr);
  assert.match(result.stderr, /(?:^|\n)pinakes: [^\n]+\n$/);
  assert.match(result.stderr, why);
}

const inModel = (path: string): string => join(dataDir, 'models', NAME, path);
const parts = (): string[] =>
  (readdirSync(join(dataDir, 'models'), { recursive: true }) as string[]).filter((path) => path.endsWith('.part'));

test('pull prints licence and size, downloads the model, and prints the setting with which the service searches by meaning', async () => {
  await copyTemplate(dataDir);
  const { code, stdout, stderr } = await pinakes(['pull', NAME], {}, runPinakes);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `PINAKES_EMBEDDING_MODEL=local:${NAME}\n`);
  assert.match(stderr, new RegExp(`^${NAME} at ${COMMIT.slice(0, 12)}, licence: mit\n`));
  assert.match(stderr, /onnx\/model\.onnx and 3 other files, \d+\.\d kB, to /);
  assert.match(
    stderr,
    /The model works: 64 dimensions\.\nPooling: mean\. Prefix of queries: "query: ", of passages: "passage: "\.\nStart /,
  );
  const notes = JSON.parse(readFileSync(inModel('pinakes.json'), 'utf8'));
  assert.deepEqual(notes, {
    ...{ model: NAME, revision: COMMIT, license: 'mit', file: MODEL_FILE, pooling: 'mean' },
    ...{ query_prefix: 'query: ', passage_prefix: 'passage: ' },
  });

  const listed = await pinakes(['list'], { PINAKES_EMBEDDING_MODEL: `local:${NAME}` });
  assert.match(listed.stdout, new RegExp(`^embedding   local:${NAME}$`, 'm'));
  assert.match(listed.stdout, new RegExp(`^local:${NAME} +\\d\\.\\d kB  mit +${MODEL_FILE}$`, 'm'));
  const { configured, models } = JSON.parse((await pinakes(['--json'])).stdout);
  assert.deepEqual([configured.embedding.model, models[0].name], ['none', NAME]);

  process.env['PINAKES_EMBEDDING_MODEL'] = `local:${NAME}`;
  const service = await startLocalService(dataDir);
  delete process.env['PINAKES_EMBEDDING_MODEL'];
  try {
    const env = { PINAKES_URL: service.url, PINAKES_DATA_DIR: dataDir };
    const paper = join(folder, 'paper.txt');
    writeFileSync(paper, 'vessel');
    assert.equal((await runPinakesHere(['ingest', '--wait', paper], env)).code, 0);
    for (let found = ''; !found.includes('vessel'); ) {
      found = (await runPinakesHere(['search', 'boat', '--mode', 'semantic'], env)).stdout;
    }
  } finally {
    await service.stop();
  }
});

test('an interrupted download is resumed where it stopped, in the same pull and in the next pull', async () => {
  const part = `${inModel(MODEL_FILE)}.${sha256(files[MODEL_FILE]!).slice(0, 12)}.part`;
  hub.cuts.set(MODEL_FILE, 500);
  hub.beforeCut = async () => {
    while (statSync(part, { throwIfNoEntry: false })?.size !== 500) await setImmediate();
  };
  const first = await pinakes(['pull', NAME, '--json']);
  assert.equal(first.code, 0, first.stderr);
  assert.ok(hub.requests.includes(`GET /large/${NAME}/${MODEL_FILE} bytes=500-`), hub.requests.join('\n'));
  assert.equal(sha256(readFileSync(inModel(MODEL_FILE))), sha256(files[MODEL_FILE]!));
  const { setting, license, dimensions } = JSON.parse(first.stdout);
  assert.deepEqual([setting, license, dimensions], [`local:${NAME}`, 'mit', DIMENSIONS]);

  rmSync(inModel(MODEL_FILE));
  writeFileSync(part, files[MODEL_FILE]!.subarray(0, 700));
  // A partial file of another revision is not resumed.
  writeFileSync(`${inModel(MODEL_FILE)}.0123456789ab.part`, 'other bytes');
  hub.requests.length = 0;
  assert.equal((await pinakes(['pull', NAME])).code, 0);
  const fetched = hub.requests.filter((request) => !request.includes('/api/'));
  assert.deepEqual(fetched, [
    `GET /${NAME}/resolve/${COMMIT}/${MODEL_FILE} bytes=700-`,
    `GET /large/${NAME}/${MODEL_FILE} bytes=700-`,
  ]);
  assert.equal(sha256(readFileSync(inModel(MODEL_FILE))), sha256(files[MODEL_FILE]!));
  assert.deepEqual(parts(), []);
  hub.requests.length = 0;
  const again = await pinakes(['pull', NAME]);
  assert.match(again.stderr, /all files were already there/);
  assert.equal(hub.requests.length, 1, 'what is there is not fetched again');
});

test('an interrupted download starts again if the hub does not support ranges', async () => {
  hub.ignoresRanges = true;
  hub.cuts.set(MODEL_FILE, 500);
  assert.equal((await pinakes(['pull', NAME])).code, 0);
  assert.equal(sha256(readFileSync(inModel(MODEL_FILE))), sha256(files[MODEL_FILE]!));
});

test('a downloaded file with a wrong hash is refused and removed', async () => {
  const wrong = Buffer.from(files[MODEL_FILE]!);
  wrong[100]! ^= 1;
  hub.wrong.set(MODEL_FILE, wrong);
  await refused([NAME], 1, /onnx\/model\.onnx does not have the hash that the hub announced/);
  assert.equal(existsSync(inModel(MODEL_FILE)), false);
  assert.deepEqual(parts(), []);
  hub.wrong.clear();
  hub.wrong.set('config.json', Buffer.from(files['config.json']!.toString().replace('512', '256')));
  rmSync(dataDir, { recursive: true });
  await refused([NAME], 1, /config\.json does not have the hash/);
  assert.equal(existsSync(inModel('config.json')), false);
});

test('a model with terms needs a token, which is sent to the hub only', async () => {
  hub.models.get(NAME)!.gated = true;
  await refused(
    [NAME],
    1,
    /has terms that must be accepted at 127\.0\.0\.1:\d+\/acme\/tiny-e5-small.*PINAKES_HUB_TOKEN/,
  );
  await refused([NAME], 1, /may not read it yet/, { PINAKES_HUB_TOKEN: 'hf_other' });
  assert.equal((await pinakes(['pull', NAME], { PINAKES_HUB_TOKEN: hub.token })).code, 0);
  assert.deepEqual(hub.leakedCredentials, []);
});

test('an unknown model and an unreachable hub are reported in one line', async () => {
  await refused(['acme/none'], 1, /127\.0\.0\.1:\d+ has no acme\/none of this revision, or it is private/);
  await refused(
    [NAME],
    1,
    /127\.0\.0\.1:9 could not be reached\. Set PINAKES_HUB_URL to a mirror .*local:<folder>\.$/m,
    { PINAKES_HUB_URL: 'http://127.0.0.1:9' },
  );
  await refused([NAME], 2, /PINAKES_HUB_URL/, { PINAKES_HUB_URL: 'hub.example.com' });
  await refused(['../tiny'], 2, /is not the name of a model/);
  await refused([NAME, '--revision', '../x'], 2, /is not the name of a revision/);
  hub.models.get(NAME)!.terse = true;
  await refused([NAME], 1, /tells no sizes and hashes/);
});

test('the hub may redirect only to hosts that are public or allowed', async () => {
  const why = /127\.0\.0\.1:\d+ redirects to localhost, which is not allowed.*PINAKES_OUTBOUND_ALLOW/;
  await refused([NAME], 1, why, { PINAKES_OUTBOUND_ALLOW: '' });
});

test('an entailment model is downloaded and tried, and the setting for it is printed', async () => {
  const source = join(folder, 'pair-source');
  writeTinyModel(source, { words: { shop: [0, 9], nine: [0, 9] }, labels: ['contradiction', 'entailment'] });
  const read = (path: string): Buffer => readFileSync(join(source, path));
  const pairFiles = Object.fromEntries(
    Object.keys(files)
      .filter((path) => existsSync(join(source, path)))
      .map((path) => [path, read(path)]),
  );
  hub.models.set('acme/tiny-nli', { files: pairFiles, task: 'zero-shot-classification' });
  const { code, stdout, stderr } = await pinakes(['pull', 'acme/tiny-nli']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^PINAKES_ENTAILMENT_MODEL=local:acme\/tiny-nli$/m);
  assert.match(stderr, /a sentence and itself are entailment/);
});

test('a model that fails its test after the download is listed with the reason, until a pull of it succeeds', async () => {
  hub.models.get(NAME)!.files = { ...files, [MODEL_FILE]: Buffer.alloc(2_000, 7) };
  await refused([NAME], 1, /was downloaded, but cannot be used: /);
  const { stdout } = await pinakes([]);
  assert.match(stdout, /^MODEL +SIZE +LICENCE +CANNOT BE USED +FILE$/m);
  const [listed] = JSON.parse((await pinakes(['--json'])).stdout).models;
  assert.ok(listed.notes.problem !== '' && stdout.includes(listed.notes.problem), stdout);
  hub.models.get(NAME)!.files = files;
  assert.equal((await pinakes(['pull', NAME])).code, 0);
  assert.doesNotMatch((await pinakes([])).stdout, /CANNOT BE USED/);
});

test('models that cannot run here are refused before any download', async () => {
  const { [MODEL_FILE]: onnx, ...others } = files;
  const refuse = async (model: object, why: RegExp, ...options: string[]): Promise<void> => {
    hub.models.set('acme/other', { files, ...model });
    await refused(['acme/other', ...options], 1, why);
  };
  await refuse({ task: 'text-ranking', tags: ['cross-encoder'] }, /is a rerank model.*PINAKES_RERANK_BASE_URL/);
  await refuse({ task: 'text-generation' }, /is a model for text-generation/);
  await refuse({ files: others }, /it has no ONNX file/);
  await refuse(
    { files: { ...others, 'onnx/model_q4f16.onnx': onnx! } },
    /give one with --file: onnx\/model_q4f16\.onnx/,
  );
  await refuse(
    {},
    /it has no ONNX file onnx\/model_fp16\.onnx; it has onnx\/model\.onnx/,
    '--file',
    'onnx/model_fp16.onnx',
  );
  await refuse({ files: { [MODEL_FILE]: onnx! } }, /it has no tokenizer\.json/);
  const outside = { ...others, '../../outside.onnx': onnx! };
  await refuse({ files: outside }, /it has no ONNX file/);
  assert.ok(hub.requests.every((request) => request.startsWith('GET /api/')));
});

test('pull says that it assumes the pooling when neither the files nor the name of the model say it', async () => {
  const assumed =
    /Pooling: mean\. Prefix of queries: none, of passages: none\.\nNeither .* pinakes\.json in that folder\.\n/;
  hub.models.set('acme/other', { files });
  assert.match((await pinakes(['pull', 'acme/other'])).stderr, assumed);
  const pooling = Buffer.from('{"pooling_mode_cls_token": true}');
  hub.models.set('acme/other', { files: { ...files, '1_Pooling/config.json': pooling } });
  const { stderr } = await pinakes(['pull', 'acme/other']);
  assert.match(stderr, /Pooling: cls\. Prefix of queries: none, of passages: none\.\nStart /);
});

test('--file selects another ONNX file of the model', async () => {
  const model = { ...files, 'onnx/model_quantized.onnx': files[MODEL_FILE]!, 'onnx/model_O3.onnx': files[MODEL_FILE]! };
  hub.models.set(NAME, { files: model });
  const file = async (...options: string[]): Promise<string> => {
    const { stdout, stderr } = await pinakes(['pull', NAME, '--json', ...options]);
    return stdout === '' ? stderr : JSON.parse(stdout).file;
  };
  assert.equal(await file('--quantized'), 'onnx/model_quantized.onnx');
  assert.equal(existsSync(inModel(MODEL_FILE)), false);
  assert.equal(await file(), MODEL_FILE);
  assert.equal(await file('--file', 'onnx/model_O3.onnx'), 'onnx/model_O3.onnx');
});

test('a refused pull does not delete earlier files in the directory of the model', async () => {
  mkdirSync(inModel('onnx'), { recursive: true });
  writeFileSync(inModel('tokenizer.json'), 'mine');
  hub.wrong.set('tokenizer.json', Buffer.from('{}'));
  await refused([NAME], 1, /does not have the hash|larger than|nothing/);
  assert.equal(readFileSync(inModel('tokenizer.json'), 'utf8'), 'mine');
});

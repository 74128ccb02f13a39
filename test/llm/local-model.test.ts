/** Tests local embedding models with a tiny model that the test writes, so that the expected vectors can be computed. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.ts';
import { openEmbedding, withQueryCache } from '../../src/llm/embedding/embedding.ts';
import { type LocalModels, type LocalSettings, openLocalModels } from '../../src/llm/embedding/local.ts';
import { readLocalModel } from '../../src/llm/local/model.ts';
import { unit } from '../../src/llm/local/pooling.ts';
import type { EmbeddingModel, EmbeddingUse } from '../../src/llm/models.ts';
import { ConfigError } from '../../src/util/settings/settings-reader.ts';
import { type TinyModel, writeTinyModel } from '../support/files/tiny-model.ts';

/** The first axis belongs to `[CLS]`. */
const words = {
  ferry: [0, 1, 0, 0],
  boat: [0, 1, 0, 0],
  bread: [0, 0, 2, 0],
  query: [0, 0, 0, 3],
  passage: [0, 0, 0, -3],
};
const never = new AbortController().signal;
const defaults = { queryPrefix: null, passagePrefix: null };

let folder: string;
let settings: LocalSettings;
let models: LocalModels;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-models-'));
  settings = { ...defaults, modelsDir: folder };
  models = openLocalModels(settings);
});
after(async () => {
  await models.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a model and returns its directory. */
function write(name: string, changes: Partial<TinyModel> = {}): string {
  const directory = join(folder, name);
  writeTinyModel(directory, { words, ...changes });
  return directory;
}

async function embed(directory: string, texts: string[], use: EmbeddingUse = 'passage', opened = models) {
  return (await opened.open(directory).embed(texts, use, never)).map((vector) => [...vector]);
}

/** Returns the mean of `[CLS]`, the words and `[SEP]`. */
function mean(...said: (keyof typeof words)[]): number[] {
  const sum = said.reduce((total, word) => total.map((value, i) => value + words[word][i]!), [1, 0, 0, 0]);
  return [...unit(Float32Array.from(sum))];
}

function close(found: readonly number[][], expected: readonly number[][]): void {
  assert.equal(found.length, expected.length);
  for (const [i, vector] of expected.entries()) {
    assert.equal(found[i]!.length, vector.length);
    const far = vector.some((value, k) => !(Math.abs(value - found[i]![k]!) <= 1e-6));
    assert.ok(!far, `text ${i}: ${found[i]} instead of ${vector}`);
  }
}

async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(
    () => assert.fail('no failure'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ServiceError, String(error));
  return error;
}

describe('the vector of a text from a local model', () => {
  test('is the mean of its tokens with length 1, with others of different lengths or alone', async () => {
    const directory = write('mean');
    const texts = ['Ferry', 'bread boat', '', 'ferry boat bread bread', 'unknown words'];
    const expected = [mean('ferry'), mean('bread', 'boat'), mean(), mean('ferry', 'boat', 'bread', 'bread'), mean()];
    close(await embed(directory, texts), expected);
    for (const [i, text] of texts.entries()) close(await embed(directory, [text]), [expected[i]!]);
  });
  test('is pooled as the files of the model say', async () => {
    const pooling = (mode: string) => ({ '1_Pooling/config.json': { [`pooling_mode_${mode}`]: true } });
    close(await embed(write('first', { files: pooling('cls_token') }), ['ferry bread']), [[1, 0, 0, 0]]);
    const max = unit(Float32Array.of(1, 1, 2, 0));
    close(await embed(write('max', { files: pooling('max_tokens') }), ['ferry bread']), [[...max]]);
    const modules = [
      { type: 'sentence_transformers.models.Transformer', path: '' },
      { type: 'sentence_transformers.models.Pooling', path: 'pool' },
    ];
    const elsewhere = { 'modules.json': modules, 'pool/config.json': { pooling_mode: 'cls' } };
    close(await embed(write('elsewhere', { files: elsewhere }), ['ferry']), [[1, 0, 0, 0]]);
  });
  test('is taken as it is from a model that pools by itself', async () => {
    const files = { 'modules.json': [{ type: 'sentence_transformers.models.Dense', path: '2_Dense' }] };
    close(await embed(write('whole', { poolsItself: true, files }), ['bread ferry']), [mean('bread', 'ferry')]);
  });
  test('is the mean of its parts when the model reads fewer tokens at once, each part with special tokens and prefix', async () => {
    const files = { 'sentence_bert_config.json': { max_seq_length: 6 } };
    const directory = write('short', { files });
    const joined = (...parts: number[][]) => [
      ...unit(Float32Array.from(parts[0]!, (_, i) => parts.reduce((sum, part) => sum + part[i]!, 0))),
    ];
    const long = 'ferry ferry ferry bread bread bread';
    close(await embed(directory, [long, 'bread']), [
      joined(mean('ferry', 'ferry', 'ferry'), mean('bread', 'bread', 'bread')),
      mean('bread'),
    ]);
    const own = openLocalModels({ ...settings, passagePrefix: 'boat ' });
    const parts = [mean('boat', 'ferry', 'ferry', 'ferry'), mean('boat', 'bread', 'bread', 'bread')];
    close(await embed(directory, [long], 'passage', own), [joined(...parts)]);
    await own.close();
    // The text ends with [SEP], which has a vector of zeros.
    const lastToken = { ...files, '1_Pooling/config.json': { pooling_mode_lasttoken: true } };
    close(await embed(write('short-last', { files: lastToken }), ['bread '.repeat(9)]), [[0, 0, 0, 0]]);
  });
  test('uses the first 2,048 tokens of a text', async () => {
    const directory = write('cut', { files: { 'sentence_bert_config.json': { max_seq_length: 64 } } });
    const most = 'ferry '.repeat(2_047);
    const [whole, cut, read] = await embed(directory, [`${most}ferry`, `${most}ferry bread`, `${most}bread`]);
    assert.deepEqual(cut, whole);
    assert.notDeepEqual(read, whole);
  });
});

describe('the prefixes of a local model', () => {
  test('are empty by default', async () => close(await embed(write('plain'), ['ferry'], 'query'), [mean('ferry')]));
  test('come from the family when its model card asks for them', async () => {
    const directory = write('multilingual-e5-small');
    close(await embed(directory, ['ferry'], 'query'), [mean('query', 'ferry')]);
    close(await embed(directory, ['ferry'], 'passage'), [mean('passage', 'ferry')]);
    const instructed = write('multilingual-e5-large-instruct');
    close(await embed(instructed, ['ferry'], 'query'), [mean('ferry')]);
  });
  test('come from the files of the model', async () => {
    const files = { 'config_sentence_transformers.json': { prompts: { query: 'query ', document: 'bread ' } } };
    const directory = write('prompted', { files });
    close(await embed(directory, ['ferry'], 'query'), [mean('query', 'ferry')]);
    close(await embed(directory, ['ferry'], 'passage'), [mean('bread', 'ferry')]);
  });
  test('are replaced by the settings', async () => {
    const own = openLocalModels({ ...settings, queryPrefix: 'bread ', passagePrefix: 'boat ' });
    const directory = join(folder, 'multilingual-e5-small');
    close(await embed(directory, ['ferry'], 'query', own), [mean('bread', 'ferry')]);
    close(await embed(directory, ['ferry'], 'passage', own), [mean('boat', 'ferry')]);
    await own.close();
  });
});

describe('the thread of a local model', () => {
  test('runs a query before earlier passages, and drops abandoned texts', async () => {
    const model = models.open(write('busy'));
    await model.embed(['ferry'], 'query', never);
    const done: string[] = [];
    const many = Array.from({ length: 200 }, () => 'ferry bread '.repeat(250));
    const leaving = new AbortController();
    const passages = model.embed(many, 'passage', never).then((vectors) => done.push(`${vectors.length} passages`));
    const left = assert.rejects(model.embed(many, 'passage', leaving.signal), /left/);
    const query = model.embed(['bread'], 'query', never).then(() => done.push('query'));
    leaving.abort(new Error('left'));
    await Promise.all([passages, query, left]);
    assert.deepEqual(done, ['query', '200 passages']);
    await assert.rejects(model.embed(['ferry'], 'query', AbortSignal.abort(new Error('gone'))), /gone/);
    assert.deepEqual(await model.embed([], 'passage', never), []);
  });
  test('ends by itself after the part that runs when it is closed', async () => {
    const own = openLocalModels(settings);
    const model = own.open(write('closed'));
    await model.embed(['ferry'], 'query', never);
    const many = Array.from({ length: 200 }, () => 'ferry bread '.repeat(250));
    const left = failure(model.embed(many, 'passage', never));
    await own.close();
    // A thread that is terminated has the exit code 1.
    assert.match((await left).message, /ended \(0\)/);
    await own.close();
  });
  test('reports a model that cannot be loaded, and tries to load it again', async () => {
    const directory = write('broken');
    writeFileSync(join(directory, 'onnx/model.onnx'), 'this is no model');
    const model = models.open(directory);
    assert.equal((await failure(model.embed(['ferry'], 'passage', never))).code, 'upstream_failed');
    write('broken');
    close([[...(await model.embed(['ferry'], 'passage', never))[0]!]], [mean('ferry')]);
  });
  test('returns the other vectors when one text has no finite vector, and refuses a model without any', async () => {
    const broken = words.ferry.map(() => Number.NaN);
    const some = write('breaks-on-some', { words: { ...words, storm: broken } });
    close(await embed(some, ['ferry', 'storm ferry', 'bread']), [mean('ferry'), [0, 0, 0, 0], mean('bread')]);
    const error = await failure(embed(write('breaks', { words: { ...words, text: broken } }), ['ferry']));
    assert.match(`${error.message} ${error.cause}`, /cannot be loaded.*not finite/);
  });
  test('names the inputs of a model that it does not know', async () => {
    const error = await failure(embed(write('strange', { input: 'pixel_values' }), ['ferry']));
    assert.match(String(error.cause), /pixel_values/);
    const files = { 'modules.json': [{ type: 'sentence_transformers.models.Dense', path: '2_Dense' }] };
    assert.match(String((await failure(embed(write('dense', { files }), ['ferry']))).cause), /layer Dense/);
  });
});

describe('the setting of a local model', () => {
  const refused = (setting: string, pattern: RegExp, opened = models): void => {
    assert.throws(
      () => opened.open(setting),
      (error) => error instanceof ConfigError && !error.message.includes('\n') && pattern.test(error.message),
    );
  };
  test('names a directory, a file in it, or a model by its name', async () => {
    const directory = write('owner/model');
    const expected = [mean('ferry')];
    for (const setting of [directory, join(directory, 'onnx/model.onnx'), 'owner/model']) {
      close(await embed(setting, ['ferry']), expected);
    }
  });
  test('stops the start with one line when it names nothing usable', () => {
    refused('/no/such/directory', /PINAKES_EMBEDDING_MODEL names \/no\/such\/directory, which is not there/);
    refused(
      'intfloat/e5',
      /neither in .*intfloat\/e5 nor in .*nothing is downloaded by itself \(pinakes models pull intfloat\/e5\)/,
    );
    refused(folder, /has no onnx\/model\.onnx/);
    writeFileSync(join(write('pytorch'), 'model.safetensors'), '');
    rmSync(join(folder, 'pytorch/onnx'), { recursive: true });
    refused('pytorch', /model\.safetensors is not ONNX \(optimum-cli export onnx --model /);
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:6fd5\nsize 90405214\n';
    writeFileSync(join(write('pointer'), 'onnx/model.onnx'), pointer);
    refused('pointer', /pointer\/onnx\/model\.onnx, which only points to the file \(git lfs pull/);
    rmSync(join(write('no-tokenizer'), 'tokenizer.json'));
    refused('no-tokenizer', /has no tokenizer\.json/);
    refused(write('bad-json', { files: { 'config.json': '{"pad_token_id": "x"}' } }), /config\.json cannot be read/);
  });
  test('stops the start with the command for missing packages', () => {
    const without = openLocalModels(settings, { 'no-such-package-here': '1.2.3' });
    refused('mean', /npm install no-such-package-here@1\.2\.3/, without);
    const substitutes = { 'no-such-package-here': 'onnxruntime-web' };
    const other = openLocalModels(settings, { 'no-such-package-here': '1.2.3' }, substitutes);
    assert.match(other.open(write('mean')).name, /^local:mean#/);
  });
});

describe('the recorded name of a local model', () => {
  const fingerprint = (directory: string, changes = {}) =>
    readLocalModel(directory, { ...defaults, ...changes }).fingerprint;
  test('changes when the vectors of passages change, and only then', () => {
    const directory = write('named');
    const own = fingerprint(directory);
    cpSync(directory, join(folder, 'copy'), { recursive: true });
    assert.equal(fingerprint(join(folder, 'copy')), own);
    assert.equal(fingerprint(directory, { queryPrefix: 'query: ' }), own);
    const others = [
      fingerprint(directory, { passagePrefix: 'passage: ' }),
      fingerprint(write('named', { words: { ...words, boat: [0, 1, 0, 1] } })),
      fingerprint(write('named', { files: { '1_Pooling/config.json': { pooling_mode_cls_token: true } } })),
      fingerprint(write('named', { files: { 'sentence_bert_config.json': { max_seq_length: 64 } } })),
    ];
    assert.equal(new Set([own, ...others]).size, 5);
  });
  test('stays the same when the directory is moved, and the model is found beside the configured one', async () => {
    const { name } = models.open(write('first-place/old'));
    mkdirSync(join(folder, 'second-place/owner'), { recursive: true });
    renameSync(join(folder, 'first-place/old'), join(folder, 'second-place/owner/old'));
    const moved = openLocalModels({ ...settings, modelsDir: join(folder, 'nowhere') });
    assert.throws(() => moved.named(name), /not there any more/);
    moved.open(write('second-place/other/new', { words: { ferry: [0, 0, 1] } }));
    assert.equal(moved.named(name).name, name);
    const [, digest] = name.split('#');
    assert.equal(moved.named(`local:/with/the/whole/path/old#${digest}`).name, name);
    const file = join(folder, 'second-place/owner/old/onnx/model.onnx');
    assert.equal(models.open(file).name, name);
    renameSync(file, file.replace('model.onnx', 'chosen.onnx'));
    const chosen = models.open(file.replace('model.onnx', 'chosen.onnx'));
    assert.notEqual(chosen.name, name);
    const later = openLocalModels({ ...settings, modelsDir: join(folder, 'second-place') });
    assert.equal(later.named(chosen.name).name, chosen.name);
    close([[...(await later.named(chosen.name).embed(['ferry'], 'query', never))[0]!]], [mean('ferry')]);
    await later.close();
  });
  test('finds the model of stored vectors while another model is configured', async () => {
    const { name } = models.open(write('older'));
    let asked = 0;
    const http = {
      operatorFetch: async () => {
        asked += 1;
        return new Response();
      },
    };
    const configured = {
      ...{
        model: `local:${write('newer', { words: { ferry: [0, 0, 1], bread: [0, 1, 0] } })}`,
        baseUrl: null,
        apiKey: null,
      },
      ...{ requestsMax: 1, dimensions: null, ...settings },
    };
    const embedding = openEmbedding(configured, http)!;
    assert.match(embedding.model.name, /^local:newer#[0-9a-f]{12}$/);
    close([[...(await embedding.embedQuery('t', name, 'ferry', never))]], [mean('ferry')]);
    assert.equal((await embedding.embedQuery('t', embedding.model.name, 'ferry', never)).length, 3);
    write('older', { words: { ...words, boat: [0, 9, 0, 0] } });
    const later = openEmbedding(configured, http)!;
    assert.equal((await failure(later.embedQuery('t', name, 'ferry', never))).code, 'upstream_failed');
    // Texts of tenants are never sent to an address that is not configured.
    assert.equal((await failure(later.embedQuery('t', 'gpt', 'ferry', never))).code, 'upstream_failed');
    assert.equal(asked, 0);
    await embedding.close();
    await later.close();
  });
});

test('a static model gets no special tokens and no unknown words', async () => {
  const directory = write('potion-tiny', { isStatic: true });
  close(await embed(directory, ['Ferry']), [[0, 1, 0, 0]]);
  close(await embed(directory, ['bread zebra ferry']), [[...unit(Float32Array.from([0, 1, 2, 0]))]]);
});

test('the notes of a pull take precedence over the model files, and settings take precedence over both', async () => {
  const prompts = { prompts: { query: 'bread ', passage: 'bread ' } };
  const notes = {
    ...{ model: 'acme/noted', revision: 'c', license: 'mit', file: 'onnx/other.onnx' },
    ...{ pooling: 'cls', query_prefix: 'query ', passage_prefix: 'passage ' },
  };
  const files = { 'config_sentence_transformers.json': prompts, 'pinakes.json': notes };
  const directory = write('noted', { files });
  renameSync(join(directory, 'onnx/model.onnx'), join(directory, 'onnx/other.onnx'));
  const { pooling, prefixes, modelFile } = readLocalModel(directory, defaults);
  assert.deepEqual([pooling, prefixes], ['cls', { query: 'query ', passage: 'passage ' }]);
  assert.equal(modelFile, join(directory, 'onnx/other.onnx'));
  assert.equal(readLocalModel(directory, { ...defaults, queryPrefix: 'ferry ' }).prefixes.query, 'ferry ');
  writeFileSync(join(directory, 'pinakes.json'), JSON.stringify({ ...notes, file: '../../etc/model.onnx' }));
  assert.throws(() => readLocalModel(directory, defaults), /whose pinakes\.json cannot be read/);
});

describe('the time of a query', {
  skip: process.platform === 'linux' ? false : 'processor time is known on Linux only',
}, () => {
  test('is processor time of the thread of the model, also while the model is loaded', async () => {
    const { processorMs, embed } = models.open(write('timed'));
    assert.equal(processorMs!(), 0);
    await embed(['ferry'], 'query', never);
    assert.ok(processorMs!()! > 0);
  });

  test('leaves out the time in which a local model gets no processor, but not the time of a service', async () => {
    const slow = (name: string): EmbeddingModel => ({
      name,
      embed: (_texts, _use, signal) => sleep(6_000, [Float32Array.of(1)], { signal }),
      ...(name === 'local' && { processorMs: () => 0 }),
    });
    const embedding = withQueryCache(slow, 'local');
    const [local, service] = await Promise.allSettled([
      embedding.embedQuery('a', 'local', 'ferry', never),
      embedding.embedQuery('b', 'service', 'ferry', never),
    ]);
    assert.equal(local.status, 'fulfilled');
    assert.equal((service as PromiseRejectedResult).reason.code, 'upstream_timeout');
  });
});

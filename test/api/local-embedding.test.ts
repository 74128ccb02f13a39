/** Hybrid search with an embedding model of this machine, in the real service: uploaded, embedded, found by meaning. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeTinyModel } from '../support/files/tiny-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { eventually, multipartBody } from '../support/upload.ts';

let folder: string;
let service: ServiceProcess;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-local-model-'));
  // Words of one meaning have one vector; the first axis is that of the token before each text.
  const words = { ferry: [0, 2, 0], boat: [0, 2, 0], vessel: [0, 2, 0], bread: [0, 0, 2], loaf: [0, 0, 2] };
  writeTinyModel(join(folder, 'models/tiny'), { words });
  service = await startServiceProcess({
    dataDir: folder,
    env: { PINAKES_EMBEDDING_MODEL: 'local:tiny', PINAKES_LOG_LEVEL: 'info' },
  });
});
after(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Maximum time to load a tiny model on a busy machine. */
const LOADED_MS = 60_000;

function ask(asked: ServiceProcess, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return asked.fetch('/search', { method: 'POST', headers, body: JSON.stringify(body) });
}

async function search(body: object) {
  const answer = await ask(service, body);
  assert.equal(answer.status, 200);
  return (await answer.json()) as {
    results: { content: string; scores: { lexical: number | null; semantic: number | null } }[];
    warnings: unknown[];
  };
}

test('the model is loaded at the start, before anybody needs it', async () => {
  await eventually(async () => service.errors().includes('a local model is loaded'), LOADED_MS);
});

test('an uploaded file is found by its meaning, with the similarity that the model computes', async () => {
  const texts = { 'a.txt': 'The vessel arrives.', 'b.txt': 'A loaf.', 'c.txt': 'The ferry timetable.' };
  const { headers, body } = multipartBody(Object.entries(texts).map(([name, content]) => ({ name, content })));
  const answer = await service.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
  assert.equal(answer.status, 201);
  const found = await eventually(async () => {
    const { results } = await search({ query: 'boat', mode: 'semantic' });
    return results.length === 3 && results;
  });
  assert.equal(found[2]!.content, 'A loaf.');
  // [CLS] boat [SEP] against [CLS] the vessel arrives . [SEP]: one direction, for unknown words have no vector.
  const similarity = new Map(found.map(({ content, scores }) => [content, scores.semantic!]));
  assert.ok(Math.abs(similarity.get('The vessel arrives.')! - 1) < 1e-3);
  assert.ok(Math.abs(similarity.get('The ferry timetable.')! - 1) < 1e-3);
  // The cosine of (1, 2, 0) and (1, 0, 2).
  assert.ok(Math.abs(similarity.get('A loaf.')! - 0.2) < 1e-3);

  const { results, warnings } = await search({ query: 'ferry' });
  assert.deepEqual(warnings, []);
  assert.equal(results[0]!.content, 'The ferry timetable.');
  const byMeaning = results.find(({ content }) => content === 'The vessel arrives.')!;
  assert.equal(byMeaning.scores.lexical, null);
  assert.ok(byMeaning.scores.semantic! > 0.99);
});

test('after a change of the model, the model of the old vectors is loaded too, because queries use it', async () => {
  await service.stop();
  writeTinyModel(join(folder, 'models/other'), { words: { ferry: [0, 1, 0, 0] } });
  const env = { PINAKES_EMBEDDING_MODEL: 'local:other', PINAKES_LOG_LEVEL: 'info' };
  service = await startServiceProcess({ dataDir: folder, key: service.key, env });
  for (const name of ['tiny', 'other']) {
    const line = new RegExp(`"model":"local:${name}#.*a local model is loaded`);
    await eventually(async () => line.test(service.errors()), LOADED_MS);
  }
});

test('a model that cannot be loaded is reported in one line for each attempt, and semantic search says so', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pinakes-broken-model-'));
  writeTinyModel(join(place, 'models/broken'), { words: { ferry: [0, 1] } });
  writeFileSync(join(place, 'models/broken/onnx/model.onnx'), 'this is no model');
  const broken = await startServiceProcess({ dataDir: place, env: { PINAKES_EMBEDDING_MODEL: 'local:broken' } });
  const lines = (pattern: RegExp): string[] =>
    broken
      .errors()
      .split('\n')
      .filter((line) => pattern.test(line));
  try {
    await eventually(async () => lines(/a local model does not work/).length === 1);
    const { headers, body } = multipartBody([{ name: 'a.txt', content: 'The ferry.' }]);
    await broken.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
    await eventually(async () => lines(/"kind":"embed-chunks"/).length > 0);
    const answer = await ask(broken, { query: 'ferry', mode: 'semantic' });
    assert.equal(answer.status, 502);
    assert.match(await answer.text(), /The embedding model cannot be loaded\./);
    const [attempts, told] = [lines(/"kind":"embed-chunks"/), lines(/parsing failed/i)];
    // The start, the search, and each attempt of the job.
    assert.equal(told.length, attempts.length + 2, broken.errors());
    for (const line of attempts) assert.doesNotMatch(line, /"stack"/);
  } finally {
    await broken.stop();
    rmSync(place, { recursive: true, force: true });
  }
});

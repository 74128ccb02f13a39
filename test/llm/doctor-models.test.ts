/** Doctor tries the configured models and says in plain words what is wrong. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openChatModel } from '../../src/answers/chat-model.ts';
import { loadConfig } from '../../src/config.ts';
import { examineModels } from '../../src/doctor.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Check } from '../../src/features/console/checks.ts';
import { openEmbedding } from '../../src/llm/embedding/embedding.ts';
import { inPlainWords } from '../../src/llm/plain-words.ts';
import { openRerankModel } from '../../src/llm/rerank.ts';
import { openHttpClient } from '../../src/net/http-client.ts';
import { openPresidio } from '../../src/redaction/presidio.ts';
import { type FakeChatWire, openFakeChatWire } from '../support/fakes/chat-wire.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../support/fakes/openai.ts';
import { openFakePresidio } from '../support/fakes/presidio.ts';
import { type FakeRerank, openFakeRerank } from '../support/fakes/rerank.ts';
import { writeTinyModel } from '../support/files/tiny-model.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-doctor-'));
const http = openHttpClient({ allow: [] });
let fake: FakeOpenAi;
let wire: FakeChatWire;
let rerank: FakeRerank;
before(async () => {
  [fake, wire, rerank] = await Promise.all([openFakeOpenAi(), openFakeChatWire(), openFakeRerank()]);
});
after(async () => {
  await Promise.all([http.close(), fake.close(), wire.close(), rerank.close()]);
  rmSync(dataDir, { recursive: true });
});

const IMPATIENT = { PINAKES_CHAT_FIRST_TOKEN_TIMEOUT_MS: '100' };

/** Returns what doctor says about the model of these settings. */
async function examined(name: string, env: Record<string, string>): Promise<Check> {
  const config = loadConfig({ PINAKES_DATA_DIR: dataDir, ...env });
  const embedding = openEmbedding(config.embedding, http);
  const models = {
    embedding,
    chatModel: openChatModel(config.chat, http),
    reranker: openRerankModel(config.rerank, http),
    analyzer: openPresidio(config.presidio, http),
  };
  const checks = await examineModels({ config, ...models, entailment: null });
  await embedding?.close();
  return checks.find((check) => check.name === name)!;
}

const chat = (baseUrl: string, more: Record<string, string> = {}): Promise<Check> =>
  examined('chat model', {
    PINAKES_CHAT_MODEL: 'openai-compatible:llama',
    PINAKES_CHAT_BASE_URL: baseUrl,
    PINAKES_CHAT_API_KEY: 'sk-secret',
    ...more,
  });

/** Starts a server that gives the same answer to every request. */
async function serving(answer: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Returns an address at which nothing listens. */
async function deadUrl(): Promise<string> {
  let url = '';
  await serving(
    () => {},
    async (address) => {
      url = address;
    },
  );
  return url;
}

test('doctor asks a working chat model for a few words', async () => {
  fake.respond({ deltas: ['OK'] });
  const { ok, detail } = await chat(fake.url);
  assert.match(detail, /^openai-compatible:llama answers in \d+ ms$/);
  assert.equal(ok, true);
  const { body } = fake.calls.at(-1)!;
  assert.ok(JSON.stringify(body).length < 500 && Number(body['max_tokens']) <= 16);
  assert.match((await examined('chat model', {})).detail, /extractive/);
});

test('doctor says which setting is wrong when the chat model fails', async () => {
  const says = async (url: string, pattern: RegExp, more?: Record<string, string>): Promise<void> => {
    const { ok, detail } = await chat(url, more);
    assert.match(detail, pattern);
    assert.equal(ok, false);
    assert.doesNotMatch(detail, /sk-secret/);
  };
  fake.respond({ status: 401, body: JSON.stringify({ error: { message: 'Incorrect API key: sk-secret' } }) });
  await says(fake.url, /the key is refused \(status 401\): check PINAKES_CHAT_API_KEY.*Incorrect API key: \[key\]/);
  fake.respond({ status: 404, body: JSON.stringify({ error: { message: "model 'llama' not found" } }) });
  await says(fake.url, /the model "llama" is not there \(status 404\): check PINAKES_CHAT_MODEL/);
  await says(`${fake.url}/chat`, /nothing of this kind at .* \(status 404\): check the path of PINAKES_CHAT_BASE_URL/);
  fake.respond({ status: 429 });
  await says(fake.url, /too many requests, or no credit left/);
  fake.respond({ status: 500 });
  await says(fake.url, /answers with status 500/);
  fake.respond({ stallAfter: [] });
  await says(fake.url, /no answer from .* in time/, IMPATIENT);
  await says(await deadUrl(), /nothing listens at http:\/\/127\.0\.0\.1/);
  await says('http://no-such-host.invalid/v1', /has no address: check PINAKES_CHAT_BASE_URL/);
  await says(fake.url.replace('http:', 'https:'), /no secure connection to https:.*certificate/);
  for (const body of ['<!doctype html><p>Welcome', '{"ok":true}']) {
    const page: RequestListener = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(body);
    await serving(page, (url) => says(url, /answers, but not as such a model does: check PINAKES_CHAT_BASE_URL/));
  }
});

test('doctor understands the error messages of other providers', async () => {
  const anthropic = { PINAKES_CHAT_MODEL: 'anthropic:claude-test' };
  wire.respond(() => ({ status: 401 }));
  assert.match((await chat(wire.anthropicUrl, anthropic)).detail, /the key is refused/);
  const google: RequestListener = (_request, response) => {
    const error = { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  };
  await serving(google, async (url) => {
    assert.match(
      (await chat(url, { PINAKES_CHAT_MODEL: 'google:gemini' })).detail,
      /the key is refused \(status 400\)/,
    );
  });
});

test('doctor tries the rerank model', async () => {
  const tried = (url: string, more = {}) =>
    examined('rerank model', { PINAKES_RERANK_MODEL: 'ranker', PINAKES_RERANK_BASE_URL: url, ...more });
  rerank.respond(() => 1);
  assert.match((await tried(rerank.url)).detail, /^ranker answers in \d+ ms$/);
  rerank.respond({ status: 403, body: 'no' });
  assert.match((await tried(rerank.url)).detail, /the key is refused \(status 403\): check PINAKES_RERANK_API_KEY/);
  rerank.respond({ status: 404, body: '{"message":"unknown model ranker"}' });
  assert.match((await tried(rerank.url)).detail, /the model "ranker" is not there/);
  rerank.respond({ json: { hello: 1 } });
  assert.match((await tried(rerank.url)).detail, /answers, but not as such a model does/);
  rerank.respond('never');
  assert.match((await tried(rerank.url, { PINAKES_RERANK_TIMEOUT_MS: '100' })).detail, /no answer from .* in time/);
  const { ok, detail } = await tried(await deadUrl());
  assert.match(detail, /nothing listens at/);
  assert.equal(ok, false);
});

test('doctor says why a local embedding model cannot be loaded', async () => {
  const directory = join(dataDir, 'models/broken');
  writeTinyModel(directory, { words: { text: [1, 1] } });
  writeFileSync(join(directory, 'onnx/model.onnx'), 'this is no model');
  const { ok, detail } = await examined('embedding model', { PINAKES_EMBEDDING_MODEL: 'local:broken' });
  assert.match(detail, /cannot be loaded; it says ".*protobuf/);
  assert.equal(ok, false);
  const slow = inPlainWords(new ServiceError('upstream_timeout', 'too slow'), {
    ...{ kind: 'EMBEDDING', model: 'local:broken', baseUrl: null },
  });
  assert.match(slow, /no answer of the model in time: a large model/);
});

test('doctor tries the analyzer of names', async () => {
  const presidio = await openFakePresidio({ David: 'PERSON' });
  const tried = (url: string, more = {}) => examined('analyzer of names', { PINAKES_PRESIDIO_URL: url, ...more });
  try {
    const { ok, detail } = await tried(presidio.url);
    assert.match(detail, /^http:.* answers in \d+ ms \(en\), finds person, location, organization, nrp$/);
    assert.equal(ok, true);
    presidio.respond({ json: {} });
    assert.match(
      (await tried(presidio.url)).detail,
      /answers, but not as such a model does: check PINAKES_PRESIDIO_URL/,
    );
    presidio.respond('never');
    const impatient = { PINAKES_PRESIDIO_TIMEOUT_MS: '100' };
    assert.match((await tried(presidio.url, impatient)).detail, /no answer from .* in time/);
    const unknown = await tried(presidio.url, { PINAKES_PRESIDIO_LANGUAGES: 'xx' });
    assert.match(unknown.detail, /answers with status 500/);
    assert.equal(unknown.ok, false);
    presidio.supported = ['EMAIL_ADDRESS'];
    assert.match((await tried(presidio.url)).detail, /finds no names: check PINAKES_PRESIDIO_LANGUAGES/);
    assert.match((await tried(await deadUrl())).detail, /nothing listens at/);
    assert.match((await examined('analyzer of names', {})).detail, /^none/);
  } finally {
    await presidio.close();
  }
});

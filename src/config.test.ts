import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { checkReplicaConfig, findUnknownSettings, loadConfig, RERANK_TIMEOUT_MS_DEFAULT } from './config.ts';
import { ConfigError } from './util/settings/settings-reader.ts';

function problemOf(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail(`accepted: ${JSON.stringify(env)}`);
}

describe('default settings', () => {
  test('are the defaults of the documentation', () => {
    const config = loadConfig({});
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.port, 7700);
    assert.equal(config.dataDir, resolve('.pinakes'));
    assert.equal(config.databaseUrl, null);
    assert.deepEqual(config.blobs, { directory: resolve('.pinakes/blobs') });
    assert.deepEqual(config.chat, {
      ...{ model: 'extractive', baseUrl: null, apiKey: null, contextTokens: 32_768 },
      ...{ firstTokenTimeoutMs: 60_000, timeoutMs: 300_000, requestsMax: 64, tokensPerDay: { key: 0, tenant: 0 } },
    });
    assert.equal(config.queryRewriting, 'model');
    assert.equal(config.embedding.model, 'none');
    assert.equal(config.rerank.model, 'none');
    assert.equal(config.authorization, false);
    assert.equal(config.webGrounding, false);
    assert.deepEqual(config.tools, { ocrLanguages: null, office: true, searchPath: '' });
    assert.equal(config.rateLimitPerMinute, 0);
    assert.equal(config.crashAt, null);
  });
  test('apply to an empty value', () => assert.equal(loadConfig({ PINAKES_PORT: '' }).port, 7700));
  test('are frozen', () => {
    const config = loadConfig({});
    assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
    assert.throws(() => Object.assign(config.chat, { model: 'x' }), TypeError);
  });
});

describe('settings', () => {
  test('are read from environment variables', () => {
    const config = loadConfig({
      PINAKES_PORT: '0',
      PINAKES_DATA_DIR: '/srv/p',
      PINAKES_BLOB_URL: 'file:///srv/blobs%20here',
      PINAKES_CHAT_MODEL: 'openai-compatible:llama3.1:8b',
      PINAKES_CHAT_BASE_URL: 'http://127.0.0.1:11434/v1/',
      PINAKES_OUTBOUND_ALLOW: 'Wiki.Example.Internal, 10.1.0.0/16,fd00::/8',
    });
    assert.equal(config.port, 0);
    assert.deepEqual(config.blobs, { directory: '/srv/blobs here' });
    assert.equal(config.chat.model, 'openai-compatible:llama3.1:8b');
    assert.equal(config.chat.baseUrl, 'http://127.0.0.1:11434/v1');
    assert.deepEqual(config.outboundAllow, ['wiki.example.internal', '10.1.0.0/16', 'fd00::/8']);
  });
  test('have a crash point in tests only', () => {
    assert.equal(loadConfig({ PINAKES_CRASH_AT: 'x' }).crashAt, null);
    assert.equal(loadConfig({ PINAKES_CRASH_AT: 'x', NODE_ENV: 'test' }).crashAt, 'x');
  });
});

const WRONG: [string, string][] = [
  ['PINAKES_PORT', 'http'],
  ['PINAKES_PORT', '65536'],
  ['PINAKES_PORT', '-1'],
  ['PINAKES_PORT', '7700.5'],
  ['PINAKES_DATABASE_URL', 'mysql://db/x'],
  ['PINAKES_DATABASE_URL', 'db.example.com'],
  ['PINAKES_BLOB_URL', '/srv/blobs'],
  ['PINAKES_BLOB_URL', 'file://srv/blobs'],
  ['PINAKES_BLOB_URL', 's3://bucket/prefix'],
  ['PINAKES_CHAT_MODEL', 'gpt-5'],
  ['PINAKES_CHAT_MODEL', 'openai:'],
  ['PINAKES_CHAT_MODEL', 'mistral:small'],
  ['PINAKES_CHAT_BASE_URL', 'localhost:11434'],
  ['PINAKES_CHAT_CONTEXT_TOKENS', '12'],
  ['PINAKES_EMBEDDING_MODEL', 'bge-m3'],
  ['PINAKES_AUTHORIZATION', 'yes'],
  ['PINAKES_EMBEDDING_QUERY_PREFIX', 'query: '],
  ['PINAKES_EMBEDDING_REQUESTS', '0'],
  ['PINAKES_EMBEDDING_DIMENSIONS', '4001'],
  ['PINAKES_WEB_GROUNDING', 'true'],
  ['PINAKES_WEB_GROUNDING', 'on'],
  ['PINAKES_HISTORY_ON_DELETE', 'erase'],
  ['PINAKES_LOG_LEVEL', 'verbose'],
  ['PINAKES_BOOTSTRAP_KEY', 'secret'],
  ['PINAKES_MASTER_KEY', 'k'],
  ['PINAKES_MASTER_KEY_PREVIOUS', 'ab'.repeat(31)],
  ['PINAKES_OUTBOUND_ALLOW', 'http://wiki'],
  ['PINAKES_OUTBOUND_ALLOW', '10.0.0.0/33'],
  ['PINAKES_TRUSTED_PROXIES', 'proxy.example.internal'],
  ['PINAKES_TRUSTED_PROXIES', '10'],
  ['PINAKES_TRUSTED_PROXIES', '::/0'],
  ['PINAKES_RATE_LIMIT_PER_MINUTE', '-5'],
  ['PINAKES_PARSER_PROCESSES', '0'],
  ['PINAKES_TABLES', 'maybe'],
  ['PINAKES_TABLE_PROCESSES', '0'],
  ['PINAKES_TABLE_MEMORY_MIB', '16'],
  ['PINAKES_OCR', 'on'],
  ['PINAKES_OCR_LANGUAGES', 'eng,deu'],
  ['PINAKES_OCR_LANGUAGES', '--psm'],
  ['PINAKES_LIBREOFFICE', '/usr/bin/soffice'],
  ['PINAKES_SANDBOX', 'on'],
];

describe('a wrong setting is one line with the variable, the problem and an example', () => {
  for (const [name, value] of WRONG) {
    test(`${name}=${value}`, () => {
      const message = problemOf({ [name]: value });
      assert.ok(message.startsWith(`${name} `), message);
      assert.match(message, new RegExp(`; for example ${name}=.`), message);
      assert.ok(!message.includes('\n'));
    });
  }
  test('an openai-compatible model without an address is an error', () => {
    assert.match(problemOf({ PINAKES_CHAT_MODEL: 'openai-compatible:x' }), /^PINAKES_CHAT_BASE_URL /);
    assert.match(problemOf({ PINAKES_RERANK_MODEL: 'x' }), /^PINAKES_RERANK_BASE_URL /);
    assert.deepEqual(loadConfig({ PINAKES_FUSION: 'rrf', PINAKES_FUSION_WEIGHT: '.25' }).fusion, {
      method: 'rrf',
      weight: 0.25,
    });
    for (const weight of ['-0.1', '1.5', '50%', '1e-3', '0,5']) {
      assert.match(problemOf({ PINAKES_FUSION_WEIGHT: weight }), /^PINAKES_FUSION_WEIGHT must be a number from 0 to 1/);
    }
    const reranker = { PINAKES_RERANK_MODEL: 'x', PINAKES_RERANK_BASE_URL: 'http://127.0.0.1:1' };
    assert.equal(loadConfig(reranker).rerank.timeoutMs, RERANK_TIMEOUT_MS_DEFAULT);
    assert.match(problemOf({ ...reranker, PINAKES_RERANK_TIMEOUT_MS: '0' }), /^PINAKES_RERANK_TIMEOUT_MS /);
  });
  test('wrong settings of the analyzer of names are errors', () => {
    const url = { PINAKES_PRESIDIO_URL: 'http://presidio:3000/' };
    const read = loadConfig({ ...url, PINAKES_PRESIDIO_LANGUAGES: 'en,de', PINAKES_PRESIDIO_SCORE: '0.5' }).presidio;
    assert.deepEqual(read, { url: 'http://presidio:3000', languages: ['en', 'de'], scoreMin: 0.5, timeoutMs: 10_000 });
    assert.equal(loadConfig({}).presidio.url, null);
    assert.match(problemOf({ PINAKES_PRESIDIO_URL: 'presidio:3000' }), /^PINAKES_PRESIDIO_URL /);
    assert.match(problemOf({ ...url, PINAKES_PRESIDIO_LANGUAGES: 'en, German' }), /^PINAKES_PRESIDIO_LANGUAGES /);
    assert.match(problemOf({ ...url, PINAKES_PRESIDIO_SCORE: '2' }), /^PINAKES_PRESIDIO_SCORE /);
    assert.match(problemOf({ ...url, PINAKES_PRESIDIO_TIMEOUT_MS: '0' }), /^PINAKES_PRESIDIO_TIMEOUT_MS /);
  });
  test('an error does not contain passwords', () => {
    assert.ok(!problemOf({ PINAKES_DATABASE_URL: 'mysql://u:hunter2@db/x' }).includes('hunter2'));
    assert.ok(!problemOf({ PINAKES_BOOTSTRAP_KEY: 'hunter2' }).includes('hunter2'));
  });
  test('replicas without shared database, master key or blob store are errors', () => {
    const shared = {
      PINAKES_DATABASE_URL: 'postgres://u:p@db/x',
      PINAKES_MASTER_KEY: 'ab'.repeat(32),
      PINAKES_BLOB_URL: 'file:///srv/blobs',
    };
    checkReplicaConfig(loadConfig(shared), shared);
    for (const name of Object.keys(shared)) {
      const env = { ...shared, [name]: '' };
      assert.throws(() => checkReplicaConfig(loadConfig(env), env), new RegExp(`^ConfigError: ${name} `));
    }
  });
});

describe('pauses of crawls', () => {
  test('have a default and a minimum', () => {
    assert.deepEqual(loadConfig({}).crawl, { delayMs: 250, delayMinMs: 50 });
    const set = { PINAKES_CRAWL_DELAY_MS: '1000', PINAKES_CRAWL_DELAY_MIN_MS: '500' };
    assert.deepEqual(loadConfig(set).crawl, { delayMs: 1000, delayMinMs: 500 });
  });
  test('must not have a minimum above the default', () => {
    assert.match(problemOf({ PINAKES_CRAWL_DELAY_MIN_MS: '300' }), /^PINAKES_CRAWL_DELAY_MIN_MS is more than/);
    assert.match(problemOf({ PINAKES_CRAWL_DELAY_MS: '60001' }), /whole number from 0 to 60000/);
  });
});

describe('unknown settings', () => {
  test('are found, with the most similar setting', () => {
    assert.deepEqual(findUnknownSettings({ PINAKES_EMBEDING_MODEL: 'x', PINAKES_PORT: '1', NODE_ENV: 'production' }), [
      { name: 'PINAKES_EMBEDING_MODEL', nearest: 'PINAKES_EMBEDDING_MODEL' },
    ]);
  });

  test('do not include any setting of the documentation', () => {
    const text = ['configuration.md', 'cli.md', 'operations.md', 'connectors.md', 'quickstart.md']
      .map((file) => readFileSync(join(import.meta.dirname, '../docs', file), 'utf8'))
      .join('\n');
    const named = [...new Set(text.match(/\bPINAKES_[A-Z0-9_]*[A-Z0-9]\b/g))];
    assert.ok(named.length > 40);
    assert.deepEqual(findUnknownSettings(Object.fromEntries(named.map((name) => [name, '']))), []);
  });
});

/**
 * Reads the settings from environment variables into a frozen Config. Only `environment()` below reads `process.env`.
 *
 * An invalid setting throws a `ConfigError`. Its message is one line: the variable, what is wrong with it, and an example.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DoorSettings, readDoorSettings } from './util/settings/door-settings.ts';
import { type LimitSettings, readLimitSettings } from './util/settings/limit-settings.ts';
import { readOutboundAllow, readTrustedProxies } from './util/settings/network-settings.ts';
import { ConfigError, type Environment, SettingsReader } from './util/settings/settings-reader.ts';
import { readTableSettings, type TableSettings } from './util/settings/table-settings.ts';
import { findUnknown, type UnknownSetting } from './util/settings/unknown-settings.ts';

const CHAT_CONTEXT_TOKENS_DEFAULT = 32_768;
export const PORT_DEFAULT = 7700;
const PORT_MAX = 65_535;
const PARSER_PROCESSES_MAX = 64;
const WORKER_CONCURRENCY_MAX = 64;
export const RERANK_TIMEOUT_MS_DEFAULT = 3_000;
const RERANK_TIMEOUT_MS_MAX = 60_000;
const PRESIDIO_TIMEOUT_MS_MAX = 60_000;
/** Presidio scores most names with 0.85, and names from less reliable recognizers lower. */
const PRESIDIO_SCORE_DEFAULT = 0.3;
const PRESIDIO_LANGUAGES_PATTERN = /^[a-z]{2,3}(?:,[a-z]{2,3}){0,7}$/;
const CHAT_TIMEOUT_MS_MAX = 3_600_000;
const TOKENS_PER_DAY_MAX = 9_999_999_999;
const EMBEDDING_REQUESTS_MAX = 64;
const CRAWL_DELAY_MS_MAX = 60_000;
/** A pgvector index supports at most this number. */
export const EMBEDDING_DIMENSIONS_MAX = 4_000;
const HUB_URL_DEFAULT = 'https://huggingface.co';
const CHAT_PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible'];
const EMBEDDING_PROVIDERS = ['openai', 'openai-compatible', 'local'];
export const FUSION_METHODS = ['weighted', 'rrf'] as const;
export const FUSION_WEIGHT_DEFAULT = 0.6;
const QUERY_REWRITING = ['model', 'rule', 'off'] as const;
const SANDBOX_MODES = ['auto', 'required', 'off'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
/** Settings that client commands and crash tests read. */
const READ_ELSEWHERE = ['PINAKES_URL', 'PINAKES_API_KEY', 'PINAKES_CRASH_AT'];
/** `pk_` + 12 characters of id + 43 of secret + 6 of checksum, base62. */
const API_KEY_PATTERN = /^pk_[0-9A-Za-z]{61}$/;
/** 32 bytes in base64, base64url or hex. */
const MASTER_KEY_PATTERN = /^(?:[A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})$/;
const OCR_LANGUAGES_PATTERN = /^[A-Za-z]\w{1,30}(?:\+[A-Za-z]\w{1,30}){0,9}$/;
const MASTER_KEY_EXAMPLE = '"$(openssl rand -base64 32)"';

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config extends LimitSettings {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Absolute path. */
  dataDir: string;
  /** PostgreSQL server, or null for the embedded database in the data directory. */
  databaseUrl: string | null;
  blobs: { directory: string };
  /** `model` is `extractive` or `<provider>:<model>`. */
  chat: {
    model: string;
    baseUrl: string | null;
    apiKey: string | null;
    contextTokens: number;
    firstTokenTimeoutMs: number;
    /** Time limit of a whole answer. */
    timeoutMs: number;
    /** Calls to the model at the same time. */
    requestsMax: number;
    /** Budgets of one API key and of all keys of a tenant per UTC day, for input and output together. 0: not limited. */
    tokensPerDay: { key: number; tenant: number };
  };
  /**
   * `model` is `none` or `<provider>:<model>`. `requestsMax` is the number of concurrent requests for passages. `dimensions` null: the
   * default of the model. A prefix of null: the prefix that a local model defines, or none. `modelsDir` has the downloaded local models.
   */
  embedding: {
    model: string;
    baseUrl: string | null;
    apiKey: string | null;
    requestsMax: number;
    dimensions: number | null;
    modelsDir: string;
    queryPrefix: string | null;
    passagePrefix: string | null;
  };
  /** Combines lexical and semantic search: `weighted` adds scores, `rrf` adds reciprocal ranks. `weight` of semantic search: 0 to 1. */
  fusion: { method: (typeof FUSION_METHODS)[number]; weight: number };
  /** The hub from which `pinakes models pull` downloads models. */
  hub: { url: string; token: string | null };
  searchTimeoutMs: number;
  /** `model` is `none` or a model name. */
  rerank: { model: string; baseUrl: string | null; apiKey: string | null; timeoutMs: number };
  /** `model` is `none` or `local:<name>`. `modelsDir` has the downloaded local models. */
  entailment: { model: string; modelsDir: string };
  /** The analyzer of names for redaction rules; there is none if `url` is null. A text is analyzed in each of the languages. */
  presidio: { url: string | null; languages: readonly string[]; scoreMin: number; timeoutMs: number };
  authorization: boolean;
  /** Whether the console is served at /console/. */
  console: boolean;
  webGrounding: boolean;
  /** How follow-up questions are rewritten for retrieval: by the chat model if there is one, by rules, or not at all. */
  queryRewriting: (typeof QUERY_REWRITING)[number];
  /** `remove`: stored answers that cite deleted chunks are emptied. */
  historyOnDelete: 'keep' | 'remove';
  logLevel: LogLevel;
  /** Encrypts stored secrets. Null: the key file in the data directory is used. */
  masterKey: string | null;
  /** Decrypts secrets that are not encrypted with `masterKey` yet: see vault/rotate.ts. */
  previousMasterKey: string | null;
  bootstrapKey: string | null;
  /** Base addresses of the remote services, or null for the real ones. */
  remote: { googleApiUrl: string | null; pageApiUrl: string | null; repoApiUrl: string | null };
  /** Private hosts (`wiki.example.internal`) and CIDRs (`10.1.0.0/16`) that addresses from tenants may reach. */
  outboundAllow: readonly string[];
  /** Addresses and CIDRs of proxies in front of the service, which say by `X-Forwarded-For` whose request they pass on. */
  trustedProxies: readonly string[];
  /** Pauses between two requests of a crawl to one host: the default, and the minimum that a crawl may set. */
  crawl: { delayMs: number; delayMinMs: number };
  /** Number of child processes that parse files. */
  parserProcesses: number;
  /** Installed programs that parsers may use. `ocrLanguages` has the names that tesseract uses; null: OCR is off. */
  tools: { ocrLanguages: string | null; office: boolean; searchPath: string };
  /** Whether parsers and tools run in a sandbox. `required`: no file is read without one. */
  sandbox: (typeof SANDBOX_MODES)[number];
  /** Number of jobs of one kind that a worker runs at the same time; of one tenant at most one less. */
  workerConcurrency: number;
  /** Images, links and HTML in the text of a model lead only to the addresses of retrieved sources. */
  outputPolicy: boolean;
  doors: DoorSettings;
  tables: TableSettings;
  /** For tests only (NODE_ENV=test): the crash point at which the process kills itself, see util/crash.ts. */
  crashAt: string | null;
}

/** Returns the environment variables of the process. */
export function environment(): Environment {
  return process.env;
}

/** Reads all settings. @throws ConfigError for the first invalid setting. */
export function loadConfig(env: Environment): Config {
  const config = readConfig(new SettingsReader(env), env);
  checkTogether(config);
  return deepFreeze(config);
}

/** Returns environment variables named `PINAKES_…` that are not settings. @throws ConfigError as `loadConfig`. */
export function findUnknownSettings(env: Environment): UnknownSetting[] {
  const read = new SettingsReader(env);
  readConfig(read, env);
  return findUnknown(env, new Set([...read.names, ...READ_ELSEWHERE]));
}

function readConfig(read: SettingsReader, env: Environment): Config {
  const dataDir = resolve(read.text('PINAKES_DATA_DIR', './.pinakes'));
  const modelsDir = resolve(dataDir, 'models');
  return {
    host: read.text('PINAKES_HOST', '127.0.0.1'),
    port: read.integer('PINAKES_PORT', PORT_DEFAULT, 0, PORT_MAX),
    dataDir,
    databaseUrl: read.url(
      'PINAKES_DATABASE_URL',
      ['postgres:', 'postgresql:'],
      'postgres://user:secret@db.example.com:5432/pinakes',
    ),
    blobs: readBlobs(read, dataDir),
    chat: {
      model: read.model('PINAKES_CHAT_MODEL', 'extractive', CHAT_PROVIDERS, 'openai-compatible:llama3.1'),
      baseUrl: read.httpUrl('PINAKES_CHAT_BASE_URL', 'http://127.0.0.1:11434/v1'),
      apiKey: read.optional('PINAKES_CHAT_API_KEY'),
      contextTokens: read.integer('PINAKES_CHAT_CONTEXT_TOKENS', CHAT_CONTEXT_TOKENS_DEFAULT, 1024, 10_000_000),
      firstTokenTimeoutMs: read.integer('PINAKES_CHAT_FIRST_TOKEN_TIMEOUT_MS', 60_000, 1, CHAT_TIMEOUT_MS_MAX),
      timeoutMs: read.integer('PINAKES_CHAT_TIMEOUT_MS', 300_000, 1, CHAT_TIMEOUT_MS_MAX),
      requestsMax: read.integer('PINAKES_CHAT_REQUESTS', 64, 1, 10_000),
      tokensPerDay: {
        key: read.integer('PINAKES_CHAT_TOKENS_PER_DAY', 0, 0, TOKENS_PER_DAY_MAX),
        tenant: read.integer('PINAKES_CHAT_TENANT_TOKENS_PER_DAY', 0, 0, TOKENS_PER_DAY_MAX),
      },
    },
    embedding: {
      model: read.model('PINAKES_EMBEDDING_MODEL', 'none', EMBEDDING_PROVIDERS, 'openai-compatible:bge-m3'),
      baseUrl: read.httpUrl('PINAKES_EMBEDDING_BASE_URL', 'http://127.0.0.1:11434/v1'),
      apiKey: read.optional('PINAKES_EMBEDDING_API_KEY'),
      requestsMax: read.integer('PINAKES_EMBEDDING_REQUESTS', 2, 1, EMBEDDING_REQUESTS_MAX),
      dimensions: read.integer('PINAKES_EMBEDDING_DIMENSIONS', 0, 0, EMBEDDING_DIMENSIONS_MAX) || null,
      modelsDir,
      queryPrefix: read.untrimmed('PINAKES_EMBEDDING_QUERY_PREFIX'),
      passagePrefix: read.untrimmed('PINAKES_EMBEDDING_PASSAGE_PREFIX'),
    },
    fusion: {
      method: read.choice('PINAKES_FUSION', FUSION_METHODS, 'weighted'),
      weight: read.share('PINAKES_FUSION_WEIGHT', FUSION_WEIGHT_DEFAULT),
    },
    hub: readHub(read),
    searchTimeoutMs: read.integer('PINAKES_SEARCH_TIMEOUT_MS', 10_000, 100, 600_000),
    rerank: {
      model: read.text('PINAKES_RERANK_MODEL', 'none'),
      baseUrl: read.httpUrl('PINAKES_RERANK_BASE_URL', 'http://127.0.0.1:8080'),
      apiKey: read.optional('PINAKES_RERANK_API_KEY'),
      timeoutMs: read.integer('PINAKES_RERANK_TIMEOUT_MS', RERANK_TIMEOUT_MS_DEFAULT, 1, RERANK_TIMEOUT_MS_MAX),
    },
    entailment: { model: read.model('PINAKES_ENTAILMENT_MODEL', 'none', ['local'], 'local:nli'), modelsDir },
    presidio: {
      url: read.httpUrl('PINAKES_PRESIDIO_URL', 'http://127.0.0.1:5002'),
      languages: (
        read.pattern(
          'PINAKES_PRESIDIO_LANGUAGES',
          PRESIDIO_LANGUAGES_PATTERN,
          'must be languages as Presidio names them',
          'en,de',
        ) ?? 'en'
      ).split(','),
      scoreMin: read.share('PINAKES_PRESIDIO_SCORE', PRESIDIO_SCORE_DEFAULT),
      timeoutMs: read.integer('PINAKES_PRESIDIO_TIMEOUT_MS', 10_000, 1, PRESIDIO_TIMEOUT_MS_MAX),
    },
    authorization: read.choice('PINAKES_AUTHORIZATION', ['off', 'on'], 'off') === 'on',
    console: read.choice('PINAKES_CONSOLE', ['on', 'off'], 'on') === 'on',
    webGrounding: read.choice('PINAKES_WEB_GROUNDING', ['off', 'on'], 'off') === 'on',
    outputPolicy: read.choice('PINAKES_OUTPUT_POLICY', ['on', 'off'], 'on') === 'on',
    queryRewriting: read.choice('PINAKES_QUERY_REWRITING', QUERY_REWRITING, 'model'),
    historyOnDelete: read.choice('PINAKES_HISTORY_ON_DELETE', ['keep', 'remove'], 'keep'),
    logLevel: read.choice('PINAKES_LOG_LEVEL', LOG_LEVELS, 'info'),
    masterKey: readMasterKey(read, 'PINAKES_MASTER_KEY'),
    previousMasterKey: readMasterKey(read, 'PINAKES_MASTER_KEY_PREVIOUS'),
    bootstrapKey: read.pattern(
      'PINAKES_BOOTSTRAP_KEY',
      API_KEY_PATTERN,
      'is not an API key (make one with: pinakes keys generate)',
      'pk_…',
    ),
    remote: {
      googleApiUrl: read.httpUrl('PINAKES_GOOGLE_API_URL', 'https://www.googleapis.com'),
      pageApiUrl: read.httpUrl('PINAKES_PAGE_API_URL', 'https://api.notion.com'),
      repoApiUrl: read.httpUrl('PINAKES_REPO_API_URL', 'https://api.github.com'),
    },
    outboundAllow: readOutboundAllow(read),
    trustedProxies: readTrustedProxies(read),
    crawl: {
      delayMs: read.integer('PINAKES_CRAWL_DELAY_MS', 250, 0, CRAWL_DELAY_MS_MAX),
      delayMinMs: read.integer('PINAKES_CRAWL_DELAY_MIN_MS', 50, 0, CRAWL_DELAY_MS_MAX),
    },
    tools: readTools(read),
    sandbox: readSandbox(read),
    parserProcesses: read.integer('PINAKES_PARSER_PROCESSES', 2, 1, PARSER_PROCESSES_MAX),
    workerConcurrency: read.integer('PINAKES_WORKER_CONCURRENCY', 3, 1, WORKER_CONCURRENCY_MAX),
    ...readLimitSettings(read),
    doors: readDoorSettings(read),
    tables: readTableSettings(read),
    crashAt: env['NODE_ENV'] === 'test' ? read.optional('PINAKES_CRASH_AT') : null,
  };
}

/**
 * Checks the settings of the roles `api` and `worker`, which share database, blobs and master key with other processes.
 *
 * @throws ConfigError
 */
export function checkReplicaConfig(config: Config, env: Environment): void {
  if (config.databaseUrl === null) {
    throw new ConfigError(
      'PINAKES_DATABASE_URL',
      'is not set, but the roles api and worker need a PostgreSQL server',
      'postgres://user:secret@db.example.com:5432/pinakes',
    );
  }
  if (config.masterKey === null) {
    throw new ConfigError('PINAKES_MASTER_KEY', 'is not set, but the roles api and worker need it', MASTER_KEY_EXAMPLE);
  }
  if (!env['PINAKES_BLOB_URL']) {
    throw new ConfigError(
      'PINAKES_BLOB_URL',
      'is not set, but the roles api and worker need a shared blob store',
      'file:///srv/pinakes/blobs',
    );
  }
}

/** How the API keys of providers begin. */
const KEYS: Readonly<Record<string, string>> = { openai: 'sk-…', anthropic: 'sk-ant-…', google: 'AIza…' };

/** Checks that a model at the address of its provider has an API key. @throws ConfigError */
export function checkModelKeys({ chat, embedding }: Config): void {
  for (const [kind, { model, baseUrl, apiKey }] of [
    ['CHAT', chat],
    ['EMBEDDING', embedding],
  ] as const) {
    const [provider = ''] = model.split(':', 1);
    const example = KEYS[provider];
    if (baseUrl !== null || apiKey !== null || example === undefined) continue;
    const problem = `is not set, but PINAKES_${kind}_MODEL is a model of ${provider}`;
    throw new ConfigError(`PINAKES_${kind}_API_KEY`, problem, example);
  }
}

const isCompatible = (model: string): boolean => model.startsWith('openai-compatible:');

/** @throws ConfigError when a model that needs an address has none. */
function requireAddress(kind: string, baseUrl: string | null, why: string, example: string): void {
  const prefix = `PINAKES_${kind}`;
  if (baseUrl === null) throw new ConfigError(`${prefix}_BASE_URL`, `is not set, but ${prefix}_MODEL ${why}`, example);
}

function checkTogether(config: Config): void {
  const { chat, embedding, rerank } = config;
  const example = 'http://127.0.0.1:11434/v1';
  if (isCompatible(chat.model)) requireAddress('CHAT', chat.baseUrl, 'is openai-compatible', example);
  if (isCompatible(embedding.model)) requireAddress('EMBEDDING', embedding.baseUrl, 'is openai-compatible', example);
  if (rerank.model !== 'none') requireAddress('RERANK', rerank.baseUrl, 'is', 'http://127.0.0.1:8080');
  const { model, dimensions, queryPrefix, passagePrefix } = embedding;
  if (dimensions !== null && model.startsWith('local:')) {
    throw new ConfigError('PINAKES_EMBEDDING_DIMENSIONS', 'is for models behind an address only (leave it out)', '0');
  }
  if ((queryPrefix ?? passagePrefix) !== null && model === 'none') {
    throw new ConfigError(
      queryPrefix === null ? 'PINAKES_EMBEDDING_PASSAGE_PREFIX' : 'PINAKES_EMBEDDING_QUERY_PREFIX',
      'is set, but PINAKES_EMBEDDING_MODEL is not',
      '"query: "',
    );
  }
  if (config.webGrounding && !/^(?:openai|anthropic|google):/.test(config.chat.model)) {
    throw new ConfigError(
      'PINAKES_WEB_GROUNDING',
      'is on, but PINAKES_CHAT_MODEL cannot search the web (models of openai, anthropic and google can)',
      'off',
    );
  }
  if (config.crawl.delayMinMs > config.crawl.delayMs) {
    throw new ConfigError(
      'PINAKES_CRAWL_DELAY_MIN_MS',
      'is more than PINAKES_CRAWL_DELAY_MS',
      String(config.crawl.delayMs),
    );
  }
}

function readBlobs(read: SettingsReader, dataDir: string): Config['blobs'] {
  const url = read.url('PINAKES_BLOB_URL', ['file:'], 'file:///srv/pinakes/blobs');
  if (url === null) return { directory: resolve(dataDir, 'blobs') };
  const parsed = new URL(url);
  if (parsed.host !== '')
    throw new ConfigError('PINAKES_BLOB_URL', 'must have three slashes after file:', 'file:///srv/pinakes/blobs');
  return { directory: fileURLToPath(parsed) };
}

/** Reads the settings that `pinakes models pull` needs. @throws ConfigError */
export function loadHubConfig(env: Environment): Pick<Config, 'hub' | 'outboundAllow'> & { modelsDir: string } {
  const read = new SettingsReader(env);
  const modelsDir = resolve(read.text('PINAKES_DATA_DIR', './.pinakes'), 'models');
  return { hub: readHub(read), outboundAllow: readOutboundAllow(read), modelsDir };
}

function readHub(read: SettingsReader): Config['hub'] {
  return {
    url: read.httpUrl('PINAKES_HUB_URL', HUB_URL_DEFAULT) ?? HUB_URL_DEFAULT,
    token: read.optional('PINAKES_HUB_TOKEN'),
  };
}

/** Reads the settings that `pinakes parse` needs. @throws ConfigError */
export function loadToolConfig(env: Environment): Config['tools'] & Pick<Config, 'sandbox'> {
  const read = new SettingsReader(env);
  return { ...readTools(read), sandbox: readSandbox(read) };
}

function readSandbox(read: SettingsReader): Config['sandbox'] {
  return read.choice('PINAKES_SANDBOX', SANDBOX_MODES, 'auto');
}

function readTools(read: SettingsReader): Config['tools'] {
  const languages =
    read.pattern(
      'PINAKES_OCR_LANGUAGES',
      OCR_LANGUAGES_PATTERN,
      'must be languages as tesseract names them',
      'eng+deu',
    ) ?? 'eng';
  return {
    ocrLanguages: read.choice('PINAKES_OCR', ['off', 'tesseract'], 'off') === 'tesseract' ? languages : null,
    office: read.choice('PINAKES_LIBREOFFICE', ['auto', 'off'], 'auto') === 'auto',
    searchPath: read.text('PATH', ''),
  };
}

function readMasterKey(read: SettingsReader, name: string): string | null {
  return read.pattern(
    name,
    MASTER_KEY_PATTERN,
    'is not 32 bytes in base64 or hex (make a key with: openssl rand -base64 32)',
    MASTER_KEY_EXAMPLE,
  );
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) deepFreeze(member);
  return Object.freeze(value);
}

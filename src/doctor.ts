/** Checks the service for the operator, and reports one line in words for each check. */

import { statfs } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { countUnruled } from './access/policy-store.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { checkHashes } from './blobs/check-hashes.ts';
import type { Config } from './config.ts';
import { countWaiting } from './corpus/embedding-queue-store.ts';
import { findViolations } from './corpus/invariants.ts';
import { textSearchFacts } from './corpus/text-index.ts';
import { countGenerations } from './corpus/vector-store.ts';
import type { Database } from './db/database.ts';
import { countContents, listMigrations, serverFacts } from './db/facts.ts';
import type { Check } from './features/console/checks.ts';
import { openSandbox, type Sandbox, sandboxSettings } from './files/sandbox/sandbox.ts';
import { openToolRunner } from './files/sandbox/tool-runner.ts';
import { examineSandbox } from './files/sandbox/try-sandbox.ts';
import type { ChatModel, Embedding, EntailmentModel } from './llm/models.ts';
import { type ConfiguredModel, inPlainWords } from './llm/plain-words.ts';
import type { RerankModel } from './llm/rerank.ts';
import { ADMIN_SOCKET } from './operator-key.ts';
import type { NameAnalyzer } from './redaction/presidio.ts';
import { countOf } from './util/count-of.ts';
import { inTempFolder } from './util/folders.ts';
import type { Clock } from './util/time.ts';
import { examineMasterKey } from './vault/rotate.ts';

/** Free space for uploads of maximum size, and for the growth of the database. */
const FREE_BYTES_MIN = 2 * 1024 ** 3;

/** Within this time, the service removes what a crash left behind, and claims the jobs of dead workers again. */
const GRACE_SECONDS = 2 * 60 * 60;

const POSTGRES_PORT = 5432;
const MODEL_TIMEOUT_MS = 20_000;
/** Damaged files that one check names. */
const PROBLEMS_SHOWN_MAX = 10;
/** A reasoning model may use up these tokens before it writes a word. This still shows that the model answers. */
const PROBE_TOKENS_MAX = 16;

export interface Examination {
  /** True if all checks are ok. */
  ok: boolean;
  checks: Check[];
}

interface ModelUses {
  config: Config;
  chatModel: ChatModel;
  embedding: Embedding | null;
  reranker: RerankModel | null;
  entailment: EntailmentModel | null;
  analyzer: NameAnalyzer | null;
}

interface Uses extends ModelUses {
  db: Database;
  blobs: BlobStore;
  clock: Clock;
}

/**
 * Runs all checks. `thorough` also compares stored counters and references with the stored data, all of which it reads. `hashes` reads
 * every stored file.
 */
export async function examine(uses: Uses, options: { thorough: boolean; hashes?: boolean }): Promise<Examination> {
  const checks: Check[] = [];
  const add = addingTo(checks);
  await add('node', async () => process.version);
  await add('data directory', async () => uses.config.dataDir);
  await add('temporary files', () => inTempFolder(async (folder) => dirname(folder)));
  await add('disk space', () => diskSpace(uses.config.dataDir));
  await add('database', () => databaseFacts(uses.db));
  await add('migrations', () => migrationFacts(uses.db));
  await add('text search', () => textSearchFacts(uses.db));
  await add('blob store', async () => {
    await uses.blobs.check();
    return uses.config.blobs.directory;
  });
  await add('master key', () => examineMasterKey(uses, options.thorough));
  await add('models', async () => modelFacts(uses.config));
  checks.push(...(await examineModels(uses)));
  await add('vectors', () => vectorFacts(uses.db));
  await add('contents', () => contentFacts(uses.db));
  await add('authorization', () => authorizationFacts(uses));
  const sandbox = openSandbox(sandboxSettings(uses.config));
  const tools = openToolRunner(uses.config.tools, sandbox);
  await add('sandbox', () => attackService(uses.config, sandbox));
  await add('OCR', () => tools.describe('ocr'));
  await add('LibreOffice', () => tools.describe('office'));
  if (options.thorough) checks.push(...(await thoroughChecks(uses)));
  if (options.hashes) await add('stored files', () => hashFacts(uses.blobs));
  return { ok: checks.every((check) => check.ok), checks };
}

/** Tries each configured model. */
export async function examineModels(uses: ModelUses): Promise<Check[]> {
  const checks: Check[] = [];
  const add = addingTo(checks);
  await add('chat model', () => tryChat(uses));
  await add('embedding model', () => tryEmbedding(uses));
  await add('rerank model', () => tryRerank(uses));
  await add('entailment model', () => tryEntailment(uses));
  await add('analyzer of names', () => tryAnalyzer(uses));
  return checks;
}

/** Returns a function that runs a check and adds what it says. */
function addingTo(checks: Check[]) {
  return async (name: string, check: () => Promise<string | Omit<Check, 'name'>>): Promise<void> => {
    try {
      const result = await check();
      checks.push({ name, ...(typeof result === 'string' ? { ok: true, detail: result } : result) });
    } catch (error) {
      checks.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error) });
    }
  };
}

/** Attacks the service from inside the sandbox. */
function attackService(config: Config, sandbox: Sandbox): Promise<{ ok: boolean; detail: string }> {
  return examineSandbox(sandbox, {
    ...{
      pid: process.pid,
      dataDir: config.dataDir,
      blobs: config.blobs.directory,
      temporary: tmpdir(),
      home: homedir(),
    },
    ...{ program: import.meta.dirname, ports: [config.port, databasePort(config)].filter((port) => port > 0) },
    sockets: [join(config.dataDir, ADMIN_SOCKET)],
  });
}

/** Returns the port of a database server, or 0 without one. */
function databasePort({ databaseUrl }: Config): number {
  return databaseUrl === null ? 0 : Number(new URL(databaseUrl).port || POSTGRES_PORT);
}

async function diskSpace(directory: string): Promise<{ ok: boolean; detail: string }> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  return {
    ok: free >= FREE_BYTES_MIN,
    detail: `${(free / 1024 ** 3).toFixed(1)} GiB free, ${FREE_BYTES_MIN / 1024 ** 3} GiB needed`,
  };
}

async function databaseFacts(db: Database): Promise<{ ok: boolean; detail: string }> {
  const { version, bytes, isReadOnly } = await serverFacts(db);
  const facts = `${db.kind === 'embedded' ? 'embedded ' : ''}PostgreSQL ${version}, ${Math.round(bytes / 1024 ** 2)} MiB`;
  return { ok: !isReadOnly, detail: isReadOnly ? `${facts}; it takes no changes: is it a standby?` : facts };
}

async function migrationFacts(db: Database): Promise<{ ok: boolean; detail: string }> {
  const { applied, pending } = await listMigrations(db);
  return { ok: pending.length === 0, detail: `${applied.length} applied, ${pending.length} pending` };
}

function modelFacts({ chat, embedding, rerank, entailment }: Config): string {
  return `chat ${chat.model}, embedding ${embedding.model}, rerank ${rerank.model}, entailment ${entailment.model}`;
}

/** Sends one small request to the chat model. */
async function tryChat({ chatModel, config: { chat, webGrounding } }: ModelUses): Promise<string> {
  if (!chatModel.ask) return 'none: answers are extractive';
  const request = {
    ...{ use: 'probe' as const, system: 'Reply with the word OK.', text: 'Are you there?' },
    ...{ outputTokensMax: PROBE_TOKENS_MAX, timeoutMs: Math.min(MODEL_TIMEOUT_MS, chat.firstTokenTimeoutMs) },
  };
  const { ask } = chatModel;
  const { took } = await attempt(configuredAs('CHAT', chat), () => ask(request, AbortSignal.timeout(MODEL_TIMEOUT_MS)));
  return `${chatModel.name} answers in ${took} ms${webGrounding ? ', web grounding is on (not tried)' : ''}`;
}

/** Fetches a small model for many languages, and says with which setting the service uses it. */
const PULL_EMBEDDING = 'pinakes models pull intfloat/multilingual-e5-small';

/** Requests one vector, as a search does. */
async function tryEmbedding({ embedding, config }: ModelUses): Promise<string | Omit<Check, 'name'>> {
  if (!embedding) return { ok: true, detail: 'none: search is by words, not by meaning', fix: PULL_EMBEDDING };
  const { took, result } = await attempt(configuredAs('EMBEDDING', config.embedding), () =>
    embedding.model.embed(['text'], 'query', AbortSignal.timeout(MODEL_TIMEOUT_MS)),
  );
  return `${embedding.model.name} answers with ${result[0]?.length} dimensions in ${took} ms`;
}

async function tryRerank({ reranker, config }: ModelUses): Promise<string> {
  if (!reranker) return 'none';
  const { took } = await attempt(configuredAs('RERANK', config.rerank), () =>
    reranker.rerank('text', ['text', 'another'], AbortSignal.timeout(MODEL_TIMEOUT_MS)),
  );
  return `${reranker.name} answers in ${took} ms`;
}

async function tryEntailment({ entailment, config }: ModelUses): Promise<string> {
  if (!entailment) return 'none: rules alone check citations';
  const model = { kind: 'ENTAILMENT' as const, model: config.entailment.model, baseUrl: null };
  const pairs = [{ premise: 'The shop opens at nine.', hypothesis: 'The shop opens at nine.' }];
  const { took, result } = await attempt(model, () => entailment.judge(pairs, AbortSignal.timeout(MODEL_TIMEOUT_MS)));
  return `${entailment.name} answers with ${result[0] ?? 'no verdict'} in ${took} ms`;
}

/** Sends a text with a name to the analyzer, as a redaction rule does, and lists the entities that it supports. */
async function tryAnalyzer({ analyzer, config: { presidio } }: ModelUses): Promise<{ ok: boolean; detail: string }> {
  if (!analyzer) return { ok: true, detail: 'none: redaction rules find no names of people and places' };
  const signal = AbortSignal.timeout(MODEL_TIMEOUT_MS);
  const asked = { kind: 'PRESIDIO' as const, model: '', baseUrl: presidio.url };
  const { took, result } = await attempt(asked, async () => {
    const supported = await analyzer.supported(signal);
    // The text differs each time: a cached answer would not show whether the analyzer works.
    if (supported.length > 0) await analyzer.find('', `My name is David, ${Date.now()}.`, supported, signal);
    return supported;
  });
  const where = `${presidio.url} answers in ${took} ms (${presidio.languages.join(', ')})`;
  if (result.length === 0)
    return { ok: false, detail: `${where}, but finds no names: check PINAKES_PRESIDIO_LANGUAGES` };
  return { ok: true, detail: `${where}, finds ${result.join(', ')}` };
}

function configuredAs(
  kind: ConfiguredModel['kind'],
  { model, baseUrl }: Omit<ConfiguredModel, 'kind'>,
): ConfiguredModel {
  return { kind, model: model.replace(/^(?:openai|anthropic|google|openai-compatible):/, ''), baseUrl };
}

/** Calls a model and measures the time. @throws Error with a message in plain words. */
async function attempt<T>(model: ConfiguredModel, call: () => Promise<T>): Promise<{ took: number; result: T }> {
  const startedAt = performance.now();
  try {
    const result = await call();
    return { took: Math.round(performance.now() - startedAt), result };
  } catch (error) {
    throw new Error(inPlainWords(error, model), { cause: error });
  }
}

async function vectorFacts(db: Database): Promise<string> {
  const generations = await countGenerations(db.system);
  const { waiting, refused } = await countWaiting(db.system);
  const facts = generations.map(({ model, dimension, status, tenants }) => {
    const state = status === 'serving' ? 'used by' : 'being built for';
    return `${model} (${dimension} dimensions) ${state} ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'}`;
  });
  if (facts.length === 0) facts.push('none');
  if (waiting > 0) facts.push(`${countOf(waiting, 'chunk waits', 'chunks wait')} for a vector`);
  if (refused > 0) facts.push(`${countOf(refused, 'chunk was', 'chunks were')} refused by the model`);
  return facts.join(', ');
}

/** Says so if nobody can find anything, which an empty answer does not tell. */
export async function authorizationFacts({ config, db }: Pick<Uses, 'config' | 'db'>): Promise<Omit<Check, 'name'>> {
  if (!config.authorization) return { ok: true, detail: 'off: a key sees all within its limits' };
  const { tenants, unruled } = await countUnruled(db.system);
  if (unruled === 0) return { ok: true, detail: 'on, and every tenant has a policy' };
  const where =
    tenants === 1 ? 'no policy exists' : `${unruled} of ${tenants} tenants ${unruled === 1 ? 'has' : 'have'} no policy`;
  return {
    ok: false,
    detail: `on, but ${where}: searches and questions there find nothing. See docs/authorization.md`,
  };
}

async function contentFacts(db: Database): Promise<string> {
  const { tenants, groups, sources, chunks } = await countContents(db);
  return `${countOf(tenants, 'tenant')}, ${countOf(groups, 'source group')}, ${countOf(sources, 'source')}, ${countOf(chunks, 'chunk')}`;
}

async function hashFacts(blobs: BlobStore): Promise<{ ok: boolean; detail: string }> {
  const { checked, problems } = await checkHashes(blobs);
  if (problems.length === 0)
    return {
      ok: true,
      detail: `the bytes of ${countOf(checked, 'file are those of its hash', 'files are those of their hashes')}`,
    };
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX).join(', ');
  return {
    ok: false,
    detail: `${problems.length} of ${countOf(checked, 'file')} ${problems.length === 1 ? 'is' : 'are'} damaged: ${shown}`,
  };
}

/** Returns one failed check per violated invariant, or one successful check if there is none. Leftovers are no failure. */
async function thoroughChecks({ db, blobs, clock }: Uses): Promise<Check[]> {
  const all = await findViolations(db, blobs, { now: clock.now(), graceSeconds: GRACE_SECONDS });
  const leftovers = all.filter(({ leftover }) => leftover);
  const broken = all.filter(({ leftover }) => !leftover);
  const checks = broken.map(({ invariant, message }) => ({
    name: `stored data ${invariant}`,
    ok: false,
    detail: message,
  }));
  const sound = { name: 'stored data', ok: true, detail: 'rows, blobs and counters are consistent' };
  return [
    ...(broken.length === 0 ? [sound] : checks),
    ...leftovers.map(({ message }) => ({ name: 'leftovers', ok: true, detail: message })),
  ];
}

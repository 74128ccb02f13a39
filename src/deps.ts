/** Opens all adapters. No other module constructs adapters. */

import { mkdtempSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { openChatModel } from './answers/chat-model.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { openDiskBlobStore } from './blobs/disk.ts';
import { type Config, checkModelKeys } from './config.ts';
import { openConnectors } from './connectors/registry.ts';
import { countWaiting } from './corpus/embedding-queue-store.ts';
import type { Database } from './db/database.ts';
import { serverFacts } from './db/facts.ts';
import { isMigrated, migrate } from './db/migrate.ts';
import { openDatabase, prepareDatabase } from './db/open.ts';
import { openProcessPool } from './files/sandbox/process-pool.ts';
import { openSandbox, type Sandbox, sandboxSettings } from './files/sandbox/sandbox.ts';
import { openToolRunner } from './files/sandbox/tool-runner.ts';
import { openAuthenticator } from './http/auth.ts';
import type { Deps } from './http/deps.ts';
import { openLiveRights } from './http/live-rights.ts';
import { openMetrics } from './http/operations/metrics.ts';
import type { ServiceFacts } from './http/operations/service-gauges.ts';
import { countWaitingJobs } from './jobs/job-counts.ts';
import { openJobQueue } from './jobs/queue-pgboss.ts';
import { openSchedules } from './jobs/schedules.ts';
import { openEmbedding } from './llm/embedding/embedding.ts';
import { openEntailment } from './llm/entailment.ts';
import { openRerankModel } from './llm/rerank.ts';
import { openUsageLedger } from './llm/usage-ledger.ts';
import { openHttpClient } from './net/http-client.ts';
import { openTenantSockets } from './net/tenant-sockets.ts';
import { openPresidio } from './redaction/presidio.ts';
import { openRedactors } from './redaction/redactors.ts';
import { openTableEngine, type TableEngine } from './tables/engine/pool.ts';
import { armCrashPoint, type CrashPoints, noCrashPoints } from './util/crash.ts';
import { makeFolder } from './util/folders.ts';
import { ConfigError } from './util/settings/settings-reader.ts';
import { systemClock } from './util/time.ts';

/** Adapters that the caller passes instead of having them opened: tests pass their own clock, model or database. They stay open. */
export type Overrides = Partial<Omit<Deps, 'config' | 'log' | 'close' | 'metrics' | 'auth' | 'rights'>>;

/**
 * Opens the database and migrates it, unless `migrates` is false, and opens the blob store, the queue, the parser processes, the models
 * and the HTTP client.
 *
 * @throws Error with a message of one line when an adapter cannot be used. The adapters opened before are closed.
 */
export async function openDeps(
  config: Config,
  log: FastifyBaseLogger,
  overrides: Overrides = {},
  { migrates = true } = {},
): Promise<Deps> {
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let end = opened.pop(); end; end = opened.pop()) await end();
  };
  const closing = <T>(adapter: T, end: (adapter: T) => Promise<void>): T => {
    opened.push(() => end(adapter));
    return adapter;
  };
  checkModelKeys(config);
  try {
    const clock = overrides.clock ?? systemClock;
    const crash = overrides.crash ?? (config.crashAt === null ? noCrashPoints : armCrashPoint(config.crashAt));
    const http = overrides.http ?? closing(openHttpClient({ allow: config.outboundAllow }), (client) => client.close());
    // Before the database: a new one should not be made for settings that cannot be used.
    const embedding =
      overrides.embedding === undefined
        ? closing(openEmbedding(config.embedding, http), async (model) => model?.close())
        : overrides.embedding;
    const entailment =
      overrides.entailment === undefined
        ? closing(openEntailment(config.entailment), async (model) => model?.close())
        : overrides.entailment;
    if (!overrides.db) makeDataFolder(config);
    const blobs = overrides.blobs ?? (await openBlobs(config, crash));
    const db = overrides.db ?? closing(await openConfigured(config), (d) => d.close());
    const queue = await prepareDatabase(db, config, async () => {
      if (migrates) await migrate(db);
      else if (!(await isMigrated(db))) throw withoutTables(config);
      return overrides.queue ?? closing(await openJobQueue(db, log), (q) => q.stop(0));
    });
    const schedules = overrides.schedules ?? closing(openSchedules(), (s) => s.close());
    const metrics = openMetrics(serviceFacts(config, db));
    const analyzer =
      overrides.analyzer === undefined ? openPresidio(config.presidio, http, metrics.analyzed) : overrides.analyzer;
    const sandbox = overrides.sandbox ?? openSandbox(sandboxSettings(config));
    const tools = openToolRunner(config.tools, sandbox);
    const processor =
      overrides.processor ??
      closing(openProcessPool({ children: config.parserProcesses, sandbox, tools, analyzer }), (pool) => pool.close());
    const tableEngine =
      overrides.tableEngine === undefined
        ? closing(openTables(config, sandbox), async (engine) => engine?.close())
        : overrides.tableEngine;
    const chatModel =
      overrides.chatModel ?? openChatModel({ ...config.chat, webSearch: config.webGrounding }, http, metrics.chat);
    const auth = openAuthenticator(db.system, clock);
    const noteCheck = (err: unknown): void => log.warn({ err }, 'the rights of running requests could not be checked');
    const rights = closing(openLiveRights(db.system, clock, noteCheck), (live) => live.close());
    const usage =
      overrides.usage ??
      closing(
        openUsageLedger({ db, clock, tokensPerDay: config.chat.tokensPerDay, onError: noteUsage(log) }),
        (ledger) => ledger.close().catch(noteUsage(log)),
      );
    return {
      config,
      log,
      clock,
      db,
      auth,
      rights,
      blobs,
      queue,
      schedules,
      sandbox,
      processor,
      tableEngine,
      chatModel,
      usage,
      redactors: overrides.redactors ?? openRedactors(config, analyzer),
      analyzer,
      embedding,
      reranker: overrides.reranker === undefined ? openRerankModel(config.rerank, http) : overrides.reranker,
      entailment,
      http,
      connectors:
        overrides.connectors ??
        openConnectors({
          remote: config.remote,
          http,
          sockets: openTenantSockets(config.outboundAllow),
          clock,
          crawl: config.crawl,
          readsPictures: config.tools.ocrLanguages !== null,
        }),
      metrics,
      crash,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function withoutTables({ databaseUrl }: Config): ConfigError {
  const [name, example] =
    databaseUrl === null
      ? ['PINAKES_DATA_DIR', './.pinakes']
      : ['PINAKES_DATABASE_URL', 'postgres://user:secret@db.example.com:5432/pinakes'];
  return new ConfigError(
    name!,
    'names a database without tables of Pinakes (make them with: pinakes migrate)',
    example!,
  );
}

/** Opens the table engine. Its folder is beside the blobs, because their files are linked into it. */
function openTables({ tables, blobs }: Config, sandbox: Sandbox): TableEngine | null {
  return tables.isOn ? openTableEngine({ ...tables, folder: join(blobs.directory, '.tables'), sandbox }) : null;
}

function serviceFacts(config: Config, db: Database): ServiceFacts {
  return {
    chunksWaiting: async () => (await countWaiting(db.system)).waiting,
    jobsWaiting: () => countWaitingJobs(db.system),
    databaseBytes: async () => (await serverFacts(db)).bytes,
    folders: { data: config.dataDir, blobs: config.blobs.directory },
  };
}

function noteUsage(log: FastifyBaseLogger): (error: unknown) => void {
  return (error) => log.warn({ err: error }, 'the usage of API keys could not be written');
}

/** Makes the data directory. @throws ConfigError when it cannot be created or written. */
function makeDataFolder({ dataDir }: Config): void {
  try {
    makeFolder(dataDir);
    rmdirSync(mkdtempSync(join(dataDir, '.probe-')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError('PINAKES_DATA_DIR', `${dataDir} cannot be created or written (${code})`, './.pinakes');
  }
}

function openConfigured({ databaseUrl, dataDir, searchTimeoutMs }: Config): Promise<Database> {
  return openDatabase({ url: databaseUrl ?? undefined, dataDir, readTimeoutMs: searchTimeoutMs });
}

/** Opens the configured blob store. @throws ConfigError when its folder cannot be created. */
async function openBlobs(config: Config, crash: CrashPoints): Promise<BlobStore> {
  const { directory } = config.blobs;
  return openDiskBlobStore(directory, crash).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(
      'PINAKES_BLOB_URL',
      `${directory} cannot be used (${error.code ?? error.message})`,
      'file:///var/lib/pinakes/blobs',
    );
  });
}

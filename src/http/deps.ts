/** Everything with side effects that routes and jobs receive: database, queue, models, clock and so on. */
import type { FastifyBaseLogger } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Config } from '../config.ts';
import type { Connectors } from '../connectors/registry.ts';
import type { Database } from '../db/database.ts';
import type { FileProcessor } from '../files/sandbox/file-processor.ts';
import type { Sandbox } from '../files/sandbox/sandbox.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Schedules } from '../jobs/schedules.ts';
import type { ChatModel, Embedding, EntailmentModel } from '../llm/models.ts';
import type { RerankModel } from '../llm/rerank.ts';
import type { UsageLedger } from '../llm/usage-ledger.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { NameAnalyzer } from '../redaction/presidio.ts';
import type { Redactors } from '../redaction/redactors.ts';
import type { TableEngine } from '../tables/engine/pool.ts';
import type { CrashPoints } from '../util/crash.ts';
import type { Clock } from '../util/time.ts';
import type { Authenticator } from './auth.ts';
import type { LiveRights } from './live-rights.ts';
import type { Metrics } from './operations/metrics.ts';

export interface Deps {
  config: Config;
  log: FastifyBaseLogger;
  clock: Clock;
  db: Database;
  /** Maps API keys to callers. Code that changes a key must call `forget`. */
  auth: Authenticator;
  /** Ends requests whose rights end while they run. */
  rights: LiveRights;
  blobs: BlobStore;
  queue: JobQueue;
  /** Works out the recurrence rules of tenants. */
  schedules: Schedules;
  /** Where the programs run that read files. */
  sandbox: Sandbox;
  /** Parses, chunks and analyzes one file in a child process. */
  processor: FileProcessor;
  /** Runs queries of tables in child processes; null when tables are switched off. */
  tableEngine: TableEngine | null;
  chatModel: ChatModel;
  /** Chat model usage of each API key, and its budget. */
  usage: UsageLedger;
  /** Compiled redaction rules of each tenant. */
  redactors: Redactors;
  /** Finds names for redaction rules; null when no analyzer is configured. */
  analyzer: NameAnalyzer | null;
  /** Null when no embedding model is configured. */
  embedding: Embedding | null;
  /** Null when no rerank model is configured. */
  reranker: RerankModel | null;
  /** Null when no entailment model is configured. */
  entailment: EntailmentModel | null;
  http: HttpClient;
  /** Read Drive folders, page workspaces, repositories and web sites. */
  connectors: Connectors;
  metrics: Metrics;
  crash: CrashPoints;
  /** Closes everything that openDeps opened, in reverse order. */
  close(): Promise<void>;
}

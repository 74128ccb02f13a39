/** Everything the service uses that has an effect. `openDeps` is the only place that constructs adapters. */
import type { FastifyBaseLogger } from 'fastify';
import type { BlobStore } from './blobs/blob-store.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import type { FileProcessor } from './ingest/file-processor.ts';
import type { JobQueue } from './jobs/queue.ts';
import type { ChatModel } from './llm/models.ts';
import type { HttpClient } from './net/http-client.ts';
import type { CrashPoints } from './util/crash.ts';
import type { Clock } from './util/time.ts';

export interface Deps {
  config: Config;
  log: FastifyBaseLogger;
  clock: Clock;
  db: Database;
  blobs: BlobStore;
  queue: JobQueue;
  /** Parses, chunks and analyzes one file in a child process. */
  processor: FileProcessor;
  chatModel: ChatModel;
  http: HttpClient;
  /** Does nothing outside fault tests (PINAKES_CRASH_AT): see util/crash.ts. */
  crash: CrashPoints;
}

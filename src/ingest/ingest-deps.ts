/** The parts of the service that ingestion and deletion use. */
import type { FastifyBaseLogger } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Config } from '../config.ts';
import type { Connectors } from '../connectors/registry.ts';
import type { Database } from '../db/database.ts';
import type { FileProcessor } from '../files/sandbox/file-processor.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Schedules } from '../jobs/schedules.ts';
import type { Embedding } from '../llm/models.ts';
import type { Redactors } from '../redaction/redactors.ts';
import type { CrashPoints } from '../util/crash.ts';
import type { Clock } from '../util/time.ts';

export interface IngestDeps {
  config: Config;
  db: Database;
  blobs: BlobStore;
  queue: JobQueue;
  schedules: Schedules;
  processor: FileProcessor;
  /** Null: no embedding model is configured. */
  embedding: Embedding | null;
  connectors: Connectors;
  clock: Clock;
  log: FastifyBaseLogger;
  metrics: IngestMetrics;
  redactors: Redactors;
  crash: CrashPoints;
}

/** Counters of ingestion; each call adds `count`. */
interface IngestMetrics {
  ingested(what: 'files' | 'failed_files' | 'chunks', count: number): void;
  /**
   * `chunks`: chunks that got a vector. `requested`: texts sent to the model. `refused`: texts without a vector.
   * `failed_jobs`: jobs that failed, and jobs that went on with other vectors when the model of the vectors in use failed.
   */
  embedded(what: 'chunks' | 'requested' | 'refused' | 'failed_jobs', count: number): void;
}

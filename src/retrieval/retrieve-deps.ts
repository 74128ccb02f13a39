/** The parts of the service that a search uses. An absent member switches its feature off. */
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Embedding } from '../llm/models.ts';
import type { RerankModel } from '../llm/rerank.ts';
import type { Redactors } from '../redaction/redactors.ts';
import type { Engine } from './engine.ts';

export interface RetrieveDeps {
  db: Database;
  /** Absent: the engine in `db`. */
  engine?: Engine;
  config?: Config;
  embedding?: Embedding | null;
  reranker?: RerankModel | null;
  redactors?: Redactors;
  /** Counts queries for which the embedding model failed. */
  metrics?: { embedded(what: 'failed_queries', count: number): void };
}

/** What a search uses of the service. Absent members are switched off. */
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Embedding } from '../llm/models.ts';
import type { RerankModel } from '../llm/rerank.ts';
import type { Redactors } from '../redaction/redactors.ts';
import type { CorpusMemory } from './query/corpus-memory.ts';

export interface RetrieveDeps {
  db: Database;
  config?: Config;
  embedding?: Embedding | null;
  memory?: CorpusMemory | null;
  reranker?: RerankModel | null;
  redactors?: Redactors;
}

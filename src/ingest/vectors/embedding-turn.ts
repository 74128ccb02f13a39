/** One turn of a tenant in the job `embed-chunks`. */
import type { Tx } from '../../db/database.ts';
import type { Embedding } from '../../llm/models.ts';

/** What the steps of the job need. */
export interface EmbeddingTurn {
  tenantId: string;
  embedding: Embedding;
  signal: AbortSignal;
  /** @throws EmbeddingLost when another job has taken the tenant. */
  fence(tx: Tx): Promise<void>;
}

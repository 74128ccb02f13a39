/** One turn of a tenant in the job `embed-chunks`. */
import type { AnyTx } from '../../db/database.ts';
import type { Embedding } from '../../llm/models.ts';

/** Values that the steps of the job need. */
export interface EmbeddingTurn {
  tenantId: string;
  embedding: Embedding;
  signal: AbortSignal;
  /** Checks that this job still owns the tenant. @throws EmbeddingLost when another job has claimed the tenant. */
  fence(tx: AnyTx): Promise<void>;
}

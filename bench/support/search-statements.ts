/** The statements behind a search, without the service: what they take alone, and what the true best is. */
import { findServingVectors, vectorText } from '../../src/corpus/vector-store.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { exactPlan, nearestCandidates } from '../../src/retrieval/nearest.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';

/** Milliseconds of the statements of a search, sent once more as they are. */
export async function replay(db: Database, request: RetrieveRequest, vector: Float32Array): Promise<number> {
  const transactions: Sql[][] = [];
  const recording = (tx: Tx, statements: Sql[]): Tx => ({
    ...tx,
    query: (statement) => {
      statements.push(statement);
      return tx.query(statement);
    },
  });
  const recorder: Database = {
    ...db,
    transaction(tenantId, run, options) {
      const statements: Sql[] = [];
      transactions.push(statements);
      return db.transaction(tenantId, (tx) => run(recording(tx, statements)), options);
    },
  };
  const embedding = { embedQuery: async () => vector };
  await retrieve({ db: recorder, embedding: embedding as never }, request);
  const start = performance.now();
  for (const statements of transactions) {
    await db.transaction(request.tenantId, async (tx) => {
      for (const statement of statements) await tx.query(statement);
    });
  }
  return performance.now() - start;
}

/** Ids of the nearest chunks that fit, by comparing every vector. */
export async function findNearest(db: Database, request: RetrieveRequest, vector: Float32Array): Promise<string[]> {
  return db.transaction(request.tenantId, async (tx) => {
    const serving = (await findServingVectors(tx, request.tenantId))!;
    const semantic = { vectors: serving, vector: vectorText(vector), rows: Number.POSITIVE_INFINITY };
    const nearest = {
      request: { ...request, policy: null },
      semantic,
      filters: request.filters,
      limit: request.limit,
      exactRowsMax: 0,
    };
    return (await nearestCandidates(tx, exactPlan(nearest))).map((candidate) => candidate.id);
  });
}

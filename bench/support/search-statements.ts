/** The statements behind a search, without the service: what they take alone, and what the true best is. */
import { findServingVectors, vectorText } from '../../src/corpus/vector-store.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { type CorpusMemory, openCorpusMemory } from '../../src/retrieval/corpus-memory.ts';
import { exactPlan, nearestCandidates } from '../../src/retrieval/nearest.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';

/** A search, and the vector of its query. */
export interface Asked {
  request: RetrieveRequest;
  vector: Float32Array;
}

/**
 * Milliseconds of the statements of each search, sent once more as they are; what the searches keep of the corpus is known. All are
 * recorded first: right after its recording, every page that a search reads would be in memory, as in no service.
 */
export async function replay(db: Database, searches: readonly Asked[]): Promise<number[]> {
  const memory = openCorpusMemory(db);
  for (const search of searches.slice(0, 1)) await record(db, memory, search);
  const recorded: (readonly (readonly Sql[])[])[] = [];
  for (const search of searches) recorded.push(await record(db, memory, search));
  const taken: number[] = [];
  for (const [i, transactions] of recorded.entries()) {
    const start = performance.now();
    for (const statements of transactions) {
      await db.transaction(searches[i]!.request.tenantId, async (tx) => {
        for (const statement of statements) await tx.query(statement);
      });
    }
    taken.push(performance.now() - start);
  }
  return taken;
}

/** The statements of each transaction of a search. */
async function record(db: Database, memory: CorpusMemory, { request, vector }: Asked): Promise<Sql[][]> {
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
  await retrieve({ db: recorder, memory, embedding: embedding as never }, request);
  return transactions;
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

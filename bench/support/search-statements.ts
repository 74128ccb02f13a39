/** The statements behind a search, without the service: what they take alone, and what the true best is. */
import { findServingVectors, vectorBytes } from '../../src/corpus/vector-store.ts';
import type { Database, TransactionOptions, Tx } from '../../src/db/database.ts';
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
  const recorded: (readonly Recorded[])[] = [];
  for (const search of searches) recorded.push(await record(db, memory, search));
  const taken: number[] = [];
  for (const [i, transactions] of recorded.entries()) {
    const start = performance.now();
    const { tenantId } = searches[i]!.request;
    for (const { statements, options } of transactions) {
      const run = async (tx: Tx): Promise<void> => {
        for (const statement of statements) await tx.query(statement);
      };
      if (options === undefined) await db.query(tenantId, statements[0]!);
      else await db.transaction(tenantId, run, options);
    }
    taken.push(performance.now() - start);
  }
  return taken;
}

/** The statements of a transaction; without options, one that stands alone. */
interface Recorded {
  statements: Sql[];
  options?: TransactionOptions;
}

/** Each transaction of a search. */
async function record(db: Database, memory: CorpusMemory, { request, vector }: Asked): Promise<Recorded[]> {
  const transactions: Recorded[] = [];
  const recording = (tx: Tx, statements: Sql[]): Tx => ({
    ...tx,
    query: (statement) => {
      statements.push(statement);
      return tx.query(statement);
    },
  });
  const recorder: Database = {
    ...db,
    query(tenantId, statement) {
      transactions.push({ statements: [statement] });
      return db.query(tenantId, statement);
    },
    transaction(tenantId, run, { signal: _, ...options } = {}) {
      const statements: Sql[] = [];
      transactions.push({ statements, options });
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
    const semantic = { vectors: serving, vector: vectorBytes(vector), rows: Number.POSITIVE_INFINITY };
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

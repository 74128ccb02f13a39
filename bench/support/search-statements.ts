/** Runs the SQL statements of a search without the service, and finds the exact nearest chunks. */
import { findServingVectors, vectorBytes } from '../../src/corpus/vector-store.ts';
import type { Database, TransactionOptions, Tx } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { type CorpusMemory, openCorpusMemory } from '../../src/retrieval/query/corpus-memory.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import { exactPlan, nearestCandidates } from '../../src/retrieval/semantic/nearest.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';

/** A search, and the vector of its query. */
export interface Asked {
  request: RetrieveRequest;
  vector: Float32Array;
}

/**
 * Returns the milliseconds of the statements of each search. The statements are replayed in order, or together where the search does not
 * wait for the previous one. Each search runs twice first, and the second run is recorded, so the caches are warm as in a service that has
 * run for a while. All searches are recorded before the first replay, because right after its recording every page of a search would be
 * in memory. Without `remembers`, searches use no caches, and the database answers everything.
 */
export async function replay(db: Database, searches: readonly Asked[], remembers = true): Promise<number[]> {
  const memory = remembers ? openCorpusMemory(db) : undefined;
  for (const search of searches) await record(db, memory, search);
  const recorded: (readonly Recorded[])[] = [];
  for (const search of searches) recorded.push(await record(db, memory, search));
  const taken: number[] = [];
  for (const [i, transactions] of recorded.entries()) {
    const start = performance.now();
    const { tenantId } = searches[i]!.request;
    for (const { steps, options } of transactions) {
      const run = async (tx: Tx): Promise<void> => {
        for (const together of steps) await Promise.all(together.map((statement) => tx.query(statement)));
      };
      if (options === undefined) await db.query(tenantId, steps[0]![0]!);
      else await db.transaction(tenantId, run, options);
    }
    taken.push(performance.now() - start);
  }
  return taken;
}

/** The statements of a transaction; each step holds the statements that are sent together. No options: a single statement. */
interface Recorded {
  steps: Sql[][];
  options?: TransactionOptions;
}

/** Replays each transaction of a search. */
async function record(db: Database, memory: CorpusMemory | undefined, { request, vector }: Asked): Promise<Recorded[]> {
  const transactions: Recorded[] = [];
  // All statements run on one connection.
  const recording = ({ beside: _, ...tx }: Tx, steps: Sql[][]): Tx => {
    let unanswered = 0;
    return {
      ...tx,
      async query<R extends object>(statement: Sql) {
        if (unanswered > 0) steps.at(-1)!.push(statement);
        else steps.push([statement]);
        unanswered += 1;
        try {
          return await tx.query<R>(statement);
        } finally {
          unanswered -= 1;
        }
      },
    };
  };
  const recorder: Database = {
    ...db,
    query(tenantId, statement) {
      transactions.push({ steps: [[statement]] });
      return db.query(tenantId, statement);
    },
    transaction(tenantId, run, { signal: _, ...options } = {}) {
      const steps: Sql[][] = [];
      transactions.push({ steps, options });
      return db.transaction(tenantId, (tx) => run(recording(tx, steps)), options);
    },
  };
  const embedding = { embedQuery: async () => vector, recallQuery: () => vector };
  await retrieve({ db: recorder, ...(memory && { memory }), embedding: embedding as never }, request);
  return transactions;
}

/** Returns the ids of the nearest chunks that match the filter, by an exact comparison of all vectors. */
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

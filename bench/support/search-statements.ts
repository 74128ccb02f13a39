/** The statements behind a search, without the service: what they take alone, and what the true best is. */
import { findServingVectors, vectorBytes } from '../../src/corpus/vector-store.ts';
import type { Database, TransactionOptions, Tx } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { type CorpusCache, openCorpusCache } from '../../src/retrieval/query/corpus-cache.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import { exactPlan, nearestCandidates } from '../../src/retrieval/semantic/nearest.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';

/** A search, and the vector of its query. */
export interface Asked {
  request: RetrieveRequest;
  vector: Float32Array;
}

/**
 * Milliseconds of the statements of each search, sent once more as they are: one after the other, or together where the search does not
 * wait for the one before. Each search is made twice before, and its second time recorded, so that what searches keep of the corpus is
 * known, as to a service that has run for a while. All are recorded first: right after its recording, every page that a search reads
 * would be in memory, as in no service. Without `remembers`, the statements of searches that keep nothing of the corpus: all that a
 * search needs is then asked of the database.
 */
export async function replay(db: Database, searches: readonly Asked[], remembers = true): Promise<number[]> {
  const corpusCache = remembers ? openCorpusCache(db) : undefined;
  for (const search of searches) await record(db, corpusCache, search);
  const recorded: (readonly Recorded[])[] = [];
  for (const search of searches) recorded.push(await record(db, corpusCache, search));
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

/** The statements of a transaction, in each step those that are sent together; without options, one that stands alone. */
interface Recorded {
  steps: Sql[][];
  options?: TransactionOptions;
}

/** Each transaction of a search. */
async function record(
  db: Database,
  corpusCache: CorpusCache | undefined,
  { request, vector }: Asked,
): Promise<Recorded[]> {
  const transactions: Recorded[] = [];
  // All on one connection.
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
  await retrieve({ db: recorder, ...(corpusCache && { corpusCache }), embedding: embedding as never }, request);
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

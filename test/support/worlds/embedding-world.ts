/** A service with an embedding model, for tests of the vectors of its chunks. */
import { findViolations } from '../../../src/corpus/invariants.ts';
import { findServingVectors, type ServingVectors, vectorColumn } from '../../../src/corpus/vector-store.ts';
import { identifier, sql } from '../../../src/db/sql.ts';
import type { Deps } from '../../../src/http/deps.ts';
import { embedChunks } from '../../../src/ingest/vectors/embed-chunks.ts';
import { requestVectors } from '../../../src/ingest/vectors/embed-queue.ts';
import type { JobContext } from '../../../src/jobs/queue.ts';
import { openEmbedding } from '../../../src/llm/embedding/embedding.ts';
import { seed } from '../../retrieval/corpus.ts';
import { openTestApp, type TestApp, type TestTenant } from '../app.ts';
import { type FakeEmbeddings, hashVector, openFakeEmbeddings } from '../fakes/embeddings.ts';

const WIDE_DIMENSION = 96;

export interface EmbeddingWorld {
  t: TestApp;
  /** Serves the models `first` (configured), `wide` (96 dimensions) and any other. */
  fake: FakeEmbeddings;
  /** The tenant of the current test: `reset` creates another tenant. */
  tenant: TestTenant;
  reset(): Promise<void>;
  /** Moves the clock; a job without a heartbeat counts as dead after a minute. */
  pass(seconds: number): void;
  /** Returns the dependencies of a service with another model. */
  withModel(name: string): Deps;
  /** Runs the job once, for the tenant. */
  embed(deps?: Deps, options?: { lastAttempt?: boolean }): Promise<void>;
  /** Writes chunks as ingestion stores them. */
  seedChunks(...texts: string[]): Promise<void>;
  serving(): Promise<ServingVectors | undefined>;
  /** Returns content -> serving vector, in the order of the contents. */
  vectors(): Promise<Map<string, number[]>>;
  /** Returns the texts of chunks that models have embedded, without the request for the dimension. */
  requested(): string[];
  count(table: 'chunk_vector' | 'embedding_waiting' | 'embedding_cache'): Promise<number>;
  /** Returns the number of all jobs that were ever queued. */
  jobs(): Promise<number>;
  /** Returns the violated invariants of vectors. */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

export const context = (lastAttempt = false): JobContext => ({ signal: new AbortController().signal, lastAttempt });

/** Returns the expected result of `vectors`. */
export function expectedVectors(model: string, ...texts: string[]): Map<string, number[]> {
  const dimension = model === 'wide' ? WIDE_DIMENSION : undefined;
  return new Map([...texts].sort().map((text) => [text, hashVector(text, model, dimension)]));
}

export async function openEmbeddingWorld(): Promise<EmbeddingWorld> {
  const fake = await openFakeEmbeddings({ wide: WIDE_DIMENSION });
  let now = new Date('2026-03-01T00:00:00Z');
  const env = { PINAKES_EMBEDDING_MODEL: 'openai-compatible:first', PINAKES_EMBEDDING_BASE_URL: fake.url };
  const t = await openTestApp({ env, given: { clock: { now: () => now } } });
  const { db } = t.deps;
  const world: EmbeddingWorld = {
    t,
    fake,
    tenant: t,
    async reset() {
      fake.respond(() => undefined);
      fake.calls.length = 0;
      fake.embedded.clear();
      world.tenant = await t.secondTenant();
    },
    pass(seconds) {
      now = new Date(now.getTime() + seconds * 1000);
    },
    withModel(name) {
      const settings = { ...t.deps.config.embedding, model: `openai-compatible:${name}` };
      return { ...t.deps, embedding: openEmbedding(settings, t.deps.http) };
    },
    embed(deps = t.deps, { lastAttempt = false } = {}) {
      return embedChunks(deps)({ tenantId: world.tenant.tenantId }, context(lastAttempt));
    },
    async seedChunks(...texts) {
      const { tenantId } = world.tenant;
      const [groupId] = await seed(db, tenantId, [{ sources: [{ chunks: texts }] }]);
      await db.transaction(tenantId, async (tx) => {
        const rows = await tx.query<{ id: string }>(
          sql`select id from chunk where tenant_id = ${tenantId} and source_group_id = ${groupId}`,
        );
        const ids = rows.map(({ id }) => id);
        await requestVectors(t.deps, tx, ids);
      });
    },
    serving: () => findServingVectors(db.system, world.tenant.tenantId),
    async vectors() {
      const { tenantId } = world.tenant;
      const found = await world.serving();
      if (!found) return new Map();
      const rows = await db.query<{ content: string; embedding: string }>(
        tenantId,
        sql`select c.content, v.${vectorColumn(found)}::text as embedding from ${identifier(found.table)} v
          join chunk c on c.tenant_id = v.tenant_id and c.id = v.chunk_id where v.tenant_id = ${tenantId}`,
      );
      rows.sort((a, b) => (a.content < b.content ? -1 : 1));
      return new Map(rows.map((row) => [row.content, JSON.parse(row.embedding)]));
    },
    requested: () => fake.calls.flatMap((call) => call.texts).filter((text) => text !== 'text'),
    async count(table) {
      const { tenantId } = world.tenant;
      const rows = await db.query<{ n: number }>(
        tenantId,
        sql`select count(*) as n from ${identifier(table)} where tenant_id = ${tenantId}`,
      );
      return rows[0]!.n;
    },
    async jobs() {
      const rows = await db.system.query<{ n: number }>(
        sql`select count(*) as n from pgboss.job where name = 'embed-chunks' and data ->> 'tenantId' = ${world.tenant.tenantId}`,
      );
      return rows[0]!.n;
    },
    async violations() {
      const found = await findViolations(db, t.deps.blobs, { now, graceSeconds: 0 });
      return found.map(({ message }) => message).filter((message) => message.includes('vector'));
    },
    async close() {
      await t.close();
      await fake.close();
    },
  };
  return world;
}

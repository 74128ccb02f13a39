/**
 * Compares a search under a policy with a search that sends the same condition as a filter. The pairs alternate in one run, so other
 * load of the machine affects both.
 *
 *     npm run bench:policies -- [--chunks 100000] [--data <folder>] [--queries 100] [--shares 50,10,1] [--modes lexical,hybrid]
 *
 * `--data`: a data directory with a generated corpus (bench/support/topic-corpus.ts). The bench changes it, so give a copy. Prints a line
 * for each mode and share of the sources that match. A line has the medians of both searches and of the ratios of the pairs, for wall
 * time and processor time.
 */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { savePolicy } from '../src/access/policy-store.ts';
import { saveSubject } from '../src/access/subject-store.ts';
import { findTenantByName, type Tenant } from '../src/corpus/tenant-store.ts';
import type { Database } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { sql } from '../src/db/sql.ts';
import { percentile } from '../src/retrieval/ranking/measures.ts';
import { retrieve } from '../src/retrieval/retrieve.ts';
import type { RetrieveRequest, SearchMode } from '../src/retrieval/types.ts';
import { newId } from '../src/util/ids.ts';
import { openRandom } from '../test/support/random.ts';
import { buildTopicCorpus } from './support/topic-corpus.ts';

const DIMENSION = 384;
const WARM_UP = 5;
/** The sources of a generated corpus have a bucket from 0 to 999. */
const BUCKETS_PER_PERCENT = 10;

const EVERYTHING = { sourceGroupIds: null, tagIds: null, filters: {}, usePostfilter: false, limit: 10, offset: 0 };

const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    data: { type: 'string' },
    queries: { type: 'string', default: '100' },
    shares: { type: 'string', default: '50,10,1' },
    modes: { type: 'string', default: 'lexical,hybrid' },
  },
});
const folder = values.data ?? join(tmpdir(), `pinakes-scale-embedded-${values.chunks}x${DIMENSION}`);
if (values.data === undefined) await buildTopicCorpus(folder, Number(values.chunks), DIMENSION);
const db = await openDatabase({ dataDir: folder });
try {
  await migrate(db);
  await measure(db, (await findTenantByName(db, 'default'))!);
} finally {
  await db.close();
}

async function measure(db: Database, tenant: Tenant): Promise<void> {
  const random = openRandom(8);
  const rows = await db.query<{ content: string }>(
    tenant.id,
    sql`select content from chunk where tenant_id = ${tenant.id} and ordinal = 3 order by id limit ${Number(values.queries) + WARM_UP}`,
  );
  const queries = rows.map(({ content }) => ({
    text: Array.from({ length: 4 }, () => random.pick(content.split(/\W+/).filter((word) => word.length > 3))).join(
      ' ',
    ),
    vector: Float32Array.from({ length: DIMENSION }, () => random.next() - 0.5),
  }));
  console.log('mode     share  filter ms  policy ms      ratio     CPU ms     CPU ms      ratio');
  for (const mode of values.modes.split(',') as SearchMode[]) {
    for (const share of values.shares.split(',').map(Number)) {
      await allow(db, tenant, share);
      const pairs: { filter: Cost; policy: Cost }[] = [];
      for (const [i, { text, vector }] of queries.entries()) {
        const embedding = { model: { name: '' }, embedQuery: async () => vector } as never;
        const time = async (request: RetrieveRequest): Promise<Cost> => {
          const [start, before] = [performance.now(), process.cpuUsage()];
          await retrieve({ db, embedding }, request);
          const { user, system } = process.cpuUsage(before);
          return { wallMs: performance.now() - start, cpuMs: (user + system) / 1000 };
        };
        const asked = { tenantId: tenant.id, partitionNo: tenant.partitionNo, query: text, mode };
        const [filter, policy] = [byFilter(asked, share), byPolicy(asked)];
        // The second search of a pair finds its pages in memory, so each kind is second equally often.
        const first = i % 2 === 0;
        const pair = first
          ? { filter: await time(filter), policy: await time(policy) }
          : { policy: await time(policy), filter: await time(filter) };
        if (i >= WARM_UP) pairs.push(pair);
      }
      const median = (of: (pair: (typeof pairs)[number]) => number): number => percentile(pairs.map(of), 0.5);
      const figures = (['wallMs', 'cpuMs'] as const).flatMap((cost) => [
        median((p) => p.filter[cost]),
        median((p) => p.policy[cost]),
        median((p) => p.policy[cost] / p.filter[cost]),
      ]);
      console.log(
        `${mode.padEnd(8)} ${`${share} %`.padStart(5)}  ${figures.map((one) => one.toFixed(2).padStart(9)).join('  ')}`,
      );
    }
  }
}

interface Cost {
  wallMs: number;
  /** Processor time of all threads, because the embedded engine runs in one of them. */
  cpuMs: number;
}

type Asked = Pick<RetrieveRequest, 'tenantId' | 'partitionNo' | 'query' | 'mode'>;

function byFilter(asked: Asked, share: number): RetrieveRequest {
  const bucket = { key: 'bucket', operator: 'lt' as const, value: share * BUCKETS_PER_PERCENT };
  return {
    ...EVERYTHING,
    ...asked,
    principal: null,
    filters: { sourceMetadata: { operator: 'and', filters: [bucket] } },
  };
}

function byPolicy(asked: Asked): RetrieveRequest {
  return { ...EVERYTHING, ...asked, principal: { id: 'someone', policy: 'bench', at: new Date() } };
}

async function allow(db: Database, { id }: Tenant, share: number): Promise<void> {
  const now = new Date();
  await db.transaction(id, async (tx) => {
    const definition = {
      operator: 'and' as const,
      filters: [
        { target: 'source_metadata' as const, key: 'bucket', operator: 'lt' as const, value: { subject: 'bucket' } },
      ],
    };
    await savePolicy(tx, id, { id: newId(), name: 'bench', definition }, now);
    const attributes = { bucket: share * BUCKETS_PER_PERCENT };
    await saveSubject(tx, id, { id: newId(), principalId: 'someone', attributes, expiresAt: null }, now);
  });
}

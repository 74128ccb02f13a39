/** Copies the embedded database of the data directory to a PostgreSQL server, for `pinakes copy-database`. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import { createPartitions, listTenants, termsIndexStatement } from './corpus/tenant-store.ts';
import { VECTOR_CACHE, vectorsToCache } from './corpus/vector-store.ts';
import { copyRows, copyTable, lockEmpty } from './db/copy-database.ts';
import type { Database } from './db/database.ts';
import { listMigrations } from './db/facts.ts';
import { isMigrated, migrate } from './db/migrate.ts';
import { openDatabase, prepareDatabase } from './db/open.ts';
import { conflict } from './errors.ts';
import { listUnfinishedJobs } from './jobs/job-counts.ts';
import { openJobQueue } from './jobs/queue-pgboss.ts';

/**
 * Tables that are not copied: what migrations and `createPartitions` fill, and vectors. The precision of vectors depends on the kind of
 * the database, so the service stores them again; they go into the cache, where it finds them without asking the model.
 */
const OMITTED = [
  'schema_migration',
  'source_group_transition',
  'text_index',
  'text_index_term',
  'text_index_change',
  'embedding_generation',
  'chunk_vector',
  'embedding_waiting',
  VECTOR_CACHE,
  'embedding_state',
];

export interface CopiedDatabase {
  tenants: number;
  rows: number;
  jobs: number;
}

/**
 * Copies everything in one transaction: after an error the server has no rows, and the next call begins anew. The embedded database and the
 * stored files stay as they are.
 *
 * @throws ServiceError conflict if the server has tenants already, or the embedded database lacks migrations.
 * @throws ConfigError if a database cannot be used, for example because a service runs on the data directory.
 */
export async function copyToServer(
  config: Config & { databaseUrl: string },
  log: FastifyBaseLogger,
  onTable?: (name: string) => void,
): Promise<CopiedDatabase> {
  const from = await openDatabase({ dataDir: config.dataDir });
  try {
    const to = await openDatabase({ dataDir: config.dataDir, url: config.databaseUrl });
    try {
      return await copyDatabase(from, to, config, log, onTable);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Copies `from` to the database `to`, which `config` names. @throws as `copyToServer`. */
export async function copyDatabase(
  from: Database,
  to: Database,
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: FastifyBaseLogger,
  onTable?: (name: string) => void,
): Promise<CopiedDatabase> {
  const source = { databaseUrl: null, dataDir: config.dataDir };
  const isComplete = await prepareDatabase(from, source, async () => {
    return (await isMigrated(from)) && (await listMigrations(from)).pending.length === 0;
  });
  if (!isComplete)
    throw conflict('The embedded database lacks migrations: start this version on it once, and stop it.');
  const queue = await prepareDatabase(to, config, async () => {
    await migrate(to);
    return openJobQueue(to, log);
  });
  try {
    const unlimited = { withoutTimeout: true };
    return await to.system.transaction(async (tx) => {
      if (!(await lockEmpty(tx)))
        throw conflict('The database on the server has tenants already: name an empty database.');
      return from.system.transaction(async (source) => {
        const tenants = await listTenants({ system: source });
        for (const tenant of tenants) await createPartitions(tx, tenant);
        const rows =
          (await copyRows(source, tx, OMITTED, onTable)) +
          (await copyTable(source, tx, VECTOR_CACHE, vectorsToCache(new Date())));
        for (const tenant of tenants) await tx.query(termsIndexStatement(tenant, to.hasTextSearch));
        const jobs = await listUnfinishedJobs(source);
        for (const { kind, payload } of jobs) await queue.enqueue(tx, kind, payload);
        return { tenants: tenants.length, rows, jobs: jobs.length };
      }, unlimited);
    }, unlimited);
  } finally {
    await queue.stop(0);
  }
}

/** Generates corpora on both engines, caches them by size, and starts the service on one. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { findTenantByName } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql.ts';
import { openRandom } from '../../test/support/random.ts';
import { type ServiceProcess, startServiceProcess } from '../../test/support/service-process.ts';
import { fillTopicCorpus, MODEL, near } from './topic-corpus.ts';

export type Engine = 'embedded' | 'server';

export interface CorpusSize {
  engine: Engine;
  chunks: number;
  dimension: number;
}

export interface Corpus extends CorpusSize {
  tenantId: string;
  partitionNo: number;
  /** On the embedded engine only while no service runs. */
  withDatabase<T>(use: (db: Database) => Promise<T>): Promise<T>;
  /** The vectors that the embedding model returns for these queries; other texts get vectors from their hash. */
  know(queries: ReadonlyMap<string, Float32Array>): void;
  startService(): Promise<ServiceProcess>;
  /** Size of tables and indexes, for people. */
  sizes(db: Database): Promise<string>;
  /** Memory of the database server's processes, for people; empty without a server. */
  serverMemory(): string;
  /** Processor time of the service and the database server so far, in milliseconds. */
  cpuMs(service: ServiceProcess): number;
  close(): Promise<void>;
}

/** Usual advice for a machine that gives the database a few GiB; all other settings are PostgreSQL's defaults. */
const SERVER_SETTINGS = {
  shared_buffers: '2GB',
  effective_cache_size: '6GB',
  maintenance_work_mem: '2GB',
  max_wal_size: '4GB',
};
const KEPT_AS = 'bench-scale';

export async function openCorpus(size: CorpusSize): Promise<Corpus> {
  const { engine, chunks, dimension } = size;
  const folder = join(tmpdir(), `pinakes-scale-${engine}-${chunks}x${dimension}`);
  mkdirSync(folder, { recursive: true });
  const server = engine === 'server' ? await startPostgres({ settings: SERVER_SETTINGS, keepAs: KEPT_AS }) : undefined;
  const url = server && (await findOrCreate(server, `scale_${chunks}_${dimension}`));
  const model = await openVectorModel(dimension);
  const withDatabase = async <T>(use: (db: Database) => Promise<T>): Promise<T> => {
    const db = await openDatabase({ dataDir: folder, ...(url === undefined ? {} : { url }) });
    try {
      return await use(db);
    } finally {
      await db.close();
    }
  };
  const close = async (): Promise<void> => {
    model.close();
    await server?.stop();
  };
  try {
    const tenant = await withDatabase(async (db) => {
      await fillTopicCorpus(db, chunks, dimension);
      return (await findTenantByName(db, 'default'))!;
    });
    return {
      ...size,
      tenantId: tenant.id,
      partitionNo: tenant.partitionNo,
      withDatabase,
      know: model.know,
      startService() {
        const keyFile = join(folder, 'admin.key');
        return startServiceProcess({
          dataDir: folder,
          ...(existsSync(keyFile) ? { key: readFileSync(keyFile, 'utf8').trim() } : {}),
          env: {
            PINAKES_EMBEDDING_MODEL: `openai-compatible:${MODEL}`,
            PINAKES_EMBEDDING_BASE_URL: model.url,
            ...(url === undefined ? {} : { PINAKES_DATABASE_URL: url }),
          },
        });
      },
      sizes: (db) => describeSizes(db, tenant.partitionNo),
      serverMemory: () => (server ? `PostgreSQL ${mib(privateBytes(server.pid))} besides shared buffers` : ''),
      cpuMs: (service) =>
        [service.pid, ...(server ? childrenOf(server.pid) : [])].reduce((sum, pid) => sum + cpuMs(pid), 0),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function findOrCreate(server: PostgresServer, name: string): Promise<string> {
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database ${name}`);
  await client.end();
  return url.href;
}

/** Serves `/v1/embeddings`: the given queries have their vectors, other texts a vector from their hash. */
async function openVectorModel(dimension: number) {
  let known: ReadonlyMap<string, Float32Array> = new Map();
  const vectorOf = (text: string): Float32Array => {
    const found = known.get(text);
    if (found) return found;
    const random = openRandom(createHash('sha256').update(text).digest().readUInt32LE(0));
    return near(random, new Float32Array(dimension).fill(1), 3);
  };
  const server = createServer(async (request, response) => {
    const { input } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: [...vectorOf(text)] }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    know(queries: ReadonlyMap<string, Float32Array>) {
      known = queries;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function describeSizes(db: Database, partitionNo: number): Promise<string> {
  const rows = await db.system.query<{ name: string; bytes: number }>(sql`
    select case when c.relname like '%hnsw%' then 'HNSW index' when a.amname in ('bm25', 'gin') then 'text index'
                when c.relname ~ '^chunk_vector' then 'vectors' when c.relname ~ '^text_index' then 'term vectors'
                else 'chunks' end as name,
           sum(pg_relation_size(c.oid) + case when c.relkind = 'r' then coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0) else 0 end) as bytes
    from pg_class c left join pg_am a on a.oid = c.relam
    where c.relkind in ('r', 'i') and c.relname ~ ${`^(chunk|chunk_vector|text_index)_${partitionNo}(_|$)`}
    group by 1 order by 2 desc`);
  return rows.map(({ name, bytes }) => `${name} ${mib(Number(bytes))}`).join(', ');
}

/** Sums private memory only, without pages that the processes share. */
function privateBytes(parent: number): number {
  return childrenOf(parent).reduce(
    (sum, pid) => sum + Number(/^RssAnon:\s+(\d+) kB$/m.exec(readProcess(pid, 'status'))?.[1] ?? 0) * 1024,
    0,
  );
}

const TICK_MS = 10;

function cpuMs(pid: number): number {
  // Fields 14 and 15. Field 2, in parentheses, may contain spaces.
  const [, fields = ''] = readProcess(pid, 'stat').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * TICK_MS;
}

function childrenOf(pid: number): number[] {
  return readProcess(pid, `task/${pid}/children`).trim().split(' ').map(Number);
}

/** Empty when the process is gone. */
function readProcess(pid: number, file: string): string {
  const path = `/proc/${pid}/${file}`;
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

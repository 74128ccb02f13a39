/** The start on a PostgreSQL server: one process at a time prepares the database, and an error says what an operator can do. */
import pg from 'pg';
import { ServiceError } from '../../errors.ts';
import { ConfigError } from '../../util/settings/settings-reader.ts';
import type { SystemDatabase } from '../database.ts';
import { SchemaMismatch } from '../migrate.ts';
import { sql } from '../sql.ts';
import { TENANT_ROLE } from '../tenant-scope.ts';

/** Any constant other than the lock of `migrate`, which is taken while this lock is held. */
const START_LOCK = 8_310_453;
const SETTING = 'PINAKES_DATABASE_URL';
const EXAMPLE = 'postgres://user:secret@db.example.com:5432/pinakes';

/**
 * Returns what `work` returns. Processes that start on the same database run their `work` one after the other, because `create … if
 * not exists` fails when two sessions run it at the same moment.
 */
export function withStartLock<T>(system: SystemDatabase, work: () => Promise<T>): Promise<T> {
  return system.transaction(
    async (tx) => {
      // The lock's own connection stays idle until `work`, which uses other connections, has ended.
      await tx.execute('set local idle_in_transaction_session_timeout = 0');
      await tx.query(sql`select pg_advisory_xact_lock(${START_LOCK})`);
      return work();
    },
    { withoutTimeout: true },
  );
}

/** Returns a ConfigError of one line where the server, its settings or its address is to blame, else `error`. Shows no password. */
export function explainStart(error: unknown, url: string): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!(cause instanceof Error) || cause instanceof ConfigError) return error;
  const problem = problemOf(cause, error, targetOf(url));
  return problem === undefined ? error : new ConfigError(SETTING, problem, EXAMPLE, { cause: error });
}

interface Target {
  host: string;
  database: string;
  role: string;
}

function targetOf(url: string): Target {
  const { host, port, database, user } = new pg.Client({ connectionString: url });
  const place = host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { host: place, database: database ?? '', role: user ?? '' };
}

function problemOf(cause: Error, error: unknown, { host, database, role }: Target): string | undefined {
  if (cause instanceof SchemaMismatch)
    return `names the database "${database}" on ${host}, but ${cause.explain('it', 'database')}`;
  const { code } = cause as { code?: string };
  const { message } = cause;
  if (code === '3D000') return `names the database "${database}", which ${host} does not have (make it with: createdb)`;
  if (code === '28P01') return `names the role "${role}", but ${host} refuses its password`;
  if (code === '28000') return `names the role "${role}", which ${host} refuses (${message})`;
  if (/client password must be a/.test(message))
    return `names no password, but ${host} asks the role "${role}" for one`;
  if (/extension "vector" is not available|extension "vector" has no installation|vector\.control/.test(message))
    return `names ${host}, which lacks pgvector (install it there, for example the package postgresql-17-pgvector)`;
  if (code === '42501')
    return `names the role "${role}" on ${host}, which lacks a right: ${message}${remedy(message, role)}`;
  if (/does not support SSL|certificate|\bTLS\b|\bSSL\b/i.test(message) || code?.startsWith('ERR_TLS'))
    return `names ${host}, to which no encrypted connection can be made (${message || code})`;
  if (/unsupported startup parameter/.test(message))
    return `names ${host}, which is a pooler that refuses settings of the service (${message}): name the server itself`;
  // `mapDatabaseError` found out which errors end by themselves and which keep the server from being reached.
  if (!(error instanceof ServiceError)) return undefined;
  return code !== undefined && /^(53|57)/.test(code)
    ? `names ${host}, which takes no connection now (${message})`
    : `names ${host}, which cannot be reached (${code ?? message})`;
}

/** Returns the statement that a superuser runs once, for the rights that a start needs. */
function remedy(message: string, role: string): string {
  if (/create extension "vector"/.test(message)) return ' (a superuser runs once: create extension vector)';
  if (/create role|grant role/.test(message))
    return ` (a superuser runs once: create role ${TENANT_ROLE} nologin; grant ${TENANT_ROLE} to "${role}")`;
  if (/for schema public/.test(message)) return ` (its owner runs once: grant all on schema public to "${role}")`;
  if (/for database/.test(message)) return ` (its owner runs once: grant create on the database to "${role}")`;
  return '';
}

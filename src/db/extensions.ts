/** The PostgreSQL extensions that the schema needs. */
import type { Queryable } from './database.ts';
import { identifier, sql } from './sql.ts';

/**
 * Creates pgvector, and pg_textsearch where the server can load it. Returns whether searches use pg_textsearch. A database that
 * was made without pg_textsearch uses it only after `pinakes migrate`.
 *
 * @throws Error when pgvector is missing and cannot be created.
 */
export async function ensureExtensions(system: Queryable): Promise<boolean> {
  await ensureExtension(system, 'vector');
  await ensureExtension(system, 'pg_textsearch').catch(() => false);
  return (await canUseTextSearch(system)) && !(await usesTextIndex(system));
}

/**
 * Returns whether tenants can have BM25 indexes: pg_textsearch is installed and allows indexes on tables with row-level security.
 * pg_textsearch refuses such indexes by default, because scores reveal how frequent a term is in all rows. Our indexes hold the rows
 * of one tenant each.
 */
export async function canUseTextSearch(system: Queryable): Promise<boolean> {
  const [found] = await system.query<{ usable: boolean }>(sql`
    select exists (select from pg_extension where extname = 'pg_textsearch')
      and coalesce(current_setting('pg_textsearch.allow_rls', true), 'off') = 'on' as usable`);
  return found?.usable === true;
}

async function ensureExtension(system: Queryable, name: string): Promise<boolean> {
  const [found] = await system.query<{ installed: boolean }>(
    sql`select exists (select from pg_extension where extname = ${name}) as installed`,
  );
  if (found?.installed) return true;
  await system.query(sql`create extension if not exists ${identifier(name)}`);
  return true;
}

/** Returns whether a tenant has its text index in the tables `text_index…` instead of a BM25 index. */
async function usesTextIndex(system: Queryable): Promise<boolean> {
  const [found] = await system.query<{ used: boolean }>(
    sql`select exists (select from pg_inherits where inhparent = to_regclass('text_index')) as used`,
  );
  return found?.used === true;
}

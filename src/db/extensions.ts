/** The extensions the schema stands on. */
import type { Queryable } from './database.ts';
import { identifier, sql } from './sql.ts';

/**
 * Creates pgvector, and pg_textsearch where the server can load it. Returns whether searches use pg_textsearch: once it has been
 * installed for a database that did without, they do so after `pinakes migrate`.
 *
 * @throws Error when pgvector is missing and cannot be created.
 */
export async function ensureExtensions(system: Queryable): Promise<boolean> {
  await ensureExtension(system, 'vector');
  const isInstalled = await ensureExtension(system, 'pg_textsearch').catch(() => false);
  return isInstalled && !(await usesTextIndex(system));
}

async function ensureExtension(system: Queryable, name: string): Promise<boolean> {
  const [found] = await system.query<{ installed: boolean }>(
    sql`select exists (select from pg_extension where extname = ${name}) as installed`,
  );
  if (found?.installed) return true;
  await system.query(sql`create extension if not exists ${identifier(name)}`);
  return true;
}

/** True when a tenant has a text index in tables (migration 0006), which stand for a BM25 index. */
async function usesTextIndex(system: Queryable): Promise<boolean> {
  const [found] = await system.query<{ used: boolean }>(
    sql`select exists (select from pg_inherits where inhparent = to_regclass('text_index')) as used`,
  );
  return found?.used === true;
}

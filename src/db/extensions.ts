/** The extensions the schema stands on. */
import type { Queryable } from './database.ts';
import { identifier, sql } from './sql.ts';

/**
 * Creates pgvector, and pg_textsearch where the server can load it. Returns whether pg_textsearch is there.
 *
 * @throws Error when pgvector is missing and cannot be created.
 */
export async function ensureExtensions(system: Queryable): Promise<boolean> {
  await ensureExtension(system, 'vector');
  return ensureExtension(system, 'pg_textsearch').catch(() => false);
}

async function ensureExtension(system: Queryable, name: string): Promise<boolean> {
  const [found] = await system.query<{ installed: boolean }>(
    sql`select exists (select from pg_extension where extname = ${name}) as installed`,
  );
  if (found?.installed) return true;
  await system.query(sql`create extension if not exists ${identifier(name)}`);
  return true;
}

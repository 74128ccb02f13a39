/**
 * What searches worked out about the corpus, kept until the corpus changes. Any change of its sources, groups, tags, values of
 * metadata columns changes its version, in the transaction of the change.
 */
import type { Database } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

const BYTES_MAX = 32 * 1024 ** 2;
/** Of an entry apart from its key and value. */
const ENTRY_BYTES = 500;

/** The tables that raise the version. What is read from others is not kept. */
const WATCHED = new Set(['source', 'source_group', 'tag', 'tag_source_group', 'metadata_column_value']);

/** What selects the version. After a restart of the database it is another one. */
const VERSIONS: Record<Database['kind'], Sql> = {
  embedded: sql`(select last_value || ' ' || pg_postmaster_start_time() from corpus_version)`,
  // Which changes the statement sees: they come to be seen in another order than they were made.
  server: sql`(select corpus_state() || ' ' || pg_postmaster_start_time())`,
};

export interface CorpusMemory {
  /** Selects the version of the corpus that a statement sees. */
  version: Sql;
  /** What is known of the corpus as it is in this version; of other versions nothing is. */
  at(version: string): Knowledge;
}

export interface Knowledge {
  /** What is kept under the key, or else what `work` finds: `bytes` says how large that is. */
  recall<T>(key: string, work: () => Promise<T>, bytes?: (found: T) => number): Promise<T>;
  has(key: string): boolean;
}

export function openCorpusMemory({ kind }: Pick<Database, 'kind'>): CorpusMemory {
  let entries = new Map<string, { value: unknown; bytes: number }>();
  let current = '';
  let total = 0;
  return {
    version: VERSIONS[kind],
    at(version) {
      if (version !== current) {
        entries = new Map();
        current = version;
        total = 0;
      }
      const own = entries;
      return {
        has: (key) => own.has(key),
        async recall<T>(key: string, work: () => Promise<T>, bytes: (found: T) => number = () => 0): Promise<T> {
          const known = own.get(key);
          if (known) {
            own.delete(key);
            own.set(key, known);
            return known.value as T;
          }
          const value = await work();
          // The corpus has changed meanwhile: of no use to others.
          if (own !== entries || own.has(key)) return value;
          const entry = { value, bytes: ENTRY_BYTES + 2 * key.length + bytes(value) };
          own.set(key, entry);
          total += entry.bytes;
          for (const [oldest, { bytes: freed }] of own) {
            if (total <= BYTES_MAX) break;
            own.delete(oldest);
            total -= freed;
          }
          return value;
        },
      };
    },
  };
}

/** What `work` finds, kept for as long as what `statement` says of the tenant's corpus holds. */
export async function remember<T>(
  knowledge: Knowledge | undefined,
  tenantId: string,
  statement: Sql,
  work: () => Promise<T>,
  bytes?: (found: T) => number,
): Promise<T> {
  const key = knowledge && memoryKey(tenantId, statement);
  return key === undefined ? work() : knowledge!.recall(key, work, bytes);
}

/** `remember` has nothing to work out. */
export function knows(knowledge: Knowledge | undefined, tenantId: string, statement: Sql): boolean {
  const key = knowledge && memoryKey(tenantId, statement);
  return key !== undefined && knowledge!.has(key);
}

/** What a statement is kept under; undefined when it reads what changes without a change of the version. */
export function memoryKey(tenantId: string, statement: Sql): string | undefined {
  const { text, values } = statement;
  const tables = [...text.matchAll(/\b(?:from|join)\s+"?(\w+)"?(?!\w|\s*\()/g)].map(([, table]) => table!);
  if (tables.some((table) => !WATCHED.has(table)) || VARIES.test(text)) return undefined;
  return JSON.stringify([tenantId, text, values]);
}

/** Times, settings and chance. */
const VARIES = /\b(?:now|clock_timestamp|statement_timestamp|current_\w+|localtime\w*|random\w*|gen_random_uuid)\b/i;

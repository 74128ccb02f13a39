/** The sources that match the filters of a search, found once for all its statements. */
import { chunkPartition } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { join, type Sql, sql } from '../../db/sql.ts';
import type { Scope } from '../engine.ts';
import { ALIVE, matchingSources, narrowingConditions, narrows } from './filter-sql.ts';

/** Maximum number of sources that are passed to the statements by id. With more, each statement finds them again. */
const IDS_MAX = 50_000;

/** Ids to be bound as an array; a Buffer has the array in binary form. */
export type SourceIds = Buffer | readonly string[];

export interface FilterMatches {
  /** Selects id, generation and mixed of the sources. A mixed source also has chunks of other generations. */
  sources: Sql;
  /** Null if there are more than IDS_MAX sources. */
  ids: SourceIds | null;
  mixed: boolean;
  /** Number of their chunks. */
  chunks: number;
  /** Their approximate share of all chunks: 0..1. */
  share: number;
}

/** Returns a select of the matching sources. */
export function sourcesOf(scope: Scope): Sql {
  return sql`select s.id, s.generation, s.mixed ${matchingSources(scope)}`;
}

/**
 * Returns a select of the named sources; undefined if they are too many. Generations are left out if no source is mixed. The arrays
 * stay in binary form: for thousands of ids this is a tenth of the work.
 */
function selectNamed({ ids, generations, mixed, sources }: Found): Sql | undefined {
  if (sources === 0) return sql`select null::uuid as id, null::int as generation, false as mixed where false`;
  if (ids === null) return undefined;
  if (generations === null)
    return sql`select id, null::int as generation, false as mixed from unnest(${ids}::uuid[]) as id`;
  return sql`select * from unnest(${ids}::uuid[], ${generations}::int[], ${mixed}::boolean[]) as s(id, generation, mixed)`;
}

interface Found {
  ids: Buffer | null;
  /** Null if no source is mixed. */
  generations: Buffer | null;
  mixed: Buffer | null;
  sources: number;
  anyMixed: boolean;
  chunks: number;
  /** The number of all chunks; -1 if not known. */
  all: number;
}

/** Pages of sources that a sample reads, and the sources in them that it tests. */
const SAMPLED_PAGES = 12;
const SAMPLED_MAX = 150;
/** A tenant with fewer sources in the sample has few sources: its filter is evaluated quickly. */
const SAMPLED_MIN = 20;

/** Returns the approximate share of the sources that match, from a sample; 0 if the sample tells nothing. */
export async function sampleShare(tx: Tx, scope: Scope): Promise<number> {
  const { tenantId } = scope;
  const conditions = [ALIVE, ...narrowingConditions(scope)];
  const [sample] = await tx.query<{ tested: number; matching: number }>(sql`
    select count(*) as tested, count(*) filter (where ${join(conditions, ' and ')}) as matching
    from (select * from source tablesample system (
        (select least(100, 100 * ${SAMPLED_PAGES}::float8 / greatest(relpages, 1)) from pg_class where oid = 'source'::regclass)
      ) repeatable (1) where tenant_id = ${tenantId} limit ${SAMPLED_MAX}) s
    cross join lateral (select * from source_group where tenant_id = ${tenantId} and id = s.source_group_id offset 0) g`);
  const { tested, matching } = sample!;
  return tested < SAMPLED_MIN ? 0 : matching / tested;
}

/** Returns the matching sources; undefined if the filters exclude no source that is alive. */
export async function findFilterMatches(tx: Tx, scope: Scope, namedMax = IDS_MAX): Promise<FilterMatches | undefined> {
  if (!narrows(scope)) return undefined;
  const sources = matchingSources(scope);
  const [found] = await tx.query<Found>(sql`
    select f.sources, f.any_mixed, f.chunks,
      case when f.sources <= ${namedMax}::int then array_send(f.ids) end as ids,
      case when f.any_mixed and f.sources <= ${namedMax}::int then array_send(f.generations) end as generations,
      case when f.any_mixed and f.sources <= ${namedMax}::int then array_send(f.mixed) end as mixed,
      (select reltuples from pg_class where oid = ${chunkPartition(scope.partitionNo)}::regclass) as all
    from (select count(*) as sources, coalesce(bool_or(s.mixed), false) as any_mixed, coalesce(sum(s.chunk_count), 0) as chunks,
        array_agg(s.id) as ids, array_agg(s.generation) as generations, array_agg(s.mixed) as mixed ${sources}) f`);
  const { ids, anyMixed, chunks, all } = found!;
  return {
    sources: selectNamed(found!) ?? sourcesOf(scope),
    ids: found!.sources === 0 ? [] : ids,
    mixed: anyMixed,
    chunks,
    share: chunks / Math.max(all, chunks, 1),
  };
}

/** The sources that fit the filters of a search: looked for once, for all of its statements. */
import { chunkPartition } from '../corpus/tenant-store.ts';
import type { Tx } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { fittingSources, narrows } from './filter-sql.ts';
import type { Filters, RetrieveRequest } from './types.ts';

/** So many are handed to the statements by name; more are looked for in each of them. */
const NAMED_MAX = 50_000;

export interface Fitting {
  /** Selects their id, generation, and whether they are mixed: have chunks of other generations as well. */
  sources: Sql;
  mixed: boolean;
  /** How many they have. */
  chunks: number;
  /** Of about all chunks: 0..1. */
  share: number;
}

/** Undefined where the filters do not narrow the search: all sources that are alive fit. */
export type FindFitting = (filters: Filters) => Promise<Fitting | undefined>;

/** For one transaction: what was found is kept. */
export function openFitting(tx: Tx, request: RetrieveRequest): FindFitting {
  const found = new Map<Filters, Promise<Fitting>>();
  return async (filters) => {
    if (!narrows(request, filters)) return undefined;
    const known = found.get(filters) ?? find(tx, request, filters);
    found.set(filters, known);
    return known;
  };
}

/** Selects the sources within the statement. */
export function sourcesOf(request: RetrieveRequest, filters: Filters): Sql {
  return sql`select s.id, s.generation, s.mixed ${fittingSources(request.tenantId, request, filters)}`;
}

/** Of sources that are not mixed, nobody asks for the generation. */
function named(ids: string, generations: string | null, mixed: string | null): Sql {
  if (generations === null)
    return sql`select id, null::int as generation, false as mixed from unnest(${ids}::uuid[]) as id`;
  return sql`select * from unnest(${ids}::uuid[], ${generations}::int[], ${mixed}::boolean[]) as s(id, generation, mixed)`;
}

interface Found {
  ids: string | null;
  /** Null when none is mixed. */
  generations: string | null;
  mixed: string | null;
  anyMixed: boolean;
  chunks: number;
  /** -1: not known. */
  all: number;
}

async function find(tx: Tx, request: RetrieveRequest, filters: Filters): Promise<Fitting> {
  const [found] = await tx.query<Found>(sql`
    with fitting as materialized (
      select s.id, s.generation, s.mixed, s.chunk_count ${fittingSources(request.tenantId, request, filters)}),
    named as materialized (select * from fitting where (select count(*) from fitting) <= ${NAMED_MAX})
    select n.*, f.*, (select reltuples from pg_class where oid = ${chunkPartition(request.partitionNo)}::regclass) as all
    from (select array_agg(id)::text as ids,
        case when bool_or(mixed) then array_agg(generation)::text end as generations,
        case when bool_or(mixed) then array_agg(mixed)::text end as mixed from named) n,
      (select coalesce(bool_or(mixed), false) as "anyMixed", coalesce(sum(chunk_count), 0) as chunks from fitting) f`);
  const { ids, generations, mixed, anyMixed, chunks, all } = found!;
  return {
    sources: ids === null ? sourcesOf(request, filters) : named(ids, generations, mixed),
    mixed: anyMixed,
    chunks,
    share: chunks / Math.max(all, chunks, 1),
  };
}

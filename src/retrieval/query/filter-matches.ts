/** The sources that match the filters of a search: found once for all its statements, and cached until the corpus changes. */
import { chunkPartition } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { AdmittedRequest, Filters } from '../types.ts';
import { type CacheView, cachedBy, cacheKey, isCached } from './corpus-cache.ts';
import { matchingSources, narrows } from './filter-sql.ts';

/** Maximum number of sources that are passed to the statements by id. With more, each statement finds them again. */
const NAMED_MAX = 50_000;
/** Maximum number of uncertain sources. With more, for example while a large group is ingested, each chunk's source is looked up. */
const UNCERTAIN_MAX = 1_000;

/** Ids to be bound as an array; a Buffer has the array in binary form. */
export type SourceIds = Buffer | readonly string[];

export interface FilterMatches {
  /** Selects id, generation and mixed of the sources. A mixed source also has chunks of other generations. */
  sources: Sql;
  /** Null if there are more than NAMED_MAX sources. */
  ids: SourceIds | null;
  mixed: boolean;
  /** Number of their chunks. */
  chunks: number;
  /** Their approximate share of all chunks: 0..1. */
  share: number;
  /** Begins the cache keys of further facts about these sources; undefined without a cache. */
  key: string | undefined;
}

/** Returns the matching sources; undefined if the filters exclude no source that is alive. */
export interface FindFilterMatches {
  (filters: Filters): Promise<FilterMatches | undefined>;
  /** Returns true if the matching sources are cached. */
  isKnown?(filters: Filters): boolean;
  /**
   * Returns the sources that are deleted, not ready or mixed. Without a narrowing filter, every chunk of all other sources may be
   * returned. Undefined if the sources are not known or too many.
   */
  uncertainSources?(): Promise<readonly string[] | undefined>;
}

/** For one transaction, which finds the sources of each filter once. `cache`, at the version that the transaction sees, shares them. */
export function openFilterMatches(tx: Tx, request: AdmittedRequest, cache?: CacheView): FindFilterMatches {
  const found = new Map<Filters, Promise<FilterMatches>>();
  const recall = async (filters: Filters): Promise<FilterMatches> => {
    const sources = matchingSources(request.tenantId, request, filters);
    const key = cache && cacheKey(request.tenantId, sources);
    const look = async (): Promise<Known> => {
      const { named, ...known } = await find(tx, request, sources);
      return { ...known, sources: named ?? sourcesOf(request, filters), key };
    };
    return key === undefined ? look() : cache!.getOrAdd(key, look, ({ bytes }) => bytes);
  };
  const filterMatches = async (filters: Filters): Promise<FilterMatches | undefined> => {
    if (!narrows(request, filters)) return undefined;
    const known = found.get(filters) ?? recall(filters);
    found.set(filters, known);
    return known;
  };
  const isKnown = (filters: Filters): boolean =>
    found.has(filters) || isCached(cache, request.tenantId, matchingSources(request.tenantId, request, filters));
  const uncertainSources = cache && (() => findUncertainSources(tx, request.tenantId, cache));
  return Object.assign(filterMatches, { isKnown, ...(uncertainSources && { uncertainSources }) });
}

/** Reads two indexes to find the uncertain sources, usually none. Only worth its time with a cache. */
async function findUncertainSources(
  tx: Tx,
  tenantId: string,
  cache: CacheView,
): Promise<readonly string[] | undefined> {
  const statement = sql`
    select s.id from source s
    where s.tenant_id = ${tenantId} and (s.deleted_at is not null or s.status <> 'ready' or s.mixed)
    union all
    select s.id from source_group g cross join lateral (
      select id from source where tenant_id = ${tenantId} and source_group_id = g.id offset 0) s
    where g.tenant_id = ${tenantId} and g.deleted_at is not null limit ${UNCERTAIN_MAX + 1}`;
  const look = async (): Promise<readonly string[]> => (await tx.query<{ id: string }>(statement)).map(({ id }) => id);
  const found = await cachedBy(cache, tenantId, statement, look, (ids) => ids.length * ID_BYTES);
  return found.length > UNCERTAIN_MAX ? undefined : found;
}

/** Bytes of an id as a string. */
const ID_BYTES = 64;

/** Returns a select of the matching sources. */
export function sourcesOf(request: AdmittedRequest, filters: Filters): Sql {
  return sql`select s.id, s.generation, s.mixed ${matchingSources(request.tenantId, request, filters)}`;
}

/**
 * Returns a select of the named sources; undefined if they are too many. Generations are left out if no source is mixed. The arrays
 * stay in binary form: for thousands of ids this is a tenth of the work.
 */
function named({ ids, generations, mixed, sources }: Found): Sql | undefined {
  if (sources === 0) return sql`select null::uuid as id, null::int as generation, false as mixed where false`;
  if (ids === null) return undefined;
  if (generations === null)
    return sql`select id, null::int as generation, false as mixed from unnest(${ids}::uuid[]) as id`;
  return sql`select * from unnest(${ids}::uuid[], ${generations}::int[], ${mixed}::boolean[]) as s(id, generation, mixed)`;
}

type Known = FilterMatches & { bytes: number };

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

async function find(tx: Tx, request: AdmittedRequest, sources: Sql) {
  const [found] = await tx.query<Found>(sql`
    with matching as materialized (select s.id, s.generation, s.mixed, s.chunk_count ${sources}),
    named as materialized (select * from matching where (select count(*) from matching) <= ${NAMED_MAX})
    select n.*, f.*, (select reltuples from pg_class where oid = ${chunkPartition(request.partitionNo)}::regclass) as all
    from (select array_send(array_agg(id)) as ids,
        case when bool_or(mixed) then array_send(array_agg(generation)) end as generations,
        case when bool_or(mixed) then array_send(array_agg(mixed)) end as mixed from named) n,
      (select count(*) as sources, coalesce(bool_or(mixed), false) as any_mixed, coalesce(sum(chunk_count), 0) as chunks from matching) f`);
  const { ids, generations, mixed, anyMixed, chunks, all } = found!;
  return {
    named: named(found!),
    ids: found!.sources === 0 ? [] : ids,
    mixed: anyMixed,
    chunks,
    share: chunks / Math.max(all, chunks, 1),
    bytes: [ids, generations, mixed].reduce((sum, part) => sum + (part?.length ?? 0), 0),
  };
}

/** The sources that fit the filters of a search: looked for once, for all of its statements, and kept until the corpus changes. */
import { chunkPartition } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { AdmittedRequest, Filters } from '../types.ts';
import { type Knowledge, knows, memoryKey, remember } from './corpus-memory.ts';
import { fittingSources, narrows } from './filter-sql.ts';

/** So many are handed to the statements by name; more are looked for in each of them. */
const NAMED_MAX = 50_000;
/** With more, as while a large group is ingested or deleted, the source of each chunk is looked up. */
const DOUBTFUL_MAX = 1_000;

/** Ids to bind as an array; a Buffer has it in the binary form. */
export type SourceIds = Buffer | readonly string[];

export interface Fitting {
  /** Selects their id, generation, and whether they are mixed: have chunks of other generations as well. */
  sources: Sql;
  /** Null when they are too many to name. */
  ids: SourceIds | null;
  mixed: boolean;
  /** How many they have. */
  chunks: number;
  /** Of about all chunks: 0..1. */
  share: number;
  /** What else is known of them is kept under it; undefined where nothing is. */
  key: string | undefined;
}

/** Undefined where the filters do not narrow the search: all sources that are alive fit. */
export interface FindFitting {
  (filters: Filters): Promise<Fitting | undefined>;
  /** It is known already. */
  isKnown?(filters: Filters): boolean;
  /**
   * Sources that are not alive or not ready, or have chunks of other generations: every chunk of all others may be found where no
   * filter narrows the search. Undefined where that is not known, or they are many.
   */
  doubtful?(): Promise<readonly string[] | undefined>;
}

/** For one transaction: what was found is kept. With `knowledge` of the corpus as the transaction sees it, for others as well. */
export function openFitting(tx: Tx, request: AdmittedRequest, knowledge?: Knowledge): FindFitting {
  const found = new Map<Filters, Promise<Fitting>>();
  const recall = async (filters: Filters): Promise<Fitting> => {
    const sources = fittingSources(request.tenantId, request, filters);
    const key = knowledge && memoryKey(request.tenantId, sources);
    const look = async (): Promise<Known> => {
      const { named, ...known } = await find(tx, request, sources);
      return { ...known, sources: named ?? sourcesOf(request, filters), key };
    };
    return key === undefined ? look() : knowledge!.recall(key, look, ({ bytes }) => bytes);
  };
  const fitting = async (filters: Filters): Promise<Fitting | undefined> => {
    if (!narrows(request, filters)) return undefined;
    const known = found.get(filters) ?? recall(filters);
    found.set(filters, known);
    return known;
  };
  const isKnown = (filters: Filters): boolean =>
    found.has(filters) || knows(knowledge, request.tenantId, fittingSources(request.tenantId, request, filters));
  const doubtful = knowledge && (() => findDoubtful(tx, request.tenantId, knowledge));
  return Object.assign(fitting, { isKnown, ...(doubtful && { doubtful }) });
}

/** Only for those who keep it: two indexes hold them, but usually there are none. */
async function findDoubtful(tx: Tx, tenantId: string, knowledge: Knowledge): Promise<readonly string[] | undefined> {
  const statement = sql`
    select s.id from source s
    where s.tenant_id = ${tenantId} and (s.deleted_at is not null or s.status <> 'ready' or s.mixed)
    union all
    select s.id from source_group g cross join lateral (
      select id from source where tenant_id = ${tenantId} and source_group_id = g.id offset 0) s
    where g.tenant_id = ${tenantId} and g.deleted_at is not null limit ${DOUBTFUL_MAX + 1}`;
  const look = async (): Promise<readonly string[]> => (await tx.query<{ id: string }>(statement)).map(({ id }) => id);
  const found = await remember(knowledge, tenantId, statement, look, (ids) => ids.length * ID_BYTES);
  return found.length > DOUBTFUL_MAX ? undefined : found;
}

/** As a string. */
const ID_BYTES = 64;

/** Selects the sources within the statement. */
export function sourcesOf(request: AdmittedRequest, filters: Filters): Sql {
  return sql`select s.id, s.generation, s.mixed ${fittingSources(request.tenantId, request, filters)}`;
}

/**
 * Of sources that are not mixed, nobody asks for the generation. The arrays go back as they came, in the binary form: of
 * thousands of ids, that is a tenth of the work.
 */
function named({ ids, generations, mixed, sources }: Found): Sql | undefined {
  if (sources === 0) return sql`select null::uuid as id, null::int as generation, false as mixed where false`;
  if (ids === null) return undefined;
  if (generations === null)
    return sql`select id, null::int as generation, false as mixed from unnest(${ids}::uuid[]) as id`;
  return sql`select * from unnest(${ids}::uuid[], ${generations}::int[], ${mixed}::boolean[]) as s(id, generation, mixed)`;
}

type Known = Fitting & { bytes: number };

interface Found {
  ids: Buffer | null;
  /** Null when none is mixed. */
  generations: Buffer | null;
  mixed: Buffer | null;
  sources: number;
  anyMixed: boolean;
  chunks: number;
  /** -1: not known. */
  all: number;
}

async function find(tx: Tx, request: AdmittedRequest, sources: Sql) {
  const [found] = await tx.query<Found>(sql`
    with fitting as materialized (select s.id, s.generation, s.mixed, s.chunk_count ${sources}),
    named as materialized (select * from fitting where (select count(*) from fitting) <= ${NAMED_MAX})
    select n.*, f.*, (select reltuples from pg_class where oid = ${chunkPartition(request.partitionNo)}::regclass) as all
    from (select array_send(array_agg(id)) as ids,
        case when bool_or(mixed) then array_send(array_agg(generation)) end as generations,
        case when bool_or(mixed) then array_send(array_agg(mixed)) end as mixed from named) n,
      (select count(*) as sources, coalesce(bool_or(mixed), false) as any_mixed, coalesce(sum(chunk_count), 0) as chunks from fitting) f`);
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

/**
 * BM25 candidates where few chunks fit the filters: their terms are read once, and scored here. The index would look at every
 * chunk that has a term of the query, at 4 µs each, most of them for nothing.
 */
import { BM25_B, BM25_K1, chunkPartition, termsIndex } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { empty, identifier, join, type Sql, sql } from '../../db/sql.ts';
import type { Knowledge } from '../query/corpus-memory.ts';
import { chunkConditions } from '../query/filter-sql.ts';
import type { FindFitting, Fitting } from '../query/fitting.ts';
import type { AdmittedRequest, Filters } from '../types.ts';
import { type Candidate, inOrder } from './lexical.ts';
import { type Occurrences, openTermScan, type TermScan } from './term-scan.ts';

/** Their terms are in memory during the search. */
const FEW_CHUNKS_MAX = 4_000;
/** The index finds this many of the chunks that fit about as fast as they are all read when `chunks * share` is as many. */
const FEW_MEASURE_MAX = 100;
/** Of a chunk and its ids in memory, apart from its terms. */
const CHUNK_BYTES = 200;

export interface FewChunks {
  /** As `bm25Candidates`, but of equal score always the lower id first. */
  best(terms: readonly string[], limit: number): Promise<Candidate[]>;
  /** Those of the terms that one of the chunks has. With `key`, what was found under it before, if it is still known. */
  having(terms: () => Iterable<string>, key?: string): Promise<readonly string[]>;
}

/** Undefined where there are more, or the index of the database is another. */
export type FindFew = (filters: Filters) => Promise<FewChunks | undefined>;

/** For one transaction: the chunks are read once; with `knowledge` of the corpus as the transaction sees it, for others as well. */
export function openFew(tx: Tx, request: AdmittedRequest, fitting: FindFitting, knowledge?: Knowledge): FindFew {
  const opened = new Map<Filters, FewChunks>();
  return async (filters) => {
    const found = await fitting(filters);
    if (!found || !areFew(found)) return undefined;
    const few = opened.get(filters) ?? open(filters, found);
    opened.set(filters, few);
    return few;
  };
  function open(filters: Filters, found: Fitting): FewChunks {
    const conditions = chunkConditions(request, filters);
    const read = (): Promise<TermsRead> => readTerms(tx, request, found, conditions);
    const weigh = openWeights(tx, request, knowledge);
    // What conditions on chunks ask for changes without a change of the version.
    if (conditions.length > 0) return openFewChunks(weigh, read);
    const { key } = found;
    if (!knowledge || key === undefined) return openFewChunks(weigh, read);
    const recallRead = (): Promise<TermsRead> => knowledge.recall(`terms ${key}`, read, ({ bytes }) => bytes);
    const recallHad = (): Promise<Had> =>
      knowledge.recall(
        `had ${key}`,
        async () => new Map(),
        () => HAD_MAX * HAD_BYTES,
      );
    return openFewChunks(weigh, recallRead, recallHad);
  }
}

function areFew({ chunks, share }: Pick<Fitting, 'chunks' | 'share'>): boolean {
  return chunks <= FEW_CHUNKS_MAX && chunks * share <= FEW_MEASURE_MAX;
}

interface Place {
  tenantId: string;
  partitionNo: number;
}

type ReadChunk = Pick<Candidate, 'id' | 'sourceId'>;

interface TermsRead {
  chunks: readonly ReadChunk[];
  scan: TermScan;
  bytes: number;
}

/** What `having` found, by its key. */
type Had = Map<string, readonly string[]>;
/** All count as kept from the first on, as those of KNOWN_WEIGHTS_MAX. */
const HAD_MAX = 200;
const HAD_BYTES = 300;

/** For one transaction. */
function openFewChunks(
  weigh: Weigh,
  read: () => Promise<TermsRead>,
  recallHad: () => Promise<Had> = async () => new Map(),
): FewChunks {
  let reading: Promise<TermsRead> | undefined;
  return {
    async best(given, limit) {
      reading ??= read();
      const { chunks, scan } = await reading;
      const repeats = new Map<string, number>();
      for (const term of given) repeats.set(term, (repeats.get(term) ?? 0) + 1);
      // Of a single term, the index does not see that it is repeated.
      if (repeats.size === 1) repeats.set(given[0]!, 1);
      const distinct = [...repeats.keys()];
      const terms: string[] = [];
      const occurrences: Occurrences[] = [];
      scan(distinct).forEach((found, i) => {
        if (found.texts.length === 0) return;
        terms.push(distinct[i]!);
        occurrences.push(found);
      });
      if (terms.length === 0) return [];
      const { weights, base, slope } = await weigh(terms);
      const scores = new Float64Array(chunks.length);
      occurrences.forEach(({ texts, counts }, i) => {
        const weight = repeats.get(terms[i]!)! * weights[i]!;
        for (let at = 0; at < texts.length; at += 1) {
          const text = texts[at]!;
          scores[text]! += (weight * counts[at]!) / (counts[at]! + base + slope * scan.lengths[text]!);
        }
      });
      return bestOf(chunks, scores, limit);
    },
    async having(terms, key) {
      const had = key === undefined ? undefined : await recallHad();
      const known = had?.get(key!);
      if (known) return known;
      reading ??= read();
      const { scan } = await reading;
      const sought = [...terms()];
      const found = scan(sought);
      const present = sought.filter((_, i) => found[i]!.texts.length > 0);
      if (had && had.size >= HAD_MAX) had.clear();
      had?.set(key!, present);
      return present;
    },
  };
}

function bestOf(chunks: readonly ReadChunk[], scores: Float64Array, limit: number): Candidate[] {
  const found = new Int32Array(scores.length);
  const ascending = new Float64Array(scores.length);
  let count = 0;
  for (let i = 0; i < scores.length; i += 1) {
    if (scores[i] === 0) continue;
    found[count] = i;
    ascending[count++] = scores[i]!;
  }
  ascending.subarray(0, count).sort();
  const least = count > limit ? ascending[count - limit]! * (1 - ROUNDING) : 0;
  const candidates: Candidate[] = [];
  for (const i of found.subarray(0, count)) {
    const { id, sourceId } = chunks[i]!;
    if (scores[i]! >= least) candidates.push({ id, sourceId, score: rounded(scores[i]!) });
  }
  return inOrder(candidates, Number.POSITIVE_INFINITY).slice(0, limit);
}

/** More than `rounded` changes of a score. */
const ROUNDING = 2e-5;

/** The index adds up in single precision, so that its scores have some seven digits: what it takes for equal is equal here. */
function rounded(score: number): number {
  return Number(score.toPrecision(6));
}

async function readTerms(
  tx: Tx,
  { tenantId, partitionNo }: Place,
  { sources, mixed }: Fitting,
  conditions: readonly Sql[],
): Promise<TermsRead> {
  const ofGeneration = mixed ? sql`and (not f.mixed or c.generation = f.generation)` : empty;
  // Source by source: a join may be planned as a scan of all.
  const rows = await tx.query<ReadChunk & { terms: string }>(sql`
    select c.id, c.source_id, c.terms from (${sources}) f cross join lateral (
      select * from ${identifier(chunkPartition(partitionNo))} where tenant_id = ${tenantId} and source_id = f.id offset 0) c
    where ${join([sql`c.tenant_id = ${tenantId}`, ...conditions], ' and ')} ${ofGeneration}`);
  const chunks = rows.map(({ id, sourceId }) => ({ id, sourceId }));
  const scan = openTermScan(rows.map(({ terms }) => terms));
  return { chunks, scan, bytes: scan.bytes + CHUNK_BYTES * chunks.length };
}

interface Weights {
  /** What each of the terms counts in a chunk that has it, at most. */
  weights: readonly number[];
  /** What the length of a chunk adds to the count of a term, in the denominator: `base + slope * length`. */
  base: number;
  slope: number;
}

/** Exactly represented in the index, and far from 1. */
const PROBE_LENGTH = 280;
/** No term is like these. PostgreSQL counts each up to 255 times. */
const PROBE_FILLING = [
  ...new Array<string>(255).fill('zqx'),
  ...new Array<string>(PROBE_LENGTH - 256).fill('zqy'),
].join(' ');
const BASE = BM25_K1 * (1 - BM25_B);

type Weigh = (terms: readonly string[]) => Promise<Weights>;

/** What is known of the index. */
interface Statistics {
  byTerm: Map<string, number>;
  slope?: number;
}

/** Of a tenant; all count as kept from the first on, so more would leave no room for many tenants. */
const KNOWN_WEIGHTS_MAX = 1_000;
const WEIGHT_BYTES = 100;

/**
 * The statistics of the index, of which it says nothing itself: read off the scores that it gives to texts made of one term. The
 * score of a text in which the term is once is `weight / (1 + base + slope * length)`. With `knowledge`, kept until the corpus changes.
 */
function openWeights(tx: Tx, { tenantId, partitionNo }: Place, knowledge: Knowledge | undefined): Weigh {
  const unread: Statistics = { byTerm: new Map() };
  return async (terms) => {
    const known = knowledge
      ? await knowledge.recall(
          `weights ${tenantId}`,
          async () => unread,
          () => KNOWN_WEIGHTS_MAX * WEIGHT_BYTES,
        )
      : unread;
    const { byTerm } = known;
    const unknown = terms.filter((term) => !byTerm.has(term));
    if (unknown.length > 0) {
      const [probe] = known.slope === undefined ? unknown : [];
      const index = termsIndex(partitionNo);
      const rows = await tx.query<{ term: string; score: number; long: number | null }>(sql`
        select t.term, -(t.term <@> to_bm25query(t.term, ${index})) as score,
          case when t.term = ${probe ?? null} then -(t.term || ${` ${PROBE_FILLING}`} <@> to_bm25query(t.term, ${index})) end as long
        from unnest(${unknown}::text[]) as t(term)`);
      for (const { score, long } of rows) {
        if (!long) continue;
        const ratio = score / long;
        known.slope = ((ratio - 1) * (1 + BASE)) / (PROBE_LENGTH - ratio);
      }
      for (const { term, score } of rows) byTerm.set(term, score * (1 + BASE + (known.slope ?? 0)));
    }
    const weights = terms.map((term) => byTerm.get(term) ?? 0);
    if (byTerm.size > KNOWN_WEIGHTS_MAX) byTerm.clear();
    return { weights, base: BASE, slope: known.slope ?? 0 };
  };
}

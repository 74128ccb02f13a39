/**
 * BM25 candidates where few chunks fit the filters: their terms are read once, and scored here. The index would look at every
 * chunk that has a term of the query, at 4 µs each, most of them for nothing.
 */
import { BM25_B, BM25_K1, chunkPartition, termsIndex } from '../corpus/tenant-store.ts';
import type { Tx } from '../db/database.ts';
import { empty, identifier, join, type Sql, sql } from '../db/sql.ts';
import { chunkConditions } from './filter-sql.ts';
import type { FindFitting, Fitting } from './fitting.ts';
import { type Candidate, inOrder } from './lexical.ts';
import { openTermScan, type TermScan } from './term-scan.ts';
import type { AdmittedRequest, Filters } from './types.ts';

/** Their terms are in memory during the search. */
const FEW_CHUNKS_MAX = 4_000;
/** The index finds this many of the chunks that fit about as fast as they are all read when `chunks * share` is as many. */
const FEW_MEASURE_MAX = 100;

export interface FewChunks {
  /** As `bm25Candidates`, but of equal score always the lower id first. */
  best(terms: readonly string[], limit: number): Promise<Candidate[]>;
}

/** Undefined where there are more, or the index of the database is another. */
export type FindFew = (filters: Filters) => Promise<FewChunks | undefined>;

/** For one transaction: the chunks are read once. */
export function openFew(tx: Tx, request: AdmittedRequest, fitting: FindFitting): FindFew {
  const opened = new Map<Filters, FewChunks>();
  return async (filters) => {
    const found = await fitting(filters);
    if (!found || !areFew(found)) return undefined;
    const few = opened.get(filters) ?? openFewChunks(tx, request, found, chunkConditions(request, filters));
    opened.set(filters, few);
    return few;
  };
}

function areFew({ chunks, share }: Pick<Fitting, 'chunks' | 'share'>): boolean {
  return chunks <= FEW_CHUNKS_MAX && chunks * share <= FEW_MEASURE_MAX;
}

interface Place {
  tenantId: string;
  partitionNo: number;
}

interface ReadChunk {
  id: string;
  sourceId: string;
  terms: string;
}

/** The chunks of the sources that fulfil the conditions on chunk `c`, for one transaction. */
export function openFewChunks(tx: Tx, place: Place, fitting: Fitting, conditions: readonly Sql[]): FewChunks {
  const weigh = openWeights(tx, place);
  let reading: Promise<{ chunks: readonly ReadChunk[]; scan: TermScan }> | undefined;
  const read = async () => {
    const chunks = await readChunks(tx, place, fitting, conditions);
    return { chunks, scan: openTermScan(chunks.map(({ terms }) => terms)) };
  };
  return {
    async best(given, limit) {
      reading ??= read();
      const { chunks, scan } = await reading;
      const terms = [...new Set(given)];
      // Of a single term, the index does not see that it is repeated.
      const repeats = terms.map((term) => (terms.length === 1 ? 1 : given.filter((other) => other === term).length));
      const found = scan(terms);
      const occurring = [...terms.keys()].filter((place) => found.some(({ counts }) => counts[place]! > 0));
      const { weights, base, slope } = await weigh(occurring.map((place) => terms[place]!));
      const scored = found.map(({ text, counts, length }) => {
        const { id, sourceId } = chunks[text]!;
        let score = 0;
        occurring.forEach((place, i) => {
          const count = counts[place]!;
          score += (repeats[place]! * weights[i]! * count) / (count + base + slope * length);
        });
        return { id, sourceId, score: rounded(score) };
      });
      return inOrder(
        scored.filter(({ score }) => score > 0),
        Number.POSITIVE_INFINITY,
      ).slice(0, limit);
    },
  };
}

/** The index adds up in single precision, so that its scores have some seven digits: what it takes for equal is equal here. */
function rounded(score: number): number {
  return Number(score.toPrecision(6));
}

async function readChunks(
  tx: Tx,
  { tenantId, partitionNo }: Place,
  { sources, mixed }: Fitting,
  conditions: readonly Sql[],
): Promise<ReadChunk[]> {
  const ofGeneration = mixed ? sql`and (not f.mixed or c.generation = f.generation)` : empty;
  // Source by source: a join may be planned as a scan of all.
  return tx.query<ReadChunk>(sql`
    select c.id, c.source_id as "sourceId", c.terms from (${sources}) f cross join lateral (
      select * from ${identifier(chunkPartition(partitionNo))} where tenant_id = ${tenantId} and source_id = f.id offset 0) c
    where ${join([sql`c.tenant_id = ${tenantId}`, ...conditions], ' and ')} ${ofGeneration}`);
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

/**
 * The statistics of the index, of which it says nothing itself: read off the scores that it gives to texts made of one term. The
 * score of a text in which the term is once is `weight / (1 + base + slope * length)`.
 */
function openWeights(tx: Tx, { partitionNo }: Place): (terms: readonly string[]) => Promise<Weights> {
  const known = new Map<string, number>();
  let slope: number | undefined;
  return async (terms) => {
    const unknown = terms.filter((term) => !known.has(term));
    const [probe] = slope === undefined ? unknown : [];
    if (unknown.length > 0) {
      const index = termsIndex(partitionNo);
      const rows = await tx.query<{ term: string; score: number; long: number | null }>(sql`
        select t.term, -(t.term <@> to_bm25query(t.term, ${index})) as score,
          case when t.term = ${probe ?? null} then -(t.term || ${` ${PROBE_FILLING}`} <@> to_bm25query(t.term, ${index})) end as long
        from unnest(${unknown}::text[]) as t(term)`);
      for (const { score, long } of rows) {
        if (long === null) continue;
        const ratio = score / long;
        slope = ((ratio - 1) * (1 + BASE)) / (PROBE_LENGTH - ratio);
      }
      for (const { term, score } of rows) known.set(term, score * (1 + BASE + (slope ?? 0)));
    }
    return { weights: terms.map((term) => known.get(term) ?? 0), base: BASE, slope: slope ?? 0 };
  };
}

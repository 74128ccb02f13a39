/**
 * The port of search engines. An engine finds the chunks of a corpus that match terms or a vector best. PostgreSQL stays the truth: if
 * an engine does not test its candidates in the transaction, `openCorpus` does, before anything is ranked.
 */
import type { Access } from '../access/access.ts';
import type { ServingVectors } from '../corpus/vector-store.ts';
import type { Tx } from '../db/database.ts';
import type { Filters } from './types.ts';

/** The chunks that a search may find: of one tenant, within an access, matching the filters. */
export interface Scope extends Access {
  tenantId: string;
  /** Number of the tenant's chunk partition. */
  partitionNo: number;
  filters: Filters;
}

/** The vector of a query, and the vectors to compare with it. */
export interface QueryVector {
  vectors: ServingVectors;
  values: Float32Array;
}

export interface CandidateQuery {
  /** Terms from `searchTerms`; a repeated term counts repeatedly. Without terms there are no lexical candidates. */
  terms: readonly string[];
  /** Undefined: there are no semantic candidates. */
  vector: QueryVector | undefined;
  /** Number of wanted candidates of each half. */
  depth: number;
}

export interface Candidate {
  id: string;
  sourceId: string;
  /** BM25, greater than 0, or the cosine; higher is better. */
  score: number;
}

/** Returns the candidates by score, then by id. Candidates with the score `cutScore` keep their order. */
export function bestFirst(candidates: readonly Candidate[], cutScore?: number): Candidate[] {
  return candidates.toSorted((a, b) => {
    if (a.score !== b.score) return b.score - a.score;
    if (a.score === cutScore) return 0;
    return a.id < b.id ? -1 : 1;
  });
}

/** The candidates of each half, best first; for equal scores, the lower id first. */
export interface Candidates {
  lexical: readonly Candidate[];
  semantic: readonly Candidate[];
  /** True if no more candidates exist. */
  exhausted: boolean;
}

/** The part of a corpus that one search may find, for one transaction. */
export interface SearchedCorpus {
  candidates(query: CandidateQuery): Promise<Candidates>;
  /**
   * Returns those of the terms that a chunk of the corpus has, or had until its rows were removed. Absent if the engine has no counts for
   * this corpus, so that it would have to search for each term.
   */
  knownTerms?(terms: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface Engine {
  /** True if the engine tests, in the transaction, that every candidate is alive, served and within the scope. */
  readonly testsCandidates: boolean;
  /** Settings of the transaction in which it works, as `TransactionOptions.settings`. */
  readonly settings: readonly string[];
  open(tx: Tx, scope: Scope): SearchedCorpus;
}

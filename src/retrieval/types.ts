/** What retrieval takes and gives. `retrieve()` in retrieve.ts is the only entry. */

import type { Access, Principal } from '../access/access.ts';
import type { ColumnRef } from '../corpus/column-store.ts';
import type { TypedMetadata } from '../corpus/values.ts';
import type { MetadataFilterGroup } from '../filters/types.ts';
import type { Fingerprint } from './ranking/near-duplicates.ts';

/** All given filters must hold. Wire names and rules: interface.md, POST /completions. */
export interface Filters {
  tags?: readonly string[];
  tagIds?: readonly string[];
  tagFilterLogic?: 'and' | 'or';
  sourceTypes?: readonly string[];
  fileTypes?: readonly string[];
  /** Unix seconds, inclusive. */
  dateFrom?: number;
  dateTo?: number;
  domains?: readonly string[];
  /** On source-group metadata. */
  metadata?: MetadataFilterGroup;
  sourceMetadata?: MetadataFilterGroup;
  chunkMetadata?: MetadataFilterGroup;
  /** On declared columns only. */
  metadataFilter?: MetadataFilterGroup;
  /** The columns that `metadataFilter` names, by key. */
  columns?: ReadonlyMap<string, ColumnRef>;
}

export type SearchMode = 'hybrid' | 'lexical' | 'semantic';

export interface RetrieveRequest {
  tenantId: string;
  /** Number of the tenant's chunk partition. */
  partitionNo: number;
  /** The key's limits, from Caller. */
  sourceGroupIds: readonly string[] | null;
  tagIds: readonly string[] | null;
  /** For whom; null: authorization is off. */
  principal: Principal | null;
  query: string;
  mode: SearchMode;
  filters: Filters;
  usePostfilter: boolean;
  limit: number;
  offset: number;
  maxChunksPerSource?: number;
  context?: { before: number; after: number };
  /** False: without the rerank model, if there is one. */
  rerank?: boolean;
  /** True: where no model ranks, the first hits are ordered by how closely they hold the query (proximity.ts). */
  proximity?: boolean;
}

/** With what the principal may see, as it is in the transaction of the search. */
export type AdmittedRequest = RetrieveRequest & Access;

/** A chunk beside a hit in its source. */
export interface Neighbour {
  id: string;
  chunkIndex: number;
  content: string;
  startOffset: number;
  endOffset: number;
}

/** A chunk with what the Content record of the wire needs. */
export interface Hit {
  id: string;
  sourceId: string;
  sourceGroupId: string;
  sourceType: string;
  fileType: string;
  name: string;
  url: string | null;
  content: string;
  context: string | null;
  chunkIndex: number;
  startOffset: number;
  endOffset: number;
  pages: number[] | null;
  headingPath: string[];
  score: number;
  scores: { lexical: number | null; semantic: number | null; rerank: number | null };
  metadata: TypedMetadata;
  chunkMetadata: TypedMetadata;
  tags: string[];
  contentAt: Date;
  language: string | null;
  /** In reading order; only when the request asks for context. */
  neighbours?: { before: Neighbour[]; after: Neighbour[] };
}

export interface Warning {
  type: string;
  message: string;
}

export interface Retrieved {
  hits: Hit[];
  warnings: Warning[];
  /** Stage name -> milliseconds, for Server-Timing. */
  timings: Record<string, number>;
}

/** What is known of the text of a chunk. */
export interface ReadText {
  /** Equal for equal texts. */
  hash: string;
  /** Absent: it is not compared more closely. */
  fingerprint?: Fingerprint;
}

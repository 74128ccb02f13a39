/** What `retrieve()` in retrieve.ts takes and returns. */
import type { Principal } from '../access/access.ts';
import type { ColumnRef } from '../corpus/column-store.ts';
import type { TypedMetadata } from '../corpus/values.ts';
import type { MetadataFilterGroup } from '../filters/types.ts';
import type { Stage } from './stages.ts';

/** The filters of a request; all of them must hold. */
export interface Filters {
  sourceGroupIds?: readonly string[];
  tags?: readonly string[];
  tagIds?: readonly string[];
  tagFilterLogic?: 'and' | 'or';
  sourceTypes?: readonly string[];
  fileTypes?: readonly string[];
  /** Unix seconds, inclusive. */
  dateFrom?: number;
  dateTo?: number;
  domains?: readonly string[];
  /** Conditions on source-group metadata. */
  metadata?: MetadataFilterGroup;
  sourceMetadata?: MetadataFilterGroup;
  chunkMetadata?: MetadataFilterGroup;
  /** Conditions on declared metadata columns. */
  metadataFilter?: MetadataFilterGroup;
  /** The columns that `metadataFilter` names, by key. */
  columns?: ReadonlyMap<string, ColumnRef>;
}

export type SearchMode = 'hybrid' | 'lexical' | 'semantic';

export interface RetrieveRequest {
  tenantId: string;
  /** Whose search it is: key families of a tenant take turns. */
  keyFamilyId?: string;
  /** Number of the tenant's chunk partition. */
  partitionNo: number;
  /** The limits of the API key. */
  sourceGroupIds: readonly string[] | null;
  tagIds: readonly string[] | null;
  /** The principal that asks; null while authorization is off. */
  principal: Principal | null;
  query: string;
  mode: SearchMode;
  filters: Filters;
  usePostfilter: boolean;
  limit: number;
  offset: number;
  maxChunksPerSource?: number;
  context?: { before: number; after: number };
  /** False switches the rerank model off. */
  rerank?: boolean;
  /** True orders the first hits by how closely they contain the query (proximity.ts), if no rerank model ranks. */
  proximity?: boolean;
}

/** The place of a chunk in its source. All members are null if a policy may hide chunks of the source. */
export interface Place {
  chunkIndex: number | null;
  startOffset: number | null;
  endOffset: number | null;
  /** Lines of the file; also null if the lines of the text are not those of the file. */
  startLine: number | null;
  endLine: number | null;
}

/** A chunk before or after a hit in the same source. */
export interface Neighbour extends Place {
  id: string;
  content: string;
}

/** A chunk with the facts that the Content record of the wire needs. */
export interface Hit extends Place {
  id: string;
  sourceId: string;
  sourceGroupId: string;
  sourceGroupName: string;
  /** The version of the source that the chunk was made from. */
  generation: number;
  sourceType: string;
  fileType: string;
  name: string;
  /** The path of an uploaded file in its group, or of a file in its repository; null for every other source. */
  path: string | null;
  url: string | null;
  content: string;
  context: string | null;
  pages: number[] | null;
  headingPath: string[];
  score: number;
  scores: { lexical: number | null; semantic: number | null; rerank: number | null };
  metadata: TypedMetadata;
  chunkMetadata: TypedMetadata;
  tags: string[];
  contentAt: Date;
  language: string | null;
  /** In reading order; present only if the request asks for context. */
  neighbours?: { before: Neighbour[]; after: Neighbour[] };
}

export interface Warning {
  type: string;
  message: string;
}

export interface Retrieved {
  hits: Hit[];
  warnings: Warning[];
  /**
   * Words of the query that occur nowhere, each with the word that was searched for instead. Empty if a redaction policy may hide text:
   * then such a word may be hidden.
   */
  corrections: ReadonlyMap<string, string>;
  /** For Server-Timing. */
  stages: Stage[];
}

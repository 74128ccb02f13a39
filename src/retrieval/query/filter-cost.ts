/**
 * Refuses filters and policies whose work would hold the database for long. The embedded database runs one statement at a time, so
 * all tenants would wait. The work is estimated from the conditions, and from the size of the metadata that they are tested on.
 */
import type { Database, Tx } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { invalidAt, invalidRequest } from '../../errors.ts';
import { costOf, type FilterCost } from '../../filters/filter-cost.ts';
import type { Scope } from '../engine.ts';
import { matchingSources, SOURCE_TABLES } from './filter-sql.ts';

/** Estimated milliseconds that a filter may take. On a server, other tenants do not wait for it. */
const BUDGET_MS = { embedded: 250, server: 2_500 } as const;
/** A filter of a few short conditions is never refused, however large the corpus is. Its size is then not looked up. */
const SIMPLE: FilterCost = { fixedNs: 7_000_000, rowNs: 4_000, byteNs: 0 };
/** The work for a chunk without metadata, by that for a chunk with some: a filter sees from the stored size that nothing is there. */
const EMPTY_WEIGHT = 0.1;
/** A policy may take this many times as long: it is not chosen for one search, and a refused policy hides everything. */
const POLICY_FACTOR = 2;

/** Rows that are tested, and the bytes of their metadata. */
export interface Size {
  rows: number;
  bytes: number;
}

/**
 * Checks the filters and the policy of a search before they run.
 *
 * @param rowsMax chunks that are tested at most; undefined: all chunks of the matching sources.
 * @throws ServiceError invalid_request that says which filter or policy is too costly and what to change.
 */
export async function checkFilterCost(
  tx: Tx,
  kind: Database['kind'],
  scope: Scope,
  rowsMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { tenantId, filters, policy } = scope;
  const { metadata, sourceMetadata, metadataFilter, chunkMetadata } = filters;
  const tests = [
    {
      what: 'sources',
      where: (metadata && 'metadata') ?? (sourceMetadata && 'source_metadata') ?? 'metadata_filter',
      filter: costOf(metadata, sourceMetadata, metadataFilter),
      ofPolicy: policy?.cost.source,
      sizes: sourceSizes(tenantId),
    },
    {
      what: 'chunks',
      where: 'chunk_metadata',
      filter: costOf(chunkMetadata),
      ofPolicy: policy?.cost.chunk,
      sizes: sql`select coalesce(sum(s.chunk_count), 0) as rows, coalesce(sum(s.chunk_metadata_bytes), 0) as bytes,
          coalesce(sum(s.chunk_metadatas_count + (s.chunk_count - s.chunk_metadatas_count) * ${EMPTY_WEIGHT}::float8), 0) as weight
        ${matchingSources(scope)}`,
    },
  ];
  for (const { what, where, filter, ofPolicy, sizes } of tests) {
    if (isWithin(filter, SIMPLE) && (!ofPolicy || isWithin(ofPolicy, SIMPLE))) continue;
    const [size] = await tx.query<Size & { weight?: number }>(sizes);
    const { rows, bytes, weight = rows } = size!;
    if (ofPolicy && !fitsBudget(kind, estimatedNs(ofPolicy, size!) / POLICY_FACTOR))
      throw invalidRequest(
        `The policy would take too long on ${rows} ${what}. Give it fewer conditions on metadata, fewer values for in and nin, or ` +
          'shorter texts for contains.',
      );
    const share = Math.min(1, rowsMax / Math.max(rows, 1));
    if (fitsBudget(kind, estimatedNs(filter, { rows: share * weight, bytes: share * bytes }))) continue;
    throw invalidAt(
      [where],
      `would take too long on ${rows} ${what}. Send fewer conditions, fewer values for in and nin, shorter texts for ` +
        'contains, or narrow the search with tags, source_types, file_types or dates.',
    );
  }
}

/** Returns the query of the size of all sources of the tenant. */
export function sourceSizes(tenantId: string): Sql {
  return sql`select count(*) as rows, coalesce(sum(s.metadata_bytes + g.metadata_bytes), 0) as bytes
      from ${SOURCE_TABLES} where s.tenant_id = ${tenantId} and s.deleted_at is null`;
}

/** Returns the estimated nanoseconds of a test of these rows. */
export function estimatedNs(cost: FilterCost, { rows, bytes }: Size): number {
  return cost.fixedNs + rows * cost.rowNs + bytes * cost.byteNs;
}

/** Returns whether the database may work for so long at once. */
export function fitsBudget(kind: Database['kind'], nanoseconds: number): boolean {
  return nanoseconds / 1e6 <= BUDGET_MS[kind];
}

function isWithin(cost: FilterCost, limit: FilterCost): boolean {
  return cost.fixedNs <= limit.fixedNs && cost.rowNs <= limit.rowNs && cost.byteNs <= limit.byteNs;
}

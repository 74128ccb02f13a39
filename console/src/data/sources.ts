/** The source list across groups, and what can be done with its rows. */
import type { ListedSource, Operations } from '../../../src/client/api.ts';
import type { Filters } from '../screens/sources/filters.ts';
import { pinakes } from './api.ts';

const ROWS_PER_REQUEST = 100;

export type SourcePage = Operations['listAllSources']['response'];
export type SourceRow = ListedSource;

export function listSources(filters: Filters, cursor: string | null, signal: AbortSignal): Promise<SourcePage> {
  const { q, status, type, group, sort, order } = filters;
  const query = {
    limit: ROWS_PER_REQUEST,
    q: q?.trim(),
    status,
    file_type: type === undefined ? undefined : [type],
    source_group_id: group,
    sort,
    order,
    cursor: cursor ?? undefined,
  };
  return pinakes.listAllSources({ query }, { signal });
}

/** Reads the failed files again of every group that has one of the sources. */
export async function readAgain(rows: readonly SourceRow[]): Promise<void> {
  for (const id of new Set(rows.map((row) => row.source_group_id)))
    await pinakes.startRun({ params: { id }, body: { only_failed: true } });
}

export async function deleteSources(rows: readonly SourceRow[]): Promise<void> {
  for (const { id } of rows) await pinakes.deleteSource({ params: { id } });
}

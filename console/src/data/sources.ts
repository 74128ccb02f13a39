/** The source list across groups, and what can be done with its rows. */
import type { ListedSource, Operations } from '../../../src/client/api.ts';
import type { Filters } from '../screens/sources/filters.ts';
import { pinakes } from './api.ts';
import { isMissing } from './source.ts';
import { setLink } from './tags.ts';

const ROWS_PER_REQUEST = 100;
/** Files that one run reads again. */
const SOURCES_PER_RUN = 1_000;

export type SourcePage = Operations['listAllSources']['response'];
export type SourceRow = ListedSource;

export function listSources(filters: Filters, cursor: string | null, signal: AbortSignal): Promise<SourcePage> {
  const { q, status, type, group, tag, sort, order } = filters;
  const query = {
    limit: ROWS_PER_REQUEST,
    q: q?.trim(),
    status,
    file_type: type === undefined ? undefined : [type],
    source_group_id: group,
    tag_id: tag,
    // The counts are those of the whole list: the first page has them.
    facets: cursor === null,
    sort,
    order,
    cursor: cursor ?? undefined,
  };
  return pinakes.listAllSources({ query }, { signal });
}

/** Reads the failed ones of the sources again, from their stored bytes. */
export async function readAgain(rows: readonly SourceRow[]): Promise<void> {
  for (const [id, failed] of byGroup(rows.filter((row) => row.error !== null)))
    for (let at = 0; at < failed.length; at += SOURCES_PER_RUN) {
      const source_ids = failed.slice(at, at + SOURCES_PER_RUN).map((row) => row.id);
      await pinakes.startRun({ params: { id }, body: { source_ids } });
    }
}

/** Deletes the sources. After an error, a second call goes on with those that are left. */
export async function deleteSources(rows: readonly SourceRow[]): Promise<void> {
  for (const { id } of rows)
    await pinakes.deleteSource({ params: { id } }).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
}

/** Gives the groups of the sources a tag, or takes it from them. */
export async function tagGroups(rows: readonly SourceRow[], tagIds: Iterable<string>, linked: boolean): Promise<void> {
  for (const tag of tagIds)
    for (const group of byGroup(rows).keys())
      await setLink(tag, group, linked).catch((error: unknown) => {
        // A group without the tag is what was asked for.
        if (linked || !isMissing(error)) throw error;
      });
}

export function byGroup(rows: readonly SourceRow[]): Map<string, SourceRow[]> {
  return Map.groupBy(rows, (row) => row.source_group_id);
}

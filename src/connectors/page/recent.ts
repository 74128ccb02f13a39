/**
 * Pages that got a page below them lately, by the workspace's search. A page that had none is not asked for any as long as the
 * time of its own last edit stays the same, and nobody promises that a page below it changes that time. The search is not
 * complete either, so it only adds to what the walk finds.
 */
import { type PageApi, PageApiError } from './api.ts';
import { hyphenated } from './id.ts';
import { Page } from './wire.ts';

const SEARCH_LISTS_MAX = 10;
/** The index of the search is behind, and times are rounded. */
const OVERLAP_MS = 10 * 60_000;

/** Ids of the pages above those that were edited after `since`. @throws as `PageApi.get`, but for refusals and faults. */
export async function recentParents(api: PageApi, since: Date): Promise<ReadonlySet<string>> {
  const parents = new Set<string>();
  const query = {
    filter: { property: 'object', value: 'page' },
    sort: { timestamp: 'last_edited_time', direction: 'descending' },
  };
  let lists = 0;
  try {
    for await (const { results } of api.pages('search', query)) {
      for (const result of results) {
        const page = Page.safeParse(result).data;
        const edited = Date.parse(page?.last_edited_time ?? '');
        if (edited < since.getTime() - OVERLAP_MS) return parents;
        const parent = hyphenated(page?.parent?.page_id ?? '');
        if (parent !== undefined) parents.add(parent);
      }
      lists += 1;
      if (lists >= SEARCH_LISTS_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof PageApiError)) throw error;
  }
  return parents;
}

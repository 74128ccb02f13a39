/**
 * Finds pages with recently edited child pages by the workspace's search.
 *
 * The walk does not list the children of a page without known children while its own edit time stays the same. The API does not
 * guarantee that a new child changes this time. The search is incomplete too, so it only adds to the results of the walk.
 */
import { type PageApi, PageApiError } from './api.ts';
import { hyphenated } from './id.ts';
import { Page } from './wire.ts';

const SEARCH_LISTS_MAX = 10;
/** The index of the search lags behind, and times are rounded. */
const OVERLAP_MS = 10 * 60_000;

/**
 * Returns the ids of the parents of pages edited after `since`. Returns fewer ids if the API fails. @throws errors of
 * `PageApi.get` other than PageApiError.
 */
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

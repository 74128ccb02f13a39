/**
 * Asks the workspace's search for the pages that the integration sees.
 *
 * The walk does not list the children of a page without known children while its own edit time stays the same. The API does not
 * guarantee that a new child changes this time. A page that is no longer shared keeps its place and its time in the block list of its
 * parent, so nothing there tells that it may not be read any more. The search knows both for a hundred pages in one request. It is
 * incomplete, so it only adds to the results of the walk, and a page that it does not name is asked for by itself.
 */
import { type PageApi, PageApiError } from './api.ts';
import { hyphenated } from './id.ts';
import { Page } from './wire.ts';

/** Lists of pages that are read besides those that the stored pages need. */
const SEARCH_LISTS_FREE = 10;
const LIST_SIZE = 100;
/** The index of the search lags behind, and times are rounded. */
const OVERLAP_MS = 10 * 60_000;

interface SeenPages {
  ids: ReadonlySet<string>;
  /** Parents of pages that were edited since the last run. */
  parents: ReadonlySet<string>;
}

/**
 * Returns the pages of the search, the last edited first, until all stored pages are found. Returns fewer pages if the API fails.
 *
 * @param since the start of the last run; an invalid date: it is unknown.
 * @throws errors of `PageApi.get` other than PageApiError.
 */
export async function seenPages(api: PageApi, since: Date, stored: readonly string[]): Promise<SeenPages> {
  const ids = new Set<string>();
  const parents = new Set<string>();
  const wanted = new Set(stored.filter((id) => hyphenated(id) === id));
  const listsMax = SEARCH_LISTS_FREE + Math.ceil(wanted.size / LIST_SIZE);
  const query = {
    filter: { property: 'object', value: 'page' },
    sort: { timestamp: 'last_edited_time', direction: 'descending' },
  };
  let lists = 0;
  try {
    for await (const { results } of api.pages('search', query)) {
      let isRecent = false;
      for (const result of results) {
        const page = Page.safeParse(result).data;
        const id = hyphenated(page?.id ?? '');
        if (page === undefined || id === undefined) continue;
        ids.add(id);
        wanted.delete(id);
        isRecent = Date.parse(page.last_edited_time ?? '') >= since.getTime() - OVERLAP_MS;
        const parent = isRecent ? hyphenated(page.parent?.page_id ?? '') : undefined;
        if (parent !== undefined) parents.add(parent);
      }
      lists += 1;
      if (lists >= listsMax || (wanted.size === 0 && !isRecent)) break;
    }
  } catch (error) {
    if (!(error instanceof PageApiError)) throw error;
  }
  return { ids, parents };
}

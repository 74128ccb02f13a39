/**
 * Finds stored pages that the walk did not see although they are still in the workspace.
 *
 * A walk takes minutes. A page that moves from a place that the walk has not reached to a place that it has passed is in no list.
 */
import { explainOriginFailure, type PageApi, PageApiError } from './api.ts';
import { hyphenated } from './id.ts';
import { isTrashed, Page, type WirePage } from './wire.ts';

/** Each of these pages costs a request. Of more, those that the search found are asked for first. */
const ASKED_MAX = 500;
/** Blocks around a page, up to the page that has them. */
const BLOCKS_AROUND_MAX = 10;

interface MovedPage {
  page: WirePage;
  /** The page, database or data source that has the page. */
  parents: string[];
}

/**
 * Returns the pages among `ids` that the workspace still has. `isComplete`: the workspace answered for each of them.
 *
 * @throws errors of `PageApi.get` that concern the whole origin.
 */
export async function findMoved(
  api: PageApi,
  ids: readonly string[],
  shared: ReadonlySet<string>,
): Promise<{ moved: MovedPage[]; isComplete: boolean }> {
  const pages = ids.filter((id) => hyphenated(id) === id);
  const asked = [...pages.filter((id) => shared.has(id)), ...pages.filter((id) => !shared.has(id))].slice(0, ASKED_MAX);
  const moved: MovedPage[] = [];
  for (const id of asked) {
    try {
      const page = Page.safeParse(await api.get(`pages/${id}`)).data;
      if (page === undefined || isTrashed(page)) continue;
      moved.push({ page: { ...page, id }, parents: await parentsOf(api, page) });
    } catch (error) {
      if (!(error instanceof PageApiError)) throw error;
      if (explainOriginFailure(error)?.retryable) return { moved, isComplete: false };
    }
  }
  return { moved, isComplete: true };
}

async function parentsOf(api: PageApi, page: WirePage): Promise<string[]> {
  let { parent } = page;
  for (let around = 0; parent?.block_id !== undefined && around < BLOCKS_AROUND_MAX; around += 1)
    parent = Page.safeParse(await api.get(`blocks/${hyphenated(parent.block_id) ?? ''}`)).data?.parent;
  const { page_id: pageId, data_source_id: sourceId, database_id: databaseId } = parent ?? {};
  return [pageId, sourceId, databaseId].flatMap((id) => hyphenated(id ?? '') ?? []);
}

/** Adds titles to links between pages: a link itself contains only an id. */
import { type PageApi, PageApiError, parseAs } from './api.ts';
import { hyphenated } from './id.ts';
import { titleOf } from './properties.ts';
import { Database, Page, type PageBlock, plainText } from './wire.ts';

/** Links of one page that get a title; further links stay without a title. */
const LINKS_MAX = 20;

/** Sets the titles of links to pages and databases that are shared. @throws the same errors as `PageApi.get`. */
export async function nameLinks(api: PageApi, blocks: readonly PageBlock[]): Promise<void> {
  const links = blocks.filter(({ type }) => type === 'link_to_page').slice(0, LINKS_MAX);
  for (const { content } of links) {
    const page = hyphenated(content.page_id ?? '');
    const database = hyphenated(content.database_id ?? '');
    if (page === undefined && database === undefined) continue;
    try {
      if (page !== undefined) content.title = titleOf(parseAs(Page, await api.get(`pages/${page}`)).properties);
      else content.title = plainText(parseAs(Database, await api.get(`databases/${database}`)).title);
    } catch (error) {
      if (!(error instanceof PageApiError) || (error.status !== 404 && error.status !== 400)) throw error;
    }
  }
}

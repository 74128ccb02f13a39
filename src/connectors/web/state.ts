/** The state of a page that is stored until the next crawl: validators for conditional requests, and links. */
import { z } from 'zod';
import type { StoredVersion } from '../connector.ts';

/** Version of the rules for reading links. After a change of this number every page is requested without conditions. */
const STATE_VERSION = 1;
/** Length of the links of a page as JSON; the port allows 64 KiB for the whole state. */
const LINKS_UNITS_MAX = 40 * 1024;
const VALIDATOR_UNITS_MAX = 500;

const PageStateSchema = z.object({
  version: z.literal(STATE_VERSION),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  links: z.array(z.string()),
  /** All links of the page are stored. */
  isWhole: z.boolean(),
  /** A sitemap named the page when it was read. */
  inSitemap: z.boolean().optional(),
  /** Of a page: see `printOf`. */
  print: z.string().optional(),
});

export type PageState = z.infer<typeof PageStateSchema>;

/** Returns the stored state of a page. Returns undefined for a new page, and for a state that another version wrote. */
export function readState(stored: StoredVersion | undefined): PageState | undefined {
  return PageStateSchema.safeParse(stored?.state).data;
}

export function toState(
  headers: Headers,
  links: readonly string[],
  { inSitemap, print }: Partial<Pick<PageState, 'inSitemap' | 'print'>> = {},
): PageState {
  const storedLinks: string[] = [];
  let units = 0;
  for (const link of links) {
    units += JSON.stringify(link).length + 1;
    if (units > LINKS_UNITS_MAX) break;
    storedLinks.push(link);
  }
  return {
    version: STATE_VERSION,
    etag: validator(headers.get('etag')),
    lastModified: validator(headers.get('last-modified')),
    links: storedLinks,
    isWhole: storedLinks.length === links.length,
    ...(inSitemap && { inSitemap }),
    ...(print !== undefined && { print }),
  };
}

/**
 * Returns the headers of a conditional request. Returns none if links are missing, because a response with status 304 would not
 * bring them.
 */
export function validatorsOf(state: PageState | undefined): Record<string, string> {
  if (!state?.isWhole) return {};
  return {
    ...(state.etag === null ? {} : { 'if-none-match': state.etag }),
    ...(state.lastModified === null ? {} : { 'if-modified-since': state.lastModified }),
  };
}

function validator(value: string | null): string | null {
  return value !== null && value.length <= VALIDATOR_UNITS_MAX && /^[\x20-\x7e]+$/.test(value) ? value : null;
}

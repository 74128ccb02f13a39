/** What is kept of a page until the next crawl: what to ask with, and where it leads. */
import { z } from 'zod';
import type { KnownItem } from '../connector.ts';

/** Of the rules by which links are read: with another number every page is asked for without conditions. */
const STATE_VERSION = 1;
/** Of the links of a page, as JSON; the port allows 64 KiB for everything. */
const LINKS_UNITS_MAX = 40 * 1024;
const VALIDATOR_UNITS_MAX = 500;

const PageStateSchema = z.object({
  version: z.literal(STATE_VERSION),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  links: z.array(z.string()),
  /** All links are there. */
  isWhole: z.boolean(),
});

export type PageState = z.infer<typeof PageStateSchema>;

/** Undefined for a page that is not known, and for one that another version of this knew. */
export function readState(known: KnownItem | undefined): PageState | undefined {
  return PageStateSchema.safeParse(known?.state).data;
}

export function toState(headers: Headers, links: readonly string[]): PageState {
  const kept: string[] = [];
  let units = 0;
  for (const link of links) {
    units += JSON.stringify(link).length + 1;
    if (units > LINKS_UNITS_MAX) break;
    kept.push(link);
  }
  return {
    version: STATE_VERSION,
    etag: validator(headers.get('etag')),
    lastModified: validator(headers.get('last-modified')),
    links: kept,
    isWhole: kept.length === links.length,
  };
}

/** None where links are missing: an answer that nothing changed would not bring them. */
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

/** Normalizes addresses, and decides which addresses a crawl visits. Pure. */
import type { Origin } from '../../corpus/origin.ts';
import { readWordList } from '../../util/package-files.ts';
import { compileGlob } from '../repo/glob.ts';

export const URL_UNITS_MAX = 2000;
const PATH_SEGMENTS_MAX = 20;
/** Sites that answer for every path below a folder produce relative links such as `/a/b/a/b/a/b/…`. */
const SEGMENT_REPEATS_MAX = 3;
/** Calendars link to the next month for ever. */
const CALENDAR_YEARS_BACK_MAX = 10;
const YEARS_AHEAD_MAX = 1;

/** Parameters that say where a visitor came from or who they are, but do not change the page. */
const IGNORED_PARAMETER = new RegExp(`^(?:${readWordList('web/ignored-parameters.txt').join('|')})$`, 'i');

/** Endings of files that are never read: parts of pages, pictures, sound, programs, archives. */
const UNREAD_ENDINGS = new Set(readWordList('web/unread-endings.txt'));

/** Returns the canonical form of an address, or undefined if it cannot be the address of a page. */
export function normalizeUrl(reference: string, base?: string): string | undefined {
  const text = reference.trim();
  if (text.length > URL_UNITS_MAX * 2 || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  url.pathname = url.pathname
    .replace(/;(?:jsessionid|phpsessid|sid)=[^/;]*/gi, '')
    .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
  const parameters = url.search
    .slice(1)
    .split('&')
    .filter((one) => one !== '' && !IGNORED_PARAMETER.test(one.split('=')[0]!));
  url.search = parameters.join('&');
  return url.href.length > URL_UNITS_MAX ? undefined : url.href;
}

/** Returns whether an address looks like one of endlessly many. */
export function isTrap(address: string, now: Date): boolean {
  const { pathname, search } = new URL(address);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.length > PATH_SEGMENTS_MAX || pathname.includes('//')) return true;
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  if (Math.max(0, ...counts.values()) > SEGMENT_REPEATS_MAX) return true;
  const year = yearOf(pathname + search);
  if (year === undefined) return false;
  const isCalendar = /calend|kalend|agenda|event|termin|month|week/i.test(pathname + search);
  const ahead = year - now.getUTCFullYear();
  return ahead > YEARS_AHEAD_MAX || (isCalendar && ahead < -CALENDAR_YEARS_BACK_MAX);
}

/** Returns the year of a date in an address: `/2031/05`, `2031-05`, `year=2031`. */
function yearOf(text: string): number | undefined {
  const date =
    /(?<![\d.])((?:1[5-9]|2\d)\d\d)[-/_](?:0?[1-9]|1[0-2])(?!\d)|[?&](?:y|yr|year|jahr|annee)=(\d{4})(?!\d)/i.exec(
      text,
    );
  return date ? Number(date[1] ?? date[2]) : undefined;
}

/** Returns whether an address ends like a file that is never read. */
export function isUnreadable(address: string): boolean {
  const ending = /\.([^./]+)$/.exec(new URL(address).pathname)?.[1];
  return ending !== undefined && UNREAD_ENDINGS.has(ending.toLowerCase());
}

export interface Scope {
  /** Returns whether links and redirects may lead to the host. */
  hasHost(address: string): boolean;
  /** Returns whether the paths of the crawl include the page. */
  includes(address: string): boolean;
}

export function compileScope(origin: Extract<Origin, { kind: 'web' }>): Scope {
  const hosts = new Set(origin.urls.flatMap((url) => (URL.canParse(url) ? [hostOf(url)] : [])));
  const includes = origin.includePaths.map(compilePath);
  const excludes = origin.excludePaths.map(compilePath);
  return {
    hasHost: (address) => !origin.sameHost || hosts.has(hostOf(address)),
    includes(address) {
      const path = decodedPath(address);
      if (excludes.some((matches) => matches(path))) return false;
      return includes.length === 0 || includes.some((matches) => matches(path));
    },
  };
}

/** Returns the host without `www.`: a site often uses both names and redirects from one to the other. */
function hostOf(address: string): string {
  return new URL(address).host.replace(/^www\./, '');
}

/** Compiles a path of the crawl. A path is a glob as in path filters; `/` is the root folder. */
function compilePath(pattern: string): (path: string) => boolean {
  if (pattern === '/') return () => true;
  const glob = compileGlob(pattern);
  return (path) => glob?.matches(path) ?? false;
}

function decodedPath(address: string): string {
  const path = new URL(address).pathname.slice(1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

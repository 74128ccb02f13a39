/** Parses robots.txt as RFC 9309 defines it, and the lines `Crawl-delay` and `Sitemap` that many sites add. Pure. */

/** Bytes of a robots.txt that are read; the standard requires at least this many. */
export const ROBOTS_BYTES_MAX = 500 * 1024;
/** The name of this crawler in robots.txt. The HTTP client sends it at the beginning of `User-Agent`. */
export const ROBOTS_NAME = 'pinakes';
/** Rules for one crawler that are read. */
const RULES_MAX = 2000;
const SITEMAPS_MAX = 50;
/** Longest delay that a site can request: with this delay a site of 1,000 pages takes three hours. */
export const CRAWL_DELAY_MS_MAX = 10_000;

export interface Robots {
  allows(address: string): boolean;
  crawlDelayMs: number;
  /** As written. */
  sitemaps: readonly string[];
}

export const allowAll: Robots = { allows: () => true, crawlDelayMs: 0, sitemaps: [] };

interface Rule {
  allow: boolean;
  /** Length of the pattern: the longest pattern that matches decides. */
  length: number;
  matches(path: string): boolean;
}

interface Group {
  names: string[];
  rules: Rule[];
  delayMs: number | undefined;
}

export function parseRobots(text: string): Robots {
  const { groups, sitemaps } = parseGroups(text);
  const ourGroups = groups.filter((group) => group.names.includes(ROBOTS_NAME));
  const chosen = ourGroups.length > 0 ? ourGroups : groups.filter((group) => group.names.includes('*'));
  const rules = chosen.flatMap((group) => group.rules).slice(0, RULES_MAX);
  const delays = chosen.flatMap((group) => (group.delayMs === undefined ? [] : [group.delayMs]));
  return {
    allows(address) {
      const { pathname, search } = new URL(address);
      if (pathname === '/robots.txt') return true;
      const path = canonical(pathname + search);
      let decisive: Rule | undefined;
      for (const rule of rules) {
        const isMore = !decisive || rule.length > decisive.length || (rule.length === decisive.length && rule.allow);
        if (isMore && rule.matches(path)) decisive = rule;
      }
      return decisive?.allow ?? true;
    },
    crawlDelayMs: Math.min(CRAWL_DELAY_MS_MAX, Math.max(0, ...delays)),
    sitemaps,
  };
}

function parseGroups(text: string): { groups: Group[]; sitemaps: string[] } {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let group: Group | undefined;
  let inNames = false;
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const [, key = '', raw = ''] = /^[ \t]*([A-Za-z-]+)[ \t]*:(.*)$/.exec(line) ?? [];
    const value = raw.replace(/(?:^|[ \t])#.*$/, '').trim();
    const name = key.toLowerCase();
    if (name === 'sitemap') {
      if (value !== '' && sitemaps.length < SITEMAPS_MAX) sitemaps.push(value);
    } else if (name === 'user-agent') {
      if (!inNames || !group) {
        group = { names: [], rules: [], delayMs: undefined };
        groups.push(group);
      }
      inNames = true;
      group.names.push(value === '*' ? '*' : (/^[A-Za-z_-]+/.exec(value)?.[0].toLowerCase() ?? ''));
    } else if (name === 'allow' || name === 'disallow') {
      inNames = false;
      if (value !== '') group?.rules.push(compileRule(name === 'allow', value));
    } else if (name === 'crawl-delay') {
      inNames = false;
      if (group && /^\d{1,6}(?:\.\d{1,6})?$/.test(value)) group.delayMs = Number(value) * 1000;
    }
  }
  return { groups, sitemaps };
}

/**
 * Compiles a rule. `*` matches anything. `$` at the end anchors the pattern at the end of the path; without `$` it matches
 * prefixes.
 */
function compileRule(allow: boolean, value: string): Rule {
  const pattern = canonical(value);
  const toEnd = pattern.endsWith('$');
  const [first = '', ...parts] = (toEnd ? pattern.slice(0, -1) : pattern).split('*');
  const last = toEnd ? parts.pop() : undefined;
  return {
    allow,
    length: pattern.length,
    matches(path) {
      if (!path.startsWith(first)) return false;
      let at = first.length;
      for (const part of parts) {
        const found = path.indexOf(part, at);
        if (found === -1) return false;
        at = found + part.length;
      }
      if (!toEnd) return true;
      return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
    },
  };
}

/** Returns the canonical spelling of a pattern or path: only characters that need an escape are escaped. */
function canonical(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\u0021-\u007e]+/g, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    });
}

/** A web site in memory: pages with validators, redirects, robots.txt, faults. Scripts change its pages between crawls. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Faults, openFaults } from '../faults.ts';

/** A path with which a crawl learns how the site answers addresses that do not exist. */
const MADE_UP = /\/no-such-page-[\w-]+$/;

export interface FakePage {
  body?: string | Buffer;
  /** HTML by default. */
  type?: string;
  status?: number;
  /** The target of a redirect with `status`, 301 by default. */
  to?: string;
  headers?: Record<string, string>;
  modified?: Date;
  /** The page has no validators, like a page that is generated for every request. */
  withoutValidators?: boolean;
}

export interface FakeSite {
  port: number;
  /** The address on this machine; tests may reach the site by other host names too. */
  url: string;
  /** Path with query -> page; a string is HTML. */
  pages: Map<string, FakePage | string>;
  set(pages: Record<string, FakePage | string | null>): void;
  /** Returns pages for paths without a page, but not for those that a crawl makes up: a crawler trap. */
  invent: (path: string) => FakePage | string | undefined;
  requests: { path: string; host: string; headers: IncomingMessage['headers']; at: number; status: number }[];
  /** Answers every path, also those that a crawl makes up. */
  mask: ((path: string) => FakePage | string) | undefined;
  /** Returns the requested paths in order, without robots.txt and paths that the crawl made up. */
  paths(): string[];
  faults: Faults;
  /** Maximum number of requests in flight at the same time. */
  atOnceMax: number;
  close(): Promise<void>;
}

/** Returns a page that links to others. */
export function htmlPage(title: string, links: readonly string[], extra = ''): string {
  const anchors = links.map((link) => `<li><a href="${link.replaceAll('&', '&amp;')}">${link}</a></li>`).join('');
  return `<!doctype html><html><head><title>${title}</title>${extra}</head><body><p>About ${title}.</p><ul>${anchors}</ul></body></html>`;
}

export async function openFakeSite(): Promise<FakeSite> {
  const faults = openFaults();
  let atOnce = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const entry = {
      path,
      host: request.headers.host ?? '',
      headers: request.headers,
      at: performance.now(),
      status: 0,
    };
    site.requests.push(entry);
    site.atOnceMax = Math.max(site.atOnceMax, ++atOnce);
    response.once('close', () => {
      atOnce -= 1;
      entry.status = response.statusCode;
    });
    if (faults.apply(request, response)) return;
    const found = site.mask?.(path) ?? site.pages.get(path) ?? (MADE_UP.test(path) ? undefined : site.invent(path));
    const page: FakePage = typeof found === 'string' ? { body: found } : (found ?? { status: 404, body: 'Not found' });
    const body = Buffer.from(page.body ?? '');
    const status = page.status ?? (page.to === undefined ? 200 : 301);
    for (const [name, value] of Object.entries(page.headers ?? {})) response.setHeader(name, value);
    if (page.to !== undefined) response.setHeader('location', page.to);
    if (status === 200 && !page.withoutValidators) {
      const etag = `"${createHash('sha1').update(body).digest('hex')}"`;
      response.setHeader('etag', etag);
      if (page.modified) response.setHeader('last-modified', page.modified.toUTCString());
      if (request.headers['if-none-match'] === etag) {
        response.writeHead(304).end();
        return;
      }
    }
    response.statusCode = status;
    if (page.type !== '') response.setHeader('content-type', page.type ?? 'text/html; charset=utf-8');
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const site: FakeSite = {
    port,
    url: `http://127.0.0.1:${port}`,
    pages: new Map(),
    set(pages) {
      for (const [path, page] of Object.entries(pages)) {
        if (page === null) site.pages.delete(path);
        else site.pages.set(path, page);
      }
    },
    invent: () => undefined,
    mask: undefined,
    requests: [],
    paths: () => site.requests.map(({ path }) => path).filter((path) => path !== '/robots.txt' && !MADE_UP.test(path)),
    faults,
    atOnceMax: 0,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return site;
}

/** Problems of pages, described for people. */
import { OriginError, type OriginProblem } from '../connector.ts';

/** Bytes of a page; larger pages are not made for people. */
export const PAGE_BYTES_MAX = 10 * 1024 * 1024;

export const FORBIDDEN: OriginProblem = {
  title: 'robots.txt forbids the page',
  message: 'The site does not allow programs to read the page. What earlier runs read stays as it is.',
  retryable: false,
};
export const CIRCLE: OriginProblem = {
  title: 'The page leads in a circle',
  message: 'The redirects of the page return to an earlier address, or do not end.',
  retryable: true,
};
export const EMPTY: OriginProblem = {
  title: 'The page is empty',
  message: 'The page had content before. What earlier runs read stays as it is.',
  retryable: true,
};

export const NOT_WHOLE: OriginProblem = {
  title: 'The page was not received completely',
  message: 'The next run reads it again.',
  retryable: true,
};
export const TOO_LARGE: OriginProblem = {
  title: 'The page is too large',
  message: `The page has more than ${PAGE_BYTES_MAX} bytes.`,
  retryable: false,
};

/** Of a stored page. */
export const AWAY: OriginProblem = {
  title: 'The page leads to another page for now',
  message:
    'The site answered with a temporary redirect or a refresh, as for maintenance or a sign-in. The stored page stays.',
  retryable: true,
};

/** Of the fetch of a stored page. */
export const LEADS_ELSEWHERE: OriginProblem = {
  title: 'The page leads to another page',
  message: 'The next run decides whether the page has moved. The stored page stays.',
  retryable: true,
};

export function elsewhere(target: string): OriginProblem {
  return {
    title: 'The address leads to another site',
    message: `The address leads to ${new URL(target).host}. Crawl that host, or turn off same_host.`,
    retryable: false,
  };
}

/** Of stored pages that lead to one page together. */
export function shared(target: string): OriginProblem {
  return {
    title: 'The page leads where many others lead',
    message:
      `The site sends so many of its pages to ${new URL(target).pathname} that this may be a sign-in or a notice of maintenance. ` +
      'The stored page stays. If the site is gone, delete the source or choose other addresses.',
    retryable: true,
  };
}

export function missing(status: number): OriginProblem {
  return { title: 'The page was not found', message: `The site answered with status ${status}.`, retryable: false };
}

export function refused(status: number): OriginProblem {
  return {
    title: 'The site refuses the page',
    message: `The site answered with status ${status}. What earlier runs read stays as it is.`,
    retryable: false,
  };
}

export function noSeed(problem: OriginProblem | undefined): OriginError {
  return new OriginError({
    title: 'The site could not be read',
    message: `None of the addresses could be read. ${problem ? `${problem.title}: ${problem.message}` : ''} Nothing was deleted.`,
    retryable: problem?.retryable ?? true,
  });
}

/** Of a crawl that has reached `max_pages`, or the number of requests that it allows. */
export function stopped(pages: number, unread: number): OriginProblem {
  const message = `${unread} known addresses were not read. A higher max_pages reads more.`;
  return { title: `The crawl stopped after ${pages} ${pages === 1 ? 'page' : 'pages'}`, message, retryable: false };
}

/** Of a crawl that did not follow all links of a page. */
export function tooManyLinks(address: string, page: { links: readonly string[]; linksLeftOut: number }): OriginProblem {
  const message =
    `The crawl followed the first ${page.links.length} links of ${address}, and left ${page.linksLeftOut} out. ` +
    'Add their pages to urls or to a sitemap.';
  return { title: 'A page has too many links', message, retryable: false };
}

/** Of a crawl that did not read all sitemaps of its sites. */
export function tooManySitemaps(leftOut: number): OriginProblem {
  const message = `The crawl left ${leftOut} sitemaps out. Crawl parts of the site as sources of their own, with use_sitemap off.`;
  return { title: 'The site has too many sitemaps', message, retryable: false };
}

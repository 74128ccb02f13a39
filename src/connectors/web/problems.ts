/** What can be wrong with a page, for people. */
import { OriginError, type OriginProblem } from '../connector.ts';

/** Of a page; what is larger is no page for people. */
export const PAGE_BYTES_MAX = 10 * 1024 * 1024;

export const FORBIDDEN: OriginProblem = {
  title: 'robots.txt forbids it',
  message: 'The site does not want its pages to be read by programs. What was read before stays as it is.',
  retryable: false,
};
export const CIRCLE: OriginProblem = {
  title: 'The page leads in a circle',
  message: 'Its redirects come back to where they began, or do not end.',
  retryable: true,
};
export const EMPTY: OriginProblem = {
  title: 'The page is empty',
  message: 'It had content before. What was read then stays as it is.',
  retryable: true,
};

export const NOT_WHOLE: OriginProblem = {
  title: 'The page did not come whole',
  message: 'The next run reads it again.',
  retryable: true,
};
export const TOO_LARGE: OriginProblem = {
  title: 'The page is too large',
  message: `It has more than ${PAGE_BYTES_MAX} bytes.`,
  retryable: false,
};

export function elsewhere(target: string): OriginProblem {
  return {
    title: 'The address leads to another site',
    message: `It leads to ${new URL(target).host}. Crawl that address, or do not keep to the same host.`,
    retryable: false,
  };
}

export function missing(status: number): OriginProblem {
  return { title: 'The page was not found', message: `The site answered with status ${status}.`, retryable: false };
}

export function refused(status: number): OriginProblem {
  return {
    title: 'The site does not give the page',
    message: `It answered with status ${status}. What was read before stays as it is.`,
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

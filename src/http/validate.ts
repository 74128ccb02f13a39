/** Validation with messages that name the bad node by a JSON pointer and say what would be right. */
import type { z } from 'zod';
import { invalidRequest } from '../errors.ts';
import { checkText } from './body/body.ts';
import { issueWords } from './issue-words.ts';

type Issue = z.core.$ZodIssue;

/** @throws ServiceError invalid_request naming the first problem. `where` is `body` or `query`. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, where: 'body' | 'query'): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(describeIssue(deepest(result.error.issues), where));
}

/**
 * Parses a query string: names and values decoded as UTF-8, a repeated parameter becomes an array.
 *
 * @throws ServiceError invalid_request for bad percent-encoding and characters that are refused everywhere.
 */
export function parseQuery(search: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const [rawName = '', rawValue = ''] = pair.split(/=(.*)/s);
    const name = decode(rawName);
    const value = decode(rawValue);
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

function decode(encoded: string): string {
  let text: string;
  try {
    text = decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    throw invalidRequest('The query string is not valid percent-encoded UTF-8.');
  }
  checkText(text, 'The query string');
  return text;
}

/** Issues inside a union are one level down: the branch that came furthest is the one that was meant. */
function deepest(issues: readonly Issue[]): Issue {
  const first = issues[0]!;
  if (first.code !== 'invalid_union' || first.errors.length === 0) return first;
  const branches = first.errors.filter((branch) => branch.length > 0).map((branch) => deepest(branch));
  const best = branches.reduce((a, b) => (b.path.length > a.path.length ? b : a), branches[0] ?? first);
  return best.path.length === 0 && best.code === 'invalid_type'
    ? first
    : { ...best, path: [...first.path, ...best.path] };
}

function describeIssue(issue: Issue, where: string): string {
  if (issue.code === 'unrecognized_keys') {
    const name = JSON.stringify(issue.keys[0]);
    if (where === 'query') return `Unknown query parameter ${name}.`;
    return `Unknown member ${name} in the request ${where}${issue.path.length > 0 ? ` at ${pointer(issue.path)}` : ''}.`;
  }
  const place =
    issue.path.length === 0
      ? `The request ${where}`
      : where === 'query'
        ? `Query parameter "${issue.path[0]?.toString()}"`
        : pointer(issue.path);
  return `${place}: ${issueWords(issue)}`;
}

/** RFC 6901. */
function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

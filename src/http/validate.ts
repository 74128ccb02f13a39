/** Validates requests. An error message names the wrong value by its JSON pointer and says what is allowed. */
import type { z } from 'zod';
import { invalidRequest, pointerOf, ServiceError } from '../errors.ts';
import { checkText } from './body/body.ts';
import { isMissing, issueWords } from './issue-words.ts';

type Issue = z.core.$ZodIssue;
type UnknownMembers = z.core.$ZodIssueUnrecognizedKeys | undefined;

/** Returns the parsed value. @throws ServiceError invalid_request that names the first problem. */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  where: 'body' | 'query' | 'arguments',
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = deepest(result.error.issues);
  if (where === 'query' && isRepeated(issue, value))
    throw invalidRequest(`Query parameter "${issue.path[0]?.toString()}": may be given only once.`);
  const pointer = where === 'body' ? placeOf(issue) : undefined;
  throw new ServiceError('invalid_request', describeIssue(issue, where), { pointer });
}

/** Whether the issue is that a parameter with one value was given several times. */
function isRepeated({ code, path }: Issue, query: unknown): boolean {
  const isOfType = code === 'invalid_type' || code === 'invalid_value';
  return isOfType && path.length === 1 && Array.isArray((query as Record<PropertyKey, unknown>)[path[0]!]);
}

/**
 * Parses a query string: names and values are decoded as UTF-8, and a repeated parameter becomes an array.
 *
 * @throws ServiceError invalid_request for wrong percent-encoding, U+0000 and lone surrogates.
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

/**
 * Returns the issue to report. An unknown member comes first: it is often the misspelled name of a member that is missing. For a union
 * this is a member that no branch knows, or the issue of the branch that matched deepest: the caller probably meant this branch.
 */
function deepest(issues: readonly Issue[]): Issue {
  const first = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  if (first.code !== 'invalid_union' || first.errors.length === 0) return first;
  const branches = first.errors.filter((branch) => branch.length > 0);
  const issue = unknownToAll(branches) ?? deepestOf(branches.map(deepest)) ?? first;
  return issue.path.length === 0 && issue.code === 'invalid_type'
    ? first
    : { ...issue, path: [...first.path, ...issue.path] };
}

function deepestOf([first, ...others]: readonly Issue[]): Issue | undefined {
  return first && others.reduce((best, one) => (one.path.length > best.path.length ? one : best), first);
}

/** Returns the issue of a member that is unknown to all branches of a union. */
function unknownToAll(branches: readonly (readonly Issue[])[]): Issue | undefined {
  const unknown = branches.map(
    (branch) => branch.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0) as UnknownMembers,
  );
  const keys = (unknown[0]?.keys ?? []).filter((key) => unknown.every((issue) => issue?.keys.includes(key)));
  return keys.length === 0 ? undefined : { ...unknown[0]!, keys };
}

/** Returns words for the first problem. @param where what was validated, such as `body`. */
export function describeIssues(issues: readonly Issue[], where: string): string {
  return describeIssue(deepest(issues), where);
}

function describeIssue(issue: Issue, where: string): string {
  if (issue.code === 'unrecognized_keys') {
    const name = JSON.stringify(issue.keys[0]);
    if (where === 'query') return `Unknown query parameter ${name}.`;
    return `Unknown member ${name} in the request ${where}${atPlace(issue.path)}.`;
  }
  const name = issue.path.at(-1)?.toString();
  if (name !== undefined && isMissing(issue)) {
    if (where === 'query') return `Missing query parameter ${JSON.stringify(name)}.`;
    return `Missing member ${JSON.stringify(name)} in the request ${where}${atPlace(issue.path.slice(0, -1))}.`;
  }
  const place =
    issue.path.length === 0
      ? `The request ${where}`
      : where === 'query'
        ? `Query parameter "${issue.path[0]?.toString()}"`
        : pointerOf(issue.path);
  return `${place}: ${issueWords(issue)}`;
}

function atPlace(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '' : ` at ${pointerOf(path)}`;
}

/** Returns the JSON pointer to the wrong value; undefined if it is the whole body. */
function placeOf(issue: Issue): string | undefined {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
  return path.length === 0 ? undefined : pointerOf(path);
}

/** One request that runs tools: who asks, for whom, and how a tool calls a route of the API on behalf of the same caller. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import type { RequestRights } from '../live-rights.ts';
import type { NamedPrincipal } from '../principal-headers.ts';
import type { Route } from '../route.ts';
import type { FilterFields } from '../search-filters.ts';
import { validate } from '../validate.ts';

export interface Exchange {
  caller: Caller;
  principal: NamedPrincipal;
  /** Filters of every search, which no argument of a tool can widen. Absent: none. */
  filters?: FilterFields;
  /** Aborts when the rights end, when the client leaves, and on shutdown after the grace time. */
  signal: AbortSignal;
  /** The rights of the request: it ends when they end. */
  rights: RequestRights;
  raw: Pick<FastifyRequest, 'headers' | 'log'>;
  reply: Pick<FastifyReply, 'header'>;
}

/**
 * Returns the arguments of a search without those that the filters of the run replace. Tags of the run replace all arguments about tags:
 * the two would not add up.
 */
export function argumentsWithin<Args extends object>(args: Args, filters: Exchange['filters']): Args {
  if (filters === undefined) return args;
  const hasTags = filters.tags !== undefined || filters.tag_ids !== undefined;
  const isReplaced = (name: string): boolean =>
    Object.hasOwn(filters, name) || (hasTags && (name === 'tags' || name === 'tag_filter_logic'));
  return Object.fromEntries(Object.entries(args).filter(([name]) => !isReplaced(name))) as Args;
}

/** Returns the answer of a route of the API to the caller of the exchange: the same record as over HTTP. */
export async function callRoute(
  route: Route,
  given: { params?: unknown; query?: unknown; body?: unknown },
  { caller, principal, signal, rights, raw, reply }: Exchange,
): Promise<unknown> {
  const withPrincipal = (value: unknown): unknown => ({ ...(value as object), ...principal });
  const request = {
    params: route.params && validate(route.params, given.params, 'query'),
    query: route.query && validate(route.query, given.query === undefined ? {} : withPrincipal(given.query), 'query'),
    body: route.body && validate(route.body, withPrincipal(given.body), 'body'),
    ...{ caller, signal, rights, raw, reply },
  };
  await route.check?.(caller);
  return route.response.schema.parse(await route.handler(request as never));
}

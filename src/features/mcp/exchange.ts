/** One request to `/mcp`: who asks, for whom, and how a tool calls a route of the API on behalf of the same caller. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { invalidRequest } from '../../errors.ts';
import type { RequestRights } from '../../http/live-rights.ts';
import type { Route } from '../../http/route.ts';
import { principalShape } from '../../http/schemas.ts';
import { validate } from '../../http/validate.ts';

const PRINCIPAL_HEADERS = { 'x-principal-id': 'principal_id', 'x-authz-policy': 'authz_policy' } as const;
const principalSchema = z.strictObject(principalShape);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The end user and the policy that a request names. */
export type NamedPrincipal = z.output<typeof principalSchema>;

export interface Exchange {
  caller: Caller;
  principal: NamedPrincipal;
  /** Aborts when the rights end, when the client leaves, and on shutdown after the grace time. */
  signal: AbortSignal;
  /** The rights of the request: it ends when they end. */
  rights: RequestRights;
  raw: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Returns the principal that the headers name.
 *
 * @throws ServiceError invalid_request: a header that is not valid must not count as an absent one.
 */
export function namedPrincipal({ headers }: Pick<FastifyRequest, 'headers'>): NamedPrincipal {
  const named = Object.entries(PRINCIPAL_HEADERS).flatMap(([header, member]) => {
    const value = headers[header];
    return value === undefined ? [] : [[member, decode(header, String(value))]];
  });
  const parsed = principalSchema.safeParse(Object.fromEntries(named));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues[0]?.path[0] === 'authz_policy' ? 'x-authz-policy' : 'x-principal-id';
  throw invalidRequest(`The header ${wrong} is not valid.`);
}

/** Returns the header as UTF-8 text. Node.js reads every byte as one character. */
function decode(header: string, value: string): string {
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    throw invalidRequest(`The header ${header} is not valid UTF-8.`);
  }
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

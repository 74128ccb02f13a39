/** The headers that name a principal and a policy, for callers whose bodies cannot: `/mcp` and `/v1`. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { invalidRequest } from '../errors.ts';
import { principalShape } from './schemas.ts';

const PRINCIPAL_HEADERS = { 'x-principal-id': 'principal_id', 'x-authz-policy': 'authz_policy' } as const;
const principalSchema = z.strictObject(principalShape);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The end user and the policy that a request names. */
export type NamedPrincipal = z.output<typeof principalSchema>;

/**
 * Returns the principal that the headers name.
 *
 * @throws ServiceError invalid_request: a header that is not valid must not count as an absent one.
 */
export function namedPrincipal(headers: IncomingHttpHeaders): NamedPrincipal {
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

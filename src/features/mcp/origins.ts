/**
 * Decides which web pages may reach `/mcp`. A page of a stranger can make its own name point to this machine (DNS rebinding). Its requests
 * then have that name in Host and Origin, so both are checked. Pure.
 */

const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const LOOPBACK_ADDRESS = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

export interface OriginRules {
  /** Origins such as `https://chat.example.com` whose pages may call the service. */
  allowed: readonly string[];
  /** The address on which the service listens. */
  host: string;
}

/**
 * Returns why a request is refused; undefined if it is accepted. Programs send no Origin. While the service listens on this machine
 * only, its own pages are accepted, and Host must be a name of this machine.
 */
export function refusedOrigin(
  { allowed, host }: OriginRules,
  headers: { host?: string | undefined; origin?: string | undefined },
): string | undefined {
  const isLocal = LOOPBACK_ADDRESS.test(host);
  const named = URL.canParse(`http://${headers.host}`) ? new URL(`http://${headers.host}`) : undefined;
  if (isLocal && !LOOPBACK_NAME.test(named?.hostname ?? '')) {
    return 'The header Host must be a name of this machine, because the service listens on this machine only.';
  }
  const { origin } = headers;
  if (origin === undefined || allowed.includes(origin.toLowerCase())) return undefined;
  if (isLocal && origin.toLowerCase() === `http://${headers.host}`.toLowerCase()) return undefined;
  return 'Pages of this origin may not call the service: the operator can add it to PINAKES_MCP_ALLOWED_ORIGINS.';
}

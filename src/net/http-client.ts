/**
 * Opens outbound connections; no other module does.
 *
 * The address check runs where the connection is made, on the address that is then used. Neither a name that later resolves
 * differently nor a redirect can bypass the check.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { ServiceError } from '../errors.ts';
import { unlessAborted } from '../util/abort.ts';
import { type AddressRules, addressRules } from './address-rules.ts';
import { type OperatorRequest, openOperatorFetch, openOperatorRequest } from './operator-fetch.ts';
import { AddressRefused, type Lookup, resolveHost, systemLookup } from './resolve-host.ts';
import { limitedBody } from './response-body.ts';
import { retryAfterMs, retryWait } from './retry-wait.ts';

export const REDIRECTS_MAX = 5;
const TIMEOUT_MS_DEFAULT = 60_000;
const RESPONSE_BYTES_MAX_DEFAULT = 64 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECTIONS_PER_HOST_MAX = 64;
/** Each streamed answer of a model needs its own connection. */
const OPERATOR_CONNECTIONS_PER_HOST_MAX = 16_384;
export const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
const RETRIED_STATUSES = [408, 425, 429, 500, 502, 503, 504];
/** Bytes read from unused bodies: those of redirects and of responses before a retry. */
const DISCARDED_BYTES_MAX = 65_536;
const USER_AGENT = 'Pinakes/0.1';
/** Names of headers that may contain credentials. They are sent only to the origin they were made for. */
const CREDENTIAL_HEADER = /auth|cookie|credential|key|secret|session|signature|token/i;

export interface HttpRequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Who chose the address. `operator` (settings) may use private hosts; `tenant` may not, unless the settings allow it. */
  trust: 'operator' | 'tenant';
  signal: AbortSignal;
  /** Timeout of the whole exchange until the last byte, with redirects and retries. */
  timeoutMs?: number;
  /** Maximum bytes of the decoded body. */
  responseBytesMax?: number;
  /** Retries after a failed connection or a temporary status; 0 by default. */
  retriesMax?: number;
  /** False: a redirect is returned as the response. True by default. */
  followRedirects?: boolean;
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  /** The address after redirects. */
  url: string;
  /** The decoded body; rejects with ServiceError upstream_failed when it exceeds `responseBytesMax`. */
  body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Buffer>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** Drops an unread body and frees its connection. */
  discard(): Promise<void>;
}

export interface HttpClient {
  /**
   * Sends a request. Every status is returned as a response. The caller must read or discard the body or abort the signal:
   * otherwise the connection stays in use until the timeout.
   */
  request(url: string, options: HttpRequestOptions): Promise<HttpResponse>;
  /** `fetch` for addresses that the operator configured; the AI SDK uses it. Does not follow redirects. */
  readonly operatorFetch: typeof fetch;
  /** The same with less overhead, for callers that read many responses at once. */
  readonly operatorRequest: OperatorRequest;
  close(): Promise<void>;
}

interface HttpClientOptions {
  /** Private hosts and CIDRs that tenants may use. */
  allow: readonly string[];
  /** Resolves a name to addresses. Tests pass their own function. */
  lookup?: Lookup;
}

/** Opens the client. Connections are reused until `close`; tenants and the operator use separate connections. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  const rules = addressRules(options.allow);
  const lookup = options.lookup ?? systemLookup;
  const agents = {
    operator: openAgent(lookup, undefined, OPERATOR_CONNECTIONS_PER_HOST_MAX),
    tenant: openAgent(lookup, rules, CONNECTIONS_PER_HOST_MAX),
  };
  const operatorRequest = openOperatorRequest(agents.operator, RESPONSE_BYTES_MAX_DEFAULT);
  return {
    request: (url, request) => exchange(agents, url, request),
    operatorFetch: openOperatorFetch(operatorRequest),
    operatorRequest,
    async close() {
      await Promise.all([agents.operator.destroy(), agents.tenant.destroy()]);
    },
  };
}

type Agents = Record<'operator' | 'tenant', Agent>;

function openAgent(lookup: Lookup, rules: AddressRules | undefined, connections: number): Agent {
  const connectTo = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  const connect: buildConnector.connector = (target, done) => {
    const fail = (error: unknown): void => done(error instanceof Error ? error : new Error(String(error)), null);
    resolveHost(lookup, rules, target.hostname).then((addresses) => tryEach(connectTo, target, addresses, done), fail);
  };
  return new Agent({ connect, connections, allowH2: false });
}

/** Connects to the first address that accepts. The certificate is checked against the name, not the address. */
function tryEach(
  connectTo: buildConnector.connector,
  target: buildConnector.Options,
  addresses: readonly string[],
  done: buildConnector.Callback,
): void {
  const [address = '', ...others] = addresses;
  const servername = target.servername || target.hostname.replace(/^\[|\]$/g, '');
  connectTo({ ...target, hostname: address, servername }, (error, socket) => {
    if (error && others.length > 0) tryEach(connectTo, target, others, done);
    else if (error) done(error, null);
    else done(null, socket as never);
  });
}

async function exchange(agents: Agents, url: string, options: HttpRequestOptions): Promise<HttpResponse> {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS_DEFAULT;
  const deadline = performance.now() + timeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, timeout]);
  const explain = (error: unknown): Error => explainFailure(error, url, options, timeout);
  try {
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= (options.retriesMax ?? 0);
      const outcome = await follow(agents, url, options, signal, explain).catch((error: unknown) => {
        if (last || signal.aborted || refusedHost(error) !== undefined) throw error;
        return undefined;
      });
      const wait = retryWait(attempt, retryAfterMs(outcome?.headers.get('retry-after')));
      // If the wait would exceed the deadline, the response is returned, because it says more than a timeout.
      const isLast = last || performance.now() + wait >= deadline;
      if (outcome && (isLast || !RETRIED_STATUSES.includes(outcome.status))) return outcome;
      await outcome?.discard();
      await sleep(wait, undefined, { signal });
    }
  } catch (error) {
    throw explain(error);
  }
}

/** Makes one attempt and follows its redirects. The target of a redirect to another origin counts as chosen by a tenant. */
async function follow(
  agents: Agents,
  start: string,
  options: HttpRequestOptions,
  signal: AbortSignal,
  explain: (error: unknown) => Error,
): Promise<HttpResponse> {
  let url = parseUrl(start);
  let trust = options.trust;
  let method = options.method ?? 'GET';
  let body = options.body ?? null;
  const headers = new Headers(options.headers);
  if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'gzip, deflate, br');
  for (let redirects = 0; ; redirects++) {
    const sent = send(url, {
      dispatcher: agents[trust],
      method: method as Dispatcher.HttpMethod,
      headers: Object.fromEntries(headers),
      body,
      signal,
    });
    // undici ignores the signal until the connection exists.
    const response = await unlessAborted(sent, signal);
    const location = [response.headers['location']].flat()[0];
    const isRedirect = REDIRECT_STATUSES.includes(response.statusCode) && location !== undefined;
    if (!isRedirect || options.followRedirects === false) {
      return toResponse(response, url, options, explain);
    }
    await response.body.dump({ limit: DISCARDED_BYTES_MAX, signal });
    if (redirects >= REDIRECTS_MAX) throw new Error(`more than ${REDIRECTS_MAX} redirects`);
    const next = parseUrl(new URL(location, url).href);
    if (next.origin !== url.origin) {
      for (const name of [...headers.keys()]) if (CREDENTIAL_HEADER.test(name)) headers.delete(name);
      trust = 'tenant';
    }
    if (response.statusCode === 303 || (response.statusCode < 303 && method === 'POST')) {
      method = 'GET';
      body = null;
      headers.delete('content-type');
    }
    if (body !== null && next.origin !== url.origin) throw new Error('a redirect leads a body to another host');
    url = next;
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error('only http and https addresses are supported');
  if (url.username !== '' || url.password !== '') throw new Error('addresses with a user name are not supported');
  return url;
}

function toResponse(
  response: Dispatcher.ResponseData,
  url: URL,
  options: HttpRequestOptions,
  explain: (error: unknown) => Error,
): HttpResponse {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers))
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
  const body = limitedBody(
    response.body,
    headers.get('content-encoding'),
    options.responseBytesMax ?? RESPONSE_BYTES_MAX_DEFAULT,
    explain,
  );
  const bytes = async (): Promise<Buffer> => Buffer.concat(await Array.fromAsync(body));
  return {
    status: response.statusCode,
    headers,
    url: url.href,
    body,
    bytes,
    text: async () => (await bytes()).toString('utf8'),
    async discard() {
      await response.body.dump({ limit: DISCARDED_BYTES_MAX }).catch(() => {});
    },
    async json() {
      const text = (await bytes()).toString('utf8');
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new ServiceError('upstream_failed', `${url.host} answered with something that is not JSON.`);
      }
    },
  };
}

/** Returns the host that was refused; undefined for another failure. */
function refusedHost(error: unknown): string | undefined {
  if (error instanceof AddressRefused) return error.host;
  return error instanceof Error ? refusedHost(error.cause) : undefined;
}

const ALLOWING = 'The operator can allow it with PINAKES_OUTBOUND_ALLOW.';

/** Returns an error without the cause's text, which may contain internal addresses. */
function explainFailure(
  error: unknown,
  url: string,
  { signal: callerSignal, trust }: HttpRequestOptions,
  timeout: AbortSignal,
): Error {
  if (error instanceof ServiceError) return error;
  if (callerSignal.aborted)
    return callerSignal.reason instanceof Error
      ? callerSignal.reason
      : new Error('aborted', { cause: callerSignal.reason });
  const host = URL.canParse(url) ? new URL(url).host : 'The address';
  if (timeout.aborted) return new ServiceError('upstream_timeout', `${host} did not answer in time.`, { cause: error });
  const refused = refusedHost(error);
  if (refused !== undefined) {
    // A tenant learns only that the address is refused. An address of the operator is refused only behind a redirect.
    const where = trust === 'operator' ? `redirects to ${refused}, which` : 'leads to an address that';
    return new ServiceError('upstream_failed', `${host} ${where} is not allowed. ${ALLOWING}`, { cause: error });
  }
  return new ServiceError('upstream_failed', `${host} could not be reached.`, { cause: error });
}

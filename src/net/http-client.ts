/**
 * The only module that opens outbound connections.
 *
 * The address check sits where the connection is made, on the address that is then used: neither a name that resolves
 * differently the second time nor a redirect gets around it.
 */
import { lookup as dnsLookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { ServiceError } from '../errors.ts';
import { unlessAborted } from '../util/abort.ts';
import { type AddressRules, addressRules } from './address-rules.ts';
import { type OperatorRequest, openOperatorFetch, openOperatorRequest } from './operator-fetch.ts';
import { limitedBody } from './response-body.ts';
import { retryAfterMs, retryWait } from './retry-wait.ts';

export const REDIRECTS_MAX = 5;
export const TIMEOUT_MS_DEFAULT = 60_000;
export const RESPONSE_BYTES_MAX_DEFAULT = 64 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECTIONS_PER_HOST_MAX = 64;
/** A model takes a connection for each answer that it streams. */
const OPERATOR_CONNECTIONS_PER_HOST_MAX = 16_384;
export const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
const RETRIED_STATUSES = [408, 425, 429, 500, 502, 503, 504];
/** Of bodies that nobody reads: those of redirects and of answers that are asked for again. */
const DISCARDED_BYTES_MAX = 65_536;
const USER_AGENT = 'Pinakes/0.1';
/** Headers that may say who we are, to the host that they were meant for alone. */
const CREDENTIAL_HEADER = /auth|cookie|credential|key|secret|session|signature|token/i;

export interface HttpRequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Who gave the address: `operator` (settings) may name private hosts, `tenant` never unless the settings allow it. */
  trust: 'operator' | 'tenant';
  signal: AbortSignal;
  /** For the whole exchange up to the last byte, redirects and retries included. */
  timeoutMs?: number;
  /** Of the decoded body. */
  responseBytesMax?: number;
  /** How often to try again after a failed connection or a status that may pass; 0 by default. */
  retriesMax?: number;
  /** False: a redirect is the answer. True by default. */
  followRedirects?: boolean;
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  /** After redirects. */
  url: string;
  /** Decoded and limited; rejects with ServiceError upstream_failed when it grows beyond `responseBytesMax`. */
  body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Buffer>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** Frees the connection of an answer that nobody wants to read. */
  discard(): Promise<void>;
}

export interface HttpClient {
  /**
   * Any status is an answer. The body must be read or discarded, or the signal aborted, else the connection stays taken until the timeout.
   *
   * @throws ServiceError upstream_failed, upstream_timeout; the signal's reason when it aborts.
   */
  request(url: string, options: HttpRequestOptions): Promise<HttpResponse>;
  /** `fetch` for addresses that the operator configured: what the AI SDK takes. Does not follow redirects. */
  readonly operatorFetch: typeof fetch;
  /** The same with less around it, for who reads many answers at once. */
  readonly operatorRequest: OperatorRequest;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  /** Hosts and CIDRs that addresses from tenants may reach although private. */
  allow: readonly string[];
  /** Name -> addresses. Tests bring their own. */
  lookup?: (host: string) => Promise<{ address: string }[]>;
}

/** Connections are kept and reused until `close`; those for tenants and for the operator are kept apart. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  const rules = addressRules(options.allow);
  const lookup = options.lookup ?? ((host) => dnsLookup(host, { all: true, order: 'verbatim' }));
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

function openAgent(
  lookup: NonNullable<HttpClientOptions['lookup']>,
  rules: AddressRules | undefined,
  connections: number,
): Agent {
  const connectTo = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  const connect: buildConnector.connector = (target, done) => {
    const fail = (error: unknown): void => done(error instanceof Error ? error : new Error(String(error)), null);
    resolveHost(lookup, rules, target.hostname).then((addresses) => tryEach(connectTo, target, addresses, done), fail);
  };
  return new Agent({ connect, connections, allowH2: false });
}

/** The addresses that a connection may use. One forbidden address among several refuses them all. */
async function resolveHost(
  lookup: NonNullable<HttpClientOptions['lookup']>,
  rules: AddressRules | undefined,
  hostname: string,
): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = (await lookup(host)).map(({ address }) => address);
  if (addresses.length === 0) throw new Error(`${host} has no address`);
  if (rules && !addresses.every((address) => rules.allows(host, address))) throw new AddressRefused(host);
  return addresses;
}

class AddressRefused extends Error {
  constructor(host: string) {
    super(`${host} is not a public address`);
    this.name = 'AddressRefused';
  }
}

/** Connects to the first address that answers. The certificate is checked for the name, not the address. */
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
  const explain = (error: unknown): Error => explainFailure(error, url, options.signal, timeout);
  try {
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= (options.retriesMax ?? 0);
      const outcome = await follow(agents, url, options, signal, explain).catch((error: unknown) => {
        if (last || signal.aborted || isRefused(error)) throw error;
        return undefined;
      });
      const wait = retryWait(attempt, retryAfterMs(outcome?.headers.get('retry-after')));
      // An answer says more than a timeout.
      const isLast = last || performance.now() + wait >= deadline;
      if (outcome && (isLast || !RETRIED_STATUSES.includes(outcome.status))) return outcome;
      await outcome?.discard();
      await sleep(wait, undefined, { signal });
    }
  } catch (error) {
    throw explain(error);
  }
}

/** One attempt, with its redirects. Where a redirect leads was not chosen by the operator. */
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
    // Before there is a connection the signal is not heeded.
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

function isRefused(error: unknown): boolean {
  return error instanceof AddressRefused || (error instanceof Error && isRefused(error.cause));
}

/** Never the cause's text: it may hold addresses of the inside. */
function explainFailure(error: unknown, url: string, given: AbortSignal, timeout: AbortSignal): Error {
  if (error instanceof ServiceError) return error;
  if (given.aborted)
    return given.reason instanceof Error ? given.reason : new Error('aborted', { cause: given.reason });
  const host = URL.canParse(url) ? new URL(url).host : 'The address';
  if (timeout.aborted) return new ServiceError('upstream_timeout', `${host} did not answer in time.`, { cause: error });
  if (isRefused(error))
    return new ServiceError('upstream_failed', `${host} leads to an address that is not allowed.`, { cause: error });
  return new ServiceError('upstream_failed', `${host} could not be reached.`, { cause: error });
}

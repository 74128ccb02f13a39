/** The only module that opens outbound connections. */

export interface HttpRequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Who gave the address: `operator` (settings) may name private hosts, `tenant` never unless the settings allow it. */
  trust: 'operator' | 'tenant';
  signal: AbortSignal;
  /** For the whole exchange, redirects and retries included. */
  timeoutMs?: number;
  /** Of the decoded body. */
  responseBytesMax?: number;
  /** How often to try again after a failed connection, 408, 429, 502, 503 or 504; 0 by default. */
  retriesMax?: number;
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  /** After redirects. */
  url: string;
  /** Limited: rejects with ServiceError upstream_failed when it grows beyond `responseBytesMax`. */
  body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Buffer>;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

export interface HttpClient {
  /** @throws ServiceError upstream_failed, upstream_timeout; the signal's reason when it aborts. Any status is an answer. */
  request(url: string, options: HttpRequestOptions): Promise<HttpResponse>;
  /** `fetch` for addresses that the operator configured: what the AI SDK takes. */
  readonly operatorFetch: typeof fetch;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  /** Hosts and CIDRs that addresses from tenants may reach although private. */
  allow: readonly string[];
}

export function openHttpClient(_options: HttpClientOptions): HttpClient {
  return {
    request: () => Promise.reject(new Error('the HTTP client is not there yet')),
    operatorFetch: fetch,
    close: async () => {},
  };
}

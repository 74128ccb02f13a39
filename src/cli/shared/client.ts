/**
 * The API client of the command line: the published client, with error messages for a user. It uses `fetch` directly, because the user
 * of the command configured the address. The guarded client of net/http-client.ts is for addresses that tenants name.
 */
import type { Operations } from '../../client/api.ts';
import { openPinakes, type Pinakes } from '../../client/client.ts';
import { parseEvents, type StreamEvent } from '../../client/events.ts';
import { CliError } from './io.ts';
import { NoAnswerError, withPatience } from './patience.ts';

const ADDRESS = 'PINAKES_URL must be the address of the service, such as http://127.0.0.1:7700.';

/** Paths of requests that a model answers. */
const MODEL_ANSWERS = /\/(?:completions|agents\/runs)$/;

export interface ClientOptions {
  /** Origin of the service, for example http://127.0.0.1:7700. */
  url: string;
  apiKey: string;
  /** Makes the client wait for a service that restarts in the middle of a command. Called with a sentence that says so. */
  onWait?: ((text: string) => void) | undefined;
}

export interface Client extends Pinakes {
  url: string;
  /** Returns the metrics of the service, in the text format of Prometheus. */
  readMetrics(): Promise<string>;
  /** Sends a message to `/mcp`. Returns its answer, also when it is an error. */
  postMcp(message: object, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
  /** Yields the events of a streamed answer. @throws CliError when the answer ends with RUN_ERROR. */
  streamCompletion(body: CompletionBody, signal?: AbortSignal): AsyncGenerator<StreamEvent>;
}

export type CompletionBody = Operations['createCompletion']['request']['body'];

let patient: Promise<typeof fetch> | undefined;

/** Few requests need it, so other commands do not load it. */
function patientFetch(): Promise<typeof fetch> {
  patient ??= import('../../net/patient-fetch.ts').then(({ openPatientFetch }) => openPatientFetch());
  return patient;
}

/** Returns a client. Its functions throw PinakesError for an error answer, and CliError when no service answers. */
export function openClient({ url, apiKey, onWait }: ClientOptions): Client {
  const once: typeof fetch = async (input, init) => {
    const sendBy = isSlow(String(input), init) ? await patientFetch() : fetch;
    const response = await sendBy(input, init).catch((error: unknown) => {
      throw connectionError(url, error);
    });
    if (response.ok && isWebPage(response)) throw new CliError(`${url} answers with a web page. ${ADDRESS}`);
    return response;
  };
  const send = onWait ? withPatience(once, { onWait }) : once;
  const pinakes = openPinakes({ url, apiKey, fetch: send });
  return {
    ...pinakes,
    url,
    readMetrics: async () => (await fetch(`${url}/metrics`)).text(),
    postMcp: (message, headers, signal) =>
      send(`${url}/mcp`, {
        method: 'POST',
        headers: {
          ...headers,
          'x-api-key': apiKey,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(message),
        signal,
      }),
    async *streamCompletion(body, signal) {
      const headers = { accept: 'text/event-stream' };
      const response = await pinakes.send('createCompletion', { body: { ...body, stream: true } }, { headers, signal });
      if (response.body === null) throw new CliError('The service sent an empty answer.');
      for await (const event of parseEvents(response.body)) {
        if (event.type === 'RUN_ERROR') throw new CliError(event.message ?? 'The answer failed.');
        yield event;
      }
    },
  };
}

/** A model may work on an answer for as long as the settings of the service allow, and an upload may be as long under way. */
function isSlow(address: string, init: RequestInit | undefined): boolean {
  return init?.body instanceof ReadableStream || (init?.method === 'POST' && MODEL_ANSWERS.test(address));
}

/** The API answers with no web page: stored files have the type application/octet-stream. */
function isWebPage({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') === true;
}

function connectionError(url: string, error: unknown): unknown {
  if (error instanceof Error && error.name === 'AbortError') return error;
  const cause = error instanceof Error ? error.cause : undefined;
  // The request body failed, for example because a file changed.
  if (cause instanceof CliError) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  if (code === 'ECONNREFUSED') {
    return new NoAnswerError(
      `No service answers at ${url}. Start one with "pinakes serve", or set PINAKES_URL to a running one.`,
    );
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return new CliError(`${url} does not speak https. ${ADDRESS}`);
  const reason = cause instanceof Error ? cause.message : String(error);
  return new NoAnswerError(`The request to ${url} failed: ${reason}`);
}

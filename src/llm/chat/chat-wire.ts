/**
 * Reads the streamed answer of a `/chat/completions` endpoint. The AI SDK can do this too, but it needs 90 kB for each open answer, and
 * there may be thousands. This module keeps only one event in memory. A hostile endpoint can only make the answer fail.
 */
import { StringDecoder } from 'node:string_decoder';
import { ServiceError } from '../../errors.ts';
import type { OperatorRequest, StreamedAnswer } from '../../net/operator-fetch.ts';
import type { Usage } from '../models.ts';

/** Maximum UTF-16 units of one event. A whole answer may come in a single event. */
const EVENT_UNITS_MAX = 1024 * 1024;
/** Maximum part of a refusal that is read. */
const REFUSAL_BYTES_MAX = 64 * 1024;
/** Maximum wait for the number of tokens after the last words. */
const USAGE_WAIT_MS = 2_000;

export interface ChatEndpoint {
  model: string;
  /** The address with the version, without a trailing slash. */
  baseUrl: string;
  apiKey: string | null;
  request: OperatorRequest;
}

export interface ChatBody {
  system: string;
  messages: readonly { role: string; content: string }[];
  outputTokensMax: number;
  /** Whether to ask for the number of tokens with a member that a few endpoints refuse. */
  asksUsage: boolean;
}

/** `reason` is the word of the endpoint, or `[DONE]` when the endpoint gave no reason. */
export type WirePart =
  | { type: 'text'; delta: string }
  | { type: 'reasoning' }
  | { type: 'finish'; reason: string; usage: Usage | undefined };

/** A refusal of the endpoint, in the form of the AI SDK's errors. */
export class ChatRefused extends Error {
  readonly statusCode: number | undefined;
  readonly responseHeaders: Record<string, string>;
  readonly responseBody: string;
  constructor(message: string, statusCode: number | undefined, headers: Record<string, string>, body: string) {
    super(message);
    this.name = 'ChatRefused';
    this.statusCode = statusCode;
    this.responseHeaders = headers;
    this.responseBody = body;
  }
}

/**
 * Sends the request and returns the answer.
 *
 * @throws ChatRefused, also for an error with status 200. ServiceError if the endpoint answers without a stream.
 */
export async function openChat(endpoint: ChatEndpoint, body: ChatBody, signal: AbortSignal): Promise<StreamedAnswer> {
  const answer = await endpoint.request(`${endpoint.baseUrl}/chat/completions`, requestOf(endpoint, body, signal));
  const isStream = !/^application\/json\b/i.test(answer.headers.get('content-type') ?? '');
  if (answer.status < 400 && isStream) return answer;
  try {
    throw await (answer.status < 400 ? errorWithoutStream(answer) : refusalOf(answer));
  } finally {
    answer.leave();
  }
}

/**
 * Yields the parts of an answer. The last part is `finish`. It reads from the endpoint only when the caller asks for the next part.
 * Returning from the generator ends the call.
 *
 * @throws ServiceError for an answer that is unreadable or has no end.
 */
export async function* readChat({ pieces, leave }: StreamedAnswer, asksUsage: boolean): AsyncGenerator<WirePart, void> {
  let reason: string | undefined;
  let usage: Usage | undefined;
  try {
    for await (const data of eventsOf(pieces, () => reason !== undefined)) {
      if (data === '[DONE]') {
        reason ??= data;
        break;
      }
      const event = parseEvent(data);
      usage = event.usage ?? usage;
      if (event.hasReasoning) yield { type: 'reasoning' };
      if (event.text !== '' && reason === undefined) yield { type: 'text', delta: event.text };
      // A refusal ends with a second reason, `stop`.
      reason ??= event.reason;
      if (reason !== undefined && (usage !== undefined || !asksUsage)) break;
    }
  } finally {
    leave();
  }
  if (reason === undefined)
    throw new ServiceError('upstream_failed', 'The chat model ended its answer without an end mark.');
  yield { type: 'finish', reason, usage };
}

function requestOf({ model, apiKey }: ChatEndpoint, body: ChatBody, signal: AbortSignal): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({
      model,
      messages: [{ role: 'system', content: body.system }, ...body.messages],
      max_tokens: body.outputTokensMax,
      stream: true,
      ...(body.asksUsage ? { stream_options: { include_usage: true } } : {}),
    }),
    signal,
  };
}

async function refusalOf({ status, headers, pieces }: StreamedAnswer): Promise<Error> {
  const text = await startOf(pieces);
  return new ChatRefused(text, status, Object.fromEntries(headers), text);
}

/** Returns the error for an answer in JSON. Some endpoints report errors, such as a model that is not loaded, with status 200. */
async function errorWithoutStream({ pieces }: StreamedAnswer): Promise<Error> {
  try {
    parseEvent(await startOf(pieces));
  } catch (error) {
    if (error instanceof ChatRefused) return error;
  }
  return new ServiceError('upstream_failed', 'The chat model answered without a stream.');
}

async function startOf(pieces: AsyncGenerator<Uint8Array>): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  for await (const piece of pieces) {
    text += decoder.write(piece as Buffer);
    if (text.length >= REFUSAL_BYTES_MAX) break;
  }
  return text;
}

/** Yields the data of server-sent events. After `isOver` it waits only USAGE_WAIT_MS for further events. */
async function* eventsOf(pieces: AsyncGenerator<Uint8Array>, isOver: () => boolean): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let data: string[] = [];
  let units = 0;
  let afterReturn = false;
  let deadline: number | undefined;
  for (;;) {
    if (isOver()) deadline ??= performance.now() + USAGE_WAIT_MS;
    const { done, value } = await (deadline === undefined ? pieces.next() : readUntil(deadline, pieces));
    let piece = done ? `${decoder.end()}\n\n` : decoder.write(value as Buffer);
    if (afterReturn && piece.startsWith('\n')) piece = piece.slice(1);
    else if (piece === '') continue;
    afterReturn = piece.endsWith('\r');
    const [first = '', ...others] = piece.split(/\r\n|\n|\r/);
    line += first;
    for (const next of others) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      units += line.length;
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
        units = 0;
      }
      line = next;
    }
    if (units + line.length > EVENT_UNITS_MAX)
      throw new ServiceError('upstream_failed', 'The chat model sent an event that is too long.');
    if (done) return;
  }
}

function readUntil(
  deadline: number,
  pieces: AsyncGenerator<Uint8Array>,
): Promise<{ done?: boolean | undefined; value?: Uint8Array | undefined }> {
  const late = Promise.withResolvers<{ done: true }>();
  const timer = setTimeout(() => late.resolve({ done: true }), deadline - performance.now());
  // A connection that breaks now loses nothing of the answer.
  const read = pieces.next().catch(() => ({ done: true }));
  return Promise.race([read, late.promise]).finally(() => clearTimeout(timer));
}

interface WireEvent {
  text: string;
  hasReasoning: boolean;
  reason: string | undefined;
  usage: Usage | undefined;
}

/** Reads only the members that are needed, because endpoints differ in the others. */
function parseEvent(data: string): WireEvent {
  const event = asObject(JSON.parse(data));
  if (event['error'] !== undefined && event['error'] !== null) throw errorIn(event['error']);
  const choice = asObject(Array.isArray(event['choices']) ? event['choices'][0] : undefined);
  const delta = asObject(choice['delta']);
  const isRefusal = typeof delta['refusal'] === 'string' && delta['refusal'] !== '';
  return {
    text: asText(delta['content']),
    hasReasoning: asText(delta['reasoning_content']) !== '' || asText(delta['reasoning']) !== '',
    reason: isRefusal ? 'content_filter' : asText(choice['finish_reason']) || undefined,
    usage: usageIn(asObject(event['usage'])),
  };
}

function errorIn(error: unknown): Error {
  const { message, code, status } = asObject(error);
  const given = [status, code].map(Number).find((number) => number >= 400 && number < 600);
  return new ChatRefused(asText(message) || asText(error) || 'an error without a message', given, {}, '');
}

function usageIn({ prompt_tokens, completion_tokens }: Record<string, unknown>): Usage | undefined {
  if (!isCount(prompt_tokens) || !isCount(completion_tokens)) return undefined;
  return { inputTokens: prompt_tokens, outputTokens: completion_tokens };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A chat model behind the AI SDK. The SDK is loaded with the first request, so that a service without a model pays nothing. */
import { randomBytes } from 'node:crypto';
import type { LanguageModel } from 'ai';
import { ServiceError } from '../errors.ts';
import type { ChatEvent, ChatModel, ChatRequest } from './models.ts';
import { answerTokens, buildPrompt, NO_ANSWER_SENTINEL } from './prompt.ts';
import { forLog, toServiceError } from './provider-errors.ts';

/** Until the model's first words: it may have to load. */
export const FIRST_DELTA_TIMEOUT_MS = 60_000;
/** Between two deltas. */
export const NEXT_DELTA_TIMEOUT_MS = 30_000;
/** An answer that never ends is cut here. */
export const ANSWER_UNITS_MAX = 64 * 1024;

export type ChatProvider = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

export interface AiSdkOptions {
  /** For messages: `openai-compatible:llama3.1`. */
  name: string;
  provider: ChatProvider;
  model: string;
  /** With the version, without a trailing slash: `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  apiKey: string | null;
  contextTokens: number;
  fetch: typeof fetch;
  firstDeltaTimeoutMs?: number;
  nextDeltaTimeoutMs?: number;
}

/** Connects to nothing before the first answer. Its stream throws ServiceError for a model that fails or is silent too long. */
export function openAiSdkModel(options: AiSdkOptions): ChatModel {
  return {
    name: options.name,
    contextTokens: options.contextTokens,
    stream: (request, signal) => withoutSentinel(streamAnswer(options, request, signal)),
  };
}

async function* streamAnswer(
  options: AiSdkOptions,
  request: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  signal.throwIfAborted();
  const [{ streamText }, model] = await Promise.all([import('ai'), openLanguageModel(options)]);
  const { system, messages } = buildPrompt(request, randomBytes(9).toString('base64url'), options.contextTokens);
  const watch = openWatch(signal, options.firstDeltaTimeoutMs ?? FIRST_DELTA_TIMEOUT_MS);
  try {
    const { fullStream } = streamText({
      model,
      instructions: system,
      messages: messages.map(({ role, content }) => ({ role: role === 'assistant' ? role : 'user', content })),
      maxOutputTokens: answerTokens(options.contextTokens),
      maxRetries: 0,
      abortSignal: watch.signal,
      onError: () => {}, // errors are parts of the stream; the default writes to the console
    });
    let units = 0;
    for await (const part of fullStream) {
      watch.restart(options.nextDeltaTimeoutMs ?? NEXT_DELTA_TIMEOUT_MS);
      if (part.type === 'text-delta') {
        yield { type: 'text', delta: part.text };
        units += part.text.length;
        if (units > ANSWER_UNITS_MAX) {
          yield { type: 'finish', reason: 'length' };
          return;
        }
      } else if (part.type === 'error') throw part.error;
      else if (part.type === 'abort') throw new Error('the stream was aborted');
      else if (part.type === 'finish') {
        yield { type: 'finish', reason: finishReason(part.finishReason) };
        return;
      }
    }
    throw new ServiceError('upstream_failed', 'The chat model ended its answer without an end mark.');
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const cause = forLog(error, options.apiKey);
    throw watch.timedOut()
      ? new ServiceError('upstream_timeout', 'The chat model did not answer in time.', { cause })
      : toServiceError('The chat model', error, cause);
  } finally {
    watch.stop(); // also ends the upstream call when the reader has left
  }
}

/**
 * The wire format of each provider: OpenAI and its likes take `/chat/completions`, Anthropic `/messages`, Google
 * `/models/…:streamGenerateContent`. Without a key none is sent, where the SDK would look into the environment.
 */
async function openLanguageModel({ provider, model, baseUrl, apiKey, fetch }: AiSdkOptions): Promise<LanguageModel> {
  const settings = { baseURL: baseUrl, fetch };
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ ...settings, apiKey: apiKey ?? '' })(model);
  }
  if (provider === 'google') {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ ...settings, apiKey: apiKey ?? '' })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({ name: 'chat', ...settings, ...(apiKey === null ? {} : { apiKey }) })(model);
}

function finishReason(reason: string): 'stop' | 'length' | 'content_filter' {
  if (reason === 'length') return 'length';
  if (reason === 'content-filter') return 'content_filter';
  if (reason === 'error') throw new ServiceError('upstream_failed', 'The chat model reported an error.');
  return 'stop';
}

/** Aborts with the caller, or when nothing arrives for a time. */
function openWatch(signal: AbortSignal, firstMs: number) {
  const controller = new AbortController();
  let timedOut = false;
  const expire = (): void => {
    timedOut = true;
    controller.abort();
  };
  const onAbort = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let timer = setTimeout(expire, firstMs);
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    restart(ms: number): void {
      clearTimeout(timer);
      timer = setTimeout(expire, ms);
    },
    stop(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (!controller.signal.aborted) controller.abort();
    },
  };
}

/** Holds text back while it may still become the sentinel, and turns the sentinel into `no_answer`. */
async function* withoutSentinel(events: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent> {
  let held: string | null = '';
  for await (const event of events) {
    if (event.type === 'text' && held !== null) {
      held += event.delta;
      const said = held.trimStart();
      if (NO_ANSWER_SENTINEL.startsWith(said.slice(0, NO_ANSWER_SENTINEL.length))) continue;
      yield { type: 'text', delta: held };
      held = null;
    } else if (event.type === 'finish' && held !== null) {
      const said = held.trim();
      if (said === '' || said.startsWith(NO_ANSWER_SENTINEL)) {
        yield { type: 'finish', reason: event.reason === 'content_filter' ? 'content_filter' : 'no_answer' };
        return;
      }
      yield { type: 'text', delta: held };
      yield event;
    } else yield event;
  }
}

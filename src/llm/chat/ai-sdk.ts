/** A chat model behind the AI SDK. The SDK is loaded with the first request, so that a service without a model pays nothing. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type {
  AskRequest,
  ChatEvent,
  ChatModel,
  ChatObserver,
  ChatRequest,
  OnUsage,
  Usage,
  WebResult,
} from '../models.ts';
import { guarded } from './answer-guard.ts';
import { openParts, usageOf } from './answer-parts.ts';
import { type LanguageModelOptions, openLanguageModel } from './language-model.ts';
import { answerTokens, buildPrompt, type Prompt } from './prompt.ts';
import { forLog, refusesUsage, toServiceError } from './provider-errors.ts';
import { MODEL_RETRY_BASE_MS, retryDelay } from './retries.ts';
import { tokensAtMost } from './tokens.ts';
import { openWatch, type Watch } from './watch.ts';
import { readFindings, webSearchCall } from './web-search.ts';

/** Until the model's first words: it may have to load. */
export const FIRST_DELTA_TIMEOUT_MS = 60_000;
/** Between two deltas. */
export const NEXT_DELTA_TIMEOUT_MS = 30_000;
/** From the request to the last word, retries included. */
export const ANSWER_TIMEOUT_MS = 300_000;
/** A shorter key is no secret, and may be a word. */
const SECRET_UNITS_MIN = 8;
/** An answer waits no longer for what the web says. */
export const WEB_SEARCH_TIMEOUT_MS = 30_000;
/** An answer that never ends is cut here. */
export const ANSWER_UNITS_MAX = 64 * 1024;

export interface AiSdkOptions extends LanguageModelOptions {
  /** For messages: `openai-compatible:llama3.1`. */
  name: string;
  contextTokens: number;
  firstDeltaTimeoutMs?: number;
  nextDeltaTimeoutMs?: number;
  answerTimeoutMs?: number;
  retryBaseMs?: number;
  observer?: ChatObserver;
  /** With the provider's web search. */
  webSearch?: boolean;
}

/** What is known of one call while it runs. */
interface Call {
  /** Something of the answer has arrived, so that asking again would say it twice. */
  hasBegun: boolean;
  text: string;
  usage: Usage | undefined;
}

/** Connects to nothing before the first answer. Its stream throws ServiceError for a model that fails or is silent too long. */
export function openAiSdkModel(options: AiSdkOptions): ChatModel {
  const state = { asksUsage: true };
  return {
    name: options.name,
    contextTokens: options.contextTokens,
    stream(request, signal) {
      const nonce = randomBytes(9).toString('base64url');
      const secrets = [nonce, options.apiKey ?? ''].filter((secret) => secret.length >= SECRET_UNITS_MIN);
      return guarded(streamAnswer(options, state, request, nonce, signal), secrets);
    },
    ask: (request, signal) => askModel(options, request, signal),
    ...(options.webSearch && {
      searchWeb: (question: string, onUsage: OnUsage, signal: AbortSignal) =>
        searchWeb(options, question, onUsage, signal),
    }),
  };
}

async function* streamAnswer(
  options: AiSdkOptions,
  state: { asksUsage: boolean },
  request: ChatRequest,
  nonce: string,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  signal.throwIfAborted();
  // Made when it is needed and not kept: an answer may stream for long, and there may be thousands.
  const prompt = (): Prompt => buildPrompt(request, nonce, options.contextTokens);
  const watch = openWatch(signal, options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS);
  const call: Call = { hasBegun: false, text: '', usage: undefined };
  const report = openReport(options, 'answer', request.onUsage);
  let failure: unknown;
  try {
    for (let attempt = 0; ; ) {
      try {
        yield* attemptAnswer(options, state.asksUsage, prompt, watch, call, report);
        return;
      } catch (error) {
        if (call.hasBegun || watch.signal.aborted) throw error;
        if (state.asksUsage && refusesUsage(error)) {
          state.asksUsage = false;
          continue;
        }
        const wait = retryDelay(error, attempt++, options.retryBaseMs ?? MODEL_RETRY_BASE_MS);
        if (wait === undefined) throw error;
        options.observer?.retried();
        watch.pause();
        await sleep(wait, undefined, { signal: watch.signal });
      }
    }
  } catch (error) {
    failure = explain(options, watch, signal, error);
    throw failure;
  } finally {
    // A call that was refused cost nothing; one that was left or broke off did.
    const isBroken = failure === undefined || call.hasBegun || watch.signal.aborted;
    report.end(failure, signal, isBroken ? (call.usage ?? estimate(prompt(), call.text)) : undefined);
    watch.stop(); // also ends the upstream call when the reader has left
  }
}

async function* attemptAnswer(
  options: AiSdkOptions,
  asksUsage: boolean,
  prompt: () => Prompt,
  watch: Watch,
  call: Call,
  report: Report,
): AsyncGenerator<ChatEvent> {
  watch.expect(options.firstDeltaTimeoutMs ?? FIRST_DELTA_TIMEOUT_MS);
  const outputTokensMax = answerTokens(options.contextTokens);
  for await (const part of await openParts(options, asksUsage, prompt, outputTokensMax, watch.signal)) {
    if (part.type === 'finish') {
      call.usage = part.usage;
      yield { type: 'finish', reason: finishReason(part.reason) };
      return;
    }
    if (!call.hasBegun) report.begin();
    call.hasBegun = true;
    if (part.type === 'text') {
      watch.pause(); // while the reader takes it
      call.text += part.delta;
      yield part;
      if (call.text.length > ANSWER_UNITS_MAX) {
        yield { type: 'finish', reason: 'length' };
        return;
      }
    }
    watch.expect(options.nextDeltaTimeoutMs ?? NEXT_DELTA_TIMEOUT_MS);
  }
  throw new ServiceError('upstream_failed', 'The chat model ended its answer without an end mark.');
}

/** A short answer to a task of the service itself: no sources, no retries. */
async function askModel(options: AiSdkOptions, request: AskRequest, signal: AbortSignal): Promise<string> {
  const { use, system, text, outputTokensMax, timeoutMs, onUsage } = request;
  const model = await openLanguageModel(options);
  const messages = [{ role: 'user' as const, content: text }];
  const call = { model, instructions: system, messages, maxOutputTokens: outputTokensMax, maxRetries: 0 };
  return (await generate(options, { use, timeoutMs, onUsage }, call, signal)).text;
}

async function searchWeb(
  options: AiSdkOptions,
  question: string,
  onUsage: OnUsage,
  signal: AbortSignal,
): Promise<WebResult[]> {
  const call = await webSearchCall(options, question);
  const timing = { use: 'web' as const, timeoutMs: WEB_SEARCH_TIMEOUT_MS, onUsage };
  const { content, providerMetadata, warnings } = await generate(options, timing, call, signal);
  // An older model: its SDK left the tool out.
  if (warnings?.some((warning) => /search/i.test(JSON.stringify(warning))))
    throw new ServiceError('upstream_failed', 'The chat model cannot search the web.');
  return readFindings(content, providerMetadata);
}

/** One call without a stream. */
async function generate(
  options: AiSdkOptions,
  { use, timeoutMs, onUsage }: { use: 'web' | AskRequest['use']; timeoutMs: number; onUsage: OnUsage | undefined },
  call: Generated,
  signal: AbortSignal,
) {
  const { generateText } = await import('ai');
  // They would go to the console, between the lines of the log.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  signal.throwIfAborted();
  const watch = openWatch(signal, timeoutMs);
  const report = openReport(options, use, onUsage);
  const asked = { system: call.instructions, text: call.messages.map(({ content }) => content).join('\n') };
  let failure: unknown;
  let usage: Usage | undefined;
  try {
    const answer = await generateText({ ...call, abortSignal: watch.signal } as Parameters<typeof generateText>[0]);
    usage = usageOf(answer.totalUsage) ?? estimate(asked, answer.text);
    return answer;
  } catch (error) {
    if (watch.signal.aborted) usage = estimate(asked, '');
    failure = explain(options, watch, signal, error);
    throw failure;
  } finally {
    report.end(failure, signal, usage);
    watch.stop();
  }
}

interface Generated {
  instructions: string;
  messages: readonly { role: 'user'; content: string }[];
}

function explain(options: AiSdkOptions, watch: Watch, signal: AbortSignal, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  const cause = forLog(error, options.apiKey);
  return watch.timedOut()
    ? new ServiceError('upstream_timeout', 'The chat model did not answer in time.', { cause })
    : toServiceError('The chat model', error, cause);
}

interface Report {
  begin(): void;
  /** `usage` undefined: nothing was used. */
  end(failure: unknown, signal: AbortSignal, usage: Usage | undefined): void;
}

/** Tells about one call when it is over, however it ends. */
function openReport(
  { observer }: AiSdkOptions,
  use: AskRequest['use'] | 'answer' | 'web',
  onUsage: ChatRequest['onUsage'],
): Report {
  const startedAt = performance.now();
  return {
    begin: () => observer?.began((performance.now() - startedAt) / 1000),
    end(failure, signal, usage) {
      const code = failure instanceof ServiceError ? failure.code : undefined;
      const outcomes = { overloaded: 'overloaded', upstream_timeout: 'timeout' } as const;
      const failed = outcomes[code as keyof typeof outcomes] ?? 'failed';
      observer?.ended(use, signal.aborted ? 'left' : failure === undefined ? 'ok' : failed);
      if (usage === undefined) return;
      observer?.used(usage);
      onUsage?.(usage);
    },
  };
}

/** On the high side, as budgets are. */
function estimate(asked: Prompt | { system: string; text: string }, answer: string): Usage {
  const texts = 'messages' in asked ? asked.messages.map(({ content }) => content) : [asked.text];
  const inputTokens = [asked.system, ...texts].reduce((total, text) => total + tokensAtMost(text), 0);
  return { inputTokens, outputTokens: tokensAtMost(answer) };
}

function finishReason(reason: string): 'stop' | 'length' | 'content_filter' {
  if (reason === 'length') return 'length';
  if (reason === 'content-filter' || reason === 'content_filter') return 'content_filter';
  if (reason === 'error') throw new ServiceError('upstream_failed', 'The chat model reported an error.');
  if (reason === 'interrupted')
    throw new ServiceError('upstream_failed', 'The chat model ended its answer without an end mark.');
  return 'stop';
}

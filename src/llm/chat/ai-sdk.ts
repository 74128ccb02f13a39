/** A chat model behind the AI SDK. The SDK is loaded with the first request, so it takes no memory in a service without a model. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { modelRequest, modelStep, modelTask, modelText } from '../model-text.ts';
import type {
  AskRequest,
  ChatEvent,
  ChatModel,
  ChatObserver,
  ChatRequest,
  OnUsage,
  StepRequest,
  StepTurn,
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
import { readTurn, stepCall } from './tool-step.ts';
import { openWatch, type Watch } from './watch.ts';
import { readFindings, webSearchCall } from './web-search.ts';

/** Maximum time until the first words. The provider may have to load the model. */
const FIRST_DELTA_TIMEOUT_MS = 60_000;
/** Maximum time between two deltas. */
const NEXT_DELTA_TIMEOUT_MS = 30_000;
/** Maximum time from the request to the last word, retries included. */
const ANSWER_TIMEOUT_MS = 300_000;
/** Minimum length of a key that is removed from answers. A shorter key may be an ordinary word. */
const SECRET_UNITS_MIN = 8;
/** Maximum time that an answer waits for a web search. */
const WEB_SEARCH_TIMEOUT_MS = 30_000;
/** Longer answers are truncated. */
const ANSWER_UNITS_MAX = 64 * 1024;

export interface AiSdkOptions extends LanguageModelOptions {
  /** Name of the model in messages: `openai-compatible:llama3.1`. */
  name: string;
  contextTokens: number;
  firstDeltaTimeoutMs?: number;
  nextDeltaTimeoutMs?: number;
  answerTimeoutMs?: number;
  retryBaseMs?: number;
  observer?: ChatObserver;
  /** Whether the provider's web search is used. */
  webSearch?: boolean;
}

/** The state of one call while it runs. */
interface Call {
  /** True when a part of the answer has arrived. Then a retry would repeat this part. */
  hasBegun: boolean;
  text: string;
  usage: Usage | undefined;
}

/** Returns a chat model that connects with the first request. Its stream throws ServiceError when the model fails or times out. */
export function openAiSdkModel(options: AiSdkOptions): ChatModel {
  const state = { asksUsage: true };
  return {
    name: options.name,
    contextTokens: options.contextTokens,
    stream(request, signal) {
      const nonce = randomBytes(9).toString('base64url');
      const secrets = [nonce, options.apiKey ?? ''].filter((secret) => secret.length >= SECRET_UNITS_MIN);
      return guarded(streamAnswer(options, state, modelRequest(request), nonce, signal), secrets);
    },
    ask: (request, signal) => askModel(options, modelTask(request), signal),
    step: (request, signal) => stepModel(options, modelStep(request), signal),
    ...(options.webSearch && {
      searchWeb: (question: string, onUsage: OnUsage, signal: AbortSignal) =>
        searchWeb(options, modelText(question), onUsage, signal),
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
  // The prompt is built when it is needed, and not kept: thousands of answers may stream at the same time, each for minutes.
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
    // A refused call used no tokens. A finished, abandoned or interrupted call did.
    const usedTokens = failure === undefined || call.hasBegun || watch.signal.aborted;
    report.end(failure, signal, usedTokens ? (call.usage ?? estimate(prompt(), call.text)) : undefined);
    watch.stop(); // also ends the call when the reader has disconnected
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
      watch.pause(); // the reader may be slow
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

/** Returns a short answer to a task of the service itself, without sources and without retries. */
async function askModel(options: AiSdkOptions, request: AskRequest, signal: AbortSignal): Promise<string> {
  const { use, system, text, outputTokensMax, timeoutMs, onUsage } = request;
  const model = await openLanguageModel(options);
  const messages = [{ role: 'user' as const, content: text }];
  const call = { model, instructions: system, messages, maxOutputTokens: outputTokensMax, maxRetries: 0 };
  return (await generate(options, { use, timeoutMs, onUsage }, call, signal)).text;
}

/** Returns the tools that the model calls next, without retries: the caller can go on without this step. */
async function stepModel(options: AiSdkOptions, request: StepRequest, signal: AbortSignal): Promise<StepTurn> {
  const { timeoutMs, onUsage } = request;
  const call = await stepCall(await openLanguageModel(options), request);
  return readTurn(await generate(options, { use: 'step', timeoutMs, onUsage }, call, signal), options.apiKey);
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
  // For an older model the SDK leaves the search tool out and adds a warning.
  if (warnings?.some((warning) => /search/i.test(JSON.stringify(warning))))
    throw new ServiceError('upstream_failed', 'The chat model cannot search the web.');
  return readFindings(content, providerMetadata);
}

/** Makes one call without a stream. */
async function generate(
  options: AiSdkOptions,
  {
    use,
    timeoutMs,
    onUsage,
  }: { use: 'web' | 'step' | AskRequest['use']; timeoutMs: number; onUsage: OnUsage | undefined },
  call: GenerateCall,
  signal: AbortSignal,
) {
  const { generateText } = await import('ai');
  // Otherwise the SDK writes its warnings to the console, between the lines of the log.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  signal.throwIfAborted();
  const watch = openWatch(signal, timeoutMs);
  const report = openReport(options, use, onUsage);
  const asked = { system: call.instructions, text: call.messages.map(({ content }) => textOf(content)).join('\n') };
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

interface GenerateCall {
  instructions: string;
  messages: readonly { role: string; content: unknown }[];
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
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
  /** @param usage undefined when no tokens were used. */
  end(failure: unknown, signal: AbortSignal, usage: Usage | undefined): void;
}

/** Reports one call to the observer and to the usage ledger when the call has ended. */
function openReport(
  { observer }: AiSdkOptions,
  use: AskRequest['use'] | 'answer' | 'web' | 'step',
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

/** Returns a high estimate of the tokens of a call. */
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

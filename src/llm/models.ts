/** Ports of the model side. Adapters: extractive.ts (no model), ai-sdk.ts and llm/embedding/ai-sdk.ts (AI SDK providers), llm/embedding/local.ts. */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A retrieved chunk as a model sees it: `number` is its opaque label in this request. */
export interface ContextChunk {
  number: number;
  name: string;
  headingPath: readonly string[];
  context: string | null;
  content: string;
  /** Higher is better; only the order and the ratios within one request mean anything. */
  score: number;
  language: string | null;
  /** Of a file of program code: its lines are not prose. */
  isCode?: boolean;
  /** A web page, not a file. */
  isWeb?: boolean;
}

export interface ChatRequest {
  /** The rebuilt history, ending with the question. */
  messages: readonly ChatMessage[];
  question: string;
  /** A form of the question that stands alone, when it is a follow-up: what was retrieved for. Not for providers. */
  standalone?: string;
  chunks: readonly ContextChunk[];
  citation: boolean;
  onUsage?: OnUsage;
}

/** Tokens of one call, as the provider counts them, or estimated on the high side where it does not tell. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** Called once for every call that a provider worked on, also for one that was broken off. */
export type OnUsage = (usage: Usage) => void;

/** A web page, and what it was found to say. */
export interface WebResult {
  /** http or https. */
  url: string;
  title: string;
  text: string;
}

/** A task of the service itself: a short text, no sources. */
export interface AskRequest {
  /** For metrics. */
  use: 'rewrite' | 'probe';
  system: string;
  text: string;
  outputTokensMax: number;
  timeoutMs: number;
  onUsage?: OnUsage;
}

/** Hears of every call to a provider: for metrics. */
export interface ChatObserver {
  /** Seconds from the request to the first words of an answer. */
  began(seconds: number): void;
  ended(use: 'answer' | 'web' | AskRequest['use'], outcome: 'ok' | 'overloaded' | 'timeout' | 'failed' | 'left'): void;
  used(usage: Usage): void;
  /** A busy provider is asked again. */
  retried(): void;
}

/**
 * What a chat model emits. Text carries citation markers `[n]` of ContextChunk numbers, which the completion removes. A quote is a
 * passage of one chunk and carries none: brackets in it are the source's own. After `no_answer` nothing was said.
 */
export type ChatEvent =
  | { type: 'text'; delta: string }
  | { type: 'quote'; text: string; number: number }
  | { type: 'finish'; reason: 'stop' | 'length' | 'content_filter' | 'no_answer' };

export interface ChatModel {
  readonly name: string;
  /** Input budget in tokens for history and context together. */
  readonly contextTokens: number;
  /** Throws ServiceError `upstream_failed`, `upstream_timeout` or `overloaded`. */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** Absent: there is no model. Throws as `stream` does. */
  ask?(request: AskRequest, signal: AbortSignal): Promise<string>;
  /** What the provider's web search finds. Absent: it has none, or the feature is off. Throws as `stream` does. */
  searchWeb?(question: string, onUsage: OnUsage, signal: AbortSignal): Promise<WebResult[]>;
}

/** Queries and what they are to find may be embedded differently, and a query does not wait for its turn. */
export type EmbeddingUse = 'query' | 'passage';

export interface EmbeddingModel {
  /** Recorded with the vectors: what tells it from any other that makes other vectors. */
  readonly name: string;
  /**
   * One vector per text, in order, all of one dimension and finite. A passage in which the model finds nothing may be all zero.
   *
   * Throws ServiceError `upstream_failed`, `upstream_timeout` or `overloaded`, and `TextRefused` for a single text that the
   * model does not take.
   */
  embed(texts: readonly string[], use: EmbeddingUse, signal: AbortSignal): Promise<Float32Array[]>;
}

export interface Embedding {
  /** The configured model: new vectors are made with it. */
  readonly model: EmbeddingModel;
  /** Another model at the same address or in a directory: the one whose vectors still serve. May throw as `embed` does. */
  named(name: string): EmbeddingModel;
  /** The vector of a query, made with the model called `name`; remembered for a while, per tenant. Throws as `embed`. */
  embedQuery(tenantId: string, name: string, query: string, signal: AbortSignal): Promise<Float32Array>;
  /** Ends the threads of local models. */
  close(): Promise<void>;
}

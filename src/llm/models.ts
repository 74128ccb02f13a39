/** Ports of the model side. Adapters: extractive.ts (no model), ai-sdk.ts and embedding-ai-sdk.ts (AI SDK providers), embedding-local.ts. */

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
}

export interface ChatRequest {
  /** The rebuilt history, ending with the question. */
  messages: readonly ChatMessage[];
  question: string;
  chunks: readonly ContextChunk[];
  citation: boolean;
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
}

/** More than an index takes. */
export const DIMENSION_MAX = 4_000;

/** Queries and what they are to find may be embedded differently, and a query does not wait for its turn. */
export type EmbeddingUse = 'query' | 'passage';

export interface EmbeddingModel {
  /** As the provider knows it: recorded with the vectors. */
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

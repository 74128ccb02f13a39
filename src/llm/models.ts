/**
 * The ports of chat, embedding and entailment models. Adapters of chat models: answers/extractive (no language model) and
 * chat/ai-sdk.ts. Adapters of embedding models: embedding/ai-sdk.ts and embedding/local.ts. Of entailment models: entailment.ts.
 */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A retrieved chunk as a model sees it. `number` is its label in this request. */
export interface ContextChunk {
  number: number;
  name: string;
  headingPath: readonly string[];
  context: string | null;
  content: string;
  /** Higher is better. Scores can be compared only within one request. */
  score: number;
  language: string | null;
  /** True for a chunk of a program code file. */
  isCode?: boolean;
  isWeb?: boolean;
  /** True for the result of a query of tables. */
  isResult?: boolean;
}

export interface ChatRequest {
  /** The history, ending with the question. */
  messages: readonly ChatMessage[];
  question: string;
  /** The form of a follow-up question that stands alone, which was the search query. It is not sent to providers. */
  standalone?: string;
  /** Words of the question that no source has, each with the word that was searched for instead. They are not sent to providers. */
  corrections?: ReadonlyMap<string, string>;
  chunks: readonly ContextChunk[];
  /** The same chunks of sources as readers see them, for quotations without a language model. They are not sent to providers. */
  quotable?: readonly ContextChunk[];
  citation: boolean;
  onUsage?: OnUsage;
}

/** Tokens of one call as the provider counts them. When the provider does not report them, a high estimate. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** Called once for every call that a provider worked on, also for interrupted calls. */
export type OnUsage = (usage: Usage) => void;

/** A web page, and the text that the search found on it. */
export interface WebResult {
  /** http or https. */
  url: string;
  title: string;
  text: string;
}

/** A task of the service itself, with a short text and without sources. */
export interface AskRequest {
  /** The label of the task in metrics. */
  use: 'rewrite' | 'table' | 'probe';
  system: string;
  text: string;
  outputTokensMax: number;
  timeoutMs: number;
  onUsage?: OnUsage;
}

/** A tool that a model may call. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Readonly<Record<string, unknown>>;
}

/** A call that a model asks for. `input` is undefined if the arguments are not JSON. */
export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

/** A message between a model and its tools. The results follow their calls. */
export type StepMessage =
  | { role: 'user' | 'assistant'; content: string }
  | { role: 'calls'; calls: readonly ToolCall[] }
  | { role: 'results'; results: readonly { id: string; name: string; text: string }[] };

/** Asks a model which tools to call next. */
export interface StepRequest {
  system: string;
  messages: readonly StepMessage[];
  tools: readonly ToolSpec[];
  outputTokensMax: number;
  timeoutMs: number;
  onUsage?: OnUsage;
}

export interface StepTurn {
  /** Empty when the model needs no tool any more. */
  calls: ToolCall[];
  /** True when the output limit cut the turn, so the arguments of the last call may be incomplete. */
  isCut: boolean;
}

/** Is told about every call to a provider, for metrics. */
export interface ChatObserver {
  /** Seconds from the request to the first words of an answer. */
  began(seconds: number): void;
  ended(
    use: 'answer' | 'web' | 'step' | AskRequest['use'],
    outcome: 'ok' | 'overloaded' | 'timeout' | 'failed' | 'left',
  ): void;
  used(usage: Usage): void;
  /** The call to a busy provider is retried. */
  retried(): void;
}

/** Half-open range of UTF-16 units of a quote. */
export interface Label {
  start: number;
  end: number;
}

/**
 * An event of a chat model. Text contains citation markers `[n]` with numbers of ContextChunks, which the completion removes. A quote is a
 * passage of one chunk. Brackets in a quote are text of the source, not markers. `labels` are the places of names of columns in its text.
 * `no_answer` means that there was no text.
 */
export type ChatEvent =
  | { type: 'text'; delta: string }
  | { type: 'quote'; text: string; number: number; labels?: readonly Label[] }
  | { type: 'finish'; reason: 'stop' | 'length' | 'content_filter' | 'no_answer' };

export interface ChatModel {
  readonly name: string;
  /** Input budget in tokens for history and context together. */
  readonly contextTokens: number;
  /** Throws ServiceError `upstream_failed`, `upstream_timeout` or `overloaded`. */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** Absent without a language model. Throws as `stream` does. */
  ask?(request: AskRequest, signal: AbortSignal): Promise<string>;
  /** Returns the tools that the model calls next. Absent without a language model. Throws as `stream` does. */
  step?(request: StepRequest, signal: AbortSignal): Promise<StepTurn>;
  /** Returns what the provider's web search finds. Absent when there is no such search or it is off. Throws as `stream` does. */
  searchWeb?(question: string, onUsage: OnUsage, signal: AbortSignal): Promise<WebResult[]>;
  /**
   * Returns the model for the requests of a key: while the model is busy, tenants take turns, and within a tenant its keys. Absent for
   * a model without a queue.
   */
  of?(tenantId: string, keyFamilyId?: string): ChatModel;
}

/** What a passage says about a sentence. */
export type Verdict = 'entailment' | 'contradiction' | 'neutral';

/** A pair of a passage and a sentence that may follow from the passage. */
export interface SentencePair {
  premise: string;
  hypothesis: string;
}

export interface EntailmentModel {
  readonly name: string;
  /**
   * Returns one verdict per pair, in order. Null for a pair that is too long for the model.
   *
   * Throws ServiceError `upstream_failed`, or the signal's reason when it aborts.
   */
  judge(pairs: readonly SentencePair[], signal: AbortSignal): Promise<(Verdict | null)[]>;
  /** Ends the thread of the model. */
  close(): Promise<void>;
}

/** Queries and passages may be embedded differently. A query does not wait for passages. */
export type EmbeddingUse = 'query' | 'passage';

export interface EmbeddingModel {
  /** Stored with the vectors. Models that make different vectors have different names. */
  readonly name: string;
  /**
   * Returns one vector per text, in order. All vectors are finite and have the same dimension. The vector of a passage that the model
   * cannot read may be all zero.
   *
   * Throws ServiceError `upstream_failed`, `upstream_timeout` or `overloaded`.
   */
  embed(texts: readonly string[], use: EmbeddingUse, signal: AbortSignal): Promise<Float32Array[]>;
  /** Returns the processor time of a model in a thread of this process; undefined if it is unknown. Absent for a model of a service. */
  processorMs?(): number | undefined;
}

export interface Embedding {
  /** The configured model. It makes all new vectors. */
  readonly model: EmbeddingModel;
  /** Returns the model with a recorded name, whose vectors may still be in use. May throw as `embed` does. */
  named(name: string): EmbeddingModel;
  /**
   * Returns the vector of a query by the model called `name`. The vector is cached per tenant. While the model is busy, tenants take
   * turns, and within a tenant its keys. Throws as `embed` does.
   */
  embedQuery(
    tenantId: string,
    name: string,
    query: string,
    signal: AbortSignal,
    keyFamilyId?: string,
  ): Promise<Float32Array>;
  /** Ends the threads of local models. */
  close(): Promise<void>;
}

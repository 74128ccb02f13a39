/**
 * Types of every operation of the API, and its method and path. Generated from openapi.json: npm run client.
 */

/** A multipart body as a stream. Its length in bytes must be known before it is sent. */
export interface StreamBody {
  contentType: string;
  length: number;
  stream: ReadableStream<Uint8Array>;
}

export type UploadBody = FormData | StreamBody;

export type AgentRun = AgentRunSummary & {
  /** The calls of tools, in their order. */
  steps: Array<AgentStep>;
  /** Null before the end, for a run without an answer, and when the conversation was deleted. */
  answer: {
    /** Text of the answer, as `GET /conversations/{id}` shows it. Untrusted text: never show it as HTML. */
    content: string;
    /** The citations of the answer. */
    citations: Array<Record<string, unknown>>;
    /** Sentences that no verified citation supports. */
    unsupported_spans?: Array<{
      /** Offset of the first code point, from 0. */
      start: number;
      /** Offset behind the last code point. */
      end: number;
    }> | undefined;
  } | null;
};

export type AgentRunSummary = {
  /** Id of the run. · format "uuid" */
  id: string;
  /** `queued` and `running` go on; the others are at rest. */
  status: "queued" | "running" | "success" | "failure" | "canceled";
  /** Always `model`: the chat model decides which tools are called. */
  planner: "model";
  /** Why the run ended. After a limit there is an answer, too: from what was found until then. Null before the end. */
  finish_reason: "stop" | "max_steps" | "max_seconds" | "max_tokens" | "no_answer" | "error" | "canceled" | null;
  /** The question. */
  input: string;
  /** Whether the run goes on without a connection. */
  background: boolean;
  /** The conversation with the answer. Null while it does not have one. */
  conversation_id: string | null;
  /** The stored question. Null without a stored answer. */
  user_message_id: string | null;
  /** The stored answer. Null without one. */
  assistant_message_id: string | null;
  /** Tokens that the run used. 0 before the end. */
  usage: {
    /** Tokens of all requests to the model. */
    input_tokens: number;
    /** Tokens of all its answers. */
    output_tokens: number;
  };
  /** Problems that did not stop the request, but that the caller should know. */
  warnings: Array<Warning>;
  /** Why the run failed. Null otherwise. */
  error: {
    /** What went wrong, in words for a person. */
    message: string;
    /** Kind of the error, as in error answers. */
    type: string;
  } | null;
  /** Unix seconds. */
  creation_time: number;
  /** When a worker began with the run; null while it waits. */
  start_time: number | null;
  /** When the run ended; null before. */
  end_time: number | null;
};

export type AgentStep = {
  /** 1, 2, 3 … Calls of one step have the same number. */
  number: number;
  /** The tool that the model called. */
  tool: string;
  /** The arguments, without those that filters of the run replace. Null if they were no JSON object, and when a result before them cannot be read any more. */
  input: Record<string, unknown> | null;
  /** How many passages, sources, tables or rows the tool found, without those that cannot be read any more. */
  found: number;
  /** The chunks among them, which the answer may cite. */
  ids: Array<string>;
  /** Why the tool did not run; for example, the same was asked before. */
  notice: string | null;
  /** Why the tool failed. */
  error: string | null;
  /** Milliseconds that the tool took. */
  elapsed_ms: number;
};

export type AnswerTableQuery = {
  /** The statement that the chat model wrote and that ran. */
  sql: string;
  /** Columns of the result. */
  columns: Array<{
    /** Name of the column in the result. */
    name: string;
    /** Type of the column, as DuckDB names it. */
    type: string;
  }>;
  /** Rows of the result, at most 50, as in POST /tables/query. */
  rows: Array<Array<unknown>>;
  /** Number of these rows. */
  row_count: number;
  /** Whether there are more rows. */
  truncated: boolean;
  /** Number of rows that the aggregates of the result read; null for a result without aggregates. */
  witness_count: number | null;
  /** The sentences of the answer that cite the result. */
  spans: Array<{
    /** Offset of the first code point, from 0. */
    start: number;
    /** Offset behind the last code point. */
    end: number;
    /** Whether the numbers and names of the sentence are in the result. */
    verified: boolean;
    /** Why the sentence is not verified. Null when it is verified. */
    reason: string | null;
  }>;
};

export type ApiKey = {
  /** Id of the key. · format "uuid" */
  id: string;
  /** Name of the key. */
  name: string;
  /** Scopes of the key: what it may do. */
  scopes: Array<"inference:run" | "knowledge:read" | "knowledge:write" | "ingestion:manage" | "authz:grant" | "policy:redaction:manage" | "apikeys:issue" | "audit:read" | "conversations:all">;
  /** Only these source groups; null: not limited. */
  source_group_ids: Array<string> | null;
  /** Only source groups with one of these tags; null: not limited. */
  tag_ids: Array<string> | null;
  /** Time when the key expires, Unix seconds; null: never. */
  expires_time: number | null;
  /** Id of the key that issued or rotated this one; it may be revoked since. Null: an operator did. */
  issued_by: string | null;
  /** Unix seconds. */
  creation_time: number;
  /** Time of the last request with the key, Unix seconds, to the minute; null: not used yet. */
  last_used_time: number | null;
};

export type ApiKeyUsage = {
  /** Id of the key. · format "uuid" */
  api_key_id: string;
  /** Usage of each day, oldest first. Days without a call are left out. */
  days: Array<{
    /** Day in UTC, such as 2026-11-22. */
    date: string;
    /** Calls to the chat model: answers, rewritten questions, web searches. */
    requests: number;
    /** Tokens that were sent to the model. */
    input_tokens: number;
    /** Tokens that the model generated. */
    output_tokens: number;
  }>;
  /** Sum of all these days. */
  total: {
    /** Calls to the chat model: answers, rewritten questions, web searches. */
    requests: number;
    /** Tokens that were sent to the model. */
    input_tokens: number;
    /** Tokens that the model generated. */
    output_tokens: number;
  };
  /** Budget of each key per day, in tokens of input and output together; null: not limited. */
  tokens_per_day: number | null;
};

/** At most 100 attributes, by names of 1 to 256 characters. */
export type Attributes = Record<string, string | number | boolean | Array<string | number | boolean>>;

/** At most 100 attributes, by names of 1 to 256 characters. */
export type AttributesPatch = Record<string, string | number | boolean | Array<string | number | boolean> | null>;

export type AuditEvent = {
  /** Id of the event. · format "uuid" */
  id: string;
  /** Number of the event in the log of the tenant: 1, 2, 3 …, without gaps. */
  seq: number;
  /** Unix seconds. */
  creation_time: number;
  /** API key that made the change; null when the operator made it by a command. */
  api_key_id: string | null;
  /** Name of this API key, also after it was revoked. It is not part of `hash`. Null for the operator. */
  api_key_name: string | null;
  /** What was done. */
  action: "create" | "change" | "delete" | "issue" | "rotate" | "revoke";
  /** Kind of the object that was changed. */
  object_kind: "api_key" | "console_session" | "secret" | "subject" | "authz_policy" | "redaction_policy" | "source_group" | "source" | "setting" | "conversation" | "tag" | "metadata_column" | "table" | "tenant" | "master_key";
  /** Id of the object. Policies and metadata columns have their name here, subjects their principal. */
  object_id: string;
  /** What changed, without secrets and without content. */
  details: Record<string, unknown>;
  /** The exact time, in the form that is hashed: ISO 8601 with milliseconds. */
  time: string;
  /** The `hash` of the previous event; zeros for the first event. */
  prev_hash: string;
  /** SHA-256, in hex, of `prev_hash`, a line feed, and the event as canonical JSON. */
  hash: string;
};

export type AuthzPolicy = {
  /** Name of the policy. */
  name: string;
  /** 1 for a new policy; each change adds 1. */
  version: number;
  /** `and`: all conditions must hold. `or`: at least one must hold. */
  operator: "and" | "or";
  /** Conditions and groups of conditions, as they were sent. */
  filters: Array<unknown>;
  /** Declared types of attributes; absent without any. */
  attribute_types?: Record<string, "text" | "number" | "boolean" | "time" | "text[]" | "number[]" | "boolean[]" | "time[]"> | undefined;
  /** Tests of the policy, as they were sent; absent without any. */
  tests?: Array<unknown> | undefined;
  /** Unix seconds. */
  creation_time: number;
  /** Unix seconds. */
  last_update_time: number;
};

/** Conditions on metadata, at most 5 groups deep and 200 nodes in all. */
export type AuthzPolicyDocument = {
  /** `and`: all conditions must hold. `or`: at least one must hold. · default "and" */
  operator?: "and" | "or" | undefined;
  /** Conditions and groups of conditions, 1 to 64. · minItems 1, maxItems 64 */
  filters: Array<{
    /** Key of metadata. For `tag` and `source_group`: `name` or `id` (absent: the name of a tag, the id of a source group); with exists and not_exists also the name or the id of a tag. · minLength 1, maxLength 256 */
    key?: string | undefined;
    /** How the value of the key is compared with `value`. */
    operator: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin" | "contains" | "starts_with" | "exists" | "not_exists";
    /** An array for in and nin, absent for exists and not_exists, else a scalar; or `{"subject": "…"}`: that attribute of the principal. */
    value?: string | number | boolean | Array<string | number | boolean> | {
      /** Name of an attribute of the principal. */
      subject: string;
    } | undefined;
    /** What the condition is about. · default "source_metadata" */
    target?: "source_metadata" | "chunk_metadata" | "group_metadata" | "tag" | "source_group" | undefined;
    /** Also uses records that a file sets about itself: front matter, meta tags, properties, record columns. · default false */
    trust_content?: boolean | undefined;
  } | AuthzPolicyGroup>;
  /** Types of the attributes, by name: `text`, `number`, `boolean` or `time`; with `[]` an array of these or a single one. All attributes that the policy uses must then be declared; an attribute of another type counts as missing, and cannot be set. */
  attribute_types?: Record<string, "text" | "number" | "boolean" | "time" | "text[]" | "number[]" | "boolean[]" | "time[]"> | undefined;
  /** Tests of the policy. They run when the policy is set; if one fails, the policy is refused. · maxItems 100 */
  tests?: Array<{
    /** What the test shows, for error messages. · minLength 1, maxLength 200 */
    name?: string | undefined;
    /** Attributes of the principal. */
    given: Record<string, string | number | boolean | Array<string | number | boolean>>;
    /** The facts about the source, by the targets of conditions. Absent facts are missing. */
    source: {
      /** Metadata that is set through the API or by a connector. */
      source_metadata?: Record<string, string | number | boolean> | undefined;
      /** Records that the file sets about itself. They count for `trust_content` only. */
      content_metadata?: Record<string, string | number | boolean> | undefined;
      /** Metadata of the chunk. */
      chunk_metadata?: Record<string, string | number | boolean> | undefined;
      /** Metadata of the source group. */
      group_metadata?: Record<string, string | number | boolean> | undefined;
      /** Names (or ids) of the tags of the group. · maxItems 100 */
      tag?: Array<string> | undefined;
      /** Name (or id) of the group. · minLength 1, maxLength 200 */
      source_group?: string | undefined;
    };
    /** What the policy must decide. */
    expect: "allow" | "deny";
  }> | undefined;
};

/** Conditions on metadata, at most 5 groups deep and 200 nodes in all. */
export type AuthzPolicyGroup = {
  /** `and`: all conditions must hold. `or`: at least one must hold. · default "and" */
  operator?: "and" | "or" | undefined;
  /** Conditions and groups of conditions, 1 to 64. · minItems 1, maxItems 64 */
  filters: Array<{
    /** Key of metadata. For `tag` and `source_group`: `name` or `id` (absent: the name of a tag, the id of a source group); with exists and not_exists also the name or the id of a tag. · minLength 1, maxLength 256 */
    key?: string | undefined;
    /** How the value of the key is compared with `value`. */
    operator: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin" | "contains" | "starts_with" | "exists" | "not_exists";
    /** An array for in and nin, absent for exists and not_exists, else a scalar; or `{"subject": "…"}`: that attribute of the principal. */
    value?: string | number | boolean | Array<string | number | boolean> | {
      /** Name of an attribute of the principal. */
      subject: string;
    } | undefined;
    /** What the condition is about. · default "source_metadata" */
    target?: "source_metadata" | "chunk_metadata" | "group_metadata" | "tag" | "source_group" | undefined;
    /** Also uses records that a file sets about itself: front matter, meta tags, properties, record columns. · default false */
    trust_content?: boolean | undefined;
  } | AuthzPolicyGroup>;
};

export type AuthzSubject = {
  /** The end user. */
  principal_id: string;
  /** Values of the attributes, by name. */
  attributes: Record<string, string | number | boolean | Array<string | number | boolean>>;
  /** Unix seconds; null: the subject never expires. */
  expires_time: number | null;
  /** Unix seconds. */
  creation_time: number;
  /** Unix seconds. */
  last_update_time: number;
};

export type Block = {
  /** Position of the block in the file, from 0. */
  block_index: number;
  /** Kind of the block. A record is a row of a table that is searched on its own. */
  kind: "heading" | "paragraph" | "list" | "table" | "code" | "quote" | "record";
  /** Level of a heading, 1 to 6; null for others. */
  level: number | null;
  /** Words of a heading without marks; null for others. */
  title: string | null;
  /** Offset of the first code point of the block, in the extracted text; null if a redaction rule changes words of the block. */
  start_offset: number | null;
  /** Offset behind the last code point; null if a redaction rule changes words of the block. */
  end_offset: number | null;
  /** Numbers of the pages; null if the type has none. */
  pages: Array<number> | null;
  /** The text of the block, at most 4000 characters of it. */
  content: string;
  /** Of a record: cells of the header that it stands under. Null for others. */
  header: Array<string> | null;
  /** Rows of a table, the header first, or the row of a record; at most 500. Null for others, for tables that are not written in lines of cells, and if a redaction rule changes words of the block. */
  rows: Array<{
    /** Offset of the first code point of the row, in the extracted text. */
    start_offset: number;
    /** Offset behind the last code point of the row. */
    end_offset: number;
    /** Texts of the cells. */
    cells: Array<string>;
  }> | null;
  /** Name of the sheet, for the first block of a table of a workbook. */
  sheet: string | null;
  /** Cells of the table in its sheet, such as `A3:F20`. */
  range: string | null;
};

export type ChangedFiles = {
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Id of the run that reads the added and updated files. Null when nothing had to be done. */
  run_id: string | null;
  /** Files that become searchable for the first time. */
  added: number;
  /** Files with other bytes. Their old version is served until the new one is searchable. */
  updated: number;
  /** Files that got another path. */
  moved: number;
  /** Files that were sent and are stored with the same bytes. */
  unchanged: number;
  /** Files that were deleted: they are hidden from now on. */
  deleted: number;
};

export type CitedContent = Content & {
  /** Where the answer rests on this chunk, and whether this was verified. */
  citation: {
    /** 1, 2, 3 … in the order of the answer. */
    number: number;
    /** Ranges of the answer that rest on this chunk. */
    spans: Array<Span>;
    /** The part of `content` that supports the cited sentences; at most 300 code points. */
    quote: string;
    /** True when the cited passage states what the cited sentence states. It does not say that the sentence answers the question. By rules: the quote has every number with its unit, every name and at least 60 % of the words of the sentence, and the same negations. */
    verified: boolean;
    /** What decided: computed `rules`, the entailment `model` of the service, or `query`: rules compared the sentence with the result of the query of tables. Then each number of a verified sentence is a cell of the result, rounded at most to the decimals that are written. */
    verified_by: "rules" | "model" | "query";
    /** Why the sentence is not verified: the number, the name or the words that the quote lacks. Null when it is verified. */
    reason: string | null;
    /** True when the cited text is copied from the passage word for word, as in extractive answers. */
    quoted: boolean;
  };
  /** The row of a table that is cited. Absent when a passage is cited. */
  row?: {
    /** Id of the table. · format "uuid" */
    table_id: string;
    /** Number of the row in its table, from 0. Null if a policy hides some rows of the table. */
    row: number | null;
  } | undefined;
};

/** A row of a table, as the chunk that holds it. */
export type CitedRow = Content & {
  /** The row that is cited. */
  row: {
    /** Id of the table. · format "uuid" */
    table_id: string;
    /** Number of the row in its table, from 0. Null if a policy hides some rows of the table. */
    row: number | null;
    /** Text of the row in its source, up to the end of the chunk. */
    text: string;
  };
};

export type CompletionResult = {
  /** Unix seconds. */
  created: number;
  /** Id of the conversation. Null when the turn would have begun a conversation but was not stored. */
  conversation_id: string | null;
  /** Id of the stored question; null when the turn was not stored. */
  user_message_id: string | null;
  /** Id of the stored answer, the new active leaf; null when the turn was not stored. */
  assistant_message_id: string | null;
  /** The answers: always one. */
  choices: Array<{
    /** Position of the choice, from 0. */
    index: number;
    /** The answer. */
    message: {
      /** Always `assistant`. */
      role: "assistant";
      /** Text of the answer, without citation markers. Untrusted text: never show it as HTML. */
      content: string;
    };
    /** Why the answer ended. */
    finish_reason: "stop" | "length" | "content_filter" | "no_answer" | "error";
    /** The chunks that the answer cites, in the order of their numbers. Empty when `citation` is false. */
    citations: Array<CitedContent>;
    /** Parts of the answer that rest on web pages. Absent when the answer cites no web page. */
    web_citations?: Array<WebCitation> | undefined;
    /** The query of tables from which the answer was made. Absent when there was none. */
    table_query?: AnswerTableQuery | undefined;
    /** Sentences that no verified citation supports. Absent when there are none. */
    unsupported_spans?: Array<Span> | undefined;
  }>;
  /** Problems that did not stop the request, but that the caller should know. */
  warnings: Array<Warning>;
  /** With `trace: true` only. */
  trace?: CompletionTrace | undefined;
};

export type CompletionTrace = {
  /** The search query. */
  query: string;
  /** What rewrote a follow-up question so that it stands alone. Null when the query is the question as it was asked. */
  rewritten_by: "model" | "rule" | null;
  /** Why the form of the model was not used. `failed`: the model failed or took too long. `unusable`: its form was not made of the conversation. Null otherwise. */
  rewrite_failure: "failed" | "unusable" | null;
  /** The chunks that the answer was made from, in the order of the search. */
  retrieved: Array<{
    /** The chunk. · format "uuid" */
    id: string;
    /** The source of the chunk. · format "uuid" */
    source_id: string;
    /** Higher is better, within this answer. */
    score: number;
  }>;
};

export type Content = Neighbour & {
  /** Id of the source. · format "uuid" */
  source_id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Name of the source group; empty if a redaction rule blocks it. */
  source_group_name: string;
  /** Type of the source: `local_file`, `drive`, `page`, `repo`, `web` or `database`. */
  source_type: string;
  /** Type of the file as detected, for example `pdf`; `unknown` when it was not recognized. */
  file_type: string;
  /** Name of the source. */
  name: string;
  /** Path of the source: of an uploaded file within its group, or of a file within its repository. For a file inside a file: the path of that file, or its name if it has none, ` › `, and the own name, as in `mails/tour.eml › map.pdf`. Null for other sources, such as web pages, and if the policy hides a file around the source. */
  path: string | null;
  /** Address of the source at its origin; null for uploaded files. */
  url: string | null;
  /** Numbers of the pages on which the chunk stands; null for files without pages. */
  pages: Array<number> | null;
  /** Headings above the chunk, outermost first. */
  heading_path: Array<string>;
  /** Higher is better; comparable within one answer only. For a key with limits, and while authorization is on: 1 / rank. */
  score: number;
  /** Score of each stage of the search. */
  scores: {
    /** Score of the lexical search (BM25); null when it did not find the chunk, for a key with limits, and while authorization is on. */
    lexical: number | null;
    /** Score of the semantic search; null when it did not find the chunk. */
    semantic: number | null;
    /** Score of the rerank model; null when it did not score the chunk. */
    rerank: number | null;
  };
  metadata: Metadata;
  chunk_metadata: Metadata;
  /** Names of the tags of the source group. */
  tags: Array<string>;
  /** Unix seconds. */
  content_time: number;
};

/** Half-open range of code points of the content of a result. */
export type ContentRange = {
  /** Offset of the first code point in `content`, from 0. */
  start: number;
  /** Offset behind the last code point. */
  end: number;
};

export type Conversation = {
  /** Id of the conversation. · format "uuid" */
  id: string;
  /** Title of the conversation. */
  title: string;
  /** The message after which a turn without a parent continues: the latest answer, or the message that was chosen. */
  active_message_id: string | null;
  /** Unix seconds. */
  creation_time: number;
};

export type ConversationMessage = {
  /** Id of the message. · format "uuid" */
  id: string;
  /** The message before. Null for the first message of a branch. */
  parent_id: string | null;
  /** Author of the message. */
  role: "user" | "assistant";
  /** `[removed]` when the answer rests on something that the API key may not see, or that the principal may not see while authorization is on. */
  content: string;
  /** The citations as they were when the answer was given, without the chunks. */
  citations: Array<StoredCitation>;
  /** Parts of the answer that rest on web pages. Absent when there are none. */
  web_citations?: Array<{
    /** http or https. */
    url: string;
    /** The title of the page. */
    title: string;
    /** The text that was found on the page; at most 300 code points. */
    snippet: string;
    /** Offset of the first code point, from 0. */
    start: number;
    /** Offset behind the last code point. */
    end: number;
  }> | undefined;
  /** The query of tables from which the answer was made. Absent when there was none. */
  table_query?: {
    /** The statement that ran. */
    sql: string;
    /** Number of rows of its result. */
    row_count: number;
    /** Number of rows that its aggregates read; null without aggregates. */
    witness_count: number | null;
  } | undefined;
  /** Sentences that no verified citation supports, as half-open ranges of code points. Absent when there are none. */
  unsupported_spans?: Array<{
    /** Offset of the first code point, from 0. */
    start: number;
    /** Offset behind the last code point. */
    end: number;
  }> | undefined;
  /** Null for user messages. */
  finish_reason: string | null;
  /** Unix seconds. */
  creation_time: number;
};

export type ConversationTree = Conversation & {
  /** All messages, oldest first: parents before their children. */
  messages: Array<ConversationMessage>;
};

export type Crawl = OriginSource & {
  /** Addresses where the crawl begins. */
  urls: Array<string>;
  /** How many links away from `urls` a page may be. */
  max_depth: number;
  /** Maximum number of pages. */
  max_pages: number;
  /** Only pages whose path matches one of these globs are read. Empty: all pages. */
  include_paths: Array<string>;
  /** Pages whose path matches one of these globs are left out. */
  exclude_paths: Array<string>;
  /** Whether only pages on the hosts of `urls` are read. */
  same_host: boolean;
  /** Whether the pages that the sitemaps of the hosts name are read too. */
  use_sitemap: boolean;
  /** Milliseconds between two requests to one host; null: the default of this service. */
  delay_ms: number | null;
};

export type CrawlSetting = OriginSetting & {
  /** Addresses where the crawl begins. */
  urls: Array<string>;
  /** How many links away from `urls` a page may be. */
  max_depth: number;
  /** Maximum number of pages. */
  max_pages: number;
  /** Only pages whose path matches one of these globs are read. Empty: all pages. */
  include_paths: Array<string>;
  /** Pages whose path matches one of these globs are left out. */
  exclude_paths: Array<string>;
  /** Whether only pages on the hosts of `urls` are read. */
  same_host: boolean;
  /** Whether the pages that the sitemaps of the hosts name are read too. */
  use_sitemap: boolean;
  /** Milliseconds between two requests to one host; null: the default of this service. */
  delay_ms: number | null;
};

export type DatabaseSource = OriginSource & {
  /** Tables and views that are read. */
  tables: Array<{
    /** Name of the table or view. */
    name: string;
    /** Names of the columns that are read. Empty: all columns. */
    columns: Array<string>;
  }>;
};

export type DatabaseSourceSetting = OriginSetting & {
  /** Tables and views that are read. */
  tables: Array<{
    /** Name of the table or view. */
    name: string;
    /** Names of the columns that are read. Empty: all columns. */
    columns: Array<string>;
  }>;
  /** Id of the stored secret; empty when there is none. */
  secret_id: string;
};

export type DriveSource = OriginSource & {
  /** Address of the folder. */
  folder_url: string;
};

export type DriveSourceSetting = OriginSetting & {
  /** Address of the folder. */
  folder_url: string;
  /** Id of the stored secret; empty when there is none. */
  secret_id: string;
};

export type EvaluationQuestion = {
  /** Id of the question. · format "uuid" */
  id: string;
  /** The words or question that are searched for. Empty where a redaction rule withholds them. */
  query: string;
  /** True where a redaction rule changes or withholds these words. Runs search for the stored words. */
  is_redacted: boolean;
  /** Passages that were judged. */
  judgements: Array<{
    /** Id of the source. · format "uuid" */
    source_id: string;
    /** Id of the chunk that has the text now; null if the source no longer has the text. */
    chunk_id: string | null;
    /** Whether the passage answers the question. */
    relevant: boolean;
  }>;
};

export type EvaluationRun = {
  /** Id of the run. · format "uuid" */
  id: string;
  /** Id of the set. · format "uuid" */
  evaluation_set_id: string;
  /** How was searched. */
  mode: "hybrid" | "lexical" | "semantic";
  /** Number of questions that have a relevant passage, and so were measured. */
  questions_count: number;
  /** nDCG@10, from 0 to 1: relevant passages stand above others. */
  ndcg10: number;
  /** Share of the relevant passages among the first 100 results. */
  recall100: number;
  /** 1 divided by the rank of the first relevant passage; 0 if it is not among the first 10. */
  mrr10: number;
  /** Unix seconds. */
  creation_time: number;
};

export type EvaluationRunDetails = EvaluationRun & {
  /** Measures of each question. */
  questions: Array<{
    /** Id of the question, which may be deleted. · format "uuid" */
    question_id: string;
    /** The words or question that are searched for. Empty where a redaction rule withholds them. */
    query: string;
    /** nDCG@10, from 0 to 1: relevant passages stand above others. */
    ndcg10: number;
    /** Share of the relevant passages among the first 100 results. */
    recall100: number;
    /** 1 divided by the rank of the first relevant passage; 0 if it is not among the first 10. */
    mrr10: number;
  }>;
};

export type EvaluationSet = {
  /** Id of the set. · format "uuid" */
  id: string;
  /** Name of the set. Empty where a redaction rule withholds it. */
  name: string;
  /** True where a redaction rule changes or withholds the name. */
  is_redacted: boolean;
  /** Number of its questions. */
  questions_count: number;
  /** Unix seconds. */
  creation_time: number;
};

export type EvaluationSetDetails = EvaluationSet & {
  /** All questions, oldest first. */
  questions: Array<EvaluationQuestion>;
};

export type FilePreview = {
  /** Name of the file. */
  name: string;
  /** Bytes of the file. */
  size: number;
  /** Type of the file; null if it could not be read. */
  file_type: string | null;
  /** Title that the file has. */
  title: string | null;
  /** Language of the text. */
  language: string | null;
  /** What was left out, in words for a person. */
  warnings: Array<string>;
  /** The first blocks, at most 200. */
  blocks: Array<{
    /** Kind of the block, such as `heading`, `paragraph` or `table`. */
    kind: string;
    /** Level of a heading; null for others. */
    level: number | null;
    /** Position in the text of the file, in code points. */
    start_offset: number;
    /** Position behind the last code point. */
    end_offset: number;
    /** Numbers of the pages; null if the type has none. */
    pages: Array<number> | null;
    /** The text, at most 4000 characters of it. */
    content: string;
  }>;
  /** Number of all blocks. */
  blocks_total: number;
  /** The first chunks, at most 200. */
  chunks: Array<{
    /** Position of the chunk in the file. */
    chunk_index: number;
    /** Headings above the chunk. */
    heading_path: Array<string>;
    /** Position in the text of the file, in code points. */
    start_offset: number;
    /** Position behind the last code point. */
    end_offset: number;
    /** Numbers of the pages; null if the type has none. */
    pages: Array<number> | null;
    /** The text, at most 4000 characters of it. */
    content: string;
  }>;
  /** Number of all chunks. */
  chunks_total: number;
  /** Why the file cannot be read; null if it can. */
  problem: {
    /** What failed, in a few words. */
    title: string;
    /** What went wrong, in words for a person. */
    message: string;
    /** Whether the same file may succeed later. */
    retryable: boolean;
  } | null;
};

export type GroupSource = {
  /** Id of the source. · format "uuid" */
  id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Where the source comes from. */
  source_type: "local_file" | "drive" | "page" | "repo" | "web" | "database";
  /** Name of the source. Empty where a redaction rule withholds it. */
  name: string;
  /** Path of an uploaded file, unique within its group, or of a file within its repository. For a source with `parent_source_id`: the path of that source, or its name if it has none, ` › `, and the own name; such a path cannot be sent, moved or deleted. Null for other sources, and where a redaction rule would change it. */
  path: string | null;
  /** Type of the file as detected, for example `pdf`; `unknown` when it was not recognized. */
  file_type: string;
  /** Bytes. */
  file_size: number;
  /** SHA-256 of the newest bytes, in hex, even if they still wait to be read. Null without the scope ingestion:manage. */
  content_hash: string | null;
  /** Records set through the API. */
  metadata: Metadata;
  /** What the file or its origin says, such as title, author and created; read-only. Filters and search results have both kinds of records, merged. Null without the scope knowledge:read, and while authorization is on: policies decide who sees it in search results. */
  origin_metadata: Metadata | null;
  /** `pending`: waits to be read. `ready`: searchable. `failed`: could not be read. */
  status: "pending" | "ready" | "failed";
  /** Status of a new version while the version before it is served: `pending` or `failed`. Null when there is no such version. */
  update_status: "pending" | "failed" | null;
  /** Why the newest version could not be read. Null when it was read, and while it waits. */
  error: SourceError | null;
  /** Address of the source at its origin; null for uploaded files. */
  url: string | null;
  /** Id of the source that contained this file: an archive, a mailbox, a mail, a PDF or an Office file. */
  parent_source_id: string | null;
  /** Detected language of the text, as an ISO 639-1 code. */
  language: string | null;
  /** Unix seconds. */
  content_time: number;
  /** Unix seconds. */
  creation_time: number;
  /** Code points of the extracted text. */
  text_length: number;
  /** Number of chunks of the source. */
  chunk_count: number;
  /** Problems that did not stop the ingestion of the file. */
  warnings: Array<string>;
};

export type IssuedApiKey = ApiKey & {
  /** The key itself. No other answer contains it. */
  key: string;
};

export type JobError = {
  /** What failed, in a few words. */
  title: string;
  /** What went wrong, in words for a person. */
  message: string;
};

export type ListedSource = GroupSource & {
  /** Name of the source group. Empty where a redaction rule withholds it. */
  source_group_name: string;
  /** Status of the newest version: `status`, or `update_status` where a new version was not read yet. */
  state: "pending" | "ready" | "failed";
  /** What happens now. `queued`: its run has not begun. `waiting`: the run has not reached it. `reading`: it is read. `embedding`: found by words, its vectors are still missing, or those of a newly configured model. `stopped`: waits, but no run is active. Null: nothing is left to do. */
  stage: "queued" | "waiting" | "reading" | "embedding" | "stopped" | null;
};

export type LocalFileGroup = {
  /** Id of the source group. · format "uuid" */
  id: string;
  /** Name of the source group. Empty where a redaction rule withholds it. */
  name: string;
  /** Status of the source group: that of its latest run, or of its deletion. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** Time when the upload was accepted, Unix seconds. */
  upload_time: number | null;
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before the first run starts. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null while it runs, and before the first run. */
  end_time: number | null;
  /** Why the latest run failed; null when it did not fail. */
  error: JobError | null;
  metadata: Metadata;
  /** Columns of record files that become chunk metadata. */
  chunk_metadata_keys: Array<{
    /** Name of the column, and key of the chunk metadata. */
    key: string;
    /** Type of the values. */
    type: "string" | "integer" | "float" | "date" | "datetime";
  }>;
  /** Number of chunks that have at least one chunk metadata record. */
  chunk_metadatas_count: number;
};

export type Metadata = {
  /** The records, sorted by key. */
  records: Array<MetadataRecord>;
};

export type MetadataColumn = {
  /** Id of the column. · format "uuid" */
  id: string;
  /** Key of source metadata. */
  key: string;
  /** Type of the values. */
  type: "string" | "integer";
  /** What the column is for, in the words of its owner. Empty when none was given. */
  description: string;
  /** Always `ready`: filters may name the column as soon as it is declared. */
  status: "ready";
  /** Number of sources whose value is not a whole number. Filters treat them as without the key. */
  coercion_failures: number;
};

/** Conditions on metadata, at most 5 groups deep and 200 nodes in all. */
export type MetadataFilterGroup = {
  /** `and`: all conditions must hold. `or`: at least one must hold. · default "and" */
  operator?: "and" | "or" | undefined;
  /** Conditions and groups of conditions, 1 to 64. · minItems 1, maxItems 64 */
  filters: Array<{
    /** Key of the metadata. · minLength 1, maxLength 256 */
    key: string;
    /** How the value of the key is compared with `value`. */
    operator: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin" | "contains" | "starts_with" | "exists" | "not_exists";
    /** An array for in and nin, absent for exists and not_exists, else a scalar. For contains at most 1000 characters, and 10000 in the whole filter. */
    value?: string | number | boolean | Array<string | number | boolean> | undefined;
  } | MetadataFilterGroup>;
};

export type MetadataItemPatch = {
  /** Records to set, and keys to delete. Each key once. */
  records: Array<{
    /** Key of the record. */
    key: string;
    /** Null deletes the key. */
    val: string | null;
  }>;
};

export type MetadataPatch = {
  /** Records to set, and keys to delete. Each key once. · maxItems 40 */
  records: Array<{
    /** Key of the record. · minLength 1, maxLength 256 */
    key: string;
    /** Null deletes the key. */
    val: string | null;
  }>;
};

export type MetadataRecord = {
  /** Key of the record. */
  key: string;
  /** Value of the record. */
  val: string;
  /** `string`. Records of the origin may also be `integer`, `float`, `date` or `datetime`. */
  type: string;
};

export type Neighbour = {
  /** Id of the chunk. · format "uuid" */
  id: string;
  /** Position of the chunk in its source, counted from 0. Null, like the offsets, if the policy decides about single chunks: gaps would show which chunks it hides. */
  chunk_index: number | null;
  /** Text of the chunk. */
  content: string;
  /** Code points in the extracted text; `content` is exactly start_offset to end_offset. */
  start_offset: number | null;
  /** Offset behind the last code point of the chunk, in the extracted text of the source. */
  end_offset: number | null;
  /** First line of the chunk in the file, counted from 1. Null, like end_line, if the text has other lines than the file (PDF, HTML), if the file was read by an older version, and where chunk_index is null. */
  start_line: number | null;
  /** Last line of the chunk in the file. */
  end_line: number | null;
};

export type OriginCheck = {
  /** Whether the origin answered and accepted the credential. */
  reachable: boolean;
  /** The account that the credential names, such as the address of a service account; null: it names none. */
  account: string | null;
  /** Files found until the check ended. */
  files: number;
  /** Whether these are all files. False: the check ended before the listing did. */
  complete: boolean;
  /** Names of the first files, at most 3. */
  names: Array<string>;
  /** Why the origin cannot be read; null: nothing is wrong. */
  problem: {
    /** What is wrong, in a few words. */
    title: string;
    /** What is wrong and what to do, in words for a person. */
    message: string;
    /** Whether the same check may succeed later. */
    retryable: boolean;
  } | null;
};

/** A rectangle on a page. All members are between 0 and 1. */
export type PageBox = {
  /** Left edge, as a share of the width of the page. */
  x: number;
  /** Upper edge, as a share of the height of the page, from the top. */
  y: number;
  /** Width, as a share of the width of the page. */
  width: number;
  /** Height, as a share of the height of the page. */
  height: number;
};

export type PageSource = OriginSource & {
  /** The page or data source of the workspace. */
  page_id: string;
};

export type PageSourceSetting = OriginSetting & {
  /** The page or data source of the workspace. */
  page_id: string;
  /** Id of the stored secret; empty when there is none. */
  secret_id: string;
};

export type Pagination = {
  /** The limit of the request, or its default. */
  limit: number;
  /** Whether there is a next page. */
  has_more: boolean;
  /** Number of the caller's own records that match. */
  total: number;
  /** The value for the next after_id; null on the last page. */
  next_id: string | null;
};

export type RedactionPolicy = {
  /** False: nothing is masked, the rules are kept. */
  enabled: boolean;
  /** Each with a name of its own. · maxItems 100 */
  rules: Array<RedactionRule>;
  /** Version of the policy. It grows with every change. */
  version: number;
  /** Unix seconds. */
  creation_time: number;
  /** Unix seconds. */
  last_update_time: number;
};

export type RedactionRule = {
  /** Unique within the policy. Regexes and dictionaries are masked as `[NAME]`. */
  name: string;
  /** `mask` writes `[EMAIL]`, `hash` a keyed hash such as `[EMAIL:1f3a…]` that is equal for equal values of a tenant, `drop` leaves the match out, `block` withholds the whole text. */
  action: "block" | "drop" | "mask" | "hash";
  /** `ingest`: before it is stored. `retrieval`: in what is returned. `llm_input` and `output`: before and after the model. · minItems 1, maxItems 4 */
  apply_at: Array<"ingest" | "retrieval" | "llm_input" | "output">;
  /** `entity`: built-in detectors. `regex`: a pattern of your own. `dictionary`: a list of terms. */
  kind: "entity";
  /** What is looked for, with checksums where it has them. Masked as `[EMAIL]`. An analyzer of names, if one is configured, finds `person`, `location`, `organization`, `nrp`. · minItems 1, maxItems 21 */
  entities: Array<"email" | "phone" | "credit_card" | "iban" | "ip_address" | "credential_url" | "api_key" | "date_of_birth" | "us_ssn" | "uk_nino" | "de_tax_id" | "fr_nir" | "jp_my_number" | "kr_rrn" | "es_dni" | "it_codice_fiscale" | "nl_bsn" | "person" | "location" | "organization" | "nrp">;
} | {
  /** Unique within the policy. Regexes and dictionaries are masked as `[NAME]`. */
  name: string;
  /** `mask` writes `[EMAIL]`, `hash` a keyed hash such as `[EMAIL:1f3a…]` that is equal for equal values of a tenant, `drop` leaves the match out, `block` withholds the whole text. */
  action: "block" | "drop" | "mask" | "hash";
  /** `ingest`: before it is stored. `retrieval`: in what is returned. `llm_input` and `output`: before and after the model. · minItems 1, maxItems 4 */
  apply_at: Array<"ingest" | "retrieval" | "llm_input" | "output">;
  /** `entity`: built-in detectors. `regex`: a pattern of your own. `dictionary`: a list of terms. */
  kind: "regex";
  /** RE2 syntax: no look-around, no backreferences. A match has at most 200 characters; `+`, `*` and `{n,}` repeat at most 64 times, so that it is known how much of a stream has to be held back. · minLength 1, maxLength 500 */
  pattern: string;
  /** Capitals and small letters are the same. · default false */
  ignore_case?: boolean | undefined;
} | {
  /** Unique within the policy. Regexes and dictionaries are masked as `[NAME]`. */
  name: string;
  /** `mask` writes `[EMAIL]`, `hash` a keyed hash such as `[EMAIL:1f3a…]` that is equal for equal values of a tenant, `drop` leaves the match out, `block` withholds the whole text. */
  action: "block" | "drop" | "mask" | "hash";
  /** `ingest`: before it is stored. `retrieval`: in what is returned. `llm_input` and `output`: before and after the model. · minItems 1, maxItems 4 */
  apply_at: Array<"ingest" | "retrieval" | "llm_input" | "output">;
  /** `entity`: built-in detectors. `regex`: a pattern of your own. `dictionary`: a list of terms. */
  kind: "dictionary";
  /** Names, code words and the like. · minItems 1, maxItems 10000 */
  terms: Array<string>;
  /** Capitals and small letters are the same. · default true */
  ignore_case?: boolean | undefined;
  /** Only where a word begins and ends. Scripts that write no blanks (Chinese, Japanese, Thai …) have no such bound. · default true */
  whole_words?: boolean | undefined;
};

export type RepoSetting = OriginSetting & {
  /** Name of the repository, as `owner/name`. */
  repository: string;
  /** Globs of the files that are read. Empty: all files. */
  path_filters: Array<string>;
  /** Kind of the version that is read. `default`: the default branch. */
  reference_type: "default" | "branch" | "tag" | "commit";
  /** Name of the branch or tag, or hash of the commit; empty for `default`. */
  reference_param: string;
  /** Id of the stored secret; empty when there is none. */
  secret_id: string;
};

export type RepoSource = OriginSource & {
  /** Name of the repository, as `owner/name`. */
  repository: string;
  /** Globs of the files that are read. Empty: all files. */
  path_filters: Array<string>;
  /** Kind of the version that is read. `default`: the default branch. */
  reference_type: "default" | "branch" | "tag" | "commit";
  /** Name of the branch or tag, or hash of the commit; empty for `default`. */
  reference_param: string;
};

export type Run = {
  /** Id of the run. · format "uuid" */
  id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Status of the run. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** What the run does now: `list` while it lists the origin and reads the files that it found, then `parse`. */
  stage: string | null;
  /** Number of files that were processed, including those that failed. */
  files_done: number;
  /** Number of files of the run. While the run lists its origin, the number of files found so far. */
  files_total: number;
  /** Number of chunks stored so far. */
  chunks_done: number;
  /** Numbers of files by the result of the run. */
  statistics: {
    /** Files that were examined. */
    scanned: number;
    /** New files. */
    added: number;
    /** Files with new content. */
    updated: number;
    /** Files that did not change. */
    unchanged: number;
    /** Files that were not read. */
    skipped: number;
    /** Files that were deleted, for example because they no longer exist at the origin. */
    deleted: number;
    /** Files that failed. */
    failed: number;
  };
  /** Unix seconds. */
  creation_time: number;
  /** Start of the run, Unix seconds; null before it starts. */
  start_time: number | null;
  /** End of the run, Unix seconds; null before it ends. */
  end_time: number | null;
  /** Why the run failed; null when it did not fail. */
  error: JobError | null;
};

export type RunError = SourceError & {
  /** Id of the error. · format "uuid" */
  id: string;
  /** Id of the source. Null when the file could not be listed or fetched, and so never became a source. */
  source_id: string | null;
  /** Name of the file. */
  name: string;
  /** Path of the file when the run saw it, also of deleted and skipped files; for a file inside a file as in GroupSource. Null for files without a path, and where a redaction rule would change it. */
  path: string | null;
  /** Address of the file at its origin when the run saw it. Null if it is not known, and where a redaction rule would change it. */
  url: string | null;
  /** Unix seconds. */
  creation_time: number;
};

export type RunFile = {
  /** Position in the list. · format "uuid" */
  id: string;
  /** Id of the source, which may be deleted. Null for files that never became one. */
  source_id: string | null;
  /** Name of the file. */
  name: string;
  /** Path of the file when the run saw it, also of deleted and skipped files; for a file inside a file as in GroupSource. Null for files without a path, and where a redaction rule would change it. */
  path: string | null;
  /** Address of the file at its origin when the run saw it. Null if it is not known, and where a redaction rule would change it. */
  url: string | null;
  /** What the run did with the file. */
  change: "added" | "updated" | "deleted" | "failed" | "skipped";
  /** Milliseconds for reading the file; null if it was not read, or failed. */
  read_ms: number | null;
  /** Where a failed file failed; null for others. */
  stage: string | null;
  /** What failed, in a few words; null for others. */
  title: string | null;
  /** What went wrong, or why the file was skipped, in words for a person; null for others. */
  message: string | null;
  /** Whether the same file may succeed in another run; null for others. */
  retryable: boolean | null;
};

export type SearchHit = Content & {
  /** Where `content`, as it is shown, matches the query; present if the request asks for it. */
  highlights?: {
    /** Words of the query in any form, ascending. They do not overlap. Stop words are left out. */
    words: Array<ContentRange>;
    /** The first of the sentences with most words of the query; null if the result has none of them. */
    sentence: ContentRange | null;
  } | undefined;
  /** Neighbouring chunks in reading order; present if the request asks for them. */
  context?: {
    /** Chunks before the result. */
    before: Array<Neighbour>;
    /** Chunks after the result. */
    after: Array<Neighbour>;
  } | undefined;
};

export type Secret = {
  /** Id of the secret. · format "uuid" */
  id: string;
  /** Name of the secret. */
  name: string;
  /** Type of source that the secret opens. */
  type: "drive" | "repo" | "page" | "database";
  /** Unix seconds. */
  last_update_time: number;
  /** Unix seconds. */
  creation_time: number;
  /** What the secret is for, in the words of its owner. Empty when none was given. */
  description: string;
};

export type Service = {
  /** Version of the service. */
  version: string;
  /** Whether policies decide who sees what. */
  authorization: boolean;
  /** The configured models. */
  models: {
    /** Name of the chat model; null: answers are quotations. */
    chat: string | null;
    /** Name of the embedding model; null: search is by words only. */
    embedding: string | null;
    /** Name of the rerank model; null: none. */
    rerank: string | null;
    /** Name of the entailment model; null: rules check citations. */
    entailment: string | null;
  };
  /** The tools of `/mcp` and of agent runs that the key may use. */
  tools: Array<{
    /** Name of the tool. */
    name: string;
    /** What the tool does, in a few words. */
    title: string;
    /** What a model reads about the tool. */
    description: string;
  }>;
  /** Languages in which pictures are read, as tesseract names them; null: pictures are not read. */
  ocr_languages: Array<string> | null;
  /** Whether LibreOffice may read old Office files. Without it, they are read without lists and charts. */
  office: boolean;
  /** Whether redaction rules can find names of people and places. */
  names_analyzer: boolean;
  /** Whether answers may use web search. */
  web_grounding: boolean;
  /** Limits that a client can respect before it sends a request. */
  limits: {
    /** Maximum bytes of an upload, of all its files together. */
    upload_bytes_max: number;
    /** Maximum files of an upload. */
    files_per_upload_max: number;
    /** Requests of a key per minute; null: not limited. */
    requests_per_minute: number | null;
    /** Requests of a key at the same time; null: not limited. */
    concurrent_requests: number | null;
    /** Tokens of the chat model of a key per day; null: not limited. */
    tokens_per_day: number | null;
  };
  /** What the tenant has and may have; deleted sources do not count. Null: the tenant has no quotas, or the key has limits or lacks the scope `ingestion:manage`. */
  quotas: {
    /** Bytes of files of the tenant. */
    bytes: {
      /** Bytes of files that count. */
      used: number;
      /** How many the tenant may have; null: not limited. */
      quota: number | null;
    };
    /** Files of the tenant. */
    files: {
      /** Files that count. */
      used: number;
      /** How many the tenant may have; null: not limited. */
      quota: number | null;
    };
    /** Source groups of the tenant. */
    groups: {
      /** Source groups that count. */
      used: number;
      /** How many the tenant may have; null: not limited. */
      quota: number | null;
    };
  } | null;
};

export type ServiceChecks = {
  /** True if all checks succeeded. */
  ok: boolean;
  /** The checks. */
  checks: Array<{
    /** What was checked. */
    name: string;
    /** Whether it works. */
    ok: boolean;
    /** The result in words for a person. */
    detail: string;
    /** A command for the operator if the check failed, or if a part is missing without which it works; otherwise null. */
    fix: string | null;
  }>;
  /** Chunks of the tenant that have no vector yet: they are found by words only. */
  chunks_waiting: number;
  /** Chunks of the tenant that the embedding model refused. */
  chunks_refused: number;
  /** When the checks ran, Unix seconds. */
  checked_time: number;
};

export type Source = {
  /** Id of the source. · format "uuid" */
  id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Name of the source. */
  name: string;
  /** Type of the file as detected, for example `pdf`; `unknown` when it was not recognized. */
  file_type: string;
  /** Bytes. */
  file_size: number;
  /** Records set through the API. */
  metadata: Metadata;
};

export type SourceError = {
  /** What failed, in a few words. */
  title: string;
  /** What went wrong, in words for a person. */
  message: string;
  /** Where the file failed: list, fetch, detect, parse, chunk or store. */
  stage: string;
  /** Whether the same file may succeed in another run. */
  retryable: boolean;
};

export type SourceFacet = {
  /** Id of the source group or the tag. · format "uuid" */
  id: string;
  /** Its name. Empty where a redaction rule withholds it. */
  name: string;
  /** Number of sources. */
  count: number;
};

export type SourceGroup = {
  /** Id of the source group. · format "uuid" */
  id: string;
  /** Where the sources of the group come from. */
  source_type: "local_file" | "drive" | "page" | "repo" | "web" | "database";
  /** Name of the source group. Empty where a redaction rule withholds it. */
  name: string;
  /** Status of the source group: that of its latest run, or of its deletion. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before the first run starts. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null while it runs, and before the first run. */
  end_time: number | null;
  /** Why the latest run failed; null when it did not fail. */
  error: JobError | null;
  metadata: Metadata;
};

export type SourceTable = {
  position: TablePosition;
  /** True if the table comes with its source; others are built on request. */
  automatic: boolean;
  /** Lines above the table that are its title. */
  caption: string | null;
  /** The table, if it was built or is being built. */
  table_id: string | null;
  /** Status of that table. */
  status: "building" | "ready" | "failed" | null;
};

export type SourceText = {
  /** Id of the source. · format "uuid" */
  source_id: string;
  /** The requested part of the extracted text. */
  text: string;
  /** Offset of the first code point of `text`. */
  start_offset: number;
  /** Offset behind the last code point of `text`. It is smaller than requested if the text ends before. */
  end_offset: number;
  /** Code points of the whole text. */
  text_length: number;
  /** The start_offset of the next page; null at the end of the text. */
  next_offset: number | null;
};

/** Half-open range of code points of the answer text. */
export type Span = {
  /** Offset of the first code point, from 0. */
  start: number;
  /** Offset behind the last code point. */
  end: number;
};

export type StoredCitation = {
  /** The chunk. It may have been deleted since then. · format "uuid" */
  id: string;
  /** Id of the source. · format "uuid" */
  source_id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Name of the source. */
  name: string;
  /** Address of the source at its origin; null for uploaded files. */
  url: string | null;
  /** Where the answer rests on this chunk, and whether this was verified. */
  citation: {
    /** Number of the citation, from 1. */
    number: number;
    /** Half-open ranges of code points of the answer. */
    spans: Array<{
      /** Offset of the first code point, from 0. */
      start: number;
      /** Offset behind the last code point. */
      end: number;
    }>;
    /** At most 300 code points. */
    quote: string;
    /** True when the cited passage states what the cited sentence states. It does not say that the sentence answers the question. */
    verified: boolean;
    /** What compared the sentence: rules or a model with the passage, or rules with the result of a query. */
    verified_by: "rules" | "model" | "query";
    /** Why the sentence is not verified. Null when it is verified, in answers that were stored before reasons existed, and where a redaction rule changes the answer. */
    reason: string | null;
    /** True when the cited text is copied from the passage word for word. */
    quoted: boolean;
  };
};

export type Table = {
  /** Id of the table. · format "uuid" */
  id: string;
  /** Name for people. */
  name: string;
  /** Name in SQL, unique within the tenant: `table_` and the id if a redaction rule would change the name. */
  sql_name: string;
  /** What the table is about: the lines above it, or what was set. */
  description: string | null;
  /** `building`: a version is being built, and the present one is served. `failed`: see `error`. */
  status: "building" | "ready" | "failed";
  /** Why the last build failed, or why the file of `url` could not be read. */
  error: string | null;
  /** Id of the source. Null until the file of `url` was read. */
  source_id: string | null;
  /** Name of the source. Empty until the file of `url` was read, and where a redaction rule withholds it. */
  source_name: string;
  /** Path of the source. Null for sources without one, and where a redaction rule would change it. */
  source_path: string | null;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Address of the file, if the table was asked for by its address. */
  url: string | null;
  /** When the file of `url` is read again; empty without a schedule. */
  rrule: string | null;
  position: TablePosition;
  /** Number of the served version; 0 before the first. */
  version: number;
  /** Rows of data. Null if the caller does not see the whole table. */
  row_count: number | null;
  /** Rows of totals. Null if the caller does not see the whole table. */
  total_rows: number | null;
  /** Whether a new version may have other columns. */
  schema_policy: "accept" | "freeze";
  /** Columns. Values and counts are left out if the caller does not see the whole table. */
  columns: Array<TableColumn>;
  /** What should be known about the data. Counts are left out if the caller does not see the whole table. */
  warnings: Array<TableWarning>;
  /** Unix seconds. */
  creation_time: number;
  /** Unix seconds. */
  update_time: number;
};

export type TableAnswer = {
  /** The statement that ran. Empty if the model wrote none for a question. */
  sql: string;
  /** Columns of the result. */
  columns: Array<{
    /** Name of the column in the result. */
    name: string;
    /** Type of the column, as DuckDB names it. */
    type: string;
  }>;
  /** Rows of the result, a cell for each column. Numbers that a double cannot hold, dates and times are texts; lists are arrays. */
  rows: Array<Array<unknown>>;
  /** Number of returned rows. */
  row_count: number;
  /** Whether there are more rows. */
  truncated: boolean;
  /** Time that the query took in the table engine. */
  elapsed_ms: number;
  /** Up to 50 rows from which the result comes, in the order of the result. */
  citations: Array<CitedRow>;
  /** Number of rows that the aggregates of the result read; null for a result without aggregates. */
  witness_count: number | null;
  /** For a `question` with several meanings: the meanings as questions. Then there are no rows. */
  suggestions: Array<string>;
  /** Why a `question` has no result; null otherwise. */
  reason: string | null;
  /** Problems that did not stop the request, but that the caller should know. */
  warnings: Array<Warning>;
};

export type TableColumn = {
  /** Name for people: the header, or the name that was set. */
  name: string;
  /** Name in SQL; a number instead of the name if a redaction rule would change it. */
  sql_name: string;
  /** Type, decided over all rows. */
  type: "boolean" | "integer" | "decimal" | "double" | "date" | "datetime" | "time" | "text";
  /** `%` or a currency that was taken off the numbers. */
  unit: string | null;
  /** Whether a row may have no value. True if the caller does not see the whole table. */
  nullable: boolean;
  /** Number of distinct values: exact up to 1,000, an estimate above. */
  distinct: number | null;
  /** Smallest value. Null while a redaction rule applies to values. */
  min: string | null;
  /** Largest value. Null while a redaction rule applies to values. */
  max: string | null;
  /** Up to five values. None while a redaction rule applies to values. */
  examples: Array<string>;
  /** What the column means, if somebody said it. */
  description: string | null;
  /** Cells that do not have the type. They are null. */
  cast_failures: number | null;
  /** Up to five of these cells. None while a redaction rule applies to values. */
  cast_failure_examples: Array<string>;
  /** The header in the source; empty without one. */
  header: string;
};

export type TableDetails = Table & {
  /** Up to ten visible rows of data. */
  sample: Array<TableRow>;
};

export type TablePosition = {
  /** Number of the table in its source, counted from 0. */
  index: number;
  /** Name of the sheet. */
  sheet?: string | undefined;
  /** Cells of the sheet, such as `A3:F20`. Absent if the caller may not see the whole table. */
  range?: string | undefined;
  /** Page on which the table begins. */
  page?: number | undefined;
  /** Headings above the table, outermost first. */
  heading_path?: Array<string> | undefined;
};

export type TableQuery = {
  /** The `sql_name` of a table. · minLength 1, maxLength 256 */
  from: string;
  /** Columns of the result. Absent: all columns. · minItems 1, maxItems 100 */
  columns?: Array<TableQueryColumn> | undefined;
  /** Conditions on the rows. The keys are columns, and the values must fit the types of the columns. */
  where?: MetadataFilterGroup | undefined;
  /** Columns by which rows are grouped. · maxItems 100 */
  group_by?: Array<string> | undefined;
  /** The order of the result. · maxItems 100 */
  order_by?: Array<{
    /** A column of the result or of the table. · minLength 1, maxLength 256 */
    column: string;
    /** Empty cells come last. · default "asc" */
    direction?: "asc" | "desc" | undefined;
  }> | undefined;
  /** Maximum number of rows of the result. · minimum 1, maximum 1000 */
  limit?: number | undefined;
  /** Number of rows to skip. · minimum 0, maximum 2000000 */
  offset?: number | undefined;
};

export type TableQueryColumn = {
  /** A column of the table. · minLength 1, maxLength 256 */
  column: string;
} | {
  /** What is computed over the rows of a group. */
  fn: "count" | "sum" | "avg" | "min" | "max" | "count_distinct" | "median";
  /** Its column; absent only for `count` of rows. · minLength 1, maxLength 256 */
  column?: string | undefined;
  /** Name of the result; default: the function and the column, such as `sum_amount`. · minLength 1, maxLength 256 */
  as?: string | undefined;
};

export type TableRow = {
  /** Number of the row in its table, counted from 0. */
  row: number;
  /** `total`: a row of totals, which queries leave out. */
  kind: "data" | "total";
  /** Where the source has the row. */
  place: {
    /** Id of the source. · format "uuid" */
    source_id: string;
    /** Code point in the extracted text. Null if the policy decides about single chunks. */
    start_offset: number | null;
    /** The chunk that holds the row; null like start_offset. */
    chunk_index: number | null;
    /** Page; null for files without pages. */
    page: number | null;
    /** Row of the sheet, counted from 1; null for other files, and like start_offset. */
    sheet_row: number | null;
  };
  /** Values by name in SQL. */
  values: Record<string, string | number | boolean | null>;
};

export type TableWarning = {
  /** Kind of the warning, for programs: for example `ambiguous_format`. */
  type: string;
  /** The same as `type`. */
  code: string;
  /** The warning in words for a person. */
  message: string;
};

export type Tag = {
  /** Id of the tag. · format "uuid" */
  id: string;
  /** Name of the tag, unique within the tenant. */
  name: string;
  /** What the tag is for, in the words of its owner. Empty when none was given. */
  description: string;
};

export type TagSourceGroupLink = {
  /** Id of the tag. · format "uuid" */
  tag_id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
};

export type Warning = {
  /** Kind of the warning, for programs: for example `postfilter_underfilled`. */
  type: string;
  /** The warning in words for a person. */
  message: string;
};

/** A half-open range of code points of the answer that rests on a web page. */
export type WebCitation = {
  /** Offset of the first code point, from 0. */
  start: number;
  /** Offset behind the last code point. */
  end: number;
  /** http or https. */
  url: string;
  /** The title of the page. */
  title: string;
  /** The text that was found on the page; at most 300 code points. */
  snippet: string;
};

export type NewOrigin = {
  /** Name of the source and of its source group. · minLength 1, maxLength 200 */
  name: string;
  /** When to run again: an RFC 5545 RRULE. If the source needs a credential, a schedule needs a stored secret. · minLength 0, maxLength 500 */
  rrule?: string | undefined;
  /** Metadata of the source group. */
  metadata?: MetadataPatch | undefined;
};

export type SearchFilters = {
  /** Only these source groups; unknown ids select nothing. · minItems 1, maxItems 100 */
  source_group_ids?: Array<string> | undefined;
  /** Names of tags of the source group. · minItems 1, maxItems 100 */
  tags?: Array<string> | undefined;
  /** Ids of tags of the source group; unknown ids select nothing. · minItems 1, maxItems 100 */
  tag_ids?: Array<string> | undefined;
  /** `or` (default): any of the tags; `and`: all of them. It applies within `tags` and within `tag_ids`. If both are there, both must hold. */
  tag_filter_logic?: "and" | "or" | undefined;
  /** Only chunks of sources of these types. At most 100. · minItems 1, maxItems 100 */
  source_types?: Array<"local_file" | "drive" | "page" | "repo" | "web" | "database"> | undefined;
  /** Only chunks of files of these types. At most 100. · minItems 1, maxItems 100 */
  file_types?: Array<"pdf" | "docx" | "pptx" | "xlsx" | "csv" | "tsv" | "txt" | "md" | "html" | "json" | "jsonl" | "parquet" | "sqlite" | "xml" | "yaml" | "rtf" | "epub" | "eml" | "odt" | "odp" | "ods" | "ipynb" | "code" | "unknown"> | undefined;
  /** Content date (last modification at the origin), Unix seconds, inclusive. · minimum 1735639200, maximum 253402300799 */
  date_from?: number | undefined;
  /** Content date, Unix seconds, inclusive. · minimum 1735639200, maximum 253402300799 */
  date_to?: number | undefined;
  /** Only chunks of sources whose URL has one of these texts in its host. Upper and lower case are equal. · minItems 1, maxItems 100 */
  domains?: Array<string> | undefined;
  /** Conditions on metadata of the source group. */
  metadata?: MetadataFilterGroup | undefined;
  /** Conditions on metadata of the source. */
  source_metadata?: MetadataFilterGroup | undefined;
  /** Conditions on metadata of the chunk. */
  chunk_metadata?: MetadataFilterGroup | undefined;
  /** Conditions on declared metadata columns. A key that is not declared is answered with 400, and so is a value that is no number for a column of type `integer`. */
  metadata_filter?: MetadataFilterGroup | undefined;
  /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
  principal_id?: string | undefined;
  /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
  authz_policy?: string | undefined;
};

export type OriginSource = {
  /** Id of the source, which is also the id of its source group. · format "uuid" */
  id: string;
  /** Name of the source and of its source group. */
  name: string;
  /** Status of the source group: that of its latest run, or of its deletion. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** Id of the ingestion setting; empty after the setting was deleted. */
  ingestion_setting_id: string;
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before the first run starts. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null while it runs, and before the first run. */
  end_time: number | null;
  /** Why the latest run failed; null when it did not fail. */
  error: JobError | null;
  metadata: Metadata;
};

export type OriginSetting = {
  /** Id of the setting. · format "uuid" */
  id: string;
  /** Name of the setting and of its source. */
  name: string;
  /** The schedule as it was sent: an RFC 5545 RRULE. Empty: no schedule. */
  rrule: string;
  /** Id of the source, which is also the id of its source group. · format "uuid" */
  source_group_id: string;
  /** Unix seconds. A schedule without DTSTART starts at this time, in UTC. */
  creation_time: number;
  /** The next times of the schedule, at most 5, in Unix seconds; empty without a schedule. A run starts within 75 seconds after its time. While runs fail, times are left out. */
  next_run_times: Array<number>;
  /** When the first of the runs was started that failed since the last success; null after a success. The schedule then waits as long as the runs have failed, at most 22 hours after the last run. */
  failing_since_time: number | null;
};

export interface IdParams {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
}

export interface PageQuery {
  /** How many records to return. · minimum 1, maximum 100, default 20 */
  limit?: number | undefined;
  /** Fetch records after this id: the next_id of the page before. · format "uuid" */
  after_id?: string | undefined;
}

export interface OrderQuery {
  /** By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request. · default "asc" */
  order?: "asc" | "desc" | undefined;
}

export interface PrincipalQuery {
  /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
  principal_id?: string | undefined;
  /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
  authz_policy?: string | undefined;
}

export interface IdempotencyHeaders {
  /** Makes it safe to repeat a request for 24 hours: the same request gets the stored answer, another body gets 409. · minLength 1, maxLength 255 */
  "Idempotency-Key"?: string | undefined;
}

export interface Operations {
  /** Search the knowledge */
  search: {
    request: {
      body: SearchFilters & {
        /** Words or question to search for. · minLength 1, maxLength 4000 */
        query: string;
        /** By words (`lexical`), by meaning (`semantic`), or both (`hybrid`). Without an embedding model, `hybrid` works as `lexical`, and `semantic` is refused. If the model fails or no chunk has a vector, `hybrid` works as `lexical`, with a warning. · default "hybrid" */
        mode?: "hybrid" | "lexical" | "semantic" | undefined;
        /** Maximum number of results. · minimum 1, maximum 100, default 10 */
        limit?: number | undefined;
        /** Number of results to skip. · minimum 0, maximum 10000, default 0 */
        offset?: number | undefined;
        /** Applies the filters after the search instead of within it. May return fewer results than `limit`. · default false */
        use_postfilter?: boolean | undefined;
        /** Whether the first results are ordered again: by the rerank model if one is configured; otherwise, in lexical search, by how close together they have the words of the query. · default true */
        rerank?: boolean | undefined;
        /** Maximum number of chunks of one source. Absent: no limit. · minimum 1, maximum 100 */
        max_chunks_per_source?: number | undefined;
        /** Whether each result says where it has words of the query, and which sentence has most of them. · default false */
        highlights?: boolean | undefined;
        /** How many neighbouring chunks to return with each result. */
        context?: {
          /** Number of chunks before the result. · minimum 0, maximum 5, default 0 */
          before?: number | undefined;
          /** Number of chunks after the result. · minimum 0, maximum 5, default 0 */
          after?: number | undefined;
        } | undefined;
      };
    };
    response: {
      /** Matching chunks, best first. */
      results: Array<SearchHit>;
      /** Problems that did not stop the request, but that the caller should know. */
      warnings: Array<Warning>;
    };
  };
  /** Get a chunk */
  getContent: {
    request: { params: IdParams; query?: PrincipalQuery | undefined };
    response: Content;
  };
  /** List the chunks of a source */
  listSourceChunks: {
    request: { params: IdParams; query?: (PageQuery & PrincipalQuery) | undefined };
    response: {
      /** Chunks of this page. */
      chunks: Array<Content>;
      pagination: Pagination;
    };
  };
  /** Read the extracted text of a source */
  getSourceText: {
    request: {
      params: IdParams;
      query?: (PrincipalQuery & {
        /** Offset of the first code point to return. · minimum 0, maximum 2147463647, default 0 */
        start_offset?: number | undefined;
        /** Offset behind the last code point to return, at most 200000 after start_offset. Default: 20000 after start_offset. · minimum 0, maximum 2147463647 */
        end_offset?: number | undefined;
      }) | undefined;
    };
    response: SourceText;
  };
  /** List the pages of a PDF */
  listPages: {
    request: { params: IdParams; query?: PrincipalQuery | undefined };
    response: {
      /** Id of the source. · format "uuid" */
      source_id: string;
      /** The pages, in order. */
      pages: Array<{
        /** Number of the page, from 1. */
        number: number;
        /** Width in points: 1/72 inch. */
        width: number;
        /** Height in points. */
        height: number;
        /** Offset of the first chunk on the page, in the extracted text; null without chunks. */
        start_offset: number | null;
        /** Offset behind the last chunk on the page. */
        end_offset: number | null;
      }>;
    };
  };
  /** Get a page of a PDF as a picture */
  getPageImage: {
    request: {
      params: {
        /** Id of the source. · format "uuid" */
        id: string;
        /** Number of the page, from 1. · minimum 1, maximum 20000 */
        number: number;
      };
      query?: (PrincipalQuery & {
        /** Pixels for each point: 1 or 2. Very large pages have fewer. · minimum 1, maximum 2, default 1 */
        scale?: number | undefined;
      }) | undefined;
      headers?: {
        /** ETags of the files that the caller has. The answer is 304 if one of them is current. */
        "If-None-Match"?: string | undefined;
      } | undefined;
    };
    response: unknown;
  };
  /** Find a passage on a page of a PDF */
  getPageBoxes: {
    request: {
      params: {
        /** Id of the source. · format "uuid" */
        id: string;
        /** Number of the page, from 1. · minimum 1, maximum 20000 */
        number: number;
      };
      query?: (PrincipalQuery & {
        /** Offset of the first code point of the passage, in the extracted text. · minimum 0, maximum 2147463647 */
        start_offset?: number | undefined;
        /** Offset behind the last code point of the passage, at most 20000 after start_offset. · minimum 0, maximum 2147463647 */
        end_offset?: number | undefined;
      }) | undefined;
    };
    response: {
      /** The rectangles of the range; empty without a range. */
      boxes: Array<PageBox>;
      /** The rectangles of each chunk on the page; empty with a range. */
      chunks: Array<{
        /** Id of the chunk. · format "uuid" */
        chunk_id: string;
        /** One rectangle for each line, in reading order. */
        boxes: Array<PageBox>;
      }>;
    };
  };
  /** List the blocks of a source */
  listBlocks: {
    request: {
      params: IdParams;
      query?: (PrincipalQuery & {
        /** The first block to return: the next_index of the answer before. · minimum 0, maximum 100000000, default 0 */
        start_index?: number | undefined;
        /** How many blocks to return. · minimum 1, maximum 1000, default 200 */
        limit?: number | undefined;
      }) | undefined;
    };
    response: {
      /** Id of the source. · format "uuid" */
      source_id: string;
      /** The blocks, in the order of the text. */
      blocks: Array<Block>;
      /** Number of all blocks of the source. */
      blocks_total: number;
      /** The start_index of the next blocks; null at the end. */
      next_index: number | null;
    };
  };
  /** Answer a question with citations */
  createCompletion: {
    request: {
      body: SearchFilters & {
        /** The last message with role `user` is the question. With `conversation_id` the others are ignored. · minItems 1, maxItems 200 */
        messages: Array<{
          /** Author of the message. */
          role: "system" | "user" | "assistant";
          /** Text of the message. · minLength 0, maxLength 1048576 */
          content: string;
        }>;
        /** Streams the answer as plain text, or with `Accept: text/event-stream` as ag-ui events. The default is false, and true with that header. */
        stream?: boolean | undefined;
        /** Whether the answer has citations. With false, `citations` is empty. · default true */
        citation?: boolean | undefined;
        /** Also searches the web. Ignored unless the chat model supports web search and the feature is on. · default false */
        grounding?: boolean | undefined;
        /** With `auto`, a question that fits a table of a retrieved chunk is also answered from a query that the chat model writes. A warning says why tables were not queried, for example without a chat model. · default "off" */
        tables?: "off" | "auto" | undefined;
        /** Adds `trace` to the result: the search query and the retrieved chunks. In a stream it is the ag-ui event CUSTOM `trace`. · default false */
        trace?: boolean | undefined;
        /** Filters after the search. It may find fewer chunks than `limit`. · default false */
        use_postfilter?: boolean | undefined;
        /** Maximum number of chunks that are retrieved as context. · minimum 1, maximum 100, default 10 */
        limit?: number | undefined;
        /** The conversation that the turn continues. Absent: a new one. A conversation has at most 2,000 messages. · format "uuid" */
        conversation_id?: string | undefined;
        /** The message of the conversation after which the turn continues. Absent: the active message. Null: none, so the question begins a branch beside the first question. */
        parent_message_id?: string | null | undefined;
        /** Answers the user message `parent_message_id` again. The new answer is a sibling of the old one. · default false */
        regenerate?: boolean | undefined;
        /** What happens when the history exceeds the context of the model: `auto` drops the oldest turns, `disabled` gives 400. · default "auto" */
        truncation?: "auto" | "disabled" | undefined;
        /** ag-ui only: the thread. A known thread continues its conversation. An unknown one starts a new conversation with this name. · minLength 1, maxLength 256 */
        threadId?: string | undefined;
        /** ag-ui only: the events repeat it. · minLength 1, maxLength 256 */
        runId?: string | undefined;
      };
    };
    response: CompletionResult;
  };
  /** Answer a question in several steps */
  createAgentRun: {
    request: {
      body: SearchFilters & {
        /** The question. · minLength 1, maxLength 10000 */
        input: string;
        /** Names of the tools that the model may call, as on `/mcp`. Absent: all that the key may use. · minItems 1, maxItems 20 */
        tools?: Array<string> | undefined;
        /** Maximum steps. In a step the model calls one or more tools. · minimum 1, maximum 20, default 8 */
        max_steps?: number | undefined;
        /** Maximum time, the answer included. · minimum 5, maximum 600, default 120 */
        max_seconds?: number | undefined;
        /** Maximum tokens of all calls of the model. A quarter is kept for the answer. The last call may exceed it. · minimum 1000, maximum 500000, default 100000 */
        max_tokens?: number | undefined;
        /** The conversation that the run continues. Absent: a new one. · format "uuid" */
        conversation_id?: string | undefined;
        /** Answers with ag-ui events while the run goes on. The default is false, and true with `Accept: text/event-stream`. */
        stream?: boolean | undefined;
        /** Answers at once with the queued run, which goes on without a connection and after a restart of the service. · default false */
        background?: boolean | undefined;
        /** ag-ui only: the thread, as in completions. · minLength 1, maxLength 256 */
        threadId?: string | undefined;
        /** ag-ui only: the events repeat it. · minLength 1, maxLength 256 */
        runId?: string | undefined;
      };
    };
    response: AgentRun;
  };
  /** List agent runs */
  listAgentRuns: {
    request: {
      query?: (PageQuery & OrderQuery & PrincipalQuery & {
        /** Only runs with this status. */
        status?: "queued" | "running" | "success" | "failure" | "canceled" | undefined;
      }) | undefined;
    };
    response: {
      /** The runs of this page. */
      runs: Array<AgentRunSummary>;
      pagination: Pagination;
    };
  };
  /** Get an agent run */
  getAgentRun: {
    request: { params: IdParams; query?: PrincipalQuery | undefined };
    response: AgentRun;
  };
  /** Follow an agent run */
  streamAgentRun: {
    request: {
      params: IdParams;
      query?: (PrincipalQuery & {
        /** Only events after this number. The header `Last-Event-ID` does the same. · minimum 0, maximum 1000000 */
        after_seq?: number | undefined;
      }) | undefined;
    };
    response: unknown;
  };
  /** Cancel an agent run */
  cancelAgentRun: {
    request: { params: IdParams; query?: PrincipalQuery | undefined };
    response: AgentRunSummary;
  };
  /** List conversations */
  listConversations: {
    request: {
      query?: (PageQuery & OrderQuery & PrincipalQuery & {
        /** Only records with this text in the title. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Conversations of this page. */
      conversations: Array<Conversation>;
      pagination: Pagination;
    };
  };
  /** Read a conversation with all its branches */
  getConversation: {
    request: { params: IdParams; query?: PrincipalQuery | undefined };
    response: ConversationTree;
  };
  /** Rename a conversation or choose its active message */
  updateConversation: {
    request: {
      params: IdParams;
      body: {
        /** Absent: unchanged. · minLength 1, maxLength 200 */
        title?: string | undefined;
        /** Any message of the conversation. The next turn without a parent continues below it. Absent: unchanged. · format "uuid" */
        active_message_id?: string | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      };
    };
    response: Conversation;
  };
  /** Delete a conversation */
  deleteConversation: {
    request: { params: IdParams; query?: PrincipalQuery | undefined };
    response: Conversation;
  };
  /** Upload files */
  createLocalFileGroup: {
    request: { headers?: IdempotencyHeaders | undefined; body: UploadBody };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List local file groups */
  listLocalFileGroups: {
    request: {
      query?: (PageQuery & OrderQuery & {
        /** Only records with this text in the name. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
        /** Only groups with exactly this name. · minLength 1, maxLength 200 */
        name?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Local file groups of this page. */
      local_file_groups: Array<LocalFileGroup>;
      pagination: Pagination;
    };
  };
  /** Get a local file group */
  getLocalFileGroup: {
    request: { params: IdParams };
    response: LocalFileGroup;
  };
  /** Delete a local file group */
  deleteLocalFileGroup: {
    request: { params: IdParams };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** Add and replace files */
  changeLocalFiles: {
    request: { params: IdParams; headers?: IdempotencyHeaders | undefined; body: UploadBody };
    response: ChangedFiles;
  };
  /** Delete files by their paths */
  deleteLocalFiles: {
    request: {
      params: IdParams;
      body: {
        /** Paths of the files to delete. · minItems 1, maxItems 2000 */
        paths: Array<string>;
      };
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
      /** Number of files that were deleted. */
      deleted: number;
    };
  };
  /** Show what would be read from a file */
  parseFile: {
    request: { body: UploadBody };
    response: FilePreview;
  };
  /** Create a Drive source */
  createDriveSource: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: NewOrigin & {
        /** Address of the folder in the browser: `https://drive.google.com/drive/folders/…`. Folders inside it are read too. · minLength 1, maxLength 2000 */
        folder_url: string;
        /** Id of a stored secret of the type `drive`; not together with `service_account_key`. · format "uuid" */
        secret_id?: string | undefined;
        /** The JSON key of a service account that may read the folder, for one run only: it is encrypted, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        service_account_key?: string | undefined;
      };
    };
    response: DriveSource;
  };
  /** List Drive sources */
  listDriveSources: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The sources of this page. */
      drive_sources: Array<DriveSource>;
      pagination: Pagination;
    };
  };
  /** Get a Drive source */
  getDriveSource: {
    request: { params: IdParams };
    response: DriveSource;
  };
  /** Delete a Drive source */
  deleteDriveSource: {
    request: { params: IdParams };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of Drive sources */
  listDriveSourceSettings: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The settings of this page. */
      drive_source_settings: Array<DriveSourceSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a Drive source */
  getDriveSourceSetting: {
    request: { params: IdParams };
    response: DriveSourceSetting;
  };
  /** Change the name and the schedule of a Drive source */
  updateDriveSourceSetting: {
    request: {
      params: IdParams;
      body: {
        /** New name of the setting and of its source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent: unchanged. Empty: no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: DriveSourceSetting;
  };
  /** End the schedule of a Drive source */
  deleteDriveSourceSetting: {
    request: { params: IdParams };
    response: DriveSourceSetting;
  };
  /** Create a page source */
  createPageSource: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: NewOrigin & {
        /** The page or data source of the workspace: its id, or its address in the browser. Pages below it are read too. · minLength 1, maxLength 2000 */
        page_id: string;
        /** Id of a stored secret of the type `page`; not together with `page_token`. · format "uuid" */
        secret_id?: string | undefined;
        /** The token of an integration that may read the page, for one run only: it is encrypted, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        page_token?: string | undefined;
      };
    };
    response: PageSource;
  };
  /** List page sources */
  listPageSources: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The sources of this page. */
      page_sources: Array<PageSource>;
      pagination: Pagination;
    };
  };
  /** Get a page source */
  getPageSource: {
    request: { params: IdParams };
    response: PageSource;
  };
  /** Delete a page source */
  deletePageSource: {
    request: { params: IdParams };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of page sources */
  listPageSourceSettings: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The settings of this page. */
      page_source_settings: Array<PageSourceSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a page source */
  getPageSourceSetting: {
    request: { params: IdParams };
    response: PageSourceSetting;
  };
  /** Change the name and the schedule of a page source */
  updatePageSourceSetting: {
    request: {
      params: IdParams;
      body: {
        /** New name of the setting and of its source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent: unchanged. Empty: no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: PageSourceSetting;
  };
  /** End the schedule of a page source */
  deletePageSourceSetting: {
    request: { params: IdParams };
    response: PageSourceSetting;
  };
  /** Create a repository source */
  createRepoSource: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: NewOrigin & {
        /** Name of the repository, as `owner/name`. · minLength 1, maxLength 200 */
        repository: string;
        /** Globs of the files to read, as in a .gitignore file; a glob with `!` excludes files again. Empty: all files. At most 100. · maxItems 100, default [] */
        path_filters?: Array<string> | undefined;
        /** Kind of the version to read. `default`: the default branch. · default "default" */
        reference_type?: "default" | "branch" | "tag" | "commit" | undefined;
        /** Name of the branch or tag, or hash of the commit; empty for `default`. · minLength 0, maxLength 255, default "" */
        reference_param?: string | undefined;
        /** Id of a stored secret of the type `repo`; not together with `access_token`. · format "uuid" */
        secret_id?: string | undefined;
        /** An access token that may read the repository, for one run only: it is encrypted, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        access_token?: string | undefined;
      };
    };
    response: RepoSource;
  };
  /** List repository sources */
  listRepoSources: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The sources of this page. */
      repo_sources: Array<RepoSource>;
      pagination: Pagination;
    };
  };
  /** Get a repository source */
  getRepoSource: {
    request: { params: IdParams };
    response: RepoSource;
  };
  /** Delete a repository source */
  deleteRepoSource: {
    request: { params: IdParams };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of repository sources */
  listRepoSettings: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The settings of this page. */
      repo_settings: Array<RepoSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a repository source */
  getRepoSetting: {
    request: { params: IdParams };
    response: RepoSetting;
  };
  /** Change the name and the schedule of a repository source */
  updateRepoSetting: {
    request: {
      params: IdParams;
      body: {
        /** New name of the setting and of its source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent: unchanged. Empty: no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: RepoSetting;
  };
  /** End the schedule of a repository source */
  deleteRepoSetting: {
    request: { params: IdParams };
    response: RepoSetting;
  };
  /** Create a crawl */
  createCrawl: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: {
        /** Name of the source and of its source group. · minLength 1, maxLength 200 */
        name: string;
        /** Addresses where the crawl begins: http or https. · minItems 1, maxItems 100 */
        urls: Array<string>;
        /** How many links away from `urls` a page may be; 0: only the pages of `urls`. · minimum 0, maximum 20, default 3 */
        max_depth?: number | undefined;
        /** Maximum number of pages. · minimum 1, maximum 10000, default 500 */
        max_pages?: number | undefined;
        /** Globs as in a .gitignore file: only pages whose path matches one of them. Empty: all pages. At most 100. · maxItems 100, default [] */
        include_paths?: Array<string> | undefined;
        /** Globs as in a .gitignore file: pages whose path matches one of them are left out. At most 100. · maxItems 100, default [] */
        exclude_paths?: Array<string> | undefined;
        /** Whether to read only pages on the hosts of `urls`. · default true */
        same_host?: boolean | undefined;
        /** Whether to read also the pages that the sitemaps of the hosts name. · default true */
        use_sitemap?: boolean | undefined;
        /** Milliseconds between two requests to one host. Absent: the default of this service, and less after pages that did not change. A value below the minimum of the operator is refused. If the `Crawl-delay` of robots.txt is longer, it applies. · minimum 0, maximum 60000 */
        delay_ms?: number | undefined;
        /** When to run again: an RFC 5545 RRULE. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
      };
    };
    response: Crawl;
  };
  /** List crawls */
  listCrawls: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The sources of this page. */
      crawls: Array<Crawl>;
      pagination: Pagination;
    };
  };
  /** Get a crawl */
  getCrawl: {
    request: { params: IdParams };
    response: Crawl;
  };
  /** Delete a crawl */
  deleteCrawl: {
    request: { params: IdParams };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of crawls */
  listCrawlSettings: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The settings of this page. */
      crawl_settings: Array<CrawlSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a crawl */
  getCrawlSetting: {
    request: { params: IdParams };
    response: CrawlSetting;
  };
  /** Change the name and the schedule of a crawl */
  updateCrawlSetting: {
    request: {
      params: IdParams;
      body: {
        /** New name of the setting and of its source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent: unchanged. Empty: no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: CrawlSetting;
  };
  /** End the schedule of a crawl */
  deleteCrawlSetting: {
    request: { params: IdParams };
    response: CrawlSetting;
  };
  /** Create a database source */
  createDatabaseSource: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: NewOrigin & {
        /** Tables and views to read. Each becomes a source of its own. · minItems 1, maxItems 100 */
        tables: Array<{
          /** Name of a table or view, as `schema.table`; in MySQL and MariaDB, as `database.table`. · minLength 3, maxLength 200 */
          name: string;
          /** Names of the columns to read. Empty: all columns. · maxItems 500, default [] */
          columns?: Array<string> | undefined;
        }>;
        /** Id of a stored secret of the type `database`; not together with `connection_url`. · format "uuid" */
        secret_id?: string | undefined;
        /** The connection URL of a PostgreSQL, MySQL or MariaDB server, with user and password: `postgresql://user:password@host/database`, for one run only: it is encrypted, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        connection_url?: string | undefined;
      };
    };
    response: DatabaseSource;
  };
  /** List database sources */
  listDatabaseSources: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The sources of this page. */
      database_sources: Array<DatabaseSource>;
      pagination: Pagination;
    };
  };
  /** Get a database source */
  getDatabaseSource: {
    request: { params: IdParams };
    response: DatabaseSource;
  };
  /** Delete a database source */
  deleteDatabaseSource: {
    request: { params: IdParams };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of database sources */
  listDatabaseSourceSettings: {
    request: { query?: PageQuery | undefined };
    response: {
      /** The settings of this page. */
      database_source_settings: Array<DatabaseSourceSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a database source */
  getDatabaseSourceSetting: {
    request: { params: IdParams };
    response: DatabaseSourceSetting;
  };
  /** Change the name and the schedule of a database source */
  updateDatabaseSourceSetting: {
    request: {
      params: IdParams;
      body: {
        /** New name of the setting and of its source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent: unchanged. Empty: no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: DatabaseSourceSetting;
  };
  /** End the schedule of a database source */
  deleteDatabaseSourceSetting: {
    request: { params: IdParams };
    response: DatabaseSourceSetting;
  };
  /** Look at an origin before a source follows it */
  checkConnector: {
    request: {
      body: {
        /** Name of the source; not needed for a check. · minLength 1, maxLength 200, default "check" */
        name?: string | undefined;
        /** Address of the folder in the browser: `https://drive.google.com/drive/folders/…`. Folders inside it are read too. · minLength 1, maxLength 2000 */
        folder_url: string;
        /** Id of a stored secret of the type `drive`; not together with `service_account_key`. · format "uuid" */
        secret_id?: string | undefined;
        /** The JSON key of a service account that may read the folder, for one run only: it is encrypted, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        service_account_key?: string | undefined;
        /** When to run again: an RFC 5545 RRULE. If the source needs a credential, a schedule needs a stored secret. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
        /** Kind of the source. The other members are those of its creation. */
        kind: "drive";
      } | {
        /** Name of the source; not needed for a check. · minLength 1, maxLength 200, default "check" */
        name?: string | undefined;
        /** The page or data source of the workspace: its id, or its address in the browser. Pages below it are read too. · minLength 1, maxLength 2000 */
        page_id: string;
        /** Id of a stored secret of the type `page`; not together with `page_token`. · format "uuid" */
        secret_id?: string | undefined;
        /** The token of an integration that may read the page, for one run only: it is encrypted, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        page_token?: string | undefined;
        /** When to run again: an RFC 5545 RRULE. If the source needs a credential, a schedule needs a stored secret. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
        /** Kind of the source. The other members are those of its creation. */
        kind: "page";
      } | {
        /** Name of the source; not needed for a check. · minLength 1, maxLength 200, default "check" */
        name?: string | undefined;
        /** Name of the repository, as `owner/name`. · minLength 1, maxLength 200 */
        repository: string;
        /** Globs of the files to read, as in a .gitignore file; a glob with `!` excludes files again. Empty: all files. At most 100. · maxItems 100, default [] */
        path_filters?: Array<string> | undefined;
        /** Kind of the version to read. `default`: the default branch. · default "default" */
        reference_type?: "default" | "branch" | "tag" | "commit" | undefined;
        /** Name of the branch or tag, or hash of the commit; empty for `default`. · minLength 0, maxLength 255, default "" */
        reference_param?: string | undefined;
        /** Id of a stored secret of the type `repo`; not together with `access_token`. · format "uuid" */
        secret_id?: string | undefined;
        /** An access token that may read the repository, for one run only: it is encrypted, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        access_token?: string | undefined;
        /** When to run again: an RFC 5545 RRULE. If the source needs a credential, a schedule needs a stored secret. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
        /** Kind of the source. The other members are those of its creation. */
        kind: "repo";
      } | {
        /** Name of the source; not needed for a check. · minLength 1, maxLength 200, default "check" */
        name?: string | undefined;
        /** Addresses where the crawl begins: http or https. · minItems 1, maxItems 100 */
        urls: Array<string>;
        /** How many links away from `urls` a page may be; 0: only the pages of `urls`. · minimum 0, maximum 20, default 3 */
        max_depth?: number | undefined;
        /** Maximum number of pages. · minimum 1, maximum 10000, default 500 */
        max_pages?: number | undefined;
        /** Globs as in a .gitignore file: only pages whose path matches one of them. Empty: all pages. At most 100. · maxItems 100, default [] */
        include_paths?: Array<string> | undefined;
        /** Globs as in a .gitignore file: pages whose path matches one of them are left out. At most 100. · maxItems 100, default [] */
        exclude_paths?: Array<string> | undefined;
        /** Whether to read only pages on the hosts of `urls`. · default true */
        same_host?: boolean | undefined;
        /** Whether to read also the pages that the sitemaps of the hosts name. · default true */
        use_sitemap?: boolean | undefined;
        /** Milliseconds between two requests to one host. Absent: the default of this service, and less after pages that did not change. A value below the minimum of the operator is refused. If the `Crawl-delay` of robots.txt is longer, it applies. · minimum 0, maximum 60000 */
        delay_ms?: number | undefined;
        /** When to run again: an RFC 5545 RRULE. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
        /** Kind of the source. The other members are those of its creation. */
        kind: "web";
      } | {
        /** Name of the source; not needed for a check. · minLength 1, maxLength 200, default "check" */
        name?: string | undefined;
        /** Tables and views to read. Each becomes a source of its own. · minItems 1, maxItems 100 */
        tables: Array<{
          /** Name of a table or view, as `schema.table`; in MySQL and MariaDB, as `database.table`. · minLength 3, maxLength 200 */
          name: string;
          /** Names of the columns to read. Empty: all columns. · maxItems 500, default [] */
          columns?: Array<string> | undefined;
        }>;
        /** Id of a stored secret of the type `database`; not together with `connection_url`. · format "uuid" */
        secret_id?: string | undefined;
        /** The connection URL of a PostgreSQL, MySQL or MariaDB server, with user and password: `postgresql://user:password@host/database`, for one run only: it is encrypted, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        connection_url?: string | undefined;
        /** When to run again: an RFC 5545 RRULE. If the source needs a credential, a schedule needs a stored secret. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
        /** Kind of the source. The other members are those of its creation. */
        kind: "database";
      };
    };
    response: OriginCheck;
  };
  /** Say when a schedule would run */
  previewSchedule: {
    request: {
      body: {
        /** An RFC 5545 RRULE. · minLength 1, maxLength 500 */
        rrule: string;
        /** The zone in which to read a rule that names none, such as `Europe/Berlin`. Absent: UTC. · minLength 1, maxLength 64 */
        time_zone?: string | undefined;
      };
    };
    response: {
      /** The rule with its zone: what to send when the source is created. */
      rrule: string;
      /** The next times, at most 5, in Unix seconds. */
      next_run_times: Array<number>;
    };
  };
  /** List source groups */
  listSourceGroups: {
    request: {
      query?: (PageQuery & OrderQuery & {
        /** Only records with this text in the name. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
        /** Only source groups of this type. */
        source_type?: "local_file" | "drive" | "page" | "repo" | "web" | "database" | undefined;
        /** Only source groups with this status. */
        status?: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure" | undefined;
        /** Only groups with this tag. An unknown tag selects nothing. · format "uuid" */
        tag_id?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Source groups of this page. */
      source_groups: Array<SourceGroup>;
      pagination: Pagination;
    };
  };
  /** Get a source group */
  getSourceGroup: {
    request: { params: IdParams };
    response: SourceGroup;
  };
  /** Rename a source group */
  renameSourceGroup: {
    request: {
      params: IdParams;
      body: {
        /** New name of the source group. · minLength 1, maxLength 200 */
        name: string;
      };
    };
    response: SourceGroup;
  };
  /** Delete a source group */
  deleteSourceGroup: {
    request: { params: IdParams };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** Change the metadata of a source group */
  patchSourceGroupMetadata: {
    request: {
      params: IdParams;
      body: {
        metadata: MetadataPatch;
      };
    };
    response: Metadata;
  };
  /** List the sources of a source group */
  listSourcesOfSourceGroup: {
    request: { params: IdParams; query?: (PageQuery & OrderQuery) | undefined };
    response: {
      /** Sources of this page. */
      sources: Array<GroupSource>;
      pagination: Pagination;
    };
  };
  /** List the runs of all source groups */
  listAllRuns: {
    request: {
      query?: (PageQuery & OrderQuery & {
        /** Only records with this text in the status, stage or error; while redaction rules exist, not the message of the error. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
        /** Only runs with this status. */
        status?: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure" | undefined;
        /** Only runs of the source group with this id. An unknown group selects nothing. · format "uuid" */
        source_group_id?: string | undefined;
        /** Only runs made at or after this time, Unix seconds. · minimum 0, maximum 253402300799 */
        from_time?: number | undefined;
        /** Only runs made at or before this time, Unix seconds. · minimum 0, maximum 253402300799 */
        to_time?: number | undefined;
      }) | undefined;
    };
    response: {
      /** Runs of this page. */
      runs: Array<Run>;
      pagination: Pagination;
    };
  };
  /** List the runs of a source group */
  listRuns: {
    request: {
      params: IdParams;
      query?: (PageQuery & OrderQuery & {
        /** Only records with this text in the status, stage or error; while redaction rules exist, not the message of the error. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Runs of this page. */
      runs: Array<Run>;
      pagination: Pagination;
    };
  };
  /** Run a source group again */
  startRun: {
    request: {
      params: IdParams;
      headers?: IdempotencyHeaders | undefined;
      body?: {
        /** Only the files that failed in the latest run. The other files are not counted in the new run. · default false */
        only_failed?: boolean | undefined;
        /** Only these files of the group, at most 1000. 404 if one of them is not in the group. · minItems 1, maxItems 1000 */
        source_ids?: Array<string> | undefined;
      } | undefined;
    };
    response: Run;
  };
  /** Get a run and its progress */
  getRun: {
    request: { params: IdParams };
    response: Run;
  };
  /** List the files that failed in a run */
  listRunErrors: {
    request: { params: IdParams; query?: PageQuery | undefined };
    response: {
      /** Failed files of this page. */
      errors: Array<RunError>;
      pagination: Pagination;
    };
  };
  /** List the files that a run changed, skipped or could not read */
  listRunFiles: {
    request: {
      params: IdParams;
      query?: (PageQuery & {
        /** Only files to which this happened. */
        change?: "added" | "updated" | "deleted" | "failed" | "skipped" | undefined;
      }) | undefined;
    };
    response: {
      /** Files of this page. */
      files: Array<RunFile>;
      pagination: Pagination;
    };
  };
  /** Cancel a run */
  cancelRun: {
    request: { params: IdParams };
    response: Run;
  };
  /** Follow the runs of all source groups */
  streamEvents: {
    request: Record<never, never>;
    response: unknown;
  };
  /** List the sources that have metadata */
  listSources: {
    request: { query?: PageQuery | undefined };
    response: {
      /** Sources of this page. */
      sources: Array<Source>;
      pagination: Pagination;
    };
  };
  /** List the sources of all source groups */
  listAllSources: {
    request: {
      query?: {
        /** Only records with this text in the name or the path; for a file inside a file, and while redaction rules apply to names, only in the (redacted) name. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
        /** Only sources with this `state`. */
        status?: "pending" | "ready" | "failed" | undefined;
        /** Only sources with one of these file types; may be repeated. · maxItems 20 */
        file_type?: Array<string> | undefined;
        /** Only sources of this source group. · minLength 1, maxLength 100 */
        source_group_id?: string | undefined;
        /** Only sources of source groups with this tag. · minLength 1, maxLength 100 */
        tag_id?: string | undefined;
        /** Only sources that this source contained, such as the files of an archive. · minLength 1, maxLength 100 */
        parent_source_id?: string | undefined;
        /** What the list is sorted by: `time` of creation, `content_time` (the last change at the origin, or the time of ingestion), `name`, `size` in bytes, or number of `chunks`. By name is refused while redaction rules apply to names, because the positions would reveal them. · default "time" */
        sort?: "time" | "content_time" | "name" | "size" | "chunks" | undefined;
        /** Ascending or descending. · default "desc" */
        order?: "asc" | "desc" | undefined;
        /** How many sources to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Adds the numbers of sources by source group and by tag to `counts`. · default false */
        facets?: boolean | undefined;
        /** The next_cursor of the page before, which had the same filters, sort and order. · minLength 1, maxLength 2000 */
        cursor?: string | undefined;
      } | undefined;
    };
    response: {
      /** Sources of this page. */
      sources: Array<ListedSource>;
      /** Numbers of sources, for the whole list. */
      counts: {
        /** Number of sources that match all filters. */
        total: number;
        /** Numbers of sources by state. The filter `status` is not applied. */
        status: {
          /** Sources that wait to be read. */
          pending: number;
          /** Sources whose newest version is searchable. */
          ready: number;
          /** Sources whose newest version could not be read. */
          failed: number;
        };
        /** Numbers of sources by file type, the 50 most frequent. The filter `file_type` is not applied. */
        file_type: Array<{
          /** The file type. */
          file_type: string;
          /** Number of sources. */
          count: number;
        }>;
        /** With `facets`: the 50 source groups with the most sources. The filter `source_group_id` is not applied. */
        source_group?: Array<SourceFacet> | undefined;
        /** With `facets`: the 50 tags with the most sources in their groups. The filter `tag_id` is not applied. */
        tag?: Array<SourceFacet> | undefined;
      };
      /** Where the next page begins. */
      pagination: {
        /** The limit of the request, or its default. */
        limit: number;
        /** Whether there is a next page. */
        has_more: boolean;
        /** The value for the next cursor; null on the last page. */
        next_cursor: string | null;
      };
    };
  };
  /** Get a source */
  getSource: {
    request: { params: IdParams };
    response: GroupSource;
  };
  /** Delete a source */
  deleteSource: {
    request: { params: IdParams };
    response: {
      /** Id of the source. · format "uuid" */
      source_id: string;
    };
  };
  /** Download the stored file of a source */
  downloadSource: {
    request: {
      params: {
        /** Id of the source. · format "uuid" */
        source_id: string;
      };
      query?: PrincipalQuery | undefined;
      headers?: {
        /** One range of bytes. For several ranges the whole file is sent. */
        Range?: string | undefined;
        /** The ETag that the range belongs to. If the file has another one, the whole file is sent. */
        "If-Range"?: string | undefined;
        /** ETags of the files that the caller has. The answer is 304 if one of them is current. */
        "If-None-Match"?: string | undefined;
      } | undefined;
    };
    response: Blob;
  };
  /** Download the original file of a source */
  downloadOriginal: {
    request: {
      params: IdParams;
      query?: PrincipalQuery | undefined;
      headers?: {
        /** One range of bytes. For several ranges the whole file is sent. */
        Range?: string | undefined;
        /** The ETag that the range belongs to. If the file has another one, the whole file is sent. */
        "If-Range"?: string | undefined;
        /** ETags of the files that the caller has. The answer is 304 if one of them is current. */
        "If-None-Match"?: string | undefined;
      } | undefined;
    };
    response: Blob;
  };
  /** Change the metadata of a source */
  patchSourceMetadata: {
    request: {
      params: {
        /** Id of the source. · format "uuid" */
        source_id: string;
      };
      body: {
        metadata: MetadataPatch;
      };
    };
    response: Metadata;
  };
  /** Delete the metadata of a source */
  deleteSourceMetadata: {
    request: {
      params: {
        /** Id of the source. · format "uuid" */
        source_id: string;
      };
    };
    response: {
      /** Confirmation, in words for a person. */
      message: string;
    };
  };
  /** Change the metadata of many sources */
  patchSourceMetadataBatch: {
    request: {
      body: {
        /** The patches. They are applied in this order. · maxItems 50 */
        items: Array<{
          /** Id of the source. · format "uuid" */
          source_id: string;
          /** If given, the item fails unless the source belongs to this group, as if the source did not exist. · format "uuid" */
          source_group_id?: string | undefined;
          metadata: MetadataItemPatch;
        }>;
      };
    };
    response: {
      /** Number of items that succeeded. */
      success_count: number;
      /** One result for each item, in the same order. */
      results: Array<{
        /** The source_id of the item. */
        id: string;
        /** Whether the item succeeded. */
        success: boolean;
        /** Error message of the item; empty if it succeeded. */
        error: string;
      }>;
    };
  };
  /** List tables */
  listTables: {
    request: {
      query?: (PageQuery & OrderQuery & PrincipalQuery & {
        /** Only tables of this source. An unknown source selects nothing. · format "uuid" */
        source_id?: string | undefined;
        /** Only tables of this source group. An unknown source group selects nothing. · format "uuid" */
        source_group_id?: string | undefined;
        /** Only tables with this name, or this name in SQL. · minLength 1, maxLength 200 */
        name?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Tables of this page. */
      tables: Array<Table>;
      pagination: Pagination;
    };
  };
  /** Build a table of a source or of an address */
  createTable: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: {
        /** Name of the table. Default: made of the name of the source and the place. · minLength 1, maxLength 200 */
        name?: string | undefined;
        /** What the table is about. */
        description?: string | null | undefined;
        /** Where the table is. */
        source: {
          /** Id of the source. Either this member or `url`. · format "uuid" */
          source_id?: string | undefined;
          /** Address of a file: http or https. The service reads it as the only page of a web source. · minLength 1, maxLength 2000 */
          url?: string | undefined;
          /** Which table of the source or file. May be absent if there is one table. */
          position?: {
            /** Number of the table in its source: see `GET /sources/{id}/tables`. · minimum 0, maximum 199 */
            index: number;
          } | undefined;
        };
        /** Only with `source.url`: when to read the file again: an RFC 5545 RRULE. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** `freeze`: a version with other columns is refused, and the present one stays. · default "accept" */
        schema_policy?: "accept" | "freeze" | undefined;
      };
    };
    response: {
      /** Id of the table. · format "uuid" */
      table_id: string;
      /** Id of the source group of the table. Its runs read the file of an address. · format "uuid" */
      source_group_id: string;
    };
  };
  /** Get a table */
  getTable: {
    request: { params: IdParams; query?: PrincipalQuery | undefined };
    response: TableDetails;
  };
  /** Describe a table and its columns */
  updateTable: {
    request: {
      params: IdParams;
      body: {
        /** Another name. The name in SQL changes with it. · minLength 1, maxLength 200 */
        name?: string | undefined;
        /** What the table is about; null removes it. */
        description?: string | null | undefined;
        /** `freeze`: a version with other columns is refused, and the present one stays. */
        schema_policy?: "accept" | "freeze" | undefined;
        /** Only for the table of an address: when to read the file again: an RFC 5545 RRULE. Empty: no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Columns to change. The others stay. · maxItems 500 */
        columns?: Array<{
          /** Name in SQL of the column to change. · minLength 1, maxLength 200 */
          sql_name: string;
          /** Name for people. The name in SQL stays. · minLength 1, maxLength 200 */
          name?: string | undefined;
          /** What the column means. · minLength 0, maxLength 2000 */
          description?: string | undefined;
          /** Another type. The table is built again. */
          type?: "boolean" | "integer" | "decimal" | "double" | "date" | "datetime" | "time" | "text" | undefined;
        }> | undefined;
      };
    };
    response: {
      /** Id of the table. · format "uuid" */
      table_id: string;
    };
  };
  /** Delete a table */
  deleteTable: {
    request: { params: IdParams };
    response: {
      /** Id of the table. · format "uuid" */
      table_id: string;
    };
  };
  /** Read rows of a table */
  listTableRows: {
    request: {
      params: IdParams;
      query?: (PrincipalQuery & {
        /** How many rows to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Return rows after this one: the next_after_row of the page before. · minimum -1, maximum 2147483647, default -1 */
        after_row?: number | undefined;
        /** Names in SQL of the columns to return; may be repeated. All when absent. · maxItems 500 */
        columns?: Array<string> | undefined;
      }) | undefined;
    };
    response: {
      /** Rows of this page. */
      rows: Array<TableRow>;
      /** The after_row of the next page; null on the last page. */
      next_after_row: number | null;
    };
  };
  /** List the tables that a source contains */
  listSourceTables: {
    request: { params: IdParams; query?: PrincipalQuery | undefined };
    response: {
      /** Tables in the order of the text. */
      tables: Array<SourceTable>;
    };
  };
  /** Build a table again */
  buildTable: {
    request: { params: IdParams };
    response: {
      /** Id of the table. · format "uuid" */
      table_id: string;
    };
  };
  /** Query tables */
  queryTables: {
    request: {
      body: {
        /** One SELECT in the SQL of DuckDB. Tables are named by their names in SQL. · minLength 1, maxLength 10000 */
        sql?: string | undefined;
        /** A query as data, which becomes SQL. */
        query?: TableQuery | undefined;
        /** A question in words, for which the chat model writes the statement. Needs the scope `inference:run`, too. · minLength 1, maxLength 2000 */
        question?: string | undefined;
        /** Ids (not names) of the tables that the query may read. Absent: the visible tables that it names. · minItems 1, maxItems 10 */
        tables?: Array<string> | undefined;
        /** Maximum number of returned rows. · minimum 1, maximum 1000, default 100 */
        row_limit?: number | undefined;
        /** After this time, in milliseconds, the query is ended and answered with 400. · minimum 100, maximum 30000, default 5000 */
        timeout_ms?: number | undefined;
        /** Whether the rows are returned from which the result comes. · default true */
        citation?: boolean | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      };
    };
    response: TableAnswer;
  };
  /** List tags */
  listTags: {
    request: Record<never, never>;
    response: {
      /** All tags. */
      tags: Array<Tag>;
    };
  };
  /** Create a tag */
  createTag: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: {
        /** Name of the tag, unique within the tenant. · minLength 1, maxLength 200 */
        name: string;
        /** What the tag is for, in your own words. · minLength 0, maxLength 1000 */
        description?: string | undefined;
      };
    };
    response: Tag;
  };
  /** Get a tag */
  getTag: {
    request: { params: IdParams };
    response: Tag;
  };
  /** Rename or describe a tag */
  updateTag: {
    request: {
      params: IdParams;
      body: {
        /** Name of the tag, unique within the tenant. · minLength 1, maxLength 200 */
        name: string;
        /** What the tag is for, in your own words. · minLength 0, maxLength 1000 */
        description?: string | undefined;
      };
    };
    response: Tag;
  };
  /** Delete a tag */
  deleteTag: {
    request: { params: IdParams };
    response: Tag;
  };
  /** Add a tag to a source group */
  linkTag: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: {
        /** Id of the tag. · format "uuid" */
        tag_id: string;
        /** Id of the source group. · format "uuid" */
        source_group_id: string;
      };
    };
    response: TagSourceGroupLink;
  };
  /** List the links between tags and source groups */
  listTagLinks: {
    request: {
      query?: (PageQuery & {
        /** Only links of this tag. An unknown tag selects nothing. · format "uuid" */
        tag_id?: string | undefined;
        /** Only links of this source group. An unknown group selects nothing. · format "uuid" */
        source_group_id?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Links of this page. */
      tag_source_groups: Array<TagSourceGroupLink>;
      pagination: Pagination;
    };
  };
  /** Remove a tag from a source group */
  unlinkTag: {
    request: {
      body: {
        /** Id of the tag. · format "uuid" */
        tag_id: string;
        /** Id of the source group. · format "uuid" */
        source_group_id: string;
      };
    };
    response: TagSourceGroupLink;
  };
  /** List metadata columns */
  listMetadataColumns: {
    request: { query?: PageQuery | undefined };
    response: {
      /** Metadata columns of this page. */
      metadata_columns: Array<MetadataColumn>;
      pagination: Pagination;
    };
  };
  /** Declare a metadata column */
  declareMetadataColumn: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: {
        /** Key of source metadata. · minLength 1, maxLength 256 */
        key: string;
        /** Type of the values. `integer`: whole numbers of 64 bits. */
        type: "string" | "integer";
        /** What the column is for, in your own words. · minLength 0, maxLength 1000, default "" */
        description?: string | undefined;
      };
    };
    response: MetadataColumn;
  };
  /** Delete a metadata column */
  deleteMetadataColumn: {
    request: {
      params: {
        /** Key of the column. · minLength 1, maxLength 256 */
        key: string;
      };
    };
    response: MetadataColumn;
  };
  /** List the values of a metadata column */
  listMetadataColumnValues: {
    request: {
      params: {
        /** Key of the column. · minLength 1, maxLength 256 */
        key: string;
      };
      query?: (PrincipalQuery & {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Only values that begin with this text. · minLength 0, maxLength 4096 */
        prefix?: string | undefined;
        /** Only values after this one: the last value of the previous page. · minLength 0, maxLength 4096 */
        after?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Values of this page. */
      values: Array<{
        /** The value, as text. */
        value: string;
        /** Number of sources with this value. */
        count: number;
      }>;
      /** Whether there is a next page. */
      has_more: boolean;
    };
  };
  /** Store a secret */
  createSecret: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: {
        /** Name of the secret. · minLength 1, maxLength 200 */
        name: string;
        /** Type of source that the secret opens: `drive` (the JSON key of a service account), `repo` (an access token), `page` (an integration token), `database` (a connection URL such as `postgresql://user:password@host/database`). */
        type: "drive" | "repo" | "page" | "database";
        /** The value. It is never returned. The first run that uses it shows whether it works. · minLength 1, maxLength 5000 */
        secret: string;
        /** What the secret is for, in your own words. · minLength 0, maxLength 1000 */
        description?: string | undefined;
      };
    };
    response: Secret;
  };
  /** List secrets */
  listSecrets: {
    request: {
      query?: (PageQuery & OrderQuery & {
        /** Only records with this text in the name. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Secrets of this page, without their values. */
      secrets: Array<Secret>;
      pagination: Pagination;
    };
  };
  /** Get a secret */
  getSecret: {
    request: {
      params: {
        /** Id of the secret. · format "uuid" */
        secret_id: string;
      };
    };
    response: Secret;
  };
  /** Change a secret */
  updateSecret: {
    request: {
      params: {
        /** Id of the secret. · format "uuid" */
        secret_id: string;
      };
      body: {
        /** New name of the secret. · minLength 1, maxLength 200 */
        name: string;
        /** New value. Absent: the current value stays. · minLength 1, maxLength 5000 */
        secret?: string | undefined;
        /** What the secret is for. Absent: unchanged. Empty: no description. · minLength 0, maxLength 1000 */
        description?: string | undefined;
      };
    };
    response: Secret;
  };
  /** Delete a secret */
  deleteSecret: {
    request: {
      params: {
        /** Id of the secret. · format "uuid" */
        secret_id: string;
      };
    };
    response: Secret;
  };
  /** Get the redaction policy */
  getRedactionPolicy: {
    request: Record<never, never>;
    response: RedactionPolicy;
  };
  /** Set the redaction policy */
  putRedactionPolicy: {
    request: {
      headers?: {
        /** The ETag of the version that the caller has read. The answer is 412 if another one is stored. */
        "If-Match"?: string | undefined;
        /** `*`: the answer is 412 if anything is stored. */
        "If-None-Match"?: string | undefined;
      } | undefined;
      body: {
        /** False: nothing is masked, the rules are kept. */
        enabled: boolean;
        /** Each with a name of its own. · maxItems 100 */
        rules: Array<RedactionRule>;
      };
    };
    response: RedactionPolicy;
  };
  /** Delete the redaction policy */
  deleteRedactionPolicy: {
    request: {
      headers?: {
        /** The ETag of the version that the caller has read. The answer is 412 if another one is stored. */
        "If-Match"?: string | undefined;
      } | undefined;
    };
    response: RedactionPolicy;
  };
  /** Try the redaction policy on a text */
  testRedactionPolicy: {
    request: {
      body: {
        /** The text to redact. · minLength 1, maxLength 200000 */
        text: string;
        /** A policy to try before it is set. Absent: the stored policy. */
        policy?: {
          /** False: nothing is masked, the rules are kept. */
          enabled: boolean;
          /** Each with a name of its own. · maxItems 100 */
          rules: Array<RedactionRule>;
        } | undefined;
        /** Applies only the rules of this step. Absent: all rules. */
        apply_at?: "ingest" | "retrieval" | "llm_input" | "output" | undefined;
      };
    };
    response: {
      /** The redacted text; empty if it is blocked. */
      text: string;
      /** A rule with the action `block` matched: the text would be withheld as a whole. */
      blocked: boolean;
      /** The matches, from left to right. They do not overlap. */
      matches: Array<{
        /** Name of the rule. */
        rule: string;
        /** Kind of the rule. */
        kind: "entity" | "regex" | "dictionary";
        /** What an entity rule found; null for other rules. */
        entity: string | null;
        /** Offset of the first code point of the match, in the given text. */
        start: number;
        /** Offset behind the last code point of the match. */
        end: number;
        /** What the rule does. */
        action: "block" | "drop" | "mask" | "hash";
      }>;
    };
  };
  /** Issue an API key */
  issueApiKey: {
    request: {
      headers?: IdempotencyHeaders | undefined;
      body: {
        /** Name of the key. · minLength 1, maxLength 200 */
        name: string;
        /** Scopes of the key: what it may do. · minItems 1, maxItems 9 */
        scopes: Array<"inference:run" | "knowledge:read" | "knowledge:write" | "ingestion:manage" | "authz:grant" | "policy:redaction:manage" | "apikeys:issue" | "audit:read" | "conversations:all">;
        /** Time when the key expires, Unix seconds. Absent or null: never. */
        expires_time?: number | null | undefined;
        /** Limits the key to these source groups. Absent or null: not limited. */
        source_group_ids?: Array<string> | null | undefined;
        /** Limits the key to source groups with one of these tags. Absent or null: not limited. */
        tag_ids?: Array<string> | null | undefined;
      };
    };
    response: IssuedApiKey;
  };
  /** List API keys */
  listApiKeys: {
    request: {
      query?: (PageQuery & OrderQuery & {
        /** Only records with this text in the name. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
      }) | undefined;
    };
    response: {
      /** API keys of this page. */
      api_keys: Array<ApiKey>;
      pagination: Pagination;
    };
  };
  /** Revoke an API key */
  revokeApiKey: {
    request: { params: IdParams };
    response: ApiKey;
  };
  /** Rotate an API key */
  rotateApiKey: {
    request: {
      params: IdParams;
      headers?: IdempotencyHeaders | undefined;
      body?: {
        /** How many seconds the old key still works; 0: it ends at once. · minimum 0, maximum 7776000, default 0 */
        grace_seconds?: number | undefined;
      } | undefined;
    };
    response: IssuedApiKey;
  };
  /** Get the chat model usage of an API key */
  getApiKeyUsage: {
    request: {
      params: IdParams;
      query?: {
        /** Number of days in UTC, up to and including today. · minimum 1, maximum 400, default 30 */
        days?: number | undefined;
      } | undefined;
    };
    response: ApiKeyUsage;
  };
  /** List subjects */
  listSubjects: {
    request: {
      query?: (PageQuery & OrderQuery & {
        /** Only records with this text in the principal_id. Upper and lower case are equal; blanks around it are ignored. · minLength 1, maxLength 200 */
        q?: string | undefined;
      }) | undefined;
    };
    response: {
      /** Subjects of this page. */
      subjects: Array<AuthzSubject>;
      pagination: Pagination;
    };
  };
  /** Set the attributes of many subjects */
  setSubjects: {
    request: {
      body: {
        /** The subjects to set. They are set in this order. · maxItems 50 */
        items: Array<{
          /** The end user. · minLength 1, maxLength 256 */
          principal_id: string;
          attributes: Attributes;
          /** From this time on the subject counts as one without attributes. Null or absent: never. Unix seconds. */
          expires_time?: number | null | undefined;
        }>;
      };
    };
    response: {
      /** Number of items that succeeded. */
      success_count: number;
      /** One result for each item, in the same order. */
      results: Array<{
        /** The principal_id of the item. */
        id: string;
        /** Whether the item succeeded. */
        success: boolean;
        /** Error message of the item; empty if it succeeded. */
        error: string;
      }>;
    };
  };
  /** Get the attributes of a subject */
  getSubject: {
    request: {
      params: {
        /** The end user, by the same id as in the `principal_id` of requests. · minLength 1, maxLength 256 */
        principal_id: string;
      };
    };
    response: AuthzSubject;
  };
  /** Set the attributes of a subject */
  setSubject: {
    request: {
      params: {
        /** The end user, by the same id as in the `principal_id` of requests. · minLength 1, maxLength 256 */
        principal_id: string;
      };
      body: {
        attributes: Attributes;
        /** From this time on the subject counts as one without attributes. Null or absent: never. Unix seconds. */
        expires_time?: number | null | undefined;
      };
    };
    response: AuthzSubject;
  };
  /** Change attributes of a subject */
  changeSubject: {
    request: {
      params: {
        /** The end user, by the same id as in the `principal_id` of requests. · minLength 1, maxLength 256 */
        principal_id: string;
      };
      body: {
        /** Attributes to set, by name. Null removes an attribute; the others stay. */
        attributes?: AttributesPatch | undefined;
        /** Unix seconds. Absent: unchanged. Null: the subject never expires. */
        expires_time?: number | null | undefined;
      };
    };
    response: AuthzSubject;
  };
  /** Delete a subject */
  deleteSubject: {
    request: {
      params: {
        /** The end user, by the same id as in the `principal_id` of requests. · minLength 1, maxLength 256 */
        principal_id: string;
      };
    };
    response: AuthzSubject;
  };
  /** List policies */
  listPolicies: {
    request: { query?: PageQuery | undefined };
    response: {
      /** Policies of this page. */
      policies: Array<AuthzPolicy>;
      pagination: Pagination;
    };
  };
  /** Get a policy */
  getPolicy: {
    request: {
      params: {
        /** Name of the policy, as in the `authz_policy` of requests. Requests without `authz_policy` use the policy `default`. */
        name: string;
      };
    };
    response: AuthzPolicy;
  };
  /** Create or change a policy */
  setPolicy: {
    request: {
      params: {
        /** Name of the policy, as in the `authz_policy` of requests. Requests without `authz_policy` use the policy `default`. */
        name: string;
      };
      headers?: {
        /** The ETag of the version that the caller has read. The answer is 412 if another one is stored. */
        "If-Match"?: string | undefined;
        /** `*`: the answer is 412 if anything is stored. */
        "If-None-Match"?: string | undefined;
      } | undefined;
      body: AuthzPolicyDocument;
    };
    response: AuthzPolicy;
  };
  /** Delete a policy */
  deletePolicy: {
    request: {
      params: {
        /** Name of the policy, as in the `authz_policy` of requests. Requests without `authz_policy` use the policy `default`. */
        name: string;
      };
      headers?: {
        /** The ETag of the version that the caller has read. The answer is 412 if another one is stored. */
        "If-Match"?: string | undefined;
      } | undefined;
    };
    response: AuthzPolicy;
  };
  /** Explain who may see what */
  explainAccess: {
    request: {
      body: {
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
        /** The source to explain. Send either source_id or chunk_id. · format "uuid" */
        source_id?: string | undefined;
        /** The chunk to explain. Send either source_id or chunk_id. · format "uuid" */
        chunk_id?: string | undefined;
      };
    };
    response: {
      /** Whether the principal may see the source or chunk. */
      allowed: boolean;
      /** JSON pointer, within the policy, to the condition that decided, or to the group if all its members decided together. Null when there is no policy with this name. */
      matched_rule: string | null;
    };
  };
  /** Preview a policy */
  previewPolicy: {
    request: {
      body: {
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
        /** Attributes of a principal that need not exist. Send either principal_id or attributes. */
        attributes?: Attributes | undefined;
        /** The policy to preview. Absent: the stored policy. It is compared with the stored `authz_policy`. */
        policy?: AuthzPolicyDocument | undefined;
        /** How many sources the sample has at most. · minimum 0, maximum 20, default 10 */
        limit?: number | undefined;
      };
    };
    response: {
      /** Number of sources that the API key may see and that are ready. */
      total: number;
      /** Number of these that the previewed policy shows to the principal. */
      visible: number;
      /** Number of these that the stored policy shows. */
      visible_before: number;
      /** Number of sources that only the previewed policy shows. */
      appearing: number;
      /** Number of sources that only the stored policy shows. */
      disappearing: number;
      /** Version of the stored policy; null: there is none, and it shows nothing. */
      stored_version: number | null;
      /** The attributes of the principal. Empty if it is unknown or expired. */
      attributes: Record<string, string | number | boolean | Array<string | number | boolean>>;
      /** For each test of the previewed policy, why it fails; null for a test that passes. */
      tests: Array<string | null>;
      /** Some of the sources: first those that change, then visible ones, newest first. */
      sample: Array<{
        /** Id of the source. · format "uuid" */
        source_id: string;
        /** Its name. Empty where redaction withholds it, and for keys that may not list sources. */
        name: string;
        /** Its path, as in the list of sources. Null where it has none, and where the name would be empty or redacted. */
        path: string | null;
        /** Whether the previewed policy shows it. */
        visible: boolean;
        /** Whether the stored policy shows it. */
        visible_before: boolean;
        /** JSON pointer, within the previewed policy, to the condition or group that decided. */
        matched_rule: string | null;
      }>;
    };
  };
  /** List audit events */
  listAuditEvents: {
    request: {
      query?: (PageQuery & OrderQuery & {
        /** Only events with this action. */
        action?: "create" | "change" | "delete" | "issue" | "rotate" | "revoke" | undefined;
        /** Only events about objects of this kind. */
        object_kind?: "api_key" | "console_session" | "secret" | "subject" | "authz_policy" | "redaction_policy" | "source_group" | "source" | "setting" | "conversation" | "tag" | "metadata_column" | "table" | "tenant" | "master_key" | undefined;
        /** Only events about the object with this id. An unknown id selects nothing. · minLength 1, maxLength 256 */
        object_id?: string | undefined;
        /** Only changes that this API key made. An unknown key selects nothing. · format "uuid" */
        api_key_id?: string | undefined;
        /** Only events at or after this time, Unix seconds. · minimum 0, maximum 253402300799 */
        from_time?: number | undefined;
        /** Only events at or before this time, Unix seconds. · minimum 0, maximum 253402300799 */
        to_time?: number | undefined;
      }) | undefined;
    };
    response: {
      /** Events of this page. */
      audit_events: Array<AuditEvent>;
      pagination: Pagination;
    };
  };
  /** List question sets */
  listEvaluationSets: {
    request: { query?: (PageQuery & OrderQuery) | undefined };
    response: {
      /** Sets of this page. */
      evaluation_sets: Array<EvaluationSet>;
      pagination: Pagination;
    };
  };
  /** Create a question set */
  createEvaluationSet: {
    request: {
      body: {
        /** Name of the set. · minLength 1, maxLength 200 */
        name: string;
      };
    };
    response: EvaluationSet;
  };
  /** Get a question set with its questions */
  getEvaluationSet: {
    request: { params: IdParams };
    response: EvaluationSetDetails;
  };
  /** Rename a question set */
  renameEvaluationSet: {
    request: {
      params: IdParams;
      body: {
        /** The new name of the set. · minLength 1, maxLength 200 */
        name: string;
      };
    };
    response: EvaluationSet;
  };
  /** Delete a question set with its questions and runs */
  deleteEvaluationSet: {
    request: { params: IdParams };
    response: {
      /** Id of the deleted set. · format "uuid" */
      id: string;
    };
  };
  /** Add a question to a set */
  addEvaluationQuestion: {
    request: {
      params: IdParams;
      body: {
        /** Words or question to search for. · minLength 1, maxLength 4000 */
        query: string;
      };
    };
    response: EvaluationQuestion;
  };
  /** Delete a question */
  deleteEvaluationQuestion: {
    request: { params: IdParams };
    response: {
      /** Id of the deleted question. · format "uuid" */
      id: string;
    };
  };
  /** Say whether a passage answers a question */
  judgePassage: {
    request: {
      params: IdParams;
      body: {
        /** Id of a chunk, as search returns it. · format "uuid" */
        chunk_id: string;
        /** Whether it answers the question; null takes the judgement back. */
        relevant: boolean | null;
      };
    };
    response: EvaluationQuestion;
  };
  /** Measure the search with a question set */
  runEvaluationSet: {
    request: {
      params: IdParams;
      body: {
        /** How to search. · default "hybrid" */
        mode?: "hybrid" | "lexical" | "semantic" | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      };
    };
    response: EvaluationRunDetails;
  };
  /** List the runs of a question set */
  listEvaluationRuns: {
    request: { params: IdParams; query?: (PageQuery & OrderQuery) | undefined };
    response: {
      /** Runs of this page. */
      evaluation_runs: Array<EvaluationRun>;
      pagination: Pagination;
    };
  };
  /** Get a run with the measures of each question */
  getEvaluationRun: {
    request: { params: IdParams };
    response: EvaluationRunDetails;
  };
  /** Say what the service can do */
  getService: {
    request: Record<never, never>;
    response: Service;
  };
  /** Check the parts of the service */
  checkService: {
    request: Record<never, never>;
    response: ServiceChecks;
  };
}

export type OperationId = keyof Operations;

/** Method and path of each operation. */
export const OPERATIONS: Readonly<Record<OperationId, readonly [method: string, path: string]>> = {
  search: ['POST', '/api/v1/search'],
  getContent: ['GET', '/api/v1/contents/{id}'],
  listSourceChunks: ['GET', '/api/v1/sources/{id}/chunks'],
  getSourceText: ['GET', '/api/v1/sources/{id}/text'],
  listPages: ['GET', '/api/v1/sources/{id}/pages'],
  getPageImage: ['GET', '/api/v1/sources/{id}/pages/{number}/image'],
  getPageBoxes: ['GET', '/api/v1/sources/{id}/pages/{number}/boxes'],
  listBlocks: ['GET', '/api/v1/sources/{id}/blocks'],
  createCompletion: ['POST', '/api/v1/completions'],
  createAgentRun: ['POST', '/api/v1/agents/runs'],
  listAgentRuns: ['GET', '/api/v1/agents/runs'],
  getAgentRun: ['GET', '/api/v1/agents/runs/{id}'],
  streamAgentRun: ['GET', '/api/v1/agents/runs/{id}/events'],
  cancelAgentRun: ['POST', '/api/v1/agents/runs/{id}/cancel'],
  listConversations: ['GET', '/api/v1/conversations'],
  getConversation: ['GET', '/api/v1/conversations/{id}'],
  updateConversation: ['PUT', '/api/v1/conversations/{id}'],
  deleteConversation: ['DELETE', '/api/v1/conversations/{id}'],
  createLocalFileGroup: ['POST', '/api/v1/local-file-groups'],
  listLocalFileGroups: ['GET', '/api/v1/local-file-groups'],
  getLocalFileGroup: ['GET', '/api/v1/local-file-groups/{id}'],
  deleteLocalFileGroup: ['DELETE', '/api/v1/local-file-groups/{id}'],
  changeLocalFiles: ['PUT', '/api/v1/local-file-groups/{id}/files'],
  deleteLocalFiles: ['DELETE', '/api/v1/local-file-groups/{id}/files'],
  parseFile: ['POST', '/api/v1/parse'],
  createDriveSource: ['POST', '/api/v1/drive-sources'],
  listDriveSources: ['GET', '/api/v1/drive-sources'],
  getDriveSource: ['GET', '/api/v1/drive-sources/{id}'],
  deleteDriveSource: ['DELETE', '/api/v1/drive-sources/{id}'],
  listDriveSourceSettings: ['GET', '/api/v1/drive-source-settings'],
  getDriveSourceSetting: ['GET', '/api/v1/drive-source-settings/{id}'],
  updateDriveSourceSetting: ['PUT', '/api/v1/drive-source-settings/{id}'],
  deleteDriveSourceSetting: ['DELETE', '/api/v1/drive-source-settings/{id}'],
  createPageSource: ['POST', '/api/v1/page-sources'],
  listPageSources: ['GET', '/api/v1/page-sources'],
  getPageSource: ['GET', '/api/v1/page-sources/{id}'],
  deletePageSource: ['DELETE', '/api/v1/page-sources/{id}'],
  listPageSourceSettings: ['GET', '/api/v1/page-source-settings'],
  getPageSourceSetting: ['GET', '/api/v1/page-source-settings/{id}'],
  updatePageSourceSetting: ['PUT', '/api/v1/page-source-settings/{id}'],
  deletePageSourceSetting: ['DELETE', '/api/v1/page-source-settings/{id}'],
  createRepoSource: ['POST', '/api/v1/repo-sources'],
  listRepoSources: ['GET', '/api/v1/repo-sources'],
  getRepoSource: ['GET', '/api/v1/repo-sources/{id}'],
  deleteRepoSource: ['DELETE', '/api/v1/repo-sources/{id}'],
  listRepoSettings: ['GET', '/api/v1/repo-settings'],
  getRepoSetting: ['GET', '/api/v1/repo-settings/{id}'],
  updateRepoSetting: ['PUT', '/api/v1/repo-settings/{id}'],
  deleteRepoSetting: ['DELETE', '/api/v1/repo-settings/{id}'],
  createCrawl: ['POST', '/api/v1/crawls'],
  listCrawls: ['GET', '/api/v1/crawls'],
  getCrawl: ['GET', '/api/v1/crawls/{id}'],
  deleteCrawl: ['DELETE', '/api/v1/crawls/{id}'],
  listCrawlSettings: ['GET', '/api/v1/crawl-settings'],
  getCrawlSetting: ['GET', '/api/v1/crawl-settings/{id}'],
  updateCrawlSetting: ['PUT', '/api/v1/crawl-settings/{id}'],
  deleteCrawlSetting: ['DELETE', '/api/v1/crawl-settings/{id}'],
  createDatabaseSource: ['POST', '/api/v1/database-sources'],
  listDatabaseSources: ['GET', '/api/v1/database-sources'],
  getDatabaseSource: ['GET', '/api/v1/database-sources/{id}'],
  deleteDatabaseSource: ['DELETE', '/api/v1/database-sources/{id}'],
  listDatabaseSourceSettings: ['GET', '/api/v1/database-source-settings'],
  getDatabaseSourceSetting: ['GET', '/api/v1/database-source-settings/{id}'],
  updateDatabaseSourceSetting: ['PUT', '/api/v1/database-source-settings/{id}'],
  deleteDatabaseSourceSetting: ['DELETE', '/api/v1/database-source-settings/{id}'],
  checkConnector: ['POST', '/api/v1/connectors/check'],
  previewSchedule: ['POST', '/api/v1/schedules/preview'],
  listSourceGroups: ['GET', '/api/v1/source-groups'],
  getSourceGroup: ['GET', '/api/v1/source-groups/{id}'],
  renameSourceGroup: ['PUT', '/api/v1/source-groups/{id}'],
  deleteSourceGroup: ['DELETE', '/api/v1/source-groups/{id}'],
  patchSourceGroupMetadata: ['PUT', '/api/v1/source-groups/{id}/metadata'],
  listSourcesOfSourceGroup: ['GET', '/api/v1/source-groups/{id}/sources'],
  listAllRuns: ['GET', '/api/v1/runs'],
  listRuns: ['GET', '/api/v1/source-groups/{id}/runs'],
  startRun: ['POST', '/api/v1/source-groups/{id}/runs'],
  getRun: ['GET', '/api/v1/runs/{id}'],
  listRunErrors: ['GET', '/api/v1/runs/{id}/errors'],
  listRunFiles: ['GET', '/api/v1/runs/{id}/files'],
  cancelRun: ['POST', '/api/v1/runs/{id}/cancel'],
  streamEvents: ['GET', '/api/v1/events'],
  listSources: ['GET', '/api/v1/sources'],
  listAllSources: ['GET', '/api/v1/source-list'],
  getSource: ['GET', '/api/v1/sources/{id}'],
  deleteSource: ['DELETE', '/api/v1/sources/{id}'],
  downloadSource: ['GET', '/api/v1/sources/{source_id}/raw'],
  downloadOriginal: ['GET', '/api/v1/sources/{id}/original'],
  patchSourceMetadata: ['PUT', '/api/v1/sources/{source_id}/metadata'],
  deleteSourceMetadata: ['DELETE', '/api/v1/sources/{source_id}/metadata'],
  patchSourceMetadataBatch: ['POST', '/api/v1/sources/metadata/batch'],
  listTables: ['GET', '/api/v1/tables'],
  createTable: ['POST', '/api/v1/tables'],
  getTable: ['GET', '/api/v1/tables/{id}'],
  updateTable: ['PUT', '/api/v1/tables/{id}'],
  deleteTable: ['DELETE', '/api/v1/tables/{id}'],
  listTableRows: ['GET', '/api/v1/tables/{id}/rows'],
  listSourceTables: ['GET', '/api/v1/sources/{id}/tables'],
  buildTable: ['POST', '/api/v1/tables/{id}/runs'],
  queryTables: ['POST', '/api/v1/tables/query'],
  listTags: ['GET', '/api/v1/tags'],
  createTag: ['POST', '/api/v1/tags'],
  getTag: ['GET', '/api/v1/tags/{id}'],
  updateTag: ['PUT', '/api/v1/tags/{id}'],
  deleteTag: ['DELETE', '/api/v1/tags/{id}'],
  linkTag: ['POST', '/api/v1/tag-source-groups'],
  listTagLinks: ['GET', '/api/v1/tag-source-groups'],
  unlinkTag: ['DELETE', '/api/v1/tag-source-groups'],
  listMetadataColumns: ['GET', '/api/v1/metadata-columns'],
  declareMetadataColumn: ['POST', '/api/v1/metadata-columns'],
  deleteMetadataColumn: ['DELETE', '/api/v1/metadata-columns/{key}'],
  listMetadataColumnValues: ['GET', '/api/v1/metadata-columns/{key}/values'],
  createSecret: ['POST', '/api/v1/secrets'],
  listSecrets: ['GET', '/api/v1/secrets'],
  getSecret: ['GET', '/api/v1/secrets/{secret_id}'],
  updateSecret: ['PUT', '/api/v1/secrets/{secret_id}'],
  deleteSecret: ['DELETE', '/api/v1/secrets/{secret_id}'],
  getRedactionPolicy: ['GET', '/api/v1/redaction-policy'],
  putRedactionPolicy: ['PUT', '/api/v1/redaction-policy'],
  deleteRedactionPolicy: ['DELETE', '/api/v1/redaction-policy'],
  testRedactionPolicy: ['POST', '/api/v1/redaction-policy/test'],
  issueApiKey: ['POST', '/api/v1/api-keys'],
  listApiKeys: ['GET', '/api/v1/api-keys'],
  revokeApiKey: ['DELETE', '/api/v1/api-keys/{id}'],
  rotateApiKey: ['POST', '/api/v1/api-keys/{id}/rotate'],
  getApiKeyUsage: ['GET', '/api/v1/api-keys/{id}/usage'],
  listSubjects: ['GET', '/api/v1/authz/subjects'],
  setSubjects: ['POST', '/api/v1/authz/subjects/attributes/batch'],
  getSubject: ['GET', '/api/v1/authz/subjects/{principal_id}/attributes'],
  setSubject: ['PUT', '/api/v1/authz/subjects/{principal_id}/attributes'],
  changeSubject: ['PATCH', '/api/v1/authz/subjects/{principal_id}/attributes'],
  deleteSubject: ['DELETE', '/api/v1/authz/subjects/{principal_id}/attributes'],
  listPolicies: ['GET', '/api/v1/authz/policies'],
  getPolicy: ['GET', '/api/v1/authz/policies/{name}'],
  setPolicy: ['PUT', '/api/v1/authz/policies/{name}'],
  deletePolicy: ['DELETE', '/api/v1/authz/policies/{name}'],
  explainAccess: ['POST', '/api/v1/authz/explain'],
  previewPolicy: ['POST', '/api/v1/authz/preview'],
  listAuditEvents: ['GET', '/api/v1/audit-events'],
  listEvaluationSets: ['GET', '/api/v1/evaluation-sets'],
  createEvaluationSet: ['POST', '/api/v1/evaluation-sets'],
  getEvaluationSet: ['GET', '/api/v1/evaluation-sets/{id}'],
  renameEvaluationSet: ['PATCH', '/api/v1/evaluation-sets/{id}'],
  deleteEvaluationSet: ['DELETE', '/api/v1/evaluation-sets/{id}'],
  addEvaluationQuestion: ['POST', '/api/v1/evaluation-sets/{id}/questions'],
  deleteEvaluationQuestion: ['DELETE', '/api/v1/evaluation-questions/{id}'],
  judgePassage: ['PUT', '/api/v1/evaluation-questions/{id}/judgements'],
  runEvaluationSet: ['POST', '/api/v1/evaluation-sets/{id}/runs'],
  listEvaluationRuns: ['GET', '/api/v1/evaluation-sets/{id}/runs'],
  getEvaluationRun: ['GET', '/api/v1/evaluation-runs/{id}'],
  getService: ['GET', '/api/v1/service'],
  checkService: ['GET', '/api/v1/service/checks'],
};

/**
 * Types of every operation of the API, and its method and path. Generated from openapi.json: npm run client.
 */

/** A multipart body whose length is known beforehand, in bytes. */
export interface StreamBody {
  contentType: string;
  length: number;
  stream: ReadableStream<Uint8Array>;
}

export type UploadBody = FormData | StreamBody;

export type ApiKey = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** What the key may do. */
  scopes: Array<"inference:run" | "knowledge:read" | "knowledge:write" | "ingestion:manage" | "authz:grant" | "policy:redaction:manage" | "apikeys:issue" | "audit:read">;
  /** Only these source groups; null = not limited. */
  source_group_ids: Array<string> | null;
  /** Only source groups with one of these tags; null = not limited. */
  tag_ids: Array<string> | null;
  /** End of the key, Unix seconds; null = it does not expire. */
  expires_time: number | null;
  /** Unix seconds. */
  creation_time: number;
};

export type ApiKeyUsage = {
  /** The key. · format "uuid" */
  api_key_id: string;
  /** Oldest first; days without a call are left out. */
  days: Array<{
    /** Day of UTC, as 2026-11-22. */
    date: string;
    /** Calls to the chat model: answers, rewritten questions, web searches. */
    requests: number;
    /** Of what the model was sent. */
    input_tokens: number;
    /** Of what it said. */
    output_tokens: number;
  }>;
  /** Number of all that match. */
  total: {
    /** Calls to the chat model: answers, rewritten questions, web searches. */
    requests: number;
    /** Of what the model was sent. */
    input_tokens: number;
    /** Of what it said. */
    output_tokens: number;
  };
  /** Budget of each key, input and output together; null = not limited. */
  tokens_per_day: number | null;
};

/** At most 100 attributes, by names of 1 to 256 characters. */
export type Attributes = Record<string, string | number | boolean | Array<string | number | boolean>>;

/** At most 100 attributes, by names of 1 to 256 characters. */
export type AttributesPatch = Record<string, string | number | boolean | Array<string | number | boolean> | null>;

export type AuditEvent = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its number in the log of the tenant: 1, 2, 3 …, without a gap. */
  seq: number;
  /** Unix seconds. */
  creation_time: number;
  /** Who; null = the operator, by a command. */
  api_key_id: string | null;
  /** What was done. */
  action: "create" | "change" | "delete" | "issue" | "rotate" | "revoke";
  /** To what kind of thing. */
  object_kind: "api_key" | "secret" | "subject" | "authz_policy" | "redaction_policy" | "source_group" | "source" | "setting" | "conversation" | "tag" | "metadata_column" | "tenant" | "master_key";
  /** Of policies and columns the name, of subjects the principal. */
  object_id: string;
  /** What changed, without secrets and without content. */
  details: Record<string, unknown>;
  /** The exact time, as the hash has it: ISO 8601 with milliseconds. */
  time: string;
  /** The `hash` of the event before; zeros for the first. */
  prev_hash: string;
  /** SHA-256, hex, over `prev_hash`, a line feed, and the event as canonical JSON. */
  hash: string;
};

export type AuthzPolicy = {
  /** Its name. */
  name: string;
  /** 1, then one more with each change. */
  version: number;
  /** `and` (all of the conditions hold) or `or` (any of them). */
  operator: "and" | "or";
  /** Conditions and groups of conditions, as they were sent. */
  filters: Array<unknown>;
  /** Unix seconds. */
  creation_time: number;
  /** Unix seconds. */
  last_update_time: number;
};

/** Conditions on metadata, at most 5 groups deep and 200 nodes in all. */
export type AuthzPolicyGroup = {
  /** `and` (all of the conditions hold) or `or` (any of them). · default "and" */
  operator?: "and" | "or" | undefined;
  /** Conditions and groups of conditions, 1 to 64. · minItems 1, maxItems 64 */
  filters: Array<{
    /** Key of metadata. For `tag` and `source_group`: `name` or `id` (absent: the name of a tag, the id of a source group); with exists and not_exists also the name of a tag. · minLength 1, maxLength 256 */
    key?: string | undefined;
    /** `and` (all of the conditions hold) or `or` (any of them). */
    operator: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin" | "contains" | "starts_with" | "exists" | "not_exists";
    /** An array for in and nin, absent for exists and not_exists, else a scalar; or `{"subject": "…"}`: that attribute of the principal. */
    value?: string | number | boolean | Array<string | number | boolean> | {
      /** Name of an attribute of the principal. */
      subject: string;
    } | undefined;
    /** What the condition is about. · default "source_metadata" */
    target?: "source_metadata" | "chunk_metadata" | "group_metadata" | "tag" | "source_group" | undefined;
    /** Also records that a document sets about itself: front matter, meta tags, properties, record columns. · default false */
    trust_content?: boolean | undefined;
  } | AuthzPolicyGroup>;
};

export type AuthzSubject = {
  /** The end user. */
  principal_id: string;
  /** By name. */
  attributes: Record<string, string | number | boolean | Array<string | number | boolean>>;
  /** Unix seconds; null: never. */
  expires_time: number | null;
  /** Unix seconds. */
  creation_time: number;
  /** Unix seconds. */
  last_update_time: number;
};

export type ChangedFiles = {
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** The run that reads what was added and updated. Null: nothing had to be done. */
  run_id: string | null;
  /** Files that become searchable for the first time. */
  added: number;
  /** Files with other bytes. Their old version is served until the new one is searchable. */
  updated: number;
  /** Files that got another path. */
  moved: number;
  /** Files that were sent and are stored with the same bytes. */
  unchanged: number;
  /** Files that are hidden from now on. */
  deleted: number;
};

export type CitedContent = {
  /** Id of the chunk. · format "uuid" */
  id: string;
  /** Id of the source. · format "uuid" */
  source_id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Where the source comes from: `local_file`, `drive`, `page`, `repo` or `web`. */
  source_type: string;
  /** Type of the file as detected, for example `pdf`; `unknown` when it is none that is known. */
  file_type: string;
  /** Name of the source. */
  name: string;
  /** Address at the origin; null for uploads. */
  url: string | null;
  /** The text. */
  content: string;
  /** Place of the chunk in its source, from 0. */
  chunk_index: number;
  /** Code points in the extracted text; `content` is exactly start_offset to end_offset. */
  start_offset: number;
  /** After the last code point, in the extracted text of the source. */
  end_offset: number;
  /** Pages of the file on which the chunk stands; null for files without pages. */
  pages: Array<number> | null;
  /** Headings above the chunk, outermost first. */
  heading_path: Array<string>;
  /** Higher is better; comparable within one answer only. */
  score: number;
  /** Scores of the stages of the search; null for those that did not run. */
  scores: {
    /** Score of the lexical search (BM25); null without one. */
    lexical: number | null;
    /** Score of the semantic search; null without one. */
    semantic: number | null;
    /** Score of the reranking model; null without one. */
    rerank: number | null;
  };
  metadata: Metadata;
  chunk_metadata: Metadata;
  /** Names of the tags of its source group. */
  tags: Array<string>;
  /** Unix seconds. */
  content_time: number;
  /** Where the answer rests on this chunk, and whether that was verified. */
  citation: {
    /** 1, 2, 3 … in the order of the answer. */
    number: number;
    /** Half-open ranges of code points of the answer that rest on this chunk. */
    spans: Array<Span>;
    /** The part of `content` that supports the cited sentences; at most 300 code points. */
    quote: string;
    /** True when the cited passage states what the cited sentence states. It does not say that the sentence answers the question. It is computed: the quote has every number, every proper name and at least 60 % of the content terms of the sentence, and the same negations. */
    verified: boolean;
    /** What compared sentence and passage: computed `rules`, or a `model`. */
    verified_by: "rules" | "model";
    /** Why the sentence is not verified: the number, the name or the words that the quote lacks. Null when it is verified. */
    reason: string | null;
    /** True when the cited text is copied from the passage word for word, as in extractive answers. */
    quoted: boolean;
  };
};

export type CompletionResult = {
  /** Unix seconds. */
  created: number;
  /** Id of the conversation; null when nothing of a new one was stored. */
  conversation_id: string | null;
  /** Id of the stored question; null when the turn was not stored. */
  user_message_id: string | null;
  /** Id of the stored answer, the new active leaf; null when the turn was not stored. */
  assistant_message_id: string | null;
  /** One choice. */
  choices: Array<{
    /** Place of the choice, from 0. */
    index: number;
    /** What happened, for a person. */
    message: {
      /** `system`, `user` or `assistant`. */
      role: "assistant";
      /** The text. */
      content: string;
    };
    /** `stop`, `length`, `content_filter`, `no_answer` or `error`. */
    finish_reason: "stop" | "length" | "content_filter" | "no_answer" | "error";
    /** What the answer rests on, in the order of its numbers; empty without `citation`. */
    citations: Array<CitedContent>;
    /** Parts of the answer that rest on web pages. Absent when the answer cites no web page. */
    web_citations?: Array<WebCitation> | undefined;
    /** Sentences that no verified citation supports. Absent when there are none. */
    unsupported_spans?: Array<Span> | undefined;
  }>;
  /** What did not stop the work but should be known. */
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

export type Content = {
  /** Id of the chunk. · format "uuid" */
  id: string;
  /** Id of the source. · format "uuid" */
  source_id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Where the source comes from: `local_file`, `drive`, `page`, `repo` or `web`. */
  source_type: string;
  /** Type of the file as detected, for example `pdf`; `unknown` when it is none that is known. */
  file_type: string;
  /** Name of the source. */
  name: string;
  /** Address at the origin; null for uploads. */
  url: string | null;
  /** The text. */
  content: string;
  /** Place of the chunk in its source, from 0. */
  chunk_index: number;
  /** Code points in the extracted text; `content` is exactly start_offset to end_offset. */
  start_offset: number;
  /** After the last code point, in the extracted text of the source. */
  end_offset: number;
  /** Pages of the file on which the chunk stands; null for files without pages. */
  pages: Array<number> | null;
  /** Headings above the chunk, outermost first. */
  heading_path: Array<string>;
  /** Higher is better; comparable within one answer only. */
  score: number;
  /** Scores of the stages of the search; null for those that did not run. */
  scores: {
    /** Score of the lexical search (BM25); null without one. */
    lexical: number | null;
    /** Score of the semantic search; null without one. */
    semantic: number | null;
    /** Score of the reranking model; null without one. */
    rerank: number | null;
  };
  metadata: Metadata;
  chunk_metadata: Metadata;
  /** Names of the tags of its source group. */
  tags: Array<string>;
  /** Unix seconds. */
  content_time: number;
};

export type Conversation = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** A few words. */
  title: string;
  /** The message after which a turn without a parent continues: the latest answer, or the message that was chosen. */
  active_message_id: string | null;
  /** Unix seconds. */
  creation_time: number;
};

export type ConversationMessage = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** The message before. Null for the first message of a branch. */
  parent_id: string | null;
  /** `user` or `assistant`. */
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
    /** First code point, from 0. */
    start: number;
    /** After the last code point. */
    end: number;
  }> | undefined;
  /** Null for user messages. */
  finish_reason: string | null;
  /** Unix seconds. */
  creation_time: number;
};

export type ConversationTree = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** A few words. */
  title: string;
  /** The message after which a turn without a parent continues: the latest answer, or the message that was chosen. */
  active_message_id: string | null;
  /** Unix seconds. */
  creation_time: number;
  /** All messages, oldest first: parents before their children. */
  messages: Array<ConversationMessage>;
};

export type Crawl = {
  /** Id of the source, which is also that of its source group. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** Where the crawl begins. */
  urls: Array<string>;
  /** How many links away from `urls` a page may be. */
  max_depth: number;
  /** At most so many pages. */
  max_pages: number;
  /** Only pages whose path fits one of these globs; empty = all. */
  include_paths: Array<string>;
  /** Pages whose path fits one of these globs are left out. */
  exclude_paths: Array<string>;
  /** Only pages on the hosts of `urls`. */
  same_host: boolean;
  /** Also the pages that the hosts' sitemaps name. */
  use_sitemap: boolean;
  /** Milliseconds between two requests to one host; null = the pause of this service. */
  delay_ms: number | null;
  /** Where the work stands: see the list of values. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** Id of its ingestion setting; empty once that was deleted. */
  ingestion_setting_id: string;
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before it. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null before it. */
  end_time: number | null;
  /** What went wrong; null when nothing did. */
  error: JobError | null;
  metadata: Metadata;
};

export type CrawlSetting = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name, which is also that of its source. */
  name: string;
  /** Where the crawl begins. */
  urls: Array<string>;
  /** How many links away from `urls` a page may be. */
  max_depth: number;
  /** At most so many pages. */
  max_pages: number;
  /** Only pages whose path fits one of these globs; empty = all. */
  include_paths: Array<string>;
  /** Pages whose path fits one of these globs are left out. */
  exclude_paths: Array<string>;
  /** Only pages on the hosts of `urls`. */
  same_host: boolean;
  /** Also the pages that the hosts' sitemaps name. */
  use_sitemap: boolean;
  /** Milliseconds between two requests to one host; null = the pause of this service. */
  delay_ms: number | null;
  /** The schedule as it was given: an RFC 5545 RRULE; empty = none. */
  rrule: string;
  /** Id of its source, which is also that of its source group. · format "uuid" */
  source_group_id: string;
  /** Unix seconds: where a rule without DTSTART begins, in UTC. */
  creation_time: number;
  /** The next occurrences of the schedule, at most 5, Unix seconds; empty without one. A run begins within a minute and a quarter of its time. */
  next_run_times: Array<number>;
};

export type DriveSource = {
  /** Id of the source, which is also that of its source group. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** Address of the folder. */
  folder_url: string;
  /** Where the work stands: see the list of values. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** Id of its ingestion setting; empty once that was deleted. */
  ingestion_setting_id: string;
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before it. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null before it. */
  end_time: number | null;
  /** What went wrong; null when nothing did. */
  error: JobError | null;
  metadata: Metadata;
};

export type DriveSourceSetting = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name, which is also that of its source. */
  name: string;
  /** Address of the folder. */
  folder_url: string;
  /** The schedule as it was given: an RFC 5545 RRULE; empty = none. */
  rrule: string;
  /** Id of the stored secret; empty when there is none. */
  secret_id: string;
  /** Id of its source, which is also that of its source group. · format "uuid" */
  source_group_id: string;
  /** Unix seconds: where a rule without DTSTART begins, in UTC. */
  creation_time: number;
  /** The next occurrences of the schedule, at most 5, Unix seconds; empty without one. A run begins within a minute and a quarter of its time. */
  next_run_times: Array<number>;
};

export type Error = {
  /** The only member of every error answer. */
  error: {
    /** What happened, for a person. */
    message: string;
    /** Its kind: see the list of values. */
    type: string;
  };
};

export type GroupSource = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Where the source comes from: `local_file`, `drive`, `page`, `repo` or `web`. */
  source_type: "local_file" | "drive" | "page" | "repo" | "web";
  /** Its name. */
  name: string;
  /** Names an uploaded file within its group. Null for others, and where a redaction rule would change it. */
  path: string | null;
  /** Type of the file as detected, for example `pdf`; `unknown` when it is none that is known. */
  file_type: string;
  /** Bytes. */
  file_size: number;
  /** SHA-256 of the newest bytes, in hex, also while they wait to be read. Null without the scope ingestion:manage. */
  content_hash: string | null;
  metadata: Metadata;
  /** Where the work stands: see the list of values. */
  status: "pending" | "ready" | "failed";
  /** Of a new version, while the one before it is served: it waits to be read, or it could not be read. Else null. */
  update_status: "pending" | "failed" | null;
  /** Address at the origin; null for uploads. */
  url: string | null;
  /** The file that it was found in: an archive, a mailbox, a mail, a PDF or an Office file. */
  parent_source_id: string | null;
  /** ISO 639-1, as detected. */
  language: string | null;
  /** Unix seconds. */
  content_time: number;
  /** Unix seconds. */
  creation_time: number;
  /** Code points of the extracted text. */
  text_length: number;
  /** Number of chunks. */
  chunk_count: number;
  /** What did not stop the work but should be known. */
  warnings: Array<string>;
};

export type IssuedApiKey = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** What the key may do. */
  scopes: Array<"inference:run" | "knowledge:read" | "knowledge:write" | "ingestion:manage" | "authz:grant" | "policy:redaction:manage" | "apikeys:issue" | "audit:read">;
  /** Only these source groups; null = not limited. */
  source_group_ids: Array<string> | null;
  /** Only source groups with one of these tags; null = not limited. */
  tag_ids: Array<string> | null;
  /** End of the key, Unix seconds; null = it does not expire. */
  expires_time: number | null;
  /** Unix seconds. */
  creation_time: number;
  /** The key itself. It is shown only here. */
  key: string;
};

export type JobError = {
  /** A few words. */
  title: string;
  /** What happened, for a person. */
  message: string;
};

export type LocalFileGroup = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** Where the work stands: see the list of values. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** When the upload was accepted, Unix seconds. */
  upload_time: number | null;
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before it. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null before it. */
  end_time: number | null;
  /** What went wrong; null when nothing did. */
  error: JobError | null;
  metadata: Metadata;
  /** Columns of record files that become chunk metadata. */
  chunk_metadata_keys: Array<{
    /** The key. */
    key: string;
    /** Its kind: see the list of values. */
    type: "string" | "integer" | "float" | "date" | "datetime";
  }>;
  /** Number of chunks that carry at least one chunk metadata record. */
  chunk_metadatas_count: number;
};

export type Metadata = {
  /** The records, by key. */
  records: Array<MetadataRecord>;
};

export type MetadataColumn = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** The key. */
  key: string;
  /** Its kind: see the list of values. */
  type: "string" | "integer";
  /** What it is for, in words of its owner. */
  description: string;
  /** While `building`, the column may be used: filters are right, only slower. */
  status: "building" | "ready";
  /** Sources whose value is no whole number, of those looked at so far: for filters they lack the key. */
  coercion_failures: number;
};

/** Conditions on metadata, at most 5 groups deep and 200 nodes in all. */
export type MetadataFilterGroup = {
  /** `and` (all of the conditions hold) or `or` (any of them). · default "and" */
  operator?: "and" | "or" | undefined;
  /** Conditions and groups of conditions, 1 to 64. · minItems 1, maxItems 64 */
  filters: Array<{
    /** The key. · minLength 1, maxLength 256 */
    key: string;
    /** `and` (all of the conditions hold) or `or` (any of them). */
    operator: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin" | "contains" | "starts_with" | "exists" | "not_exists";
    /** An array for in and nin, absent for exists and not_exists, else a scalar. */
    value?: string | number | boolean | Array<string | number | boolean> | undefined;
  } | MetadataFilterGroup>;
};

export type MetadataItemPatch = {
  /** The records, by key. */
  records: Array<{
    /** The key. */
    key: string;
    /** Null deletes the key. */
    val: string | null;
  }>;
};

export type MetadataPatch = {
  /** The records, by key. · maxItems 40 */
  records: Array<{
    /** The key. · minLength 1, maxLength 256 */
    key: string;
    /** Null deletes the key. */
    val: string | null;
  }>;
};

export type MetadataRecord = {
  /** The key. */
  key: string;
  /** The value. */
  val: string;
  /** `string`; records of the origin may be `integer`, `float`, `date` or `datetime`. */
  type: string;
};

export type Neighbour = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Place of the chunk in its source, from 0. */
  chunk_index: number;
  /** The text. */
  content: string;
  /** First code point, in the extracted text of the source. */
  start_offset: number;
  /** After the last code point, in the extracted text of the source. */
  end_offset: number;
};

export type PageSource = {
  /** Id of the source, which is also that of its source group. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** The page or data source of the workspace. */
  page_id: string;
  /** Where the work stands: see the list of values. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** Id of its ingestion setting; empty once that was deleted. */
  ingestion_setting_id: string;
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before it. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null before it. */
  end_time: number | null;
  /** What went wrong; null when nothing did. */
  error: JobError | null;
  metadata: Metadata;
};

export type PageSourceSetting = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name, which is also that of its source. */
  name: string;
  /** The page or data source of the workspace. */
  page_id: string;
  /** The schedule as it was given: an RFC 5545 RRULE; empty = none. */
  rrule: string;
  /** Id of the stored secret; empty when there is none. */
  secret_id: string;
  /** Id of its source, which is also that of its source group. · format "uuid" */
  source_group_id: string;
  /** Unix seconds: where a rule without DTSTART begins, in UTC. */
  creation_time: number;
  /** The next occurrences of the schedule, at most 5, Unix seconds; empty without one. A run begins within a minute and a quarter of its time. */
  next_run_times: Array<number>;
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
  /** Grows with every change. */
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
  ignore_case: boolean;
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
  ignore_case: boolean;
  /** Only where a word begins and ends. Scripts that write no blanks (Chinese, Japanese, Thai …) have no such bound. · default true */
  whole_words: boolean;
};

export type RepoSetting = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name, which is also that of its source. */
  name: string;
  /** `owner/name`. */
  repository: string;
  /** Globs that say what is read; empty = everything. */
  path_filters: Array<string>;
  /** `default`: the default branch. */
  reference_type: "default" | "branch" | "tag" | "commit";
  /** Name of the branch or tag, or hash of the commit; empty for `default`. */
  reference_param: string;
  /** The schedule as it was given: an RFC 5545 RRULE; empty = none. */
  rrule: string;
  /** Id of the stored secret; empty when there is none. */
  secret_id: string;
  /** Id of its source, which is also that of its source group. · format "uuid" */
  source_group_id: string;
  /** Unix seconds: where a rule without DTSTART begins, in UTC. */
  creation_time: number;
  /** The next occurrences of the schedule, at most 5, Unix seconds; empty without one. A run begins within a minute and a quarter of its time. */
  next_run_times: Array<number>;
};

export type RepoSource = {
  /** Id of the source, which is also that of its source group. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** `owner/name`. */
  repository: string;
  /** Globs that say what is read; empty = everything. */
  path_filters: Array<string>;
  /** `default`: the default branch. */
  reference_type: "default" | "branch" | "tag" | "commit";
  /** Name of the branch or tag, or hash of the commit; empty for `default`. */
  reference_param: string;
  /** Where the work stands: see the list of values. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** Id of its ingestion setting; empty once that was deleted. */
  ingestion_setting_id: string;
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before it. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null before it. */
  end_time: number | null;
  /** What went wrong; null when nothing did. */
  error: JobError | null;
  metadata: Metadata;
};

export type Run = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Where the work stands: see the list of values. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** What the run is doing now: `list` while its origin is listed and what came is read, then `parse`. */
  stage: string | null;
  /** Files that were processed, with those that failed. */
  files_done: number;
  /** Files of the run; while its origin is listed, those that were found so far. */
  files_total: number;
  /** Chunks stored so far. */
  chunks_done: number;
  /** How many files were scanned, added, updated and so on. */
  statistics: {
    /** Files that were looked at. */
    scanned: number;
    /** Files that are new. */
    added: number;
    /** Files that changed. */
    updated: number;
    /** Files that did not change. */
    unchanged: number;
    /** Files that were left out. */
    skipped: number;
    /** Files that are gone at the origin. */
    deleted: number;
    /** Files that failed. */
    failed: number;
  };
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before it. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null before it. */
  end_time: number | null;
  /** What went wrong; null when nothing did. */
  error: JobError | null;
};

export type RunError = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Null: what could not be listed or fetched has never become a source. */
  source_id: string | null;
  /** Its name. */
  name: string;
  /** Where it failed: list, fetch, detect, parse, chunk or store. */
  stage: string;
  /** A few words. */
  title: string;
  /** What happened, for a person. */
  message: string;
  /** True when the same file may succeed in another run. */
  retryable: boolean;
  /** Unix seconds. */
  creation_time: number;
};

export type SearchResult = {
  /** Id of the chunk. · format "uuid" */
  id: string;
  /** Id of the source. · format "uuid" */
  source_id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Where the source comes from: `local_file`, `drive`, `page`, `repo` or `web`. */
  source_type: string;
  /** Type of the file as detected, for example `pdf`; `unknown` when it is none that is known. */
  file_type: string;
  /** Name of the source. */
  name: string;
  /** Address at the origin; null for uploads. */
  url: string | null;
  /** The text. */
  content: string;
  /** Place of the chunk in its source, from 0. */
  chunk_index: number;
  /** Code points in the extracted text; `content` is exactly start_offset to end_offset. */
  start_offset: number;
  /** After the last code point, in the extracted text of the source. */
  end_offset: number;
  /** Pages of the file on which the chunk stands; null for files without pages. */
  pages: Array<number> | null;
  /** Headings above the chunk, outermost first. */
  heading_path: Array<string>;
  /** Higher is better; comparable within one answer only. */
  score: number;
  /** Scores of the stages of the search; null for those that did not run. */
  scores: {
    /** Score of the lexical search (BM25); null without one. */
    lexical: number | null;
    /** Score of the semantic search; null without one. */
    semantic: number | null;
    /** Score of the reranking model; null without one. */
    rerank: number | null;
  };
  metadata: Metadata;
  chunk_metadata: Metadata;
  /** Names of the tags of its source group. */
  tags: Array<string>;
  /** Unix seconds. */
  content_time: number;
  /** Neighbouring chunks in reading order; only when the request asks for them. */
  context?: {
    /** Chunks before it. */
    before: Array<Neighbour>;
    /** Chunks after it. */
    after: Array<Neighbour>;
  } | undefined;
};

export type Secret = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** Its kind: see the list of values. */
  type: "drive" | "repo" | "page";
  /** Unix seconds. */
  last_update_time: number;
  /** Unix seconds. */
  creation_time: number;
  /** Empty when none was given. */
  description: string;
};

export type ShownAttributes = Record<string, string | number | boolean | Array<string | number | boolean>>;

export type Source = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Its name. */
  name: string;
  /** Type of the file as detected, for example `pdf`; `unknown` when it is none that is known. */
  file_type: string;
  /** Bytes. */
  file_size: number;
  /** Records set through the API. */
  metadata: Metadata;
};

export type SourceGroup = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Where the source comes from: `local_file`, `drive`, `page`, `repo` or `web`. */
  source_type: "local_file" | "drive" | "page" | "repo" | "web";
  /** Its name. */
  name: string;
  /** Where the work stands: see the list of values. */
  status: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure";
  /** Unix seconds. */
  creation_time: number;
  /** Start of the latest run, Unix seconds; null before it. */
  start_time: number | null;
  /** End of the latest run, Unix seconds; null before it. */
  end_time: number | null;
  /** What went wrong; null when nothing did. */
  error: JobError | null;
  metadata: Metadata;
};

export type SourceText = {
  /** Id of the source. · format "uuid" */
  source_id: string;
  /** The text. */
  text: string;
  /** First code point, in the extracted text of the source. */
  start_offset: number;
  /** After the last code point of `text`; less than asked for where the text ends. */
  end_offset: number;
  /** Code points of the whole text. */
  text_length: number;
  /** The start_offset of the next page; null at the end. */
  next_offset: number | null;
};

/** Half-open range of code points of the answer text. */
export type Span = {
  /** First code point, from 0. */
  start: number;
  /** After the last code point. */
  end: number;
};

export type StoredCitation = {
  /** The chunk. It may have been deleted since then. · format "uuid" */
  id: string;
  /** Id of the source. · format "uuid" */
  source_id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
  /** Its name. */
  name: string;
  /** Address at the origin; null for uploads. */
  url: string | null;
  /** Where the answer rests on this chunk, and whether that was verified. */
  citation: {
    /** Number of the citation, from 1. */
    number: number;
    /** Half-open ranges of code points of the answer. */
    spans: Array<{
      /** First code point, from 0. */
      start: number;
      /** After the last code point. */
      end: number;
    }>;
    /** At most 300 code points. */
    quote: string;
    /** True when the cited passage states what the cited sentence states. It does not say that the sentence answers the question. */
    verified: boolean;
    /** What compared sentence and passage. */
    verified_by: "rules" | "model";
    /** Why the sentence is not verified. Null when it is verified, and in answers that were stored before reasons existed. */
    reason: string | null;
    /** True when the cited text is copied from the passage word for word. */
    quoted: boolean;
  };
};

export type Tag = {
  /** Id: a UUID in lower case. · format "uuid" */
  id: string;
  /** Its name. */
  name: string;
  /** What it is for, in words of its owner. */
  description: string;
};

export type TagSourceGroupLink = {
  /** Id of the tag. · format "uuid" */
  tag_id: string;
  /** Id of the source group. · format "uuid" */
  source_group_id: string;
};

export type Warning = {
  /** The kind of warning, for example `postfilter_underfilled`. */
  type: string;
  /** What happened, for a person. */
  message: string;
};

/** A half-open range of code points of the answer that rests on a web page. */
export type WebCitation = {
  /** First code point, from 0. */
  start: number;
  /** After the last code point. */
  end: number;
  /** http or https. */
  url: string;
  /** The title of the page. */
  title: string;
  /** The text that was found on the page; at most 300 code points. */
  snippet: string;
};

export interface Operations {
  /** Search the knowledge */
  search: {
    request: {
      body: {
        /** What to look for. · minLength 1, maxLength 4000 */
        query: string;
        /** With no embedding model, `hybrid` is `lexical` and `semantic` is refused. When the model fails, `hybrid` is `lexical` with a warning. · default "hybrid" */
        mode?: "hybrid" | "lexical" | "semantic" | undefined;
        /** How many records to return. · minimum 1, maximum 100, default 10 */
        limit?: number | undefined;
        /** Results to skip. · minimum 0, maximum 10000, default 0 */
        offset?: number | undefined;
        /** Names of tags of the source group. · minItems 1, maxItems 100 */
        tags?: Array<string> | undefined;
        /** Ids of tags of the source group; unknown ids select nothing. · minItems 1, maxItems 100 */
        tag_ids?: Array<string> | undefined;
        /** `or` (default): any of the tags; `and`: all of them. For `tags` and for `tag_ids`. */
        tag_filter_logic?: "and" | "or" | undefined;
        /** Only chunks of sources of these types. At most 100. · minItems 1, maxItems 100 */
        source_types?: Array<"local_file" | "drive" | "page" | "repo" | "web"> | undefined;
        /** Only chunks of files of these types. At most 100. · minItems 1, maxItems 100 */
        file_types?: Array<"pdf" | "docx" | "pptx" | "xlsx" | "csv" | "tsv" | "txt" | "md" | "html" | "json" | "jsonl" | "xml" | "yaml" | "rtf" | "epub" | "eml" | "odt" | "odp" | "ods" | "ipynb" | "code" | "unknown"> | undefined;
        /** Content date (last modification at the origin), Unix seconds, inclusive. · minimum 1735639200, maximum 253402300799 */
        date_from?: number | undefined;
        /** Content date, Unix seconds, inclusive. · minimum 1735639200, maximum 253402300799 */
        date_to?: number | undefined;
        /** Case-insensitive parts of the host of the source's URL; any of them. · minItems 1, maxItems 100 */
        domains?: Array<string> | undefined;
        /** On metadata of the source group. */
        metadata?: MetadataFilterGroup | undefined;
        /** On metadata of the source. */
        source_metadata?: MetadataFilterGroup | undefined;
        /** On metadata of the chunk. */
        chunk_metadata?: MetadataFilterGroup | undefined;
        /** On declared metadata columns; other keys are 400. */
        metadata_filter?: MetadataFilterGroup | undefined;
        /** Filters after the search: may find fewer than `limit`. · default false */
        use_postfilter?: boolean | undefined;
        /** Whether the first hits are put into another order: by the rerank model, if one is configured, else, in lexical search, by how closely they hold the words of the query. · default true */
        rerank?: boolean | undefined;
        /** At most so many chunks of one source; absent = any number. · minimum 1, maximum 100 */
        max_chunks_per_source?: number | undefined;
        /** Neighbouring chunks to return with each result. */
        context?: {
          /** Chunks before it. · minimum 0, maximum 5, default 0 */
          before?: number | undefined;
          /** Chunks after it. · minimum 0, maximum 5, default 0 */
          after?: number | undefined;
        } | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      };
    };
    response: {
      /** The results, in order. */
      results: Array<SearchResult>;
      /** What did not stop the work but should be known. */
      warnings: Array<Warning>;
    };
  };
  /** Get a chunk */
  getContent: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      } | undefined;
    };
    response: Content;
  };
  /** List the chunks of a source */
  listSourceChunks: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      } | undefined;
    };
    response: {
      /** Chunks of this page. */
      chunks: Array<Content>;
      pagination: Pagination;
    };
  };
  /** Read the extracted text of a source */
  getSourceText: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** First code point. · minimum 0, maximum 2147463647, default 0 */
        start_offset?: number | undefined;
        /** Code point after the last one, at most 200000 after start_offset; default 20000 after it. · minimum 0, maximum 2147463647 */
        end_offset?: number | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      } | undefined;
    };
    response: SourceText;
  };
  /** Answer a question with citations */
  createCompletion: {
    request: {
      body: {
        /** The last message with role `user` is the question. With `conversation_id` the others are ignored. · minItems 1, maxItems 200 */
        messages: Array<{
          /** `system`, `user` or `assistant`. */
          role: "system" | "user" | "assistant";
          /** The text. · minLength 0, maxLength 1048576 */
          content: string;
        }>;
        /** Streams the answer as plain text, or with `Accept: text/event-stream` as ag-ui events. The default is false, and true with that header. */
        stream?: boolean | undefined;
        /** Whether the answer has citations. With false, `citations` is empty. · default true */
        citation?: boolean | undefined;
        /** Also searches the web. Ignored unless the chat model supports web search and the feature is on. · default false */
        grounding?: boolean | undefined;
        /** Adds `trace` to the result: the search query and the retrieved chunks. In a stream it is the ag-ui event CUSTOM `trace`. · default false */
        trace?: boolean | undefined;
        /** Names of tags of the source group. · minItems 1, maxItems 100 */
        tags?: Array<string> | undefined;
        /** Ids of tags of the source group; unknown ids select nothing. · minItems 1, maxItems 100 */
        tag_ids?: Array<string> | undefined;
        /** `or` (default): any of the tags; `and`: all of them. For `tags` and for `tag_ids`. */
        tag_filter_logic?: "and" | "or" | undefined;
        /** Only chunks of sources of these types. At most 100. · minItems 1, maxItems 100 */
        source_types?: Array<"local_file" | "drive" | "page" | "repo" | "web"> | undefined;
        /** Only chunks of files of these types. At most 100. · minItems 1, maxItems 100 */
        file_types?: Array<"pdf" | "docx" | "pptx" | "xlsx" | "csv" | "tsv" | "txt" | "md" | "html" | "json" | "jsonl" | "xml" | "yaml" | "rtf" | "epub" | "eml" | "odt" | "odp" | "ods" | "ipynb" | "code" | "unknown"> | undefined;
        /** Content date (last modification at the origin), Unix seconds, inclusive. · minimum 1735639200, maximum 253402300799 */
        date_from?: number | undefined;
        /** Content date, Unix seconds, inclusive. · minimum 1735639200, maximum 253402300799 */
        date_to?: number | undefined;
        /** Case-insensitive parts of the host of the source's URL; any of them. · minItems 1, maxItems 100 */
        domains?: Array<string> | undefined;
        /** On metadata of the source group. */
        metadata?: MetadataFilterGroup | undefined;
        /** On metadata of the source. */
        source_metadata?: MetadataFilterGroup | undefined;
        /** On metadata of the chunk. */
        chunk_metadata?: MetadataFilterGroup | undefined;
        /** On declared metadata columns; other keys are 400. */
        metadata_filter?: MetadataFilterGroup | undefined;
        /** Filters after the search. It may find fewer chunks than `limit`. · default false */
        use_postfilter?: boolean | undefined;
        /** Maximum number of chunks that are retrieved as context. · minimum 1, maximum 100, default 10 */
        limit?: number | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
        /** The conversation that the turn continues. Absent: a new one. A conversation has at most 2,000 messages. */
        conversation_id?: string | undefined;
        /** The message of the conversation after which the turn continues. Absent: the active message. */
        parent_message_id?: string | undefined;
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
  /** List conversations */
  listConversations: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request. · default "asc" */
        order?: "asc" | "desc" | undefined;
        /** Only records with this text in the title, whatever the case; blanks around it do not count. · minLength 1, maxLength 200 */
        q?: string | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      } | undefined;
    };
    response: {
      /** Conversations of this page. */
      conversations: Array<Conversation>;
      pagination: Pagination;
    };
  };
  /** Read a conversation with all its branches */
  getConversation: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      } | undefined;
    };
    response: ConversationTree;
  };
  /** Rename a conversation or choose its active message */
  updateConversation: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        /** Absent: unchanged. · minLength 1, maxLength 200 */
        title?: string | undefined;
        /** Any message of the conversation. The next turn without a parent continues below it. Absent: unchanged. */
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
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      } | undefined;
    };
    response: Conversation;
  };
  /** Upload files */
  createLocalFileGroup: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: UploadBody;
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List local file groups */
  listLocalFileGroups: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** Local file groups of this page. */
      local_file_groups: Array<LocalFileGroup>;
      pagination: Pagination;
    };
  };
  /** Get a local file group */
  getLocalFileGroup: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: LocalFileGroup;
  };
  /** Delete a local file group */
  deleteLocalFileGroup: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** Add and replace files */
  changeLocalFiles: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: UploadBody;
    };
    response: ChangedFiles;
  };
  /** Delete files by their paths */
  deleteLocalFiles: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        /** Of the files to delete. · minItems 1, maxItems 2000 */
        paths: Array<string>;
      };
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
      /** Files that were there. */
      deleted: number;
    };
  };
  /** Create a Drive source */
  createDriveSource: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Its name. · minLength 1, maxLength 200 */
        name: string;
        /** Address of the folder, as the browser shows it: `https://drive.google.com/drive/folders/…`. Folders inside it are read too. · minLength 1, maxLength 2000 */
        folder_url: string;
        /** Id of a stored secret of the type `drive`; not together with `service_account_key`. · format "uuid" */
        secret_id?: string | undefined;
        /** The JSON key of a service account that may read the folder, for one run only: it is sealed, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        service_account_key?: string | undefined;
        /** When to run again: an RFC 5545 RRULE. It needs a stored secret where one is used. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
      };
    };
    response: DriveSource;
  };
  /** List Drive sources */
  listDriveSources: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** The sources of this page. */
      drive_sources: Array<DriveSource>;
      pagination: Pagination;
    };
  };
  /** Get a Drive source */
  getDriveSource: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: DriveSource;
  };
  /** Delete a Drive source */
  deleteDriveSource: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of Drive sources */
  listDriveSourceSettings: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** The settings of this page. */
      drive_source_settings: Array<DriveSourceSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a Drive source */
  getDriveSourceSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: DriveSourceSetting;
  };
  /** Change the name and the schedule of a Drive source */
  updateDriveSourceSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        /** A new name, also of the source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent = unchanged; empty = no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: DriveSourceSetting;
  };
  /** End the schedule of a Drive source */
  deleteDriveSourceSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: DriveSourceSetting;
  };
  /** Create a page source */
  createPageSource: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Its name. · minLength 1, maxLength 200 */
        name: string;
        /** The page or data source of the workspace: its id, or its address as the browser shows it. Pages below it are read too. · minLength 1, maxLength 2000 */
        page_id: string;
        /** Id of a stored secret of the type `page`; not together with `page_token`. · format "uuid" */
        secret_id?: string | undefined;
        /** The token of an integration that may read the page, for one run only: it is sealed, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        page_token?: string | undefined;
        /** When to run again: an RFC 5545 RRULE. It needs a stored secret where one is used. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
      };
    };
    response: PageSource;
  };
  /** List page sources */
  listPageSources: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** The sources of this page. */
      page_sources: Array<PageSource>;
      pagination: Pagination;
    };
  };
  /** Get a page source */
  getPageSource: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: PageSource;
  };
  /** Delete a page source */
  deletePageSource: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of page sources */
  listPageSourceSettings: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** The settings of this page. */
      page_source_settings: Array<PageSourceSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a page source */
  getPageSourceSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: PageSourceSetting;
  };
  /** Change the name and the schedule of a page source */
  updatePageSourceSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        /** A new name, also of the source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent = unchanged; empty = no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: PageSourceSetting;
  };
  /** End the schedule of a page source */
  deletePageSourceSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: PageSourceSetting;
  };
  /** Create a repository source */
  createRepoSource: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Its name. · minLength 1, maxLength 200 */
        name: string;
        /** `owner/name`. · minLength 1, maxLength 200 */
        repository: string;
        /** Globs as in a .gitignore file that say what to read, `!` takes out again; empty = everything. At most 100. · maxItems 100, default [] */
        path_filters?: Array<string> | undefined;
        /** `default`: the default branch. · default "default" */
        reference_type?: "default" | "branch" | "tag" | "commit" | undefined;
        /** Name of the branch or tag, or hash of the commit; empty for `default`. · minLength 0, maxLength 255, default "" */
        reference_param?: string | undefined;
        /** Id of a stored secret of the type `repo`; not together with `access_token`. · format "uuid" */
        secret_id?: string | undefined;
        /** An access token that may read the repository, for one run only: it is sealed, never returned, and erased when the first run ends. Not together with `secret_id`. · minLength 1, maxLength 5000 */
        access_token?: string | undefined;
        /** When to run again: an RFC 5545 RRULE. It needs a stored secret where one is used. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
        /** Metadata of the source group. */
        metadata?: MetadataPatch | undefined;
      };
    };
    response: RepoSource;
  };
  /** List repository sources */
  listRepoSources: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** The sources of this page. */
      repo_sources: Array<RepoSource>;
      pagination: Pagination;
    };
  };
  /** Get a repository source */
  getRepoSource: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: RepoSource;
  };
  /** Delete a repository source */
  deleteRepoSource: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of repository sources */
  listRepoSettings: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** The settings of this page. */
      repo_settings: Array<RepoSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a repository source */
  getRepoSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: RepoSetting;
  };
  /** Change the name and the schedule of a repository source */
  updateRepoSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        /** A new name, also of the source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent = unchanged; empty = no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: RepoSetting;
  };
  /** End the schedule of a repository source */
  deleteRepoSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: RepoSetting;
  };
  /** Create a crawl */
  createCrawl: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Its name. · minLength 1, maxLength 200 */
        name: string;
        /** Where the crawl begins: http or https addresses. · minItems 1, maxItems 100 */
        urls: Array<string>;
        /** How many links away from `urls` a page may be; 0 = these pages alone. · minimum 0, maximum 20, default 3 */
        max_depth?: number | undefined;
        /** At most so many pages. · minimum 1, maximum 10000, default 500 */
        max_pages?: number | undefined;
        /** Globs as in a .gitignore file: only pages whose path fits one; empty = all. At most 100. · maxItems 100, default [] */
        include_paths?: Array<string> | undefined;
        /** Globs: pages whose path fits one are left out. At most 100. · maxItems 100, default [] */
        exclude_paths?: Array<string> | undefined;
        /** Only pages on the hosts of `urls`. · default true */
        same_host?: boolean | undefined;
        /** Also the pages that the hosts' sitemaps name. · default true */
        use_sitemap?: boolean | undefined;
        /** Milliseconds between two requests to one host. Absent = the pause of this service, shorter after pages that did not change. Less than the operator allows is refused, and a longer `Crawl-delay` of robots.txt counts. · minimum 0, maximum 60000 */
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
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** The sources of this page. */
      crawls: Array<Crawl>;
      pagination: Pagination;
    };
  };
  /** Get a crawl */
  getCrawl: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: Crawl;
  };
  /** Delete a crawl */
  deleteCrawl: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** List the settings of crawls */
  listCrawlSettings: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** The settings of this page. */
      crawl_settings: Array<CrawlSetting>;
      pagination: Pagination;
    };
  };
  /** Get the setting of a crawl */
  getCrawlSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: CrawlSetting;
  };
  /** Change the name and the schedule of a crawl */
  updateCrawlSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        /** A new name, also of the source. · minLength 1, maxLength 200 */
        name: string;
        /** When to run: an RFC 5545 RRULE. Absent = unchanged; empty = no schedule. · minLength 0, maxLength 500 */
        rrule?: string | undefined;
      };
    };
    response: CrawlSetting;
  };
  /** End the schedule of a crawl */
  deleteCrawlSetting: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: CrawlSetting;
  };
  /** List source groups */
  listSourceGroups: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request. · default "asc" */
        order?: "asc" | "desc" | undefined;
        /** Only records with this text in the name, whatever the case; blanks around it do not count. · minLength 1, maxLength 200 */
        q?: string | undefined;
        /** Where the source comes from: `local_file`, `drive`, `page`, `repo` or `web`. */
        source_type?: "local_file" | "drive" | "page" | "repo" | "web" | undefined;
        /** Where the work stands: see the list of values. */
        status?: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure" | undefined;
        /** Only groups with this tag. An unknown tag selects nothing. */
        tag_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** Source groups of this page. */
      source_groups: Array<SourceGroup>;
      pagination: Pagination;
    };
  };
  /** Get a source group */
  getSourceGroup: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: SourceGroup;
  };
  /** Rename a source group */
  renameSourceGroup: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        /** Its name. · minLength 1, maxLength 200 */
        name: string;
      };
    };
    response: SourceGroup;
  };
  /** Delete a source group */
  deleteSourceGroup: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: {
      /** Id of the source group. · format "uuid" */
      source_group_id: string;
    };
  };
  /** Change the metadata of a source group */
  patchSourceGroupMetadata: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        metadata: MetadataPatch;
      };
    };
    response: Metadata;
  };
  /** List the sources of a source group */
  listSourcesOfSourceGroup: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request. · default "asc" */
        order?: "asc" | "desc" | undefined;
      } | undefined;
    };
    response: {
      /** Sources of this page. */
      sources: Array<GroupSource>;
      pagination: Pagination;
    };
  };
  /** List the runs of all source groups */
  listAllRuns: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request. · default "asc" */
        order?: "asc" | "desc" | undefined;
        /** Only records with this text in the status, stage or error, whatever the case; blanks around it do not count. · minLength 1, maxLength 200 */
        q?: string | undefined;
        /** Where the work stands: see the list of values. */
        status?: "unknown" | "queued" | "not_started" | "managed" | "starting" | "started" | "success" | "failure" | "canceling" | "canceled" | "deleting" | "delete_job_failure" | undefined;
      } | undefined;
    };
    response: {
      /** Runs of this page, oldest first. */
      runs: Array<Run>;
      pagination: Pagination;
    };
  };
  /** List the runs of a source group */
  listRuns: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request. · default "asc" */
        order?: "asc" | "desc" | undefined;
        /** Only records with this text in the status, stage or error, whatever the case; blanks around it do not count. · minLength 1, maxLength 200 */
        q?: string | undefined;
      } | undefined;
    };
    response: {
      /** Runs of this page, oldest first. */
      runs: Array<Run>;
      pagination: Pagination;
    };
  };
  /** Run a source group again */
  startRun: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body?: {
        /** Only the files that failed in the latest run. · default false */
        only_failed?: boolean | undefined;
      } | undefined;
    };
    response: Run;
  };
  /** Get a run and its progress */
  getRun: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: Run;
  };
  /** List the files that failed in a run */
  listRunErrors: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** Failed files of this page. */
      errors: Array<RunError>;
      pagination: Pagination;
    };
  };
  /** Cancel a run */
  cancelRun: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: Run;
  };
  /** List the sources that have metadata */
  listSources: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** Sources of this page. */
      sources: Array<Source>;
      pagination: Pagination;
    };
  };
  /** Get a source */
  getSource: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: GroupSource;
  };
  /** Delete a source */
  deleteSource: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: {
      /** Id of the source. · format "uuid" */
      source_id: string;
    };
  };
  /** Download the stored file of a crawled source */
  downloadSource: {
    request: {
      params: {
        /** Id of the source. · format "uuid" */
        source_id: string;
      };
      query?: {
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      } | undefined;
      headers?: {
        /** One range of bytes; several are answered with the whole file. */
        Range?: string | undefined;
        /** The ETag that the range belongs to; when it differs, the whole file is sent. */
        "If-Range"?: string | undefined;
        /** ETags that the caller has; 304 when one of them is current. */
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
      /** What happened, for a person. */
      message: string;
    };
  };
  /** Change the metadata of many sources */
  patchSourceMetadataBatch: {
    request: {
      body: {
        /** The items, in the order in which they are applied. · maxItems 50 */
        items: Array<{
          /** Id of the source. */
          source_id: string;
          /** When given, the source must belong to this group; else the item fails as if there were no source. */
          source_group_id?: string | undefined;
          metadata: MetadataItemPatch;
        }>;
      };
    };
    response: {
      /** How many items succeeded. */
      success_count: number;
      /** One for each item, in their order. */
      results: Array<{
        /** The source_id of the item. */
        id: string;
        /** Whether the item succeeded. */
        success: boolean;
        /** What the single request would have said; empty after a success. */
        error: string;
      }>;
    };
  };
  /** List tags */
  listTags: {
    request: Record<never, never>;
    response: {
      /** Names of the tags of its source group. */
      tags: Array<Tag>;
    };
  };
  /** Create a tag */
  createTag: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Unique within the tenant. · minLength 1, maxLength 200 */
        name: string;
        /** What it is for, in words of its owner. · minLength 0, maxLength 1000 */
        description?: string | undefined;
      };
    };
    response: Tag;
  };
  /** Get a tag */
  getTag: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: Tag;
  };
  /** Rename or describe a tag */
  updateTag: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      body: {
        /** Unique within the tenant. · minLength 1, maxLength 200 */
        name: string;
        /** What it is for, in words of its owner. · minLength 0, maxLength 1000 */
        description?: string | undefined;
      };
    };
    response: Tag;
  };
  /** Delete a tag */
  deleteTag: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: Tag;
  };
  /** Give a source group a tag */
  linkTag: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Id of the tag. */
        tag_id: string;
        /** Id of the source group. */
        source_group_id: string;
      };
    };
    response: TagSourceGroupLink;
  };
  /** List the links between tags and source groups */
  listTagLinks: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** Only links of this tag. An unknown tag selects nothing. */
        tag_id?: string | undefined;
        /** Only links of this source group. An unknown one selects nothing. */
        source_group_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** Links of this page. */
      tag_source_groups: Array<TagSourceGroupLink>;
      pagination: Pagination;
    };
  };
  /** Take a tag from a source group */
  unlinkTag: {
    request: {
      body: {
        /** Id of the tag. */
        tag_id: string;
        /** Id of the source group. */
        source_group_id: string;
      };
    };
    response: TagSourceGroupLink;
  };
  /** List metadata columns */
  listMetadataColumns: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** Declared metadata columns. */
      metadata_columns: Array<MetadataColumn>;
      pagination: Pagination;
    };
  };
  /** Declare a metadata column */
  declareMetadataColumn: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Key of source metadata. · minLength 1, maxLength 256 */
        key: string;
        /** `integer`: whole numbers of 64 bits. */
        type: "string" | "integer";
        /** What it is for, in words of its owner. · minLength 0, maxLength 1000, default "" */
        description?: string | undefined;
      };
    };
    response: MetadataColumn;
  };
  /** Delete a metadata column */
  deleteMetadataColumn: {
    request: {
      params: {
        /** The key. · minLength 1, maxLength 256 */
        key: string;
      };
    };
    response: MetadataColumn;
  };
  /** List the values of a metadata column */
  listMetadataColumnValues: {
    request: {
      params: {
        /** The key. · minLength 1, maxLength 256 */
        key: string;
      };
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Only values that begin with this. · minLength 0, maxLength 4096 */
        prefix?: string | undefined;
        /** Only values after this one: the last of the page before. · minLength 0, maxLength 4096 */
        after?: string | undefined;
        /** The end user on whose behalf the request is made. Ignored while authorization is off. · minLength 0, maxLength 256 */
        principal_id?: string | undefined;
        /** Name of the authorization policy; `default` when absent. Ignored while authorization is off. */
        authz_policy?: string | undefined;
      } | undefined;
    };
    response: {
      /** Values of this page. */
      values: Array<{
        /** The value. */
        value: string;
        /** Sources that have it. */
        count: number;
      }>;
      /** Whether there is a next page. */
      has_more: boolean;
    };
  };
  /** Store a secret */
  createSecret: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Its name. · minLength 1, maxLength 200 */
        name: string;
        /** What it opens: `drive` (the JSON key of a service account), `repo` (an access token), `page` (an integration token). */
        type: "drive" | "repo" | "page";
        /** The value. It is never returned; whether it works is seen by the run that uses it. · minLength 1, maxLength 5000 */
        secret: string;
        /** What it is for, in words of its owner. · minLength 0, maxLength 1000 */
        description?: string | undefined;
      };
    };
    response: Secret;
  };
  /** List secrets */
  listSecrets: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
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
        /** Its name. · minLength 1, maxLength 200 */
        name: string;
        /** A new value; absent = the current one stays. · minLength 1, maxLength 5000 */
        secret?: string | undefined;
        /** Absent = unchanged; empty = none. · minLength 0, maxLength 1000 */
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
    request: Record<never, never>;
    response: RedactionPolicy;
  };
  /** Try the redaction policy on a text */
  testRedactionPolicy: {
    request: {
      body: {
        /** The text. · minLength 1, maxLength 200000 */
        text: string;
        /** Only the rules of this step; absent = all rules. */
        apply_at?: "ingest" | "retrieval" | "llm_input" | "output" | undefined;
      };
    };
    response: {
      /** What becomes of the text; empty when it is blocked. */
      text: string;
      /** A rule with the action `block` matched: the text would be withheld as a whole. */
      blocked: boolean;
      /** From left to right, without overlaps. */
      matches: Array<{
        /** Name of the rule. */
        rule: string;
        /** Kind of the rule. */
        kind: "entity" | "regex" | "dictionary";
        /** What an entity rule found; null for other rules. */
        entity: string | null;
        /** Code point of the given text at which the match begins. */
        start: number;
        /** Code point behind the match. */
        end: number;
        /** What the rule does. */
        action: "block" | "drop" | "mask" | "hash";
      }>;
    };
  };
  /** Issue an API key */
  issueApiKey: {
    request: {
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body: {
        /** Its name. · minLength 1, maxLength 200 */
        name: string;
        /** What the key may do. · minItems 1, maxItems 8 */
        scopes: Array<"inference:run" | "knowledge:read" | "knowledge:write" | "ingestion:manage" | "authz:grant" | "policy:redaction:manage" | "apikeys:issue" | "audit:read">;
        /** Unix seconds; absent or null = does not expire. */
        expires_time?: number | null | undefined;
        /** Only these source groups; null = not limited. */
        source_group_ids?: Array<string> | null | undefined;
        /** Only source groups with one of these tags; null = not limited. */
        tag_ids?: Array<string> | null | undefined;
      };
    };
    response: IssuedApiKey;
  };
  /** List API keys */
  listApiKeys: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
    response: {
      /** API keys of this page. */
      api_keys: Array<ApiKey>;
      pagination: Pagination;
    };
  };
  /** Revoke an API key */
  revokeApiKey: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
    };
    response: ApiKey;
  };
  /** Rotate an API key */
  rotateApiKey: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      headers?: {
        /** Makes a repeated request harmless for 24 hours: the same request gets the stored answer, another body 409. · minLength 1, maxLength 255 */
        "Idempotency-Key"?: string | undefined;
      } | undefined;
      body?: {
        /** For how long the old key still works; 0 = it ends at once. · minimum 0, maximum 7776000, default 0 */
        grace_seconds?: number | undefined;
      } | undefined;
    };
    response: IssuedApiKey;
  };
  /** Read what an API key used of the chat model */
  getApiKeyUsage: {
    request: {
      params: {
        /** Id: a UUID in lower case. · format "uuid" */
        id: string;
      };
      query?: {
        /** The last days of UTC, today included. · minimum 1, maximum 400, default 30 */
        days?: number | undefined;
      } | undefined;
    };
    response: ApiKeyUsage;
  };
  /** List subjects */
  listSubjects: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** By creation: `asc` = oldest first, `desc` = newest first. A cursor continues in the order of its request. · default "asc" */
        order?: "asc" | "desc" | undefined;
      } | undefined;
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
        /** The items, in the order in which they are applied. · maxItems 50 */
        items: Array<{
          /** The end user. · minLength 1, maxLength 256 */
          principal_id: string;
          attributes: Attributes;
          /** From then on it counts as one without attributes; null or absent: never. */
          expires_time?: number | null | undefined;
        }>;
      };
    };
    response: {
      /** How many items succeeded. */
      success_count: number;
      /** One for each item, in their order. */
      results: Array<{
        /** The principal_id of the item. */
        id: string;
        /** Whether the item succeeded. */
        success: boolean;
        /** What the single request would have said; empty after a success. */
        error: string;
      }>;
    };
  };
  /** Get the attributes of a subject */
  getSubject: {
    request: {
      params: {
        /** The end user, as requests name it. · minLength 1, maxLength 256 */
        principal_id: string;
      };
    };
    response: AuthzSubject;
  };
  /** Set the attributes of a subject */
  setSubject: {
    request: {
      params: {
        /** The end user, as requests name it. · minLength 1, maxLength 256 */
        principal_id: string;
      };
      body: {
        attributes: Attributes;
        /** From then on it counts as one without attributes; null or absent: never. */
        expires_time?: number | null | undefined;
      };
    };
    response: AuthzSubject;
  };
  /** Change attributes of a subject */
  changeSubject: {
    request: {
      params: {
        /** The end user, as requests name it. · minLength 1, maxLength 256 */
        principal_id: string;
      };
      body: {
        /** Merged by name; null removes one. */
        attributes?: AttributesPatch | undefined;
        /** Absent: unchanged; null: never. */
        expires_time?: number | null | undefined;
      };
    };
    response: AuthzSubject;
  };
  /** Delete a subject */
  deleteSubject: {
    request: {
      params: {
        /** The end user, as requests name it. · minLength 1, maxLength 256 */
        principal_id: string;
      };
    };
    response: AuthzSubject;
  };
  /** List policies */
  listPolicies: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
      } | undefined;
    };
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
        /** The name that requests give as `authz_policy`; `default` is the one of requests that give none. */
        name: string;
      };
    };
    response: AuthzPolicy;
  };
  /** Make or change a policy */
  setPolicy: {
    request: {
      params: {
        /** The name that requests give as `authz_policy`; `default` is the one of requests that give none. */
        name: string;
      };
      body: AuthzPolicyGroup;
    };
    response: AuthzPolicy;
  };
  /** Delete a policy */
  deletePolicy: {
    request: {
      params: {
        /** The name that requests give as `authz_policy`; `default` is the one of requests that give none. */
        name: string;
      };
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
        /** Either this or chunk_id. */
        source_id?: string | undefined;
        /** Either this or source_id. */
        chunk_id?: string | undefined;
      };
    };
    response: {
      /** Whether it is shown. */
      allowed: boolean;
      /** JSON pointer, within the policy, to the condition that decided, or to the group where all its members did; null when there is no policy of this name. */
      matched_rule: string | null;
    };
  };
  /** List audit events */
  listAuditEvents: {
    request: {
      query?: {
        /** How many records to return. · minimum 1, maximum 100, default 20 */
        limit?: number | undefined;
        /** Fetch records after this id: the next_id of the page before. · format "uuid" */
        after_id?: string | undefined;
        /** Only what was done so. */
        action?: "create" | "change" | "delete" | "issue" | "rotate" | "revoke" | undefined;
        /** Only what was done to such things. */
        object_kind?: "api_key" | "secret" | "subject" | "authz_policy" | "redaction_policy" | "source_group" | "source" | "setting" | "conversation" | "tag" | "metadata_column" | "tenant" | "master_key" | undefined;
        /** An unknown one selects nothing. · minLength 1, maxLength 256 */
        object_id?: string | undefined;
        /** Only what this key did. An unknown key selects nothing. */
        api_key_id?: string | undefined;
        /** Unix seconds, inclusive. · minimum 0, maximum 253402300799 */
        from_time?: number | undefined;
        /** Unix seconds, inclusive. · minimum 0, maximum 253402300799 */
        to_time?: number | undefined;
      } | undefined;
    };
    response: {
      /** Oldest first. */
      audit_events: Array<AuditEvent>;
      pagination: Pagination;
    };
  };
}

export type OperationId = keyof Operations;

/** Method and path below the origin. */
export const OPERATIONS: Readonly<Record<OperationId, readonly [method: string, path: string]>> = {
  search: ['POST', '/api/v1/search'],
  getContent: ['GET', '/api/v1/contents/{id}'],
  listSourceChunks: ['GET', '/api/v1/sources/{id}/chunks'],
  getSourceText: ['GET', '/api/v1/sources/{id}/text'],
  createCompletion: ['POST', '/api/v1/completions'],
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
  cancelRun: ['POST', '/api/v1/runs/{id}/cancel'],
  listSources: ['GET', '/api/v1/sources'],
  getSource: ['GET', '/api/v1/sources/{id}'],
  deleteSource: ['DELETE', '/api/v1/sources/{id}'],
  downloadSource: ['GET', '/api/v1/sources/{source_id}/raw'],
  patchSourceMetadata: ['PUT', '/api/v1/sources/{source_id}/metadata'],
  deleteSourceMetadata: ['DELETE', '/api/v1/sources/{source_id}/metadata'],
  patchSourceMetadataBatch: ['POST', '/api/v1/sources/metadata/batch'],
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
  listAuditEvents: ['GET', '/api/v1/audit-events'],
};

/** The members of API answers that the command line reads. The whole contract is the service's /openapi.json. */

export interface LocalFileGroup {
  id: string;
  name: string;
  status: string;
  error: { title: string; message: string } | null;
}

export interface Run {
  id: string;
  status: string;
  stage: string | null;
  files_done: number;
  files_total: number;
  chunks_done: number;
  statistics: { failed: number };
  error: { title: string; message: string } | null;
}

export interface RunError {
  id: string;
  name: string;
  stage: string;
  title: string;
  message: string;
  retryable: boolean;
}

export interface Pagination {
  has_more: boolean;
  next_id: string | null;
}

export interface Citation {
  number: number;
  spans: { start: number; end: number }[];
  quote: string;
  verified: boolean;
}

/** A search result; as a citation it has `citation` too. */
export interface Content {
  id: string;
  source_id: string;
  source_group_id: string;
  name: string;
  url: string | null;
  content: string;
  pages: number[] | null;
  heading_path: string[];
  score: number;
  citation?: Citation;
}

export interface Warning {
  type: string;
  message: string;
}

export interface SearchResult {
  results: Content[];
  warnings: Warning[];
}

export interface CompletionResult {
  conversation_id: string | null;
  choices: { message: { content: string }; finish_reason: string; citations: Content[] }[];
  warnings: Warning[];
}

/** An event of the completions stream; members depend on `type`. */
export interface StreamEvent {
  type: string;
  delta?: string;
  message?: string;
  name?: string;
  value?: { citations?: Content[] };
  result?: { conversation_id: string | null; finish_reason: string; warnings: Warning[] };
}

/** Plain data that parsers make and stores keep: typed metadata, chunks, waiting sources and results, and why a file failed. */

/** Types of values that chunk metadata and origin metadata carry on the wire. */
export type MetadataType = 'string' | 'integer' | 'float' | 'date' | 'datetime';

/** `val` is always text on the wire; `type` says how to read it. */
export interface TypedValue {
  val: string;
  type: MetadataType;
  /** Only in stored origin records: true if the connector reported the record, not the file itself. Policies check this. */
  trusted?: boolean;
}

export type TypedMetadata = Record<string, TypedValue>;

export interface ChunkMetadataKey {
  key: string;
  type: MetadataType;
}

export interface ChunkDraft {
  ordinal: number;
  /** Code points in the file's text, half-open: exactly `content`. */
  startOffset: number;
  endOffset: number;
  /** First and last line of the file, counted from 1; null if the lines of the text are not those of the file. */
  startLine: number | null;
  endLine: number | null;
  content: string;
  /** Repeated table header, links (text/link-line.ts): indexed, given to the model, never shown as content. */
  context: string | null;
  headingPath: string[];
  /** All pages that the chunk touches, ascending. */
  pages: number[] | null;
  metadata: TypedMetadata;
  /** Analyzer terms of title + heading path + context + content, joined by blanks. */
  terms: string;
}

/** Where a file is at its origin: tells files with one name apart. */
export interface FilePlace {
  path: string | null;
  url: string | null;
}

/** The reason why a file failed. People see `title` and `message`. */
export interface FileFailure {
  stage: 'list' | 'fetch' | 'detect' | 'parse' | 'chunk' | 'store';
  title: string;
  message: string;
  /** True if the same bytes may succeed later (worker crash, memory pressure); false if the file itself is at fault. */
  retryable: boolean;
  /** True if the file was read completely and contains nothing that a search could find. */
  isEmpty?: boolean;
  /** True if the stored bytes do not exist. */
  isMissing?: boolean;
}

/** A table in the text of a source. Its cells are read from the text, so each cell stands where the text has it. */
export interface TablePlace {
  /** `grid`: lines of cells between bars. `records`: lines of `key: value` under each other. */
  form: 'grid' | 'records';
  /** True if the table is built with its source, false if it is built on request. */
  automatic: boolean;
  /** Code points in the text of the source, half-open. */
  start: number;
  end: number;
  sheet?: string;
  /** Cells of the sheet, such as `A3:F20`. */
  range?: string;
  /** Number of the sheet's row that holds the first row of the table in the text, or the last of several header rows; from 1. */
  firstSheetRow?: number;
  page?: number;
  headingPath?: string[];
  /** Lines above the table that are its title. */
  caption?: string;
  /** True if the file has further rows of the table, which are not in the text. */
  rest?: true;
}

/** A source that a run has to process. */
export interface PendingSource {
  id: string;
  name: string;
  fileSize: number;
  blobHash: string;
  /** The generation of the source; for a new version, the next one. */
  generation: number;
  /** True for a new version; the old version stays served meanwhile. */
  isUpdate: boolean;
  /** How often a worker began to read the source in this run, including this time. */
  attempts: number;
  createdAt: Date;
  /** The source of the file that contained this file. */
  parentSourceId: string | null;
  memberDepth: number;
  /** The path by which files of its group include it; null if the group has no paths. */
  groupPath: string | null;
  /** The path whose folders the source is found by; null if it has none. */
  folderPath: string | null;
  /** The address of the item at its origin. */
  url: string | null;
  /** The character encoding that the origin reported. */
  charset: string | null;
}

/** The result of reading one source, as the source row stores it. */
export interface SourceResult {
  id: string;
  status: 'ready' | 'failed';
  /** Null keeps the type that the upload guessed. */
  fileType: string | null;
  language: string | null;
  textLength: number;
  chunkCount: number;
  chunkMetadatasCount: number;
  chunkMetadataBytes: number;
  originMetadata: TypedMetadata;
  /** When the content was made, if the file says so better than the date of the file; else null. */
  contentAt: Date | null;
  warnings: string[];
  tables: readonly TablePlace[];
  /** Path -> hash of the bytes there, or null: the files that the source includes. Null: the source includes nothing. */
  includes: Record<string, string | null> | null;
  /** Names the ingest rules under which the source was read; empty without rules. */
  redactedBy: string;
}

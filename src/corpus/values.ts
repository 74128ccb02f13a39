/** Plain data that parsers make and stores keep: typed metadata, chunks, and the reason why a file failed. */

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

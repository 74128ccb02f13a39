/** Plain data that stores keep and that parsers make: typed metadata, chunks, and why a file failed. */
/** Types of values that chunk metadata and origin metadata carry on the wire. */
export type MetadataType = 'string' | 'integer' | 'float' | 'date' | 'datetime';

/** `val` is always text on the wire; `type` says how to read it. */
export interface TypedValue {
  val: string;
  type: MetadataType;
  /** Only of what is stored: an origin record that comes from a connector, not from the document itself (policies ask). */
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
  /** All pages the chunk touches, ascending. */
  pages: number[] | null;
  metadata: TypedMetadata;
  /** Analyzer terms of title + heading path + context + content, joined by blanks. */
  terms: string;
}

/** Why one file failed. `title` and `message` are shown to people. */
export interface FileFailure {
  stage: 'list' | 'fetch' | 'detect' | 'parse' | 'chunk' | 'store';
  title: string;
  message: string;
  /** True when the same bytes may succeed later (worker crash, memory pressure), false when the file itself is at fault. */
  retryable: boolean;
  /** The file was read to its end and holds nothing that could be found. */
  isEmpty?: boolean;
}

/** What parsing and chunking hand on: plain data, passed between processes as JSON. */

import type { ChunkDraft, ChunkMetadataKey, FileFailure, TypedMetadata } from '../corpus/values.ts';
import type { IngestRules } from '../redaction/redactors.ts';
import type { Link } from '../text/link-line.ts';
import type { ToolName } from './tools.ts';

export type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'quote' | 'record';

/** A link; `at` is the UTF-16 index where it stands. */
export interface BlockLink extends Link {
  at: number;
}

/** A stretch of `ParsedFile.text`. Offsets are UTF-16 indices there (the chunker turns them into code points), half-open, ascending, not overlapping. */
export interface Block {
  kind: BlockKind;
  start: number;
  end: number;
  /** 1-based, first and last page; absent for unpaged formats. */
  pages?: [number, number];
  /** heading: 1..6. */
  level?: number;
  /** heading: its words, where `text` has them with marks or signs of its format. */
  title?: string;
  /** The term that this block defines, or a part of what defines it. */
  term?: string;
  /** Headings above this block when the parser knows better than the heading blocks do. */
  headingPath?: string[];
  /** table: the header line, given as context to the parts behind the first when the table is split. record: context of the whole record. */
  tableHeader?: string;
  /** table, and records that share a block: UTF-16 starts of the rows in `text`, where it may be split. */
  rowStarts?: number[];
  /** record: typed chunk metadata of this record (only the declared keys). */
  metadata?: TypedMetadata;
  /** In the order of their places; their addresses need not be in the text. */
  links?: BlockLink[];
}

/** A file inside another, unpacked when it is asked for. */
export interface FileMember {
  /** As the file says it: it is made a name for people when it is handed on. */
  name: string;
  bytes(): Uint8Array;
}

export interface ParsedFile {
  /** As filters name it. */
  fileType: string;
  /** Well-formed Unicode without U+0000, line feeds only. Markdown where the format has structure, plain text where not. */
  text: string;
  blocks: Block[];
  title?: string;
  /** Origin records: title, author, created, language, … */
  metadata: TypedMetadata;
  /** Whole-file chunk metadata (front matter, `<meta name>`), applied to every chunk. */
  chunkMetadata?: TypedMetadata;
  /** For people, e.g. "3 values of column price are not numbers". */
  warnings: string[];
  /** Files inside that become sources of their own. */
  members?: Iterable<FileMember>;
  /** Texts of the file that were left out: navigation of pages. */
  leftOut?: string[];
}

/** A file after parse, chunk and analyze: everything the database needs. */
export interface ProcessedFile {
  fileType: string;
  text: string;
  textLength: number;
  language: string | null;
  metadata: TypedMetadata;
  chunks: ChunkDraft[];
  warnings: string[];
  /** Only for those who asked to see it. */
  seen?: { title: string | undefined; blocks: Block[]; leftOut: string[] };
}

export type ProcessOutcome = { ok: true; file: ProcessedFile } | { ok: false; failure: FileFailure };

export interface ProcessRequest {
  /** Path of the blob on this machine. */
  path: string;
  /** The file's name as uploaded: used for type hints and titles only, never as a path. */
  name: string;
  size: number;
  chunkMetadataKeys: ChunkMetadataKey[];
  /** Where it was found: relative links begin there. */
  url?: string;
  /** The encoding that its server named. */
  charset?: string;
  /** How many archives it was inside; absent for a file that was uploaded itself. */
  depth?: number;
  /** Programs that parsers may ask for; set by the pool. */
  tools?: readonly ToolName[];
  /** Rules of a redaction policy: what they replace leaves the process replaced. */
  redaction?: IngestRules;
  /** The outcome also holds the blocks. */
  inspect?: boolean;
}

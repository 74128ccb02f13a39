/** Results of parsing and chunking: plain data, passed between processes as JSON. */

import type { ChunkDraft, ChunkMetadataKey, FileFailure, TablePlace, TypedMetadata } from '../corpus/values.ts';
import type { IngestRules } from '../redaction/redactors.ts';
import type { Link } from '../text/link-line.ts';
import type { PageAnswer, PageTask } from './page-task.ts';
import type { ToolName } from './tools.ts';

export type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'quote' | 'record';

export interface BlockLink extends Link {
  /** UTF-16 index of the link in `ParsedFile.text`. */
  at: number;
}

/**
 * A part of `ParsedFile.text`. Offsets are UTF-16 indices of that text, half-open. Blocks ascend and do not overlap. The
 * chunker turns the offsets into code points.
 */
export interface Block {
  kind: BlockKind;
  start: number;
  end: number;
  /** First and last page, counted from 1; absent for formats without pages. */
  pages?: [number, number];
  /** The line of the file on which this block begins, counted from 1; absent if the lines of the block are not those of the file. */
  line?: number;
  /** Of a heading: 1 to 6. */
  level?: number;
  /** Of a heading: its words without the marks or signs of the format that `text` contains. */
  title?: string;
  /** The term that this block, or the definition that this block belongs to, defines. */
  term?: string;
  /** Of code: the names of the definitions that begin in this block. */
  names?: string[];
  /** The headings above this block, if the heading blocks do not say it correctly. */
  headingPath?: string[];
  /** Of a table: the header line, or "", which is the context of each part after the first. Of a record: its context, or "". */
  tableHeader?: string;
  /** Of a table, and of records in one block: starts of the rows as UTF-16 indices. The block may be cut there. */
  rowStarts?: number[];
  /** Of the first block of a region of a sheet: where the sheet has it. */
  region?: Pick<TablePlace, 'sheet' | 'range' | 'firstSheetRow' | 'caption'>;
  /** Of a record: its typed chunk metadata, with declared keys only. */
  metadata?: TypedMetadata;
  /** Links in the order of their places. The text need not contain their addresses. */
  links?: BlockLink[];
}

/** A file inside another file. */
export interface FileMember {
  /** The name as the outer file has it; `memberName` makes it fit for people. */
  name: string;
  /** Unpacks the member. */
  bytes(): Uint8Array;
}

export interface ParsedFile {
  /** The type as filters name it. */
  fileType: string;
  /** Well-formed Unicode without U+0000, with line feeds only. Markdown if the format has structure, else plain text. */
  text: string;
  blocks: Block[];
  title?: string;
  /** Metadata from the file itself: title, author, created, language, … */
  metadata: TypedMetadata;
  /** Metadata of the whole file (front matter, `<meta name>`) that every chunk gets. */
  chunkMetadata?: TypedMetadata;
  /** Messages for people, such as "3 values of column price are not numbers". */
  warnings: string[];
  /**
   * Lines that name the file, such as the sender, date and subject of a mail: context of every chunk but the first, which has them. The
   * chunker leaves long lines out.
   */
  continuation?: string;
  /** Files inside this file that become sources of their own. */
  members?: Iterable<FileMember>;
  /** Lines of further rows of the last table, in pieces. They are not searched. */
  rest?: Iterable<string>;
  /** Texts of the file that were left out, such as the navigation of a page. */
  leftOut?: string[];
  /** True for a page that only leads to another page. It has no blocks, and is no failure. */
  leadsAway?: boolean;
}

/** Which blocks of a file are asked for, counted from 0. */
export interface BlockTask {
  start: number;
  limit: number;
}

/** A block for readers. Offsets are code points, as in chunks. */
export interface PlacedBlock extends Pick<Block, 'kind' | 'level' | 'pages'> {
  start: number;
  end: number;
  /** Of a heading: its words. */
  title?: string;
  /** Of a record: the line of the header above it. */
  header?: string;
  sheet?: string | undefined;
  range?: string | undefined;
}

export interface BlockPart {
  /** Number of all blocks of the file. */
  total: number;
  /** Code points of the whole text. */
  textLength: number;
  /** The text from the first block to the last, or its beginning if it is very long. */
  text: string;
  blocks: PlacedBlock[];
}

/** A parsed, chunked and analyzed file: everything that the database needs. */
export interface ProcessedFile {
  fileType: string;
  text: string;
  textLength: number;
  language: string | null;
  metadata: TypedMetadata;
  chunks: ChunkDraft[];
  tables: TablePlace[];
  warnings: string[];
  /** Present if the request has `inspect`. */
  inspected?: { title: string | undefined; blocks: Block[]; blocksTotal: number; leftOut: string[] };
  /** Present if the request has `pages`; the file has nothing else then. */
  pages?: PageAnswer;
  /** Present if the request has `blocks`; the file has nothing else then. */
  blocks?: BlockPart;
}

export type ProcessOutcome = { ok: true; file: ProcessedFile } | { ok: false; failure: FileFailure };

/** Maximum size of any file. Some formats have lower limits. */
export const FILE_BYTES_MAX = 500 * 1024 * 1024;

export interface ProcessRequest extends FileRequest {
  /** Path of the blob on this machine. */
  path: string;
}

/** What a child process learns of a file besides its bytes. */
export interface FileRequest {
  /** The uploaded file's name. Used for type hints and titles only, never as a path. */
  name: string;
  size: number;
  chunkMetadataKeys: ChunkMetadataKey[];
  /** Path of the file in its source group, the base of the files that it includes. Absent if the group has no paths. */
  groupPath?: string;
  /** Path whose folders the file is found by. Absent if it has none. */
  folderPath?: string;
  /** Address of the file, the base of its relative links. */
  url?: string;
  /** The encoding that the server of the file named. */
  charset?: string;
  /** Number of archives around the file; absent for an uploaded file. */
  depth?: number;
  /** Programs that parsers may call; set by the pool. */
  tools?: readonly ToolName[];
  /** Rules of a redaction policy. The child process applies them before it sends any text. */
  redaction?: IngestRules;
  /** How many blocks and left-out texts `inspected` should have at most. Absent: the outcome has no `inspected`. */
  inspect?: number;
  /** Asks about the pages of the file instead of processing it. */
  pages?: PageTask;
  /** Asks for blocks of the file instead of processing it. Ingest rules apply. */
  blocks?: BlockTask;
  /** Asks for the rest of the file instead of processing it: each piece goes to the sink of members. */
  rest?: true;
}

/** Converts a processed file to database rows. Pure. */

import type { StagedBlob } from '../../blobs/blob-store.ts';
import type { NewChunk } from '../../corpus/chunk-writer.ts';
import type { NewRunError } from '../../corpus/run-store.ts';
import type { TextSegment } from '../../corpus/sources/text-store.ts';
import type { FileFailure, SourceResult, TypedMetadata } from '../../corpus/values.ts';
import type { ProcessedFile, ProcessOutcome } from '../../files/parsed.ts';
import { derivedId } from '../../util/ids.ts';
import type { ClaimedSource } from './claimed-source.ts';

/** A text is stored in segments of this size, so that a range can be read without the rest. */
export const SEGMENT_CODE_POINTS = 16_384;

/** A file found inside another, on its way into the blob store. */
export interface StagedMember {
  name: string;
  staged: StagedBlob;
}

/** All rows that one source writes into the database. */
export interface SourceRows {
  source: ClaimedSource;
  result: SourceResult;
  chunks: NewChunk[];
  texts: TextSegment[];
  error: Omit<NewRunError, 'id'> | null;
  /** Files inside this file, which become sources in the same transaction. */
  members: readonly StagedMember[];
  /** Characters of content, terms and text that a transaction has to carry. */
  weight: number;
  /** Milliseconds in the parser process, with all tries of this attempt. */
  readMs?: number;
}

/** Returns the rows of a processed or failed file. */
export function toRows(
  source: ClaimedSource,
  outcome: ProcessOutcome,
  members: readonly StagedMember[] = [],
  includes: ReadonlyMap<string, string | null> = new Map(),
): SourceRows {
  if (outcome.ok) return processedRows(source, outcome.file, members, includes);
  const { failure } = outcome;
  return source.isUpdate && failure.isEmpty ? emptiedRows(source, failure) : failedRows(source, failure);
}

/**
 * Returns the rows of a served file that is empty now. The new version replaces the old one: otherwise search would find the
 * old words for ever.
 */
function emptiedRows(source: ClaimedSource, failure: FileFailure): SourceRows {
  const { result, ...rows } = failedRows(source, failure);
  return { ...rows, error: null, result: { ...result, status: 'ready', warnings: [failure.message] } };
}

/** Returns the rows of a failed source: no chunks, and the error that its run shows. */
export function failedRows(source: ClaimedSource, failure: FileFailure): SourceRows {
  const result: SourceResult = {
    id: source.id,
    status: 'failed',
    fileType: null,
    language: null,
    textLength: 0,
    chunkCount: 0,
    chunkMetadatasCount: 0,
    chunkMetadataBytes: 0,
    originMetadata: parentRecord(source),
    contentAt: null,
    warnings: [],
    tables: [],
    includes: null,
    redactedBy: source.ingestRules?.mark ?? '',
  };
  const error = { ...failure, sourceId: source.id, name: source.name };
  return { source, result, chunks: [], texts: [], error, members: [], weight: 0 };
}

function processedRows(
  source: ClaimedSource,
  file: ProcessedFile,
  members: readonly StagedMember[],
  includes: ReadonlyMap<string, string | null>,
): SourceRows {
  // The same source, generation and ordinal give the same id, so a job that runs twice writes the same rows.
  const chunks = file.chunks.map((chunk) => ({
    ...chunk,
    id: derivedId(source.createdAt.getTime(), source.id, source.generation, chunk.ordinal),
    sourceId: source.id,
    generation: source.generation,
  }));
  const withMetadata = chunks.filter((chunk) => Object.keys(chunk.metadata).length > 0);
  const result: SourceResult = {
    id: source.id,
    status: 'ready',
    fileType: file.fileType,
    language: file.language,
    textLength: file.textLength,
    chunkCount: chunks.length,
    chunkMetadatasCount: withMetadata.length,
    chunkMetadataBytes: withMetadata.reduce((sum, chunk) => sum + metadataBytes(chunk.metadata), 0),
    originMetadata: { ...file.metadata, ...parentRecord(source) },
    contentAt: sentAt(file),
    warnings: file.warnings,
    tables: file.tables,
    includes: includes.size > 0 ? Object.fromEntries(includes) : null,
    redactedBy: source.ingestRules?.mark ?? '',
  };
  const weight = chunks.reduce((sum, chunk) => sum + chunk.content.length + chunk.terms.length, file.text.length);
  return { source, result, chunks, texts: textSegments(source, file.text), error: null, members, weight };
}

/**
 * Returns the date of a mail, or of the newest message of a chat, which the file seldom has. Ingest rules may have changed or removed it.
 * Other JSON has no `modified`.
 */
function sentAt({ fileType, metadata }: ProcessedFile): Date | null {
  const sent = fileType === 'eml' ? metadata['created'] : fileType === 'json' ? metadata['modified'] : undefined;
  const time = Date.parse(sent?.val ?? '');
  return time >= 0 ? new Date(time) : null;
}

/** Bytes of a record besides its key and its value. */
const RECORD_BYTES = 32;

function metadataBytes(metadata: TypedMetadata): number {
  let bytes = 0;
  for (const [key, { val }] of Object.entries(metadata)) bytes += key.length + Buffer.byteLength(val) + RECORD_BYTES;
  return bytes;
}

/** Returns the metadata by which filters and people find the files of an archive or mail. */
function parentRecord({ parentSourceId }: ClaimedSource): TypedMetadata {
  return parentSourceId === null ? {} : { parent_source_id: { val: parentSourceId, type: 'string' } };
}

/** Splits a text into segments of SEGMENT_CODE_POINTS, never within a surrogate pair. */
export function textSegments(
  { id: sourceId, generation }: Pick<ClaimedSource, 'id' | 'generation'>,
  text: string,
): TextSegment[] {
  const segments: TextSegment[] = [];
  let start = 0;
  let startOffset = 0;
  while (start < text.length) {
    let end = start;
    let count = 0;
    while (end < text.length && count < SEGMENT_CODE_POINTS) {
      end += text.codePointAt(end)! > 0xffff ? 2 : 1;
      count += 1;
    }
    segments.push({
      sourceId,
      generation,
      startOffset,
      endOffset: startOffset + count,
      content: text.slice(start, end),
    });
    start = end;
    startOffset += count;
  }
  return segments;
}

/** Content: the wire record of a chunk, in search results, content lookup and citations. */
import { z } from 'zod';
import type { Hit, Neighbour } from '../../retrieval/types.ts';
import {
  fileTypeSchema,
  idSchema,
  metadataSchema,
  sourceGroupIdSchema,
  sourceIdSchema,
  timeSchema,
} from '../schemas.ts';
import { toRecords } from './source-record.ts';
import { toRecord } from './wire-record.ts';

/** Schemas of the members of Content. SearchHit and CitedContent have the same members and more. */
export const contentShape = {
  id: idSchema.describe('Id of the chunk.'),
  source_id: sourceIdSchema,
  source_group_id: sourceGroupIdSchema,
  source_group_name: z.string().describe('Name of the source group; empty if a redaction rule blocks it.'),
  source_type: z.string().describe('Type of the source: `local_file`, `drive`, `page`, `repo`, `web` or `database`.'),
  file_type: fileTypeSchema,
  name: z.string().describe('Name of the source.'),
  path: z
    .string()
    .nullable()
    .describe(
      'Path of the source: of an uploaded file within its group, or of a file within its repository. For a file inside a file: the path ' +
        'of that file, or its name if it has none, ` › `, and the own name, as in `mails/tour.eml › map.pdf`. Null for other sources, ' +
        'such as web pages, and if the policy hides a file around the source.',
    ),
  url: z.string().nullable().describe('Address of the source at its origin; null for uploaded files.'),
  content: z.string().describe('Text of the chunk.'),
  chunk_index: z
    .int()
    .nullable()
    .describe(
      'Position of the chunk in its source, counted from 0. Null, like the offsets, if the policy decides about single chunks: gaps ' +
        'would show which chunks it hides.',
    ),
  start_offset: z
    .int()
    .nullable()
    .describe('Code points in the extracted text; `content` is exactly start_offset to end_offset.'),
  end_offset: z
    .int()
    .nullable()
    .describe('Offset behind the last code point of the chunk, in the extracted text of the source.'),
  start_line: z
    .int()
    .nullable()
    .describe(
      'First line of the chunk in the file, counted from 1. Null, like end_line, if the text has other lines than the file (PDF, HTML), ' +
        'if the file was read by an older version, and where chunk_index is null.',
    ),
  end_line: z.int().nullable().describe('Last line of the chunk in the file.'),
  pages: z
    .array(z.int())
    .nullable()
    .describe('Numbers of the pages on which the chunk stands; null for files without pages.'),
  heading_path: z.array(z.string()).describe('Headings above the chunk, outermost first.'),
  score: z
    .number()
    .describe(
      'Higher is better; comparable within one answer only. For a key with limits, and while authorization is on: 1 / rank.',
    ),
  scores: z
    .object({
      lexical: z
        .number()
        .nullable()
        .describe(
          'Score of the lexical search (BM25); null when it did not find the chunk, for a key with limits, and while authorization is on.',
        ),
      semantic: z.number().nullable().describe('Score of the semantic search; null when it did not find the chunk.'),
      rerank: z.number().nullable().describe('Score of the rerank model; null when it did not score the chunk.'),
    })
    .describe('Score of each stage of the search.'),
  metadata: metadataSchema,
  chunk_metadata: metadataSchema,
  tags: z.array(z.string()).describe('Names of the tags of the source group.'),
  content_time: timeSchema,
};

export const contentSchema = z.object(contentShape).meta({ id: 'Content' });
export type Content = z.output<typeof contentSchema>;

const { id, chunk_index, content, start_offset, end_offset, start_line, end_line } = contentShape;
export const neighbourSchema = z
  .object({ id, chunk_index, content, start_offset, end_offset, start_line, end_line })
  .meta({ id: 'Neighbour' });

/**
 * Returns a hit for a caller who may not see the whole tenant: its scores tell nothing but its rank. Scores of the lexical search are
 * made of the frequencies of words in all chunks of the tenant.
 *
 * @param rank counted from 1.
 */
export function withoutStatistics<T extends Pick<Hit, 'score' | 'scores'>>(hit: T, rank: number): T {
  return { ...hit, score: 1 / rank, scores: { ...hit.scores, lexical: null } };
}

/** Returns the wire record of a hit. */
export function toContent(hit: Hit): Content {
  const { metadata, chunkMetadata } = hit;
  return toRecord(contentSchema, hit, { metadata: toRecords(metadata), chunk_metadata: toRecords(chunkMetadata) });
}

/** Returns the wire record of a search result: a hit with its neighbours, if the search asked for them. */
export function toSearchResult(hit: Hit) {
  const content = toContent(hit);
  if (!hit.neighbours) return content;
  const { before, after } = hit.neighbours;
  const toNeighbour = (neighbour: Neighbour) => toRecord(neighbourSchema, neighbour);
  return { ...content, context: { before: before.map(toNeighbour), after: after.map(toNeighbour) } };
}

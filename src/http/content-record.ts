/** Content: the wire record of a chunk, in search results, content lookup and citations. */
import { z } from 'zod';
import type { TypedMetadata } from '../corpus/values.ts';
import type { Hit } from '../retrieval/types.ts';
import { unixSeconds } from '../util/time.ts';
import { idSchema, metadataSchema, timeSchema } from './schemas.ts';

/** Members of Content, to extend. */
export const contentShape = {
  id: idSchema.describe('Id of the chunk.'),
  source_id: idSchema,
  source_group_id: idSchema,
  source_type: z.string(),
  file_type: z.string(),
  name: z.string().describe('Name of the source.'),
  url: z.string().nullable(),
  content: z.string(),
  chunk_index: z.int().describe('Place of the chunk in its source, from 0.'),
  start_offset: z.int().describe('Code points in the extracted text; `content` is exactly start_offset to end_offset.'),
  end_offset: z.int(),
  pages: z.array(z.int()).nullable(),
  heading_path: z.array(z.string()),
  score: z.number().describe('Higher is better; comparable within one answer only.'),
  scores: z.object({
    lexical: z.number().nullable(),
    semantic: z.number().nullable(),
    rerank: z.number().nullable(),
  }),
  metadata: metadataSchema,
  chunk_metadata: metadataSchema,
  tags: z.array(z.string()),
  content_time: timeSchema,
};

export const contentSchema = z.object(contentShape).meta({ id: 'Content' });
export type Content = z.output<typeof contentSchema>;

export function toContent(hit: Hit): Content {
  return {
    id: hit.id,
    source_id: hit.sourceId,
    source_group_id: hit.sourceGroupId,
    source_type: hit.sourceType,
    file_type: hit.fileType,
    name: hit.name,
    url: hit.url,
    content: hit.content,
    chunk_index: hit.chunkIndex,
    start_offset: hit.startOffset,
    end_offset: hit.endOffset,
    pages: hit.pages,
    heading_path: hit.headingPath,
    score: hit.score,
    scores: hit.scores,
    metadata: toRecords(hit.metadata),
    chunk_metadata: toRecords(hit.chunkMetadata),
    tags: hit.tags,
    content_time: unixSeconds(hit.contentAt),
  };
}

function toRecords(metadata: TypedMetadata): z.input<typeof metadataSchema> {
  const records = Object.entries(metadata).map(([key, { val, type }]) => ({ key, val, type }));
  return { records: records.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

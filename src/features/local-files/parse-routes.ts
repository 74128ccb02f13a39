/** The route that previews a file. */

import { z } from 'zod';
import { boundaryOf, readPieces } from '../../http/body/multipart.ts';
import type { Deps } from '../../http/deps.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { truncated } from '../../util/code-points.ts';
import { BLOCKS_MAX, openPreviews, PARSE_BYTES_MAX, type Preview } from './parse-file.ts';

/** An answer has at most this many blocks and chunks, and this many characters in each of them. */
const CHUNKS_MAX = 200;
const PIECE_LENGTH_MAX = 4_000;

const place = {
  start_offset: z.int().describe('Position in the text of the file, in code points.'),
  end_offset: z.int().describe('Position behind the last code point.'),
  pages: z.array(z.int()).nullable().describe('Numbers of the pages; null if the type has none.'),
  content: z.string().describe(`The text, at most ${PIECE_LENGTH_MAX} characters of it.`),
};

const blockSchema = z.object({
  kind: z.string().describe('Kind of the block, such as `heading`, `paragraph` or `table`.'),
  level: z.int().nullable().describe('Level of a heading; null for others.'),
  ...place,
});

const chunkSchema = z.object({
  chunk_index: z.int().describe('Position of the chunk in the file.'),
  heading_path: z.array(z.string()).describe('Headings above the chunk.'),
  ...place,
});

const previewSchema = z
  .object({
    name: z.string().describe('Name of the file.'),
    size: z.int().describe('Bytes of the file.'),
    file_type: z.string().nullable().describe('Type of the file; null if it could not be read.'),
    title: z.string().nullable().describe('Title that the file has.'),
    language: z.string().nullable().describe('Language of the text.'),
    warnings: z.array(z.string()).describe('What was left out, in words for a person.'),
    blocks: z.array(blockSchema).describe(`The first blocks, at most ${BLOCKS_MAX}.`),
    blocks_total: z.int().describe('Number of all blocks.'),
    chunks: z.array(chunkSchema).describe(`The first chunks, at most ${CHUNKS_MAX}.`),
    chunks_total: z.int().describe('Number of all chunks.'),
    problem: z
      .object({
        title: z.string().describe('What failed, in a few words.'),
        message: z.string().describe('What went wrong, in words for a person.'),
        retryable: z.boolean().describe('Whether the same file may succeed later.'),
      })
      .nullable()
      .describe('Why the file cannot be read; null if it can.'),
  })
  .meta({ id: 'FilePreview' });

export function parseRoutes(deps: Deps): Route[] {
  const preview = openPreviews(deps);
  return [
    routesOf('Local file groups')({
      method: 'POST',
      path: '/parse',
      scopes: ['ingestion:manage'],
      operation: {
        id: 'parseFile',
        summary: 'Show what would be read from a file',
        description:
          'Reads one file as an upload would, in the same child processes and with the ingest rules of the redaction policy, and stores ' +
          `nothing. The body has at most ${PARSE_BYTES_MAX.toLocaleString('en')} bytes. A file that cannot be read is no error of the ` +
          'request: `problem` says what is wrong. Files inside an archive are not shown. A tenant may preview one file at a time.',
      },
      multipart: {
        schema: {
          type: 'object',
          required: ['file'],
          additionalProperties: false,
          properties: {
            file: {
              type: 'string',
              format: 'binary',
              contentMediaType: 'application/octet-stream',
              description: 'The file, with its name.',
            },
          },
        },
        bytesMax: PARSE_BYTES_MAX,
      },
      response: { status: 200, schema: previewSchema },
      async handler({ caller, signal, raw }) {
        const boundary = boundaryOf(raw.headers['content-type']);
        const body = readPieces(raw.raw, PARSE_BYTES_MAX, signal);
        return toWire(await preview(caller.tenantId, { body, boundary, signal }));
      },
    }),
  ];
}

function toWire({ name, size, seen }: Preview): z.input<typeof previewSchema> {
  if (!seen.ok) {
    const { title, message, retryable } = seen.failure;
    const nothing = { file_type: null, title: null, language: null, warnings: [] };
    const empty = { blocks: [], blocks_total: 0, chunks: [], chunks_total: 0 };
    return { name, size, ...nothing, ...empty, problem: { title, message, retryable } };
  }
  const { file, blocks, blocksTotal } = seen;
  return {
    name,
    size,
    file_type: file.fileType,
    title: seen.title ?? null,
    language: file.language,
    warnings: file.warnings,
    blocks: blocks.map((block) =>
      toRecord(blockSchema, block, { level: block.level ?? null, content: truncated(block.content, PIECE_LENGTH_MAX) }),
    ),
    blocks_total: blocksTotal,
    chunks: file.chunks
      .slice(0, CHUNKS_MAX)
      .map(({ ordinal, content, ...chunk }) =>
        toRecord(chunkSchema, chunk, { chunk_index: ordinal, content: truncated(content, PIECE_LENGTH_MAX) }),
      ),
    chunks_total: file.chunks.length,
    problem: null,
  };
}

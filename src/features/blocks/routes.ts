/** The route for the blocks of a source. */
import { z } from 'zod';
import { etagOf } from '../../http/body/precondition.ts';
import type { Deps } from '../../http/deps.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idParams, principalShape, queryInteger, sourceIdSchema } from '../../http/schemas.ts';
import { openGate } from '../../util/pool.ts';
import { CONTENT_LENGTH_MAX, openFile, ROWS_MAX, readBlocks, type SeenBlock } from './blocks.ts';

/** Files that are parsed for readers at the same time. Further requests wait. */
const PARSED_AT_ONCE = 2;
const LIMIT_DEFAULT = 200;
const LIMIT_MAX = 1_000;
/** A file of short lines has a million blocks. */
const INDEX_MAX = 100_000_000;

const HIDDEN = 'null if a redaction rule changes words of the block';

const rowSchema = z.object({
  start_offset: z.int().describe('Offset of the first code point of the row, in the extracted text.'),
  end_offset: z.int().describe('Offset behind the last code point of the row.'),
  cells: z.array(z.string()).describe('Texts of the cells.'),
});

const blockSchema = z
  .object({
    block_index: z.int().describe('Position of the block in the file, from 0.'),
    kind: z
      .enum(['heading', 'paragraph', 'list', 'table', 'code', 'quote', 'record'])
      .describe('Kind of the block. A record is a row of a table that is searched on its own.'),
    level: z.int().nullable().describe('Level of a heading, 1 to 6; null for others.'),
    title: z.string().nullable().describe('Words of a heading without marks; null for others.'),
    start_offset: z
      .int()
      .nullable()
      .describe(`Offset of the first code point of the block, in the extracted text; ${HIDDEN}.`),
    end_offset: z.int().nullable().describe(`Offset behind the last code point; ${HIDDEN}.`),
    pages: z.array(z.int()).nullable().describe('Numbers of the pages; null if the type has none.'),
    content: z.string().describe(`The text of the block, at most ${CONTENT_LENGTH_MAX} characters of it.`),
    header: z
      .array(z.string())
      .nullable()
      .describe('Of a record: cells of the header that it stands under. Null for others.'),
    rows: z
      .array(rowSchema)
      .nullable()
      .describe(
        `Rows of a table, the header first, or the row of a record; at most ${ROWS_MAX}. Null for others, for tables that are not ` +
          'written in lines of cells, and if a redaction rule changes words of the block.',
      ),
    sheet: z.string().nullable().describe('Name of the sheet, for the first block of a table of a workbook.'),
    range: z.string().nullable().describe('Cells of the table in its sheet, such as `A3:F20`.'),
  })
  .meta({ id: 'Block' });

export function blockRoutes(deps: Deps): Route[] {
  const gate = openGate(PARSED_AT_ONCE);
  return [
    routesOf('Content lookup')({
      method: 'GET',
      path: '/sources/{id}/blocks',
      scopes: ['knowledge:read'],
      operation: {
        id: 'listBlocks',
        summary: 'List the blocks of a source',
        description:
          'Returns headings, paragraphs, lists, tables and records in the order of the text, with the rows and cells of tables. The ' +
          'stored file is parsed for this, so an answer may take as long as the ingestion of the file. An answer has fewer blocks than ' +
          '`limit` if they are long. While authorization is on, the blocks are available only if the principal may see the whole source. ' +
          '404 also if a redaction rule blocks a part of the text. 409 until the file was read again: after a change of the redaction ' +
          'rules of ingest, and if the file is read otherwise today than when it was ingested.',
      },
      params: idParams,
      query: z.strictObject({
        start_index: queryInteger(0, INDEX_MAX)
          .default(0)
          .describe('The first block to return: the next_index of the answer before.'),
        limit: queryInteger(1, LIMIT_MAX).default(LIMIT_DEFAULT).describe('How many blocks to return.'),
        ...principalShape,
      }),
      response: {
        status: 200,
        schema: z.object({
          source_id: sourceIdSchema,
          blocks: z.array(blockSchema).describe('The blocks, in the order of the text.'),
          blocks_total: z.int().describe('Number of all blocks of the source.'),
          next_index: z.int().nullable().describe('The start_index of the next blocks; null at the end.'),
        }),
      },
      revalidated: true,
      errors: [409],
      async handler({ params, query, caller, signal, raw, reply }) {
        const { start_index: start, limit } = query;
        const readable = await openFile(deps, caller, params.id, query);
        // What rules hide can change at any time, so only blocks without rules may be kept.
        const etag = readable.isRedacted ? undefined : etagOf(params.id, readable.file.generation, start, limit);
        const headers = etag ? { etag, 'cache-control': 'private, no-cache' } : {};
        if (etag && raw.headers['if-none-match']?.includes(etag)) return reply.code(304).headers(headers).send();
        const whose = { owner: caller.tenantId, part: caller.keyFamilyId };
        const read = () => readBlocks(deps, caller, readable, query, { start, limit }, signal);
        const { blocks, total } = await gate(read, whose, signal);
        reply.headers(headers);
        const next = start + blocks.length;
        return {
          source_id: params.id,
          blocks: blocks.map((block, i) => toWire(block, start + i)),
          blocks_total: total,
          next_index: blocks.length > 0 && next < total ? next : null,
        };
      },
    }),
  ];
}

function toWire({ place, rows, ...block }: SeenBlock, index: number): z.input<typeof blockSchema> {
  return {
    block_index: index,
    ...block,
    start_offset: place?.start ?? null,
    end_offset: place?.end ?? null,
    rows: rows?.map(({ start, end, cells }) => ({ start_offset: start, end_offset: end, cells })) ?? null,
  };
}

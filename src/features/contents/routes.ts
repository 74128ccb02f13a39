/** Routes for content lookup: a chunk, the chunks of a source, the extracted text of a source. */
import { z } from 'zod';
import { accessOf } from '../../access/access.ts';
import { invalidRequest, notFound, orNotFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { pageQueryShape, pageRequest, pageResponse } from '../../http/page.ts';
import { contentSchema, toContent } from '../../http/records/content-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idParams, principalShape, queryInteger, sourceIdSchema } from '../../http/schemas.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import {
  findChunk,
  listChunks,
  readerViewOfChunks,
  readerViewOfParts,
  readText,
} from '../../retrieval/reading/lookup.ts';

const route = routesOf('Content lookup');

/** Code points in one answer of GET /sources/{id}/text: without `end_offset`, and at most. */
const TEXT_RANGE_DEFAULT = 20_000;
const TEXT_RANGE_MAX = 200_000;
const OFFSET_MAX = 2 ** 31 - 1 - TEXT_RANGE_DEFAULT;

const textQuery = z.strictObject({
  start_offset: queryInteger(0, OFFSET_MAX).default(0).describe('Offset of the first code point to return.'),
  end_offset: queryInteger(0, OFFSET_MAX)
    .optional()
    .describe(
      `Offset behind the last code point to return, at most ${TEXT_RANGE_MAX} after start_offset. Default: ${TEXT_RANGE_DEFAULT} ` +
        'after start_offset.',
    ),
  ...principalShape,
});

const textSchema = z
  .object({
    source_id: sourceIdSchema,
    text: z.string().describe('The requested part of the extracted text.'),
    start_offset: z.int().describe('Offset of the first code point of `text`.'),
    end_offset: z
      .int()
      .describe('Offset behind the last code point of `text`. It is smaller than requested if the text ends before.'),
    text_length: z.int().describe('Code points of the whole text.'),
    next_offset: z.int().nullable().describe('The start_offset of the next page; null at the end of the text.'),
  })
  .meta({ id: 'SourceText' });

export const contentsRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/contents/{id}',
    scopes: ['knowledge:read'],
    operation: {
      id: 'getContent',
      summary: 'Get a chunk',
      description: 'The id is the `id` of a search result or a citation.',
    },
    params: idParams,
    query: z.strictObject(principalShape),
    response: { status: 200, schema: contentSchema },
    async handler({ params, query, caller }) {
      const { row, redactor } = await withRedactor(deps, caller.tenantId, async (tx) => ({
        row: await findChunk(tx, params.id, await accessOf(deps, tx, caller, query)),
      }));
      const [hit] = await readerViewOfChunks(redactor, row ? [row] : []);
      if (!hit) throw notFound();
      return toContent(hit);
    },
  }),
  route({
    method: 'GET',
    path: '/sources/{id}/chunks',
    scopes: ['knowledge:read'],
    operation: {
      id: 'listSourceChunks',
      summary: 'List the chunks of a source',
      description: 'Returns the chunks in reading order.',
    },
    params: idParams,
    query: z.strictObject({ ...pageQueryShape, ...principalShape }),
    response: pageResponse('chunks', contentSchema, 'Chunks of this page.'),
    async handler({ params, query, caller }) {
      const { rows, nextId, total, redactor } = await withRedactor(deps, caller.tenantId, async (tx) => {
        const access = await accessOf(deps, tx, caller, query);
        return orNotFound(await listChunks(tx, params.id, access, pageRequest(query)));
      });
      const pagination = { limit: query.limit, has_more: nextId !== null, total, next_id: nextId };
      return { chunks: (await readerViewOfChunks(redactor, rows)).map(toContent), pagination };
    },
  }),
  route({
    method: 'GET',
    path: '/sources/{id}/text',
    scopes: ['knowledge:read'],
    operation: {
      id: 'getSourceText',
      summary: 'Read the extracted text of a source',
      description:
        'Returns the text in pages of code points. The offsets of chunks point into this text. While authorization is on, the text is ' +
        'available only if the principal may see the whole source.',
    },
    params: idParams,
    query: textQuery,
    response: { status: 200, schema: textSchema },
    async handler({ params, query, caller, signal }) {
      const start = query.start_offset;
      const end = query.end_offset ?? start + TEXT_RANGE_DEFAULT;
      if (end < start) throw invalidRequest('Query parameter "end_offset": must not be before start_offset.');
      if (end - start > TEXT_RANGE_MAX) {
        throw invalidRequest(`Query parameter "end_offset": must be at most ${TEXT_RANGE_MAX} after start_offset.`);
      }
      const { redactor, found } = await withRedactor(deps, caller.tenantId, async (tx, redactor) => {
        const access = await accessOf(deps, tx, caller, query);
        return { found: await readText(tx, params.id, access, { start, end }, redactor) };
      });
      const [shown] = (found && (await readerViewOfParts(redactor, found, [found], signal))) ?? [];
      if (!shown) throw notFound();
      const { textLength } = found!;
      const reached = Math.min(end, textLength);
      return {
        source_id: params.id,
        text: shown.text,
        start_offset: Math.min(start, textLength),
        end_offset: reached,
        text_length: textLength,
        next_offset: reached < textLength ? reached : null,
      };
    },
  }),
];

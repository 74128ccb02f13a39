/** Routes for the pages of PDFs. */
import { z } from 'zod';
import { invalidRequest } from '../../errors.ts';
import { etagOf } from '../../http/body/precondition.ts';
import type { Deps } from '../../http/deps.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idParams, idSchema, pathId, principalShape, queryInteger, sourceIdSchema } from '../../http/schemas.ts';
import { openGate } from '../../util/pool.ts';
import { drawPage, findBoxes, findChunkBoxes, listPages, openPdf, whileShown } from './pages.ts';

const route = routesOf('Pages');
/** Pages that are drawn at the same time. Further requests wait. */
const DRAWN_AT_ONCE = 4;
const PAGE_MAX = 20_000;
const RANGE_MAX = 20_000;
const OFFSET_MAX = 2 ** 31 - 1 - RANGE_MAX;

const pageParams = z.strictObject({
  id: pathId.describe('Id of the source.'),
  number: queryInteger(1, PAGE_MAX).describe('Number of the page, from 1.'),
});

const boxSchema = z
  .object({
    x: z.number().describe('Left edge, as a share of the width of the page.'),
    y: z.number().describe('Upper edge, as a share of the height of the page, from the top.'),
    width: z.number().describe('Width, as a share of the width of the page.'),
    height: z.number().describe('Height, as a share of the height of the page.'),
  })
  .meta({ id: 'PageBox', description: 'A rectangle on a page. All members are between 0 and 1.' });
const boxesSchema = z.array(boxSchema).describe('One rectangle for each line, in reading order.');

const offset = queryInteger(0, OFFSET_MAX).optional();

export function pageRoutes(deps: Deps): Route[] {
  const gate = openGate(DRAWN_AT_ONCE);
  return [
    route({
      method: 'GET',
      path: '/sources/{id}/pages',
      scopes: ['knowledge:read'],
      operation: {
        id: 'listPages',
        summary: 'List the pages of a PDF',
        description:
          'Only PDF files have pages. While authorization is on, the pages are available only if the principal may see the whole source.',
      },
      params: idParams,
      query: z.strictObject(principalShape),
      response: {
        status: 200,
        schema: z.object({
          source_id: sourceIdSchema,
          pages: z
            .array(
              z.object({
                number: z.int().describe('Number of the page, from 1.'),
                width: z.number().describe('Width in points: 1/72 inch.'),
                height: z.number().describe('Height in points.'),
                start_offset: z
                  .int()
                  .nullable()
                  .describe('Offset of the first chunk on the page, in the extracted text; null without chunks.'),
                end_offset: z.int().nullable().describe('Offset behind the last chunk on the page.'),
              }),
            )
            .describe('The pages, in order.'),
        }),
      },
      errors: [409],
      async handler({ params, query, caller, signal }) {
        const pdf = await openPdf(deps, caller, params.id, query);
        const listed = listPages(deps, caller, pdf, signal);
        const pages = await whileShown(deps, caller, pdf, query, listed);
        return {
          source_id: params.id,
          pages: pages.map(({ width, height, range }, i) => ({
            number: i + 1,
            width,
            height,
            start_offset: range?.startOffset ?? null,
            end_offset: range?.endOffset ?? null,
          })),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/sources/{id}/pages/{number}/image',
      scopes: ['knowledge:read'],
      operation: {
        id: 'getPageImage',
        summary: 'Get a page of a PDF as a picture',
        description:
          'Returns a PNG. All that redaction rules hide from readers is covered. While rules apply, pictures, drawings, patterns and ' +
          'annotations are not drawn, because they may show the same words. 404 also for a page that a rule blocks. 409 while rules ' +
          'apply for a page whose characters the file does not name or with a table whose header tells what a rule hides, and until a ' +
          'file was read again after a change of the rules of ingest.',
      },
      params: pageParams,
      query: z.strictObject({
        scale: queryInteger(1, 2).default(1).describe('Pixels for each point: 1 or 2. Very large pages have fewer.'),
        ...principalShape,
      }),
      response: { status: 200, schema: z.unknown(), description: 'The picture of the page.' },
      picture: true,
      errors: [409],
      async handler({ params, query, caller, signal, raw, reply }) {
        const pdf = await openPdf(deps, caller, params.id, query);
        // What rules hide can change at any time, so only pages without rules may be kept.
        const etag = pdf.isRedacted ? undefined : etagOf(pdf.source.blobHash, params.number, query.scale);
        const headers = {
          'content-type': 'image/png',
          'cross-origin-resource-policy': 'same-origin',
          ...(etag ? { etag, 'cache-control': 'private, no-cache' } : {}),
        };
        if (etag && raw.headers['if-none-match']?.includes(etag)) return reply.code(304).headers(headers).send();
        const page = { page: params.number, scale: query.scale };
        const whose = { owner: caller.tenantId, part: caller.keyFamilyId };
        const drawn = gate(() => drawPage(deps, caller, pdf, page, signal), whose, signal);
        const png = await whileShown(deps, caller, pdf, query, drawn);
        return reply.code(200).headers(headers).send(Buffer.from(png));
      },
    }),
    route({
      method: 'GET',
      path: '/sources/{id}/pages/{number}/boxes',
      scopes: ['knowledge:read'],
      operation: {
        id: 'getPageBoxes',
        summary: 'Find a passage on a page of a PDF',
        description:
          'Returns the rectangles of a range of the extracted text; without a range, those of each chunk on the page. Each line of the ' +
          'text is found by its letters, or not at all: a passage whose place is not certain has no rectangle.',
      },
      params: pageParams,
      query: z.strictObject({
        start_offset: offset.describe('Offset of the first code point of the passage, in the extracted text.'),
        end_offset: offset.describe(
          `Offset behind the last code point of the passage, at most ${RANGE_MAX} after start_offset.`,
        ),
        ...principalShape,
      }),
      response: {
        status: 200,
        schema: z.object({
          boxes: boxesSchema.describe('The rectangles of the range; empty without a range.'),
          chunks: z
            .array(z.object({ chunk_id: idSchema.describe('Id of the chunk.'), boxes: boxesSchema }))
            .describe('The rectangles of each chunk on the page; empty with a range.'),
        }),
      },
      errors: [409],
      async handler({ params, query, caller, signal }) {
        const { start_offset: start, end_offset: end } = query;
        if ((start === undefined) !== (end === undefined))
          throw invalidRequest('Query parameters "start_offset" and "end_offset": give both or none.');
        if (start !== undefined && (end! < start || end! - start > RANGE_MAX))
          throw invalidRequest(`Query parameter "end_offset": must be at most ${RANGE_MAX} after start_offset.`);
        const pdf = await openPdf(deps, caller, params.id, query);
        if (start !== undefined) {
          const found = findBoxes(deps, caller, pdf, params.number, { start, end: end! }, signal);
          return { boxes: await whileShown(deps, caller, pdf, query, found), chunks: [] };
        }
        const found = findChunkBoxes(deps, caller, pdf, params.number, signal);
        const chunks = await whileShown(deps, caller, pdf, query, found);
        return { boxes: [], chunks: chunks.map(({ chunk, boxes }) => ({ chunk_id: chunk.id, boxes })) };
      },
    }),
  ];
}

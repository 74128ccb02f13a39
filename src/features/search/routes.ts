/** The route POST /search. */
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { principalOf, seesWholeTenant } from '../../access/access.ts';
import type { Deps } from '../../http/deps.ts';
import { setServerTiming } from '../../http/operations/server-timing.ts';
import { contentShape, neighbourSchema, toSearchResult, withoutStatistics } from '../../http/records/content-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { principalShape, warningsSchema } from '../../http/schemas.ts';
import { filterShape, readFilters } from '../../http/search-filters.ts';
import { retrieve } from '../../retrieval/retrieve.ts';
import type { Hit, RetrieveRequest } from '../../retrieval/types.ts';
import { type Highlights, highlight, type QueryTerms, queryTerms } from '../../text/highlight.ts';
import { text } from '../../util/text-schema.ts';

const QUERY_LENGTH_MAX = 4_000;
const SEARCH_LIMIT_MAX = 100;
const SEARCH_LIMIT_DEFAULT = 10;
const SEARCH_OFFSET_MAX = 10_000;
const SEARCH_CONTEXT_MAX = 5;

const neighbourCount = z.int().min(0).max(SEARCH_CONTEXT_MAX).default(0);

const searchBody = z.strictObject({
  query: text(1, QUERY_LENGTH_MAX).describe('Words or question to search for.'),
  mode: z
    .enum(['hybrid', 'lexical', 'semantic'])
    .default('hybrid')
    .describe(
      'By words (`lexical`), by meaning (`semantic`), or both (`hybrid`). Without an embedding model, `hybrid` works as `lexical`, and ' +
        '`semantic` is refused. If the model fails or no chunk has a vector, `hybrid` works as `lexical`, with a warning.',
    ),
  limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT).describe('Maximum number of results.'),
  offset: z.int().min(0).max(SEARCH_OFFSET_MAX).default(0).describe('Number of results to skip.'),
  ...filterShape,
  use_postfilter: z
    .boolean()
    .default(false)
    .describe('Applies the filters after the search instead of within it. May return fewer results than `limit`.'),
  rerank: z
    .boolean()
    .default(true)
    .describe(
      'Whether the first results are ordered again: by the rerank model if one is configured; otherwise, in lexical search, by how ' +
        'close together they have the words of the query.',
    ),
  max_chunks_per_source: z
    .int()
    .min(1)
    .max(SEARCH_LIMIT_MAX)
    .optional()
    .describe('Maximum number of chunks of one source. Absent: no limit.'),
  highlights: z
    .boolean()
    .default(false)
    .describe('Whether each result says where it has words of the query, and which sentence has most of them.'),
  context: z
    .strictObject({
      before: neighbourCount.describe('Number of chunks before the result.'),
      after: neighbourCount.describe('Number of chunks after the result.'),
    })
    .optional()
    .describe('How many neighbouring chunks to return with each result.'),
  ...principalShape,
});

const rangeSchema = z
  .object({
    start: z.int().describe('Offset of the first code point in `content`, from 0.'),
    end: z.int().describe('Offset behind the last code point.'),
  })
  .meta({ id: 'ContentRange', description: 'Half-open range of code points of the content of a result.' });

const resultSchema = z
  .object({
    ...contentShape,
    highlights: z
      .object({
        words: z
          .array(rangeSchema)
          .describe('Words of the query in any form, ascending. They do not overlap. Stop words are left out.'),
        sentence: rangeSchema
          .nullable()
          .describe('The first of the sentences with most words of the query; null if the result has none of them.'),
      })
      .optional()
      .describe('Where `content`, as it is shown, matches the query; present if the request asks for it.'),
    context: z
      .object({
        before: z.array(neighbourSchema).describe('Chunks before the result.'),
        after: z.array(neighbourSchema).describe('Chunks after the result.'),
      })
      .optional()
      .describe('Neighbouring chunks in reading order; present if the request asks for them.'),
  })
  .meta({ id: 'SearchHit' });

export const searchRoutes = (deps: Deps): Route[] => [
  routesOf('Search')({
    method: 'POST',
    path: '/search',
    scopes: ['knowledge:read'],
    operation: {
      id: 'search',
      summary: 'Search the knowledge',
      description:
        'Returns the chunks that match the query, best first. A chunk must match all filters. The header `Server-Timing` says when ' +
        'each stage began and how long it took. A search that takes longer than the time limit of the service is stopped and ' +
        'answered with 503.',
    },
    body: searchBody,
    timing: true,
    response: {
      status: 200,
      schema: z.object({
        results: z.array(resultSchema).describe('Matching chunks, best first.'),
        warnings: warningsSchema,
      }),
    },
    errors: [502, 504],
    example: { query: 'How long are records kept?', limit: 5, source_types: ['local_file'] },
    async handler({ body, caller, signal, rights, reply }) {
      const request: RetrieveRequest = {
        ...caller,
        principal: principalOf(deps, body),
        query: body.query,
        mode: body.mode,
        filters: await readFilters(deps.db, caller.tenantId, body),
        usePostfilter: body.use_postfilter,
        rerank: body.rerank,
        proximity: body.rerank,
        limit: body.limit,
        offset: body.offset,
      };
      if (body.max_chunks_per_source !== undefined) request.maxChunksPerSource = body.max_chunks_per_source;
      if (body.context) request.context = body.context;
      const { hits, warnings, corrections, stages } = await retrieve(deps, request, signal);
      setServerTiming(reply, stages);
      const sought = [body.query, ...corrections.values()].join(' ');
      const highlights = body.highlights ? await highlightAll(hits, sought, signal) : [];
      await rights.confirm();
      const isOpen = seesWholeTenant(caller, request.principal);
      const shown = isOpen ? hits : hits.map((hit, i) => withoutStatistics(hit, body.offset + i + 1));
      const results = shown.map((hit, i) => ({
        ...toSearchResult(hit),
        ...(highlights[i] ? { highlights: highlights[i] } : {}),
      }));
      return { results, warnings };
    },
  }),
];

/** Returns the highlights of each hit. Other work runs between two hits. The hits are redacted, so nothing hidden is marked. */
async function highlightAll(hits: readonly Hit[], query: string, signal: AbortSignal): Promise<Highlights[]> {
  const queries = new Map<string | null, QueryTerms>();
  const highlights: Highlights[] = [];
  for (const { content, language } of hits) {
    signal.throwIfAborted();
    const terms = queries.get(language) ?? queryTerms(query, language);
    queries.set(language, terms);
    highlights.push(highlight(content, terms));
    await turn();
  }
  return highlights;
}

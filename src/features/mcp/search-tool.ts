/** The tool `search`: the route POST /search, without the members that only programs need. */
import type { z } from 'zod';
import { accessOf } from '../../access/access.ts';
import type { Deps } from '../../http/deps.ts';
import { type Content, toSearchResult } from '../../http/records/content-record.ts';
import type { Route } from '../../http/route.ts';
import { argumentsWithin, callRoute, type Exchange } from '../../http/tools/exchange.ts';
import { type Json, type Kept, type Tool, tool } from '../../http/tools/tool.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { addNeighbours, readNeighbours, toHit } from '../../retrieval/reading/hits.ts';
import { findChunks } from '../../retrieval/reading/lookup.ts';
import type { Hit, Warning } from '../../retrieval/types.ts';
import { readerViewOfWarnings } from '../../retrieval/views.ts';
import { collect } from '../../util/collect.ts';

/** Arguments of the tool, all members of the body of the route. The metadata filters are left out: models write them wrongly. */
const ARGUMENTS = {
  query: true,
  mode: true,
  limit: true,
  offset: true,
  source_group_ids: true,
  tags: true,
  tag_filter_logic: true,
  source_types: true,
  file_types: true,
  date_from: true,
  date_to: true,
  domains: true,
  max_chunks_per_source: true,
  context: true,
} as const;

/** What the text for a model shows of a result. */
type Result = Content & { context?: { before: { content: string }[]; after: { content: string }[] } };

/** The scores of the results in their order, and the warnings: the texts are read again. */
interface Stored {
  ranks: Pick<Hit, 'score' | 'scores'>[];
  warnings: Warning[];
}

export function searchTool(deps: Deps, route: Route): Tool {
  return tool({
    name: 'search',
    title: 'Search the knowledge base',
    description:
      'Searches the files of the knowledge base and returns the passages that match, best first. Use the words of the question; several ' +
      'short searches find more than a long one. Each passage names its source: read_source reads more of it.',
    scopes: route.scopes,
    input: (route.body as z.ZodObject).pick(ARGUMENTS),
    output: route.response.schema as z.ZodObject,
    within: 'filters',
    run: async (args, exchange) =>
      (await callRoute(
        route,
        { body: { ...argumentsWithin(args, exchange.filters), ...exchange.filters } },
        exchange,
      )) as Json,
    toText: (result) => toText(result as unknown as { results: Result[]; warnings: { message: string }[] }),
    async keep(_args, result) {
      const { results, warnings } = result as unknown as { results: Result[]; warnings: Warning[] };
      const stored: Stored = { ranks: results.map(({ score, scores }) => ({ score, scores })), warnings };
      const best = Math.max(...results.map(({ score }) => score), Number.MIN_VALUE);
      return {
        chunkIds: results.map(({ id }) => id),
        shares: results.map(({ score }) => score / best),
        found: results.length,
        more: { ...stored },
      };
    },
    restore: (args, kept, exchange) => restore(deps, args, kept, exchange),
  });
}

/** Returns the results as the caller may see them now. */
async function restore(deps: Deps, args: Json, kept: Kept, { caller, principal }: Exchange): Promise<Json> {
  const { ranks, warnings } = kept.more as unknown as Stored;
  const context = args['context'] as { before: number; after: number } | undefined;
  const { rows, neighbours, redactor } = await withRedactor(deps, caller.tenantId, async (tx) => {
    const access = await accessOf(deps, tx, caller, principal);
    const rows = await findChunks(tx, kept.chunkIds, access);
    return { rows, neighbours: context ? await readNeighbours(tx, access, rows, context) : null };
  });
  const hits = await collect(rows, (row) => toHit(row, ranks[kept.chunkIds.indexOf(row.id)]!, redactor));
  await addNeighbours(hits, neighbours, redactor);
  // A warning may name a word of a chunk that is hidden now.
  const seesAll = hits.length === kept.chunkIds.length;
  return { results: hits.map(toSearchResult), warnings: seesAll ? await readerViewOfWarnings(redactor, warnings) : [] };
}

function toText({ results, warnings }: { results: Result[]; warnings: { message: string }[] }): string {
  const passages = results.map((result, i) => {
    const lines = result.start_line === null ? '' : `:${result.start_line}-${result.end_line}`;
    const place = [`${result.path ?? result.name}${lines}`, ...result.heading_path]
      .filter((part) => part !== '')
      .join(' › ');
    const pages = result.pages?.length ? `, page ${result.pages.join(', ')}` : '';
    const head = `[${i + 1}] ${place}${pages}`;
    const ids =
      `source_id: ${result.source_id} chunk_id: ${result.id}` +
      (result.start_offset === null ? '' : ` offsets: ${result.start_offset}-${result.end_offset}`) +
      (result.url === null ? '' : ` url: ${result.url}`) +
      // Files of several repositories have the same path.
      ` source_group: ${result.source_group_name} (${result.source_group_id})`;
    const { before = [], after = [] } = result.context ?? {};
    const texts = [...before.map(({ content }) => content), result.content, ...after.map(({ content }) => content)];
    return `${head}\n${ids}\n${texts.join('\n')}`;
  });
  const notes = warnings.map(({ message }) => `Warning: ${message}`);
  return [...(passages.length === 0 ? ['Nothing found.'] : passages), ...notes].join('\n\n');
}

/** The tool `search`: the route POST /search, without the members that only programs need. */
import type { z } from 'zod';
import type { Content } from '../../http/content-record.ts';
import type { Route } from '../../http/route.ts';
import { callRoute } from './exchange.ts';
import { type Tool, tool } from './tool.ts';

/** Arguments of the tool, all members of the body of the route. The metadata filters are left out: models write them wrongly. */
const ARGUMENTS = {
  query: true,
  mode: true,
  limit: true,
  offset: true,
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

export function searchTool(route: Route): Tool {
  return tool({
    name: 'search',
    title: 'Search the knowledge base',
    description:
      'Searches the files of the knowledge base and returns the passages that match, best first. Use the words of the question; several ' +
      'short searches find more than a long one. Each passage names its source: read_source reads more of it.',
    scopes: route.scopes,
    input: (route.body as z.ZodObject).pick(ARGUMENTS),
    output: route.response.schema as z.ZodObject,
    run: async (body, exchange) => (await callRoute(route, { body }, exchange)) as Record<string, unknown>,
    toText: (result) => toText(result as unknown as { results: Result[]; warnings: { message: string }[] }),
  });
}

function toText({ results, warnings }: { results: Result[]; warnings: { message: string }[] }): string {
  const passages = results.map((result, i) => {
    const place = [result.name, ...result.heading_path].filter((part) => part !== '').join(' › ');
    const pages = result.pages?.length ? `, page ${result.pages.join(', ')}` : '';
    const head = `[${i + 1}] ${place}${pages}`;
    const ids =
      `source_id: ${result.source_id} chunk_id: ${result.id}` +
      (result.start_offset === null ? '' : ` offsets: ${result.start_offset}-${result.end_offset}`) +
      (result.url === null ? '' : ` url: ${result.url}`);
    const { before = [], after = [] } = result.context ?? {};
    const texts = [...before.map(({ content }) => content), result.content, ...after.map(({ content }) => content)];
    return `${head}\n${ids}\n${texts.join('\n')}`;
  });
  const notes = warnings.map(({ message }) => `Warning: ${message}`);
  return [...(passages.length === 0 ? ['Nothing found.'] : passages), ...notes].join('\n\n');
}

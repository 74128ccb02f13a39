/** The tool `list_sources`: the sources in which a search of the same caller could find something. */
import { z } from 'zod';
import { accessOf } from '../../access/access.ts';
import type { Deps } from '../../http/deps.ts';
import { pageRequest } from '../../http/page.ts';
import { contentShape } from '../../http/records/content-record.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { fileTypeSchema, idSchema, sourceGroupIdSchema, timeSchema } from '../../http/schemas.ts';
import { filterShape } from '../../http/search-filters.ts';
import type { Exchange } from '../../http/tools/exchange.ts';
import { type Tool, tool } from '../../http/tools/tool.ts';
import { isSourceBlocked, redactFact, redactPath, shownFact } from '../../redaction/apply-redaction.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { collect } from '../../util/collect.ts';
import { isId, isUuid } from '../../util/ids.ts';
import { listVisibleSources } from './store.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

const input = z.strictObject({
  source_group_id: z.string().optional().describe('Only sources of this source group.'),
  source_types: filterShape.source_types,
  file_types: filterShape.file_types,
  order: z.enum(['asc', 'desc']).default('desc').describe('By creation: `desc` = newest first, `asc` = oldest first.'),
  limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT).describe('Maximum number of sources.'),
  after_id: z
    .string()
    .refine(isUuid, 'must be a UUID: the next_id of the page before')
    .transform((id) => id.toLowerCase())
    .optional()
    .describe('Lists on after this id: the next_id of the page before.'),
});

const listedSchema = z.object({
  id: idSchema.describe('Id of the source, for read_source.'),
  source_group_id: sourceGroupIdSchema,
  source_group_name: contentShape.source_group_name,
  source_type: z.string().describe('`local_file`, `drive`, `page`, `repo`, `web` or `database`.'),
  file_type: fileTypeSchema,
  name: z.string().describe('Name of the source.'),
  path: contentShape.path,
  url: z.string().nullable().describe('Address of the source at its origin; null for uploaded files.'),
  content_time: timeSchema,
});

const output = z.object({
  sources: z.array(listedSchema).describe('The sources of this page.'),
  next_id: z.string().nullable().describe('The after_id of the next page; null on the last page.'),
});

export function listSourcesTool(deps: Deps): Tool {
  /** Lists the sources, or among them those with the ids. */
  const list = async (
    args: z.output<typeof input>,
    { caller, principal }: Exchange,
    ids?: readonly string[],
  ): Promise<z.input<typeof output>> => {
    const { source_group_id: sourceGroupId, limit } = args;
    // An unknown group selects nothing.
    if (sourceGroupId !== undefined && !isId(sourceGroupId)) return { sources: [], next_id: null };
    const filter = { sourceGroupId, sourceTypes: args.source_types, fileTypes: args.file_types, ids };
    const { rows, redactor } = await withRedactor(deps, caller.tenantId, async (tx) => {
      const access = await accessOf(deps, tx, caller, principal);
      return { rows: await listVisibleSources(tx, access, filter, pageRequest(args)) };
    });
    const page = rows.slice(0, limit);
    const sources = await collect(page, async (source) => {
      // A search does not return such a source either.
      if (await isSourceBlocked(redactor, source)) return undefined;
      const name = await shownFact(redactor, source.name);
      const path = source.path === null ? null : ((await redactPath(redactor, source.path)) ?? null);
      const url = source.url === null ? null : ((await redactFact(redactor, source.url)) ?? null);
      const group = await shownFact(redactor, source.sourceGroupName);
      return toRecord(listedSchema, source, { name, path, url, source_group_name: group });
    });
    return { sources, next_id: rows.length > limit ? page.at(-1)!.id : null };
  };
  return tool({
    name: 'list_sources',
    title: 'List the sources',
    description: 'Lists the files and pages of the knowledge base. To find something in them, use search.',
    scopes: ['knowledge:read'],
    input,
    output,
    run: (args, exchange) => list(args, exchange),
    toText({ sources, next_id: next }) {
      const lines = sources.map(
        ({ id, name, path, file_type: type, url, ...source }) =>
          `${path ?? name} (${type}) source_id: ${id}${url === null ? '' : ` ${url}`}` +
          ` source_group: ${source.source_group_name} (${source.source_group_id})`,
      );
      const more = next === null ? [] : [`More sources follow: list on with after_id ${next}.`];
      return [...(lines.length === 0 ? ['There are no sources.'] : lines), ...more].join('\n');
    },
    keep: async (_args, { sources, next_id: next }) => ({
      chunkIds: [],
      found: sources.length,
      more: { sourceIds: sources.map(({ id }) => id), next },
    }),
    async restore(args, { more }, exchange) {
      const listed = await list(args, exchange, more['sourceIds'] as string[]);
      return { ...listed, next_id: more['next'] as string | null };
    },
  });
}

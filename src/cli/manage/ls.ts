/** `pinakes ls`: lists source groups, or the sources of one group. */
import type { ListedSource, SourceGroup } from '../../client/api.ts';
import type { Client } from '../shared/client.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import type { Column } from '../shared/columns.ts';
import { type Command, choiceOption, type Invocation, textOption } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { groupIdOf, tagNamed } from '../shared/names.ts';
import { LIST_OPTIONS, limitOf, mapRows, type PageQuery, pagesOf, printList } from '../shared/pages.ts';
import { formatBytes } from '../shared/progress.ts';
import { errorText, listTime } from '../shared/words.ts';

const TYPES = ['local_file', 'drive', 'page', 'repo', 'web', 'database'] as const;
const STATUSES = ['queued', 'starting', 'started', 'success', 'failure', 'managed', 'canceled', 'deleting'] as const;
/** Types of groups whose sources have paths. */
const PATHS: ReadonlySet<string> = new Set(['local_file', 'repo']);
const SOURCE_STATUSES = ['pending', 'ready', 'failed'] as const;

export const lsCommand: Command = {
  name: 'ls',
  summary: 'List source groups, or the sources of one group, newest first.',
  synopsis: '[group]',
  argumentsMax: 1,
  options: {
    ...LIST_OPTIONS,
    search: { short: 'q', value: '<text>', text: 'only groups, or sources, with this text in the name' },
    status: { value: '<status>', text: `only groups with this status: ${STATUSES.join(', ')}` },
    type: { value: '<type>', text: `only groups of this type: ${TYPES.join(', ')}` },
    tag: { value: '<tag>', text: 'only groups with this tag (its name or id)' },
    json: { text: 'print the list as one line of JSON: an array' },
  },
  details: `
  pinakes ls                                the newest source groups
  pinakes ls --status failure --all         every group that failed
  pinakes ls 0199a3c0-0000-7000-8000-000000000002      the sources of one group, with their errors
  pinakes ls handbook                       the same, if one group has this name
  pinakes ls <group> --status failed --all      its sources that could not be read
  pinakes ls <group> --search config.py         its sources with this text in the name
  pinakes ls --json | jq -r '.[].name'

A source group is a set of sources that were uploaded or crawled together. A source is one
file or page: its path is printed, or its name if it has none, as a page. For one group, --search
and --status filter its sources, and the status is ${SOURCE_STATUSES.join(', ')}.
Ids are printed in full, because ids that were made at the same time begin alike.`,
  async run(invocation) {
    const [id] = invocation.arguments;
    const limit = limitOf(invocation.options);
    if (id === undefined) return listGroups(limit, invocation);
    const client = await openConfiguredClient();
    return listSources(client, await groupIdOf(client, id), limit, invocation);
  },
};

type GroupRow = SourceGroup & { source_count: number };

async function listGroups(limit: number, invocation: Invocation): Promise<number> {
  const { options, io } = invocation;
  const tag = textOption(options, 'tag');
  const q = textOption(options, 'search');
  const status = choiceOption(options, 'status', STATUSES);
  const type = choiceOption(options, 'type', TYPES);
  const client = await openConfiguredClient();
  const tagId = tag === undefined ? tag : (await tagNamed(client, tag)).id;
  const filter = { order: 'desc' as const, q, status, source_type: type, tag_id: tagId };
  const read = async (page: PageQuery) => {
    const { source_groups: groups, pagination } = await client.listSourceGroups({ query: { ...filter, ...page } });
    return { groups: await mapRows(groups, (group) => withCount(client, group)), pagination };
  };
  const pages = pagesOf('groups', read, limit);
  const columns: Column<GroupRow>[] = [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, cut: true },
    { title: 'TYPE', value: ({ source_type: one }) => one, omit: 2 },
    { title: 'STATUS', value: ({ status: one }) => one },
    { title: 'SOURCES', value: ({ source_count: count }) => String(count), right: true, omit: 1 },
    { title: 'CREATED', value: ({ creation_time: time }) => listTime(time, io), omit: 0 },
    { title: 'ERROR', value: ({ error }) => (error === null ? '' : errorText(error)), cut: true, omit: 3 },
  ];
  const none = 'There are no such source groups. Use pinakes ingest, crawl or connect to create one.';
  return printList(pages, { columns, none }, invocation);
}

async function withCount(client: Client, group: SourceGroup): Promise<GroupRow> {
  const query = { limit: 1 };
  const { pagination } = await client.listSourcesOfSourceGroup({ params: { id: group.id }, query });
  return { ...group, source_count: pagination.total };
}

async function listSources(client: Client, id: string, limit: number, invocation: Invocation): Promise<number> {
  const { options } = invocation;
  for (const name of ['type', 'tag'] as const) {
    if (options[name] !== undefined) throw usageError(`--${name} is for the list of source groups, not for one group.`);
  }
  const q = textOption(options, 'search');
  const status = choiceOption(options, 'status', SOURCE_STATUSES);
  const { source_type: type } = await client.getSourceGroup({ params: { id } });
  const read = async ({ limit: rows, after_id: cursor }: PageQuery) => {
    const query = { source_group_id: id, q, status, limit: rows, cursor };
    const { sources, counts, pagination } = await client.listAllSources({ query });
    return { sources, pagination: { next_id: pagination.next_cursor, total: counts.total } };
  };
  const pages = pagesOf('sources', read, limit);
  const columns: Column<ListedSource>[] = [
    { title: 'ID', value: (source) => source.id },
    PATHS.has(type)
      ? { title: 'PATH', value: ({ path, name }) => path ?? name, cut: 'path' }
      : { title: 'NAME', value: ({ path, name }) => path ?? name, cut: true },
    { title: 'TYPE', value: ({ file_type: type }) => type, omit: 3 },
    { title: 'SIZE', value: ({ file_size: size }) => formatBytes(size), right: true, omit: 4 },
    { title: 'STATUS', value: (source) => statusOf(source) },
    { title: 'CHUNKS', value: ({ chunk_count: count }) => String(count), right: true, omit: 2 },
    { title: 'ERROR', value: (source) => problemOf(source), cut: true, omit: 1 },
  ];
  const isFiltered = q !== undefined || status !== undefined;
  const none = isFiltered ? 'This source group has no such sources.' : 'This source group has no sources.';
  return printList(pages, { columns, none }, invocation);
}

/** Returns the status, and that of a new version which was not read yet: `ready, update failed`. */
function statusOf({ status, update_status: update }: ListedSource): string {
  return update === null ? status : `${status}, update ${update}`;
}

function problemOf({ error, warnings }: ListedSource): string {
  return error === null ? warnings.join(' ') : errorText(error);
}

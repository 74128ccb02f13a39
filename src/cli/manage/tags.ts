/** `pinakes tags`: manages tags, and adds them to source groups. */
import type { Tag } from '../../client/api.ts';
import { PinakesError } from '../../client/client.ts';
import { countOf } from '../../util/count-of.ts';
import type { Client } from '../shared/client.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import type { Column } from '../shared/columns.ts';
import { type Command, flagOption, type Invocation, printAnswer, textOption } from '../shared/command.ts';
import { CliError, confirm, usageError } from '../shared/io.ts';
import { groupIdOf, tagNamed } from '../shared/names.ts';
import { mapRows, printRows } from '../shared/pages.ts';
import { printable } from '../shared/printable.ts';

export const tagsCommand: Command = {
  name: 'tags',
  summary: 'List, create and delete tags; add them to source groups and remove them.',
  synopsis: '[list|create|delete|add|remove] [tag] [groups…]',
  argumentsMax: Number.POSITIVE_INFINITY,
  options: {
    description: { value: '<text>', text: 'create: what the tag is for' },
    yes: { short: 'y', text: 'delete: do not ask for confirmation' },
    json: { text: 'print the answer as one line of JSON' },
  },
  details: `
  pinakes tags                              list tags, newest first, with the number of source groups
  pinakes tags create policies --description "what staff must know"
  pinakes tags add policies <group> <group>
  pinakes tags remove policies <group>
  pinakes tags delete policies --yes        delete the tag; the source groups stay

A tag and a group are given by name or by id. Searches can be limited to tags, and so can API keys.`,
  async run(invocation) {
    const [action = 'list', name, ...groups] = invocation.arguments;
    if (action === 'list') {
      if (name !== undefined) throw usageError(`Unexpected argument "${name}". See pinakes tags --help.`);
      return list(await openConfiguredClient(), invocation);
    }
    if (!['create', 'delete', 'add', 'remove'].includes(action)) {
      throw usageError(`There is no "pinakes tags ${action}". See pinakes tags --help.`);
    }
    if (name === undefined) throw usageError(`pinakes tags ${action} needs a tag. See pinakes tags --help.`);
    if (action === 'add' || action === 'remove') return link(action, name, groups, invocation);
    if (groups[0] !== undefined) throw usageError(`Unexpected argument "${groups[0]}". See pinakes tags --help.`);
    return action === 'create' ? create(name, invocation) : remove(name, invocation);
  },
};

type Row = Tag & { source_group_count: number };

async function list(client: Client, invocation: Invocation): Promise<number> {
  const { tags } = await client.listTags();
  const rows = await mapRows(tags.toReversed(), async (tag): Promise<Row> => {
    const { pagination } = await client.listTagLinks({ query: { tag_id: tag.id, limit: 1 } });
    return { ...tag, source_group_count: pagination.total };
  });
  const columns: Column<Row>[] = [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, cut: true },
    { title: 'GROUPS', value: ({ source_group_count: count }) => String(count), right: true },
    { title: 'DESCRIPTION', value: ({ description }) => description, cut: true, omit: 1 },
  ];
  return printAnswer(invocation, rows, () => printRows(rows, { columns, none: 'There are no tags.' }, invocation.io));
}

async function create(name: string, invocation: Invocation): Promise<number> {
  const description = textOption(invocation.options, 'description');
  const client = await openConfiguredClient();
  const tag = await client.createTag({ body: { name, description } });
  return printAnswer(invocation, tag, () => invocation.io.out(`${tag.id}\n`));
}

async function remove(name: string, { options, io }: Invocation): Promise<number> {
  const client = await openConfiguredClient();
  const tag = await tagNamed(client, name);
  const { pagination } = await client.listTagLinks({ query: { tag_id: tag.id, limit: 1 } });
  const use = pagination.total === 0 ? '' : ` and remove it from ${countOf(pagination.total, 'source group')}`;
  await confirm(io, `Delete the tag "${tag.name}"${use}?`, flagOption(options, 'yes'));
  await client.deleteTag({ params: { id: tag.id } });
  return printAnswer({ options, io }, tag, () => io.err(`Deleted the tag "${printable(tag.name)}".\n`));
}

async function link(
  action: 'add' | 'remove',
  name: string,
  groups: readonly string[],
  { options, io }: Invocation,
): Promise<number> {
  if (groups.length === 0) throw usageError(`pinakes tags ${action} needs source groups, by name or id.`);
  const client = await openConfiguredClient();
  const tag = await tagNamed(client, name);
  const ids = await Promise.all(groups.map((group) => groupIdOf(client, group)));
  const links = [];
  for (const id of ids) {
    const body = { tag_id: tag.id, source_group_id: id };
    const change = action === 'add' ? client.linkTag({ body }) : client.unlinkTag({ body });
    links.push(await change.catch((error: unknown) => Promise.reject(explained(error, action, id, tag.name))));
  }
  const done = action === 'add' ? ['Added', 'to'] : ['Removed', 'from'];
  const text = `${done[0]} the tag "${printable(tag.name)}" ${done[1]} ${countOf(links.length, 'source group')}.\n`;
  return printAnswer({ options, io }, links, () => io.err(text));
}

/** Returns an error that names the group and the tag, for one that names nothing. */
function explained(error: unknown, action: 'add' | 'remove', id: string, tag: string): unknown {
  if (!(error instanceof PinakesError) || error.status !== 404) return error;
  const untagged = action === 'remove' ? `, or it does not have the tag "${tag}"` : '';
  return new CliError(`There is no source group ${id}${untagged}.`);
}

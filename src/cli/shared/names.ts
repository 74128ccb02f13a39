/** Finds what the arguments of a command name: by an id, or by a name that only one has. */
import type { Operations, Tag } from '../../client/api.ts';
import { isId } from '../../util/ids.ts';
import type { Client } from './client.ts';
import { usageError } from './io.ts';
import { allOf } from './pages.ts';
import { printable } from './printable.ts';
import { timeText } from './words.ts';

/** Returns the tag with this name or id. @throws CliError with exit code 2 when there is no such tag. */
export async function tagNamed(client: Client, name: string): Promise<Tag> {
  const { tags } = await client.listTags();
  const tag = tags.find((one) => one.name === name) ?? tags.find((one) => one.id === name);
  if (tag === undefined) throw usageError(`There is no tag "${name}". pinakes tags lists them.`);
  return tag;
}

/**
 * Returns the id of the source group with this name; an id is returned as it is.
 *
 * @throws CliError with exit code 2 when no group or several groups have the name.
 */
export async function groupIdOf(client: Client, name: string): Promise<string> {
  if (isId(name)) return name;
  const groups = await allOf('source_groups', (query) => client.listSourceGroups({ query: { q: name, ...query } }));
  const found = groups.filter((group) => group.name === name && group.status !== 'deleting');
  const [group] = found;
  if (group === undefined)
    throw usageError(`"${name}" is neither an id nor the name of a source group: see pinakes ls.`);
  if (found.length === 1) return group.id;
  throw usageError(
    `${found.length} source groups have the name "${name}": give the id of one of them. ` +
      found.map(({ id, creation_time: created }) => `${id} (${timeText(created)})`).join(', '),
  );
}

/**
 * Returns the id of the table with this name in SQL, or of the only one with this name; an id is returned as it is.
 *
 * @throws CliError with exit code 2 when no table or several tables have the name.
 */
export async function tableIdOf(
  client: Client,
  name: string,
  asked: Operations['listTables']['request']['query'] = {},
): Promise<string> {
  if (isId(name)) return name;
  const tables = await allOf('tables', (query) => client.listTables({ query: { name, ...asked, ...query } }));
  const found = tables.find((table) => table.sql_name === name) ?? tables[0];
  if (found === undefined) throw usageError(`There is no table "${printable(name)}". pinakes tables lists them.`);
  if (tables.length === 1 || found.sql_name === name) return found.id;
  throw usageError(
    `${tables.length} tables have the name "${printable(name)}": give the name in SQL or the id of one of them. ` +
      tables.map(({ id, sql_name: sqlName }) => `${id} (${printable(sqlName)})`).join(', '),
  );
}

/** Returns the id. @throws CliError with exit code 2 for a text that is not an id. */
export function checkId(id: string): string {
  if (!isId(id)) throw usageError(`"${id}" is not an id: ids have 36 characters, as the lists show them.`);
  return id;
}

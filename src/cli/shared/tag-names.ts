/** Finds tags by their name or their id. */
import type { Tag } from '../../client/api.ts';
import type { Client } from './client.ts';
import { CliError } from './io.ts';

/** Returns the tag with this name or id. @throws CliError when there is no such tag. */
export async function tagNamed(client: Client, name: string): Promise<Tag> {
  const { tags } = await client.listTags();
  const tag = tags.find((one) => one.name === name) ?? tags.find((one) => one.id === name);
  if (tag === undefined) throw new CliError(`There is no tag "${name}". pinakes tags lists them.`);
  return tag;
}

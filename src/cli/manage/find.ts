/** Finds the source group, source, run or chunk with an id. */
import type { Content, GroupSource, Run, SourceGroup } from '../../client/api.ts';
import { PinakesError } from '../../client/client.ts';
import { isId } from '../../util/ids.ts';
import type { principalIn } from '../operate/principal.ts';
import type { Client } from '../shared/client.ts';
import { type OptionValues, textOptions } from '../shared/command.ts';
import { CliError, usageError } from '../shared/io.ts';
import { checkId, groupIdOf } from '../shared/names.ts';

export type Found =
  | { kind: 'source_group'; record: SourceGroup }
  | { kind: 'source'; record: GroupSource }
  | { kind: 'run'; record: Run }
  | { kind: 'chunk'; record: Content };

export type PrincipalQuery = Partial<ReturnType<typeof principalIn>>;

export const KIND_WORDS: Readonly<Record<Found['kind'], string>> = {
  source_group: 'source group',
  source: 'source',
  run: 'run',
  chunk: 'chunk',
};

/** Returns the record with this id. @throws CliError when the API key may see no such record. */
export async function find(client: Client, id: string, principal: PrincipalQuery = {}): Promise<Found> {
  const params = { id: checkId(id) };
  const found = await Promise.all([
    unlessHidden(client.getSourceGroup({ params }), (record) => ({ kind: 'source_group', record })),
    unlessHidden(client.getSource({ params }), (record) => ({ kind: 'source', record })),
    unlessHidden(client.getRun({ params }), (record) => ({ kind: 'run', record })),
    unlessHidden(client.getContent({ params, query: principal }), (record) => ({ kind: 'chunk', record })),
  ]);
  const first = found.find((one) => one !== undefined);
  if (first !== undefined) return first;
  throw new CliError(`No source group, source, run or chunk that this key may see has the id ${id}.`);
}

/** The option of commands that may search some source groups only. */
export const GROUP_OPTION = {
  group: {
    value: '<group>',
    multiple: true,
    text: 'only this source group (its name or id); may be repeated: any of them',
  },
} as const;

/** Returns the filter of `--group` for a search; empty without the option. @throws CliError for an unknown group: a search ignores it. */
export async function groupFilter(client: Client, options: OptionValues): Promise<{ source_group_ids?: string[] }> {
  const names = textOptions(options, 'group');
  return names.length === 0
    ? {}
    : { source_group_ids: await Promise.all(names.map((name) => knownGroupId(client, name))) };
}

async function knownGroupId(client: Client, name: string): Promise<string> {
  if (!isId(name)) return groupIdOf(client, name);
  const isKnown = await client.getSourceGroup({ params: { id: name } }).then(
    ({ status }) => status !== 'deleting',
    (error: unknown) => {
      if (!(error instanceof PinakesError && (error.status === 404 || error.status === 403))) throw error;
      // A key that may only ask reads no groups: its ids are not checked.
      return error.status === 403;
    },
  );
  if (isKnown) return name;
  throw usageError(`No source group that this key may see has the id ${name}: see pinakes ls.`);
}

/** Returns undefined if the record does not exist or the key lacks the scope for its kind. */
async function unlessHidden<Record>(
  request: Promise<Record>,
  found: (record: Record) => Found,
): Promise<Found | undefined> {
  try {
    return found(await request);
  } catch (error) {
    if (error instanceof PinakesError && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}

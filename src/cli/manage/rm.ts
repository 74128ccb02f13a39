/** `pinakes rm`: deletes source groups and sources. */
import { countOf } from '../../util/count-of.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import { type Command, flagOption, printAnswer } from '../shared/command.ts';
import { confirm, usageError } from '../shared/io.ts';
import { groupIdOf } from '../shared/names.ts';
import { mapRows } from '../shared/pages.ts';
import { type Found, find, KIND_WORDS } from './find.ts';

const NAMES_SHOWN_MAX = 5;

export const rmCommand: Command = {
  name: 'rm',
  summary: 'Delete source groups or single sources.',
  synopsis: '<ids|group names…>',
  argumentsMin: 1,
  argumentsMax: Number.POSITIVE_INFINITY,
  options: {
    yes: { short: 'y', text: 'do not ask for confirmation; required in scripts' },
    json: { text: 'print the deleted groups and sources as one line of JSON: an array' },
  },
  details: `
  pinakes rm 0199a3c0-0000-7000-8000-000000000002
  pinakes rm minutes
  pinakes rm --yes $(pinakes ls --status failure --json | jq -r '.[].id')

Deleted content is hidden from search at once; the service removes it in the background. If
an id is not the id of a source group or a source, or a name is not the name of exactly one group,
nothing is deleted.`,
  async run({ arguments: names, options, io }) {
    const client = await openConfiguredClient();
    const ids = await mapRows(names, (name) => groupIdOf(client, name));
    const found = await mapRows([...new Set(ids)], (id) => find(client, id));
    const refused = found.find(({ kind }) => kind !== 'source_group' && kind !== 'source');
    if (refused !== undefined) {
      const hint = refused.kind === 'run' ? 'use pinakes runs cancel to end it' : 'delete its source instead';
      throw usageError(`${refused.record.id} is a ${KIND_WORDS[refused.kind]}, which cannot be deleted: ${hint}.`);
    }
    await confirm(io, `Delete ${listOf(found)}?`, flagOption(options, 'yes'));
    const deleted = [];
    for (const { kind, record } of found) {
      const params = { id: record.id };
      await (kind === 'source_group' ? client.deleteSourceGroup({ params }) : client.deleteSource({ params }));
      deleted.push({ kind, id: record.id, name: nameOf({ kind, record } as Found) });
    }
    return printAnswer({ options, io }, deleted, () => io.err(`Deleted ${listOf(found)}.\n`));
  },
};

/** Returns `2 source groups (handbook, minutes) and 1 source (plan.pdf)`. */
function listOf(found: readonly Found[]): string {
  const parts = (['source_group', 'source'] as const).flatMap((kind) => {
    const names = found.filter((one) => one.kind === kind).map(nameOf);
    if (names.length === 0) return [];
    const more = names.length > NAMES_SHOWN_MAX ? ', …' : '';
    return [`${countOf(names.length, KIND_WORDS[kind])} (${names.slice(0, NAMES_SHOWN_MAX).join(', ')}${more})`];
  });
  return parts.join(' and ');
}

function nameOf({ record }: Found): string {
  return 'name' in record ? record.name : record.id;
}

/** `pinakes tenants`: an operator command that manages tenants. */

import { type Command, flagOption } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { callAdmin, HOW_OPERATOR_COMMANDS_WORK } from './admin-client.ts';

interface Tenant {
  id: string;
  name: string;
  creation_time: number;
}

export const tenantsCommand: Command = {
  name: 'tenants',
  summary: 'List, create and delete tenants (operator).',
  synopsis: '<list|create|delete|key> [name]',
  argumentsMin: 1,
  argumentsMax: 2,
  options: {
    yes: { type: 'boolean', text: 'delete: confirm that the tenant and all its data are deleted' },
    json: { type: 'boolean', text: 'print the answer as JSON' },
  },
  details: `
  pinakes tenants list                 newest first
  pinakes tenants create acme          prints the first API key of the tenant, once
  pinakes tenants key acme             issues a key with all scopes, for example if all keys were lost
  pinakes tenants delete acme --yes

${HOW_OPERATOR_COMMANDS_WORK}`,
  async run({ arguments: [action, name], options, io }) {
    const print = (answer: unknown, text: string): number => {
      io.out(flagOption(options, 'json') ? `${JSON.stringify(answer)}\n` : text);
      return 0;
    };
    if (action === 'list' && name === undefined) {
      const { tenants } = await callAdmin<{ tenants: Tenant[] }>('GET', '/tenants');
      const newestFirst = tenants.toReversed();
      return print(newestFirst, newestFirst.map(line).join(''));
    }
    if (name === undefined) throw usageError(`pinakes tenants ${action} needs a name. See pinakes tenants --help.`);
    if (action === 'create') {
      const created = await callAdmin<Tenant & { key: string }>('POST', '/tenants', { name });
      return print(created, `${line(created)}${created.key}\n`);
    }
    if (action === 'key') {
      const issued = await callAdmin<{ key: string }>('POST', '/keys', { tenant: name, name: 'operator' });
      return print(issued, `${issued.key}\n`);
    }
    if (action === 'delete') {
      if (!flagOption(options, 'yes'))
        throw usageError(`This deletes the tenant ${name} with all its data. Add --yes to confirm.`);
      const deleted = await callAdmin<Tenant>('DELETE', `/tenants/${encodeURIComponent(name)}`);
      return print(deleted, `Deleted ${deleted.id}  ${deleted.name}\n`);
    }
    throw usageError(`There is no "pinakes tenants ${action}". See pinakes tenants --help.`);
  },
};

function line({ id, name }: Tenant): string {
  return `${id}  ${name}\n`;
}

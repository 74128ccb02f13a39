/** `pinakes tenants`: an operator command that manages tenants. */

import { type Command, flagOption, type OptionValues, printAnswer, textOption } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { callAdmin, HOW_OPERATOR_COMMANDS_WORK } from './admin-client.ts';

interface Tenant {
  id: string;
  name: string;
  creation_time: number;
}

const QUOTAS = ['bytes', 'files', 'groups'] as const;
type Quotas = Record<(typeof QUOTAS)[number], number | null>;

export const tenantsCommand: Command = {
  name: 'tenants',
  summary: 'List, create and delete tenants, and set their quotas (operator).',
  synopsis: '<list|create|delete|key|quota> [name]',
  argumentsMin: 1,
  argumentsMax: 2,
  options: {
    yes: { text: 'delete: confirm that the tenant and all its data are deleted' },
    bytes: { value: '<value>', text: 'quota: bytes of all files; 0: not limited, default: PINAKES_TENANT_BYTES' },
    files: { value: '<value>', text: 'quota: files; 0: not limited, default: PINAKES_TENANT_FILES' },
    groups: { value: '<value>', text: 'quota: source groups; 0: not limited, default: PINAKES_TENANT_GROUPS' },
    json: { text: 'print the answer as JSON' },
  },
  details: `
  pinakes tenants list                 newest first
  pinakes tenants create acme          prints the first API key of the tenant, once
  pinakes tenants key acme             issues a key with all scopes, for example if all keys were lost
  pinakes tenants quota acme           prints the quotas of the tenant
  pinakes tenants quota acme --files 1000 --bytes default
  pinakes tenants delete acme --yes

${HOW_OPERATOR_COMMANDS_WORK}`,
  async run({ arguments: [action, name], options, io }) {
    const print = (answer: unknown, text: string) => printAnswer({ options, io }, answer, () => io.out(text));
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
    if (action === 'quota') {
      const change = quotasFrom(options);
      const path = `/quotas/${encodeURIComponent(name)}`;
      const isRead = Object.keys(change).length === 0;
      const quotas = await (isRead ? callAdmin<Quotas>('GET', path) : callAdmin<Quotas>('PATCH', path, change));
      return print(quotas, QUOTAS.map((one) => `${one}  ${quotas[one] ?? 'default'}\n`).join(''));
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

/** Returns the quotas that the options name. Null: the setting of the service counts. */
function quotasFrom(options: OptionValues): Partial<Quotas> {
  const change: Partial<Quotas> = {};
  for (const name of QUOTAS) {
    const text = textOption(options, name);
    if (text === undefined) continue;
    if (text !== 'default' && !/^\d{1,15}$/.test(text)) throw usageError(`--${name} must be a number or "default".`);
    change[name] = text === 'default' ? null : Number(text);
  }
  return change;
}

function line({ id, name }: Tenant): string {
  return `${id}  ${name}\n`;
}

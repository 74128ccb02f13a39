/** `pinakes keys`: API keys of the tenant to which the caller's own key belongs. */

import type { ApiKey, Operations } from '../client/api.ts';
import { generateApiKey } from '../http/api-key.ts';
import { SCOPES } from '../http/route.ts';
import type { Client } from './client.ts';
import { openConfiguredClient } from './client-config.ts';
import { type Command, flagOption, type Invocation, integerOption, textOption, textOptions } from './command.ts';
import { usageError } from './io.ts';

const PAGE_SIZE = 100;
const DAYS_MAX = 36_500;
const DAY_SECONDS = 86_400;

export const keysCommand: Command = {
  name: 'keys',
  summary: 'List, issue and revoke API keys.',
  synopsis: '<list|issue|revoke|generate> [id]',
  argumentsMin: 1,
  argumentsMax: 2,
  options: {
    name: { type: 'string', value: '<text>', text: 'issue: name of the key (required)' },
    scope: {
      type: 'string',
      multiple: true,
      value: '<scope>',
      text: 'issue: a scope it carries; repeat for several (required)',
    },
    days: { type: 'string', value: '<n>', text: 'issue: expires after so many days (default: never)' },
    json: { type: 'boolean', text: 'print the answer as JSON' },
  },
  details: `
  pinakes keys list
  pinakes keys issue --name reader --scope knowledge:read --scope inference:run
  pinakes keys revoke <id>
  pinakes keys generate     a key for PINAKES_BOOTSTRAP_KEY; nothing is stored

Scopes: ${SCOPES.join(', ')}.
An issued key is shown once. A key can issue only what it carries itself.`,
  async run(invocation) {
    const [action, id] = invocation.arguments;
    if (action !== 'revoke' && id !== undefined)
      throw usageError(`Unexpected argument "${id}". See pinakes keys --help.`);
    switch (action) {
      case 'list':
        return list(await openConfiguredClient(), invocation);
      case 'issue':
        return issue(invocation);
      case 'revoke':
        if (id === undefined) throw usageError('pinakes keys revoke needs the id of the key.');
        await (await openConfiguredClient()).revokeApiKey({ params: { id } });
        invocation.io.err(`Revoked ${id}\n`);
        return 0;
      case 'generate':
        invocation.io.out(`${generateApiKey().key}\n`);
        return 0;
      default:
        throw usageError(`There is no "pinakes keys ${action}". See pinakes keys --help.`);
    }
  },
};

async function list(client: Client, { options, io }: Invocation): Promise<number> {
  const keys: ApiKey[] = [];
  let after: string | null = null;
  do {
    const query = { limit: PAGE_SIZE, ...(after !== null && { after_id: after }) };
    const page: Operations['listApiKeys']['response'] = await client.listApiKeys({ query });
    keys.push(...page.api_keys);
    after = page.pagination.next_id;
  } while (after !== null);
  if (flagOption(options, 'json')) io.out(`${JSON.stringify(keys)}\n`);
  else for (const key of keys) io.out(`${key.id}  ${key.name}  ${key.scopes.join(' ')}  ${expiry(key)}\n`);
  return 0;
}

async function issue({ options, io }: Invocation): Promise<number> {
  const name = textOption(options, 'name');
  const scopes = textOptions(options, 'scope');
  if (name === undefined || scopes.length === 0)
    throw usageError('pinakes keys issue needs --name and at least one --scope.');
  const days = integerOption(options, 'days', 1, DAYS_MAX);
  const body = {
    name,
    // The service refuses those it does not know.
    scopes: scopes as ApiKey['scopes'],
    ...(days !== undefined && { expires_time: Math.floor(Date.now() / 1000) + days * DAY_SECONDS }),
  };
  const issued = await (await openConfiguredClient()).issueApiKey({ body });
  if (flagOption(options, 'json')) {
    io.out(`${JSON.stringify(issued)}\n`);
    return 0;
  }
  io.out(`${issued.key}\n`);
  io.err(`Issued ${issued.id}. The key is shown only now.\n`);
  return 0;
}

function expiry({ expires_time }: ApiKey): string {
  return expires_time === null ? 'never expires' : `expires ${new Date(expires_time * 1000).toISOString()}`;
}

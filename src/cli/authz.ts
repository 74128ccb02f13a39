/** `pinakes authz`: policies, subjects, and why somebody sees something or does not. */
import type { Operations } from '../client/api.ts';
import { openConfiguredClient } from './client-config.ts';
import { type Command, flagOption, type Invocation, textOption } from './command.ts';
import { usageError } from './io.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './principal.ts';

const PAGE_SIZE = 100;

export const authzCommand: Command = {
  name: 'authz',
  summary: 'Show policies and subjects, and explain who may see what.',
  synopsis: '<policies|subjects|explain>',
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    ...PRINCIPAL_OPTIONS,
    source: { type: 'string', value: '<id>', text: 'explain: a source' },
    chunk: { type: 'string', value: '<id>', text: 'explain: a chunk, instead' },
    json: { type: 'boolean', text: 'print the answer as JSON' },
  },
  details: `
  pinakes authz policies
  pinakes authz subjects
  pinakes authz explain --principal ada@example.com --source <id>     exit code 1 when it is not allowed`,
  async run(invocation) {
    const [action] = invocation.arguments;
    switch (action) {
      case 'policies':
        return policies(invocation);
      case 'subjects':
        return subjects(invocation);
      case 'explain':
        return explain(invocation);
      default:
        throw usageError(`There is no "pinakes authz ${action}". See pinakes authz --help.`);
    }
  },
};

async function policies({ options, io }: Invocation): Promise<number> {
  const client = await openConfiguredClient();
  const found: Operations['listPolicies']['response']['policies'] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const query = { limit: PAGE_SIZE, ...(after !== undefined && { after_id: after }) };
    const page: Operations['listPolicies']['response'] = await client.listPolicies({ query });
    found.push(...page.policies);
    after = page.pagination.next_id;
  }
  if (flagOption(options, 'json')) io.out(`${JSON.stringify(found)}\n`);
  else
    for (const { name, version, operator, filters } of found)
      io.out(`${name}  version ${version}  ${JSON.stringify({ operator, filters })}\n`);
  return 0;
}

async function subjects({ options, io }: Invocation): Promise<number> {
  const client = await openConfiguredClient();
  const found: Operations['listSubjects']['response']['subjects'] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const query = { limit: PAGE_SIZE, ...(after !== undefined && { after_id: after }) };
    const page: Operations['listSubjects']['response'] = await client.listSubjects({ query });
    found.push(...page.subjects);
    after = page.pagination.next_id;
  }
  if (flagOption(options, 'json')) io.out(`${JSON.stringify(found)}\n`);
  else
    for (const one of found)
      io.out(`${one.principal_id}  ${JSON.stringify(one.attributes)}  ${expiry(one.expires_time)}\n`);
  return 0;
}

async function explain({ options, io }: Invocation): Promise<number> {
  const source = textOption(options, 'source');
  const chunk = textOption(options, 'chunk');
  if ((source === undefined) === (chunk === undefined))
    throw usageError('pinakes authz explain needs either --source or --chunk.');
  const body = {
    ...principalIn(options),
    ...(source !== undefined && { source_id: source }),
    ...(chunk !== undefined && { chunk_id: chunk }),
  };
  const answer = await (await openConfiguredClient()).explainAccess({ body });
  if (flagOption(options, 'json')) io.out(`${JSON.stringify(answer)}\n`);
  else
    io.out(
      `${answer.allowed ? 'allowed' : 'not allowed'}  ${answer.matched_rule === null ? 'there is no such policy' : `decided by ${answer.matched_rule || 'the whole policy'}`}\n`,
    );
  return answer.allowed ? 0 : 1;
}

function expiry(time: number | null): string {
  return time === null ? 'never expires' : `expires ${new Date(time * 1000).toISOString()}`;
}

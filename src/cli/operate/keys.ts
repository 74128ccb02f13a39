/** `pinakes keys`: manages the API keys of the tenant to which the caller's own key belongs. */

import { generateApiKey } from '../../access/api-key.ts';
import { SCOPES } from '../../access/caller.ts';
import type { ApiKey, ApiKeyUsage, IssuedApiKey } from '../../client/api.ts';
import { isId } from '../../util/ids.ts';
import type { Client } from '../shared/client.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import type { Column } from '../shared/columns.ts';
import {
  type Command,
  type Invocation,
  integerOption,
  printAnswer,
  textOption,
  textOptions,
} from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { checkId, groupIdOf, tagNamed } from '../shared/names.ts';
import { allOf, mapRows, printRows } from '../shared/pages.ts';
import { listTime } from '../shared/words.ts';

const DAYS_MAX = 36_500;
const USAGE_DAYS_MAX = 400;
const GRACE_SECONDS_MAX = 7_776_000;
const DAY_SECONDS = 86_400;
const NO_KEYS = 'There are no API keys.';

export const keysCommand: Command = {
  name: 'keys',
  summary: 'List, issue, rotate and revoke API keys, and show their usage of the chat model.',
  synopsis: '<list|issue|rotate|revoke|usage|generate> [id]',
  argumentsMin: 1,
  argumentsMax: 2,
  options: {
    name: { value: '<text>', text: 'issue: name of the key (required)' },
    scope: { multiple: true, value: '<scope>', text: 'issue: scope of the key; repeat for several (required)' },
    days: {
      value: '<n>',
      text: 'issue: number of days until the key expires (default: never); usage: number of days to show (default: 30)',
    },
    'source-group': {
      multiple: true,
      value: '<group>',
      text: 'issue: limit the key to this source group (its name or id); repeat for several (default: all)',
    },
    tag: {
      multiple: true,
      value: '<tag>',
      text: 'issue: limit the key to source groups with this tag (its name or id); repeat for several (default: all)',
    },
    grace: { value: '<seconds>', text: 'rotate: time that the old key still works (default: 0)' },
    json: { text: 'print the answer as JSON' },
  },
  details: `
  pinakes keys list         newest first, with limits, expiry and last use (to the minute)
  pinakes keys issue --name reader --scope knowledge:read --scope inference:run
  pinakes keys rotate <id> --grace 3600     issue a successor; the old key ends after an hour
  pinakes keys revoke <id>
  pinakes keys usage        chat model tokens of each key
  pinakes keys usage <id> --days 7          chat model tokens of one key, day by day
  pinakes keys generate     print a key for PINAKES_BOOTSTRAP_KEY; it is not stored

Scopes: ${SCOPES.slice(0, 5).join(', ')},
${SCOPES.slice(5).join(', ')}.
A new key is printed once and cannot be shown again. A key can issue only keys whose
scopes, limits and expiry lie within its own.`,
  async run(invocation) {
    const [action, id] = invocation.arguments;
    if (action === 'rotate' || action === 'revoke') {
      if (id === undefined) throw usageError(`pinakes keys ${action} needs the id of the key.`);
      return (action === 'rotate' ? rotate : revoke)(checkId(id), invocation);
    }
    if (action === 'usage') return usage(await openConfiguredClient(), id && checkId(id), invocation);
    if (id !== undefined) throw usageError(`Unexpected argument "${id}". See pinakes keys --help.`);
    if (action === 'list') return list(await openConfiguredClient(), invocation);
    if (action === 'issue') return issue(invocation);
    if (action === 'generate') return generate(invocation);
    throw usageError(`There is no "pinakes keys ${action}". See pinakes keys --help.`);
  },
};

async function revoke(id: string, invocation: Invocation): Promise<number> {
  const revoked = await (await openConfiguredClient()).revokeApiKey({ params: { id } });
  return printAnswer(invocation, revoked, () => invocation.io.err(`Revoked ${id}\n`));
}

function generate(invocation: Invocation): Promise<number> {
  const { key } = generateApiKey();
  return printAnswer(invocation, { key }, () => invocation.io.out(`${key}\n`));
}

async function list(client: Client, invocation: Invocation): Promise<number> {
  const time = (seconds: number | null) => listTime(seconds, invocation.io) || 'never';
  const columns: Column<ApiKey>[] = [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, cut: true },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(' '), cut: true, omit: 2 },
    { title: 'LIMITED TO', value: limitsOf, omit: 3 },
    { title: 'EXPIRES', value: ({ expires_time: seconds }) => time(seconds), omit: 1 },
    { title: 'LAST USED', value: ({ last_used_time: seconds }) => time(seconds), omit: 4 },
  ];
  const keys = await newestKeys(client);
  return printAnswer(invocation, keys, () => printRows(keys, { columns, none: NO_KEYS }, invocation.io));
}

/** The numbers of the chat model. */
const USAGE_COLUMNS: readonly Column<ApiKeyUsage['total']>[] = [
  { title: 'REQUESTS', value: ({ requests }) => String(requests), right: true, omit: 2 },
  { title: 'TOKENS IN', value: ({ input_tokens: tokens }) => String(tokens), right: true },
  { title: 'TOKENS OUT', value: ({ output_tokens: tokens }) => String(tokens), right: true },
];

async function newestKeys(client: Client): Promise<ApiKey[]> {
  return (await allOf('api_keys', (query) => client.listApiKeys({ query }))).toReversed();
}

async function usage(client: Client, id: string | undefined, invocation: Invocation): Promise<number> {
  const { options, io } = invocation;
  const days = integerOption(options, 'days', 1, USAGE_DAYS_MAX);
  const read = (of: string): Promise<ApiKeyUsage> => client.getApiKeyUsage({ params: { id: of }, query: { days } });
  if (id !== undefined) {
    const one = await read(id);
    const rows = [...one.days, { date: 'total', ...one.total }];
    const columns: Column<(typeof rows)[number]>[] = [{ title: 'DAY', value: ({ date }) => date }, ...USAGE_COLUMNS];
    return printAnswer(invocation, one, () => printRows(rows, { columns, none: NO_KEYS }, io));
  }
  const keys = await newestKeys(client);
  const reports = await mapRows(keys, ({ id: of }) => read(of));
  const rows = keys.map(({ id: of, name }, i) => ({ id: of, name, ...reports[i]!.total }));
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'ID', value: ({ id: of }) => of, omit: 1 },
    { title: 'NAME', value: ({ name }) => name, cut: true },
    ...USAGE_COLUMNS,
  ];
  return printAnswer(invocation, reports, () => printRows(rows, { columns, none: NO_KEYS }, io));
}

async function issue(invocation: Invocation): Promise<number> {
  const { options } = invocation;
  const name = textOption(options, 'name');
  const scopes = textOptions(options, 'scope');
  if (name === undefined || scopes.length === 0)
    throw usageError('pinakes keys issue needs --name and at least one --scope.');
  const days = integerOption(options, 'days', 1, DAYS_MAX);
  const groups = textOptions(options, 'source-group');
  const tags = textOptions(options, 'tag');
  const client = await openConfiguredClient();
  const tagIds: string[] = [];
  // An id is not looked up: a key that may issue keys need not be able to list tags.
  for (const tag of tags) tagIds.push(isId(tag) ? tag : (await tagNamed(client, tag)).id);
  const groupIds = await Promise.all(groups.map((group) => groupIdOf(client, group)));
  const body = {
    name,
    ...(groups.length > 0 && { source_group_ids: groupIds }),
    ...(tags.length > 0 && { tag_ids: tagIds }),
    // The service refuses unknown scopes.
    scopes: scopes as ApiKey['scopes'],
    expires_time: days && Math.floor(Date.now() / 1000) + days * DAY_SECONDS,
  };
  const issued = await client.issueApiKey({ body });
  return printKey(issued, `Issued ${issued.id}.`, invocation);
}

async function rotate(id: string, invocation: Invocation): Promise<number> {
  const grace = integerOption(invocation.options, 'grace', 0, GRACE_SECONDS_MAX) ?? 0;
  const client = await openConfiguredClient();
  const issued = await client.rotateApiKey({ params: { id }, body: { grace_seconds: grace } });
  const end = grace === 0 ? 'no longer works' : `works for ${grace} s at most`;
  return printKey(issued, `Issued ${issued.id} as successor of ${id}, which ${end}.`, invocation);
}

function printKey(issued: IssuedApiKey, text: string, invocation: Invocation): Promise<number> {
  const { io } = invocation;
  return printAnswer(invocation, issued, () => {
    io.out(`${issued.key}\n`);
    io.err(`${text} The key cannot be shown again.\n`);
  });
}

/** Returns what the key may reach. The ids are in the JSON. */
function limitsOf({ source_group_ids: groups, tag_ids: tags }: ApiKey): string {
  const limits = [groups && `groups: ${groups.length}`, tags && `tags: ${tags.length}`];
  return limits.filter((limit) => limit !== null).join(', ') || '-';
}

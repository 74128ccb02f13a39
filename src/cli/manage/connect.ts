/** `pinakes connect`: creates sources that are synchronized with a Drive folder, a page workspace, a repository or a database. */
import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import type { Operations, Secret } from '../../client/api.ts';
import { titleInAddress } from '../../client/page-title.ts';
import { environment } from '../../config.ts';
import type { Client } from '../shared/client.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import type { Column } from '../shared/columns.ts';
import { type Command, type Invocation, printAnswer, textOption, textOptions } from '../shared/command.ts';
import { CliError, usageError } from '../shared/io.ts';
import { checkId } from '../shared/names.ts';
import { allOf, printRows } from '../shared/pages.ts';
import { fileProblem, listTime } from '../shared/words.ts';
import { finishCreation } from './follow.ts';
import { CREATION_OPTIONS, scheduleIn } from './schedule.ts';

type RepoBody = Operations['createRepoSource']['request']['body'];
type DatabaseBody = Operations['createDatabaseSource']['request']['body'];
type Kind = keyof typeof ADDRESSES;

const NAME_LENGTH_MAX = 200;

export const connectCommand: Command = {
  name: 'connect',
  summary: 'Create a source group from a Drive folder, a page workspace, a repository or a database.',
  synopsis: '<drive|page|repo|database|secrets> [address…]',
  argumentsMin: 1,
  argumentsMax: 101,
  options: {
    'secret-id': { value: '<id>', text: 'use this stored secret as credential' },
    'secret-file': { value: '<path>', text: 'read the credential from this file; - is standard input' },
    'secret-env': { value: '<NAME>', text: 'read the credential from this environment variable' },
    store: { value: '<name>', text: 'store the credential under this name; schedules need a stored credential' },
    path: {
      multiple: true,
      value: '<glob>',
      text: 'repo: files to read, written as in a .gitignore file; repeat for several (default: all files)',
    },
    branch: { value: '<name>', text: 'repo: read this branch (default: the default branch)' },
    tag: { value: '<name>', text: 'repo: read this tag' },
    commit: { value: '<hash>', text: 'repo: read this commit' },
    ...CREATION_OPTIONS,
  },
  details: `
  pinakes connect repo acme/manual --path docs/ --wait
  pinakes connect repo acme/manual --secret-env REPO_TOKEN --store "repo reader" --schedule hourly
  pinakes connect drive https://drive.google.com/drive/folders/1AbC --secret-file key.json
  pinakes connect page https://www.notion.so/59833787 --secret-id <id> --schedule daily
  pinakes connect database public.orders public.customers:id,city --secret-env DATABASE_URL
  pinakes connect secrets                   list the stored secrets, newest first

A page is a page or data source of a Notion workspace. A database is a PostgreSQL, MySQL or
MariaDB server: name its tables as schema.table, with the columns after a colon if not all are
to be read. Its credential is a connection URL: postgresql://user:password@host/database. Credentials are read from a stored
secret, a file or the environment, so that they do not get into the history of the shell.
Without --store, a credential is used for the first run only and then erased.`,
  async run(invocation) {
    const [kind = '', ...addresses] = invocation.arguments;
    const unexpected = addresses[kind === 'secrets' ? 0 : 1];
    if (unexpected !== undefined && kind !== 'database')
      throw usageError(`Unexpected argument "${unexpected}". See pinakes connect --help.`);
    if (kind === 'secrets') return listSecrets(invocation);
    if (!isKind(kind)) throw usageError(`There is no "pinakes connect ${kind}". See pinakes connect --help.`);
    if (addresses.length === 0) throw usageError(`pinakes connect ${kind} needs ${ADDRESSES[kind]}.`);
    return connect(kind, addresses, invocation);
  },
};

const ADDRESSES = {
  drive: 'the address of a folder',
  page: 'the id or the address of a page',
  repo: 'a repository: owner/name',
  database: 'the names of tables: schema.table',
} as const;

function isKind(text: string): text is Kind {
  return Object.hasOwn(ADDRESSES, text);
}

async function connect(kind: Kind, addresses: readonly string[], { options, io }: Invocation): Promise<number> {
  const reference = referenceIn(kind, options);
  const given = await credentialIn(options);
  if (given.value === undefined && given.secretId === undefined && kind !== 'repo') {
    throw usageError(`pinakes connect ${kind} needs --secret-id, --secret-file or --secret-env.`);
  }
  const schedule = scheduleIn(options);
  const stored = textOption(options, 'store');
  if (stored !== undefined && given.value === undefined)
    throw usageError('--store needs --secret-file or --secret-env.');
  if (schedule.rrule !== undefined && given.value !== undefined && stored === undefined) {
    throw usageError('--schedule needs a stored secret: add --store <name>, or use --secret-id.');
  }
  const client = await openConfiguredClient();
  const secret =
    stored === undefined
      ? undefined
      : await client.createSecret({ body: { name: stored, type: kind, secret: given.value! } });
  if (secret !== undefined) io.err(`Stored the secret "${secret.name}" with the id ${secret.id}.\n`);
  const secretId = secret?.id ?? given.secretId;
  const credential = secretId === undefined ? given.value : undefined;
  const common = {
    name: textOption(options, 'name') ?? nameOf(kind, addresses),
    secret_id: secretId,
    ...schedule,
  };
  const source = await create(client, kind, addresses, { common, credential, reference });
  return finishCreation(client, source, { options, io });
}

/** Returns a name for the source group: the title in the address of a page, or what was given. */
function nameOf(kind: Kind, addresses: readonly string[]): string {
  const title = kind === 'page' ? titleInAddress(addresses[0] ?? '') : undefined;
  return [...(title ?? addresses.join(', '))].slice(0, NAME_LENGTH_MAX).join('');
}

interface Creation {
  common: { name: string; secret_id: string | undefined; rrule?: string | undefined };
  credential: string | undefined;
  reference: Partial<RepoBody>;
}

function create(client: Client, kind: Kind, addresses: readonly string[], { common, credential, reference }: Creation) {
  const one = <Name extends string>(name: Name) =>
    credential === undefined ? {} : ({ [name]: credential } as { [name in Name]: string });
  const [address = ''] = addresses;
  if (kind === 'database') {
    const tables = addresses.map(tableIn);
    return client.createDatabaseSource({ body: { ...common, tables, ...one('connection_url') } });
  }
  if (kind === 'drive') {
    return client.createDriveSource({ body: { ...common, folder_url: address, ...one('service_account_key') } });
  }
  if (kind === 'page') return client.createPageSource({ body: { ...common, page_id: address, ...one('page_token') } });
  return client.createRepoSource({ body: { ...common, repository: address, ...reference, ...one('access_token') } });
}

/** Returns the table and the columns of an argument: `schema.table` or `schema.table:column,column`. */
function tableIn(text: string): DatabaseBody['tables'][number] {
  const colon = text.indexOf(':');
  if (colon === -1) return { name: text };
  return { name: text.slice(0, colon), columns: text.slice(colon + 1).split(',') };
}

/** Returns the members of a request that say what to read of a repository. @throws CliError with exit code 2. */
function referenceIn(kind: Kind, options: Invocation['options']): Partial<RepoBody> {
  const paths = textOptions(options, 'path');
  const given = (['branch', 'tag', 'commit'] as const).filter((type) => textOption(options, type) !== undefined);
  const foreign = paths.length > 0 ? 'path' : given[0];
  if (kind !== 'repo' && foreign !== undefined) throw usageError(`--${foreign} is for pinakes connect repo.`);
  if (given.length > 1) throw usageError(`Give only one of ${given.map((type) => `--${type}`).join(', ')}.`);
  const [type] = given;
  return {
    path_filters: paths,
    ...(type !== undefined && { reference_type: type, reference_param: textOption(options, type)! }),
  };
}

/** Returns the credential of the options. @throws CliError when there are several, or when the file or variable is empty. */
async function credentialIn(options: Invocation['options']): Promise<{ secretId?: string; value?: string }> {
  const names = ['secret-id', 'secret-file', 'secret-env'].filter((name) => textOption(options, name) !== undefined);
  if (names.length > 1) throw usageError(`Give only one of ${names.map((name) => `--${name}`).join(', ')}.`);
  const id = textOption(options, 'secret-id');
  if (id !== undefined) return { secretId: checkId(id) };
  const [name] = names;
  if (name === undefined) return {};
  const place = textOption(options, name)!;
  const value = (name === 'secret-env' ? fromEnvironment(place) : await fromFile(place)).trim();
  if (value === '')
    throw new CliError(`There is no credential in ${place === '-' ? 'standard input' : place}: it is empty.`);
  return { value };
}

function fromEnvironment(name: string): string {
  const value = environment()[name];
  if (value === undefined) throw usageError(`The environment variable ${name} is not set.`);
  return value;
}

async function fromFile(path: string): Promise<string> {
  if (path === '-') return readText(process.stdin);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw usageError(`${path} cannot be read: ${fileProblem(error)}.`);
  }
}

async function listSecrets(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const client = await openConfiguredClient();
  const secrets = (await allOf('secrets', (query) => client.listSecrets({ query }))).toReversed();
  const columns: Column<Secret>[] = [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, cut: true },
    { title: 'TYPE', value: ({ type }) => type },
    { title: 'CHANGED', value: (one) => listTime(one.last_update_time, io), omit: 0 },
    { title: 'DESCRIPTION', value: ({ description }) => description, cut: true, omit: 1 },
  ];
  const none = 'There are no stored secrets.';
  return printAnswer(invocation, secrets, () => printRows(secrets, { columns, none }, io));
}

/** `pinakes authz`: lists policies and subjects, and explains why a user may see something or not. */
import type { AuthzSubject } from '../../client/api.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import type { Column } from '../shared/columns.ts';
import { type Command, type Invocation, printAnswer, textOption } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { allOf, LIST_OPTIONS, limitOf, type PageQuery, pagesOf, printList } from '../shared/pages.ts';
import { listTime } from '../shared/words.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './principal.ts';

export const authzCommand: Command = {
  name: 'authz',
  summary: 'List policies and subjects, and explain who may see what.',
  synopsis: '<policies|subjects|explain>',
  argumentsMin: 1,
  options: {
    principal: { ...PRINCIPAL_OPTIONS['principal']!, text: 'explain: the user who wants to see something' },
    policy: { ...PRINCIPAL_OPTIONS['policy']!, text: 'explain: the policy that decides (default: default)' },
    source: { value: '<id>', text: 'explain: whether the user may see this source' },
    chunk: { value: '<id>', text: 'explain: whether the user may see this chunk' },
    limit: { ...LIST_OPTIONS['limit']!, text: 'subjects: number of subjects to show, newest first (default 20)' },
    all: { ...LIST_OPTIONS['all']!, text: 'subjects: show all subjects' },
    json: { text: 'print the answer as JSON' },
  },
  details: `
  pinakes authz policies
  pinakes authz subjects
  pinakes authz explain --principal ada@example.com --source <id>     exit code 1 if not allowed

Policies say what users may see. Subjects are users with attributes that policies ask for.`,
  async run(invocation) {
    const [action] = invocation.arguments;
    if (action === 'policies') return policies(invocation);
    if (action === 'subjects') return subjects(invocation);
    if (action === 'explain') return explain(invocation);
    throw usageError(`There is no "pinakes authz ${action}". See pinakes authz --help.`);
  },
};

async function policies(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const client = await openConfiguredClient();
  const found = await allOf('policies', (query) => client.listPolicies({ query }));
  const newestFirst = found.toReversed();
  return printAnswer(invocation, newestFirst, () => {
    if (newestFirst.length === 0) io.err('There are no policies.\n');
    for (const { name, version, operator, filters } of newestFirst)
      io.out(`${name}  version ${version}  ${JSON.stringify({ operator, filters })}\n`);
  });
}

async function subjects(invocation: Invocation): Promise<number> {
  const { options, io } = invocation;
  const client = await openConfiguredClient();
  const list = (query: PageQuery) => client.listSubjects({ query: { order: 'desc', ...query } });
  const pages = pagesOf('subjects', list, limitOf(options));
  const columns: Column<AuthzSubject>[] = [
    { title: 'SUBJECT', value: ({ principal_id: id }) => id },
    { title: 'ATTRIBUTES', value: ({ attributes }) => JSON.stringify(attributes), cut: true },
    { title: 'EXPIRES', value: ({ expires_time: time }) => listTime(time, io) || 'never' },
  ];
  return printList(pages, { columns, none: 'There are no subjects.' }, invocation);
}

async function explain({ options, io }: Invocation): Promise<number> {
  const source = textOption(options, 'source');
  const chunk = textOption(options, 'chunk');
  if ((source === undefined) === (chunk === undefined))
    throw usageError('pinakes authz explain needs either --source or --chunk.');
  const body = { ...principalIn(options), source_id: source, chunk_id: chunk };
  const answer = await (await openConfiguredClient()).explainAccess({ body });
  const rule = answer.matched_rule;
  const reason = rule === null ? 'there is no such policy' : `decided by ${rule || 'the whole policy'}`;
  const text = `${answer.allowed ? 'allowed' : 'not allowed'}  ${reason}\n`;
  await printAnswer({ options, io }, answer, () => io.out(text));
  return answer.allowed ? 0 : 1;
}

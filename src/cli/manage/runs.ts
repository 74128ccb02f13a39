/** `pinakes runs`: lists runs and their errors, cancels runs, and starts them again. */
import type { Run, RunError } from '../../client/api.ts';
import type { Client } from '../shared/client.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import type { Column } from '../shared/columns.ts';
import { type Command, choiceOption, flagOption, type Invocation, printAnswer, textOption } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { checkId, groupIdOf } from '../shared/names.ts';
import { LIST_OPTIONS, limitOf, mapRows, type PageQuery, pagesOf, printList } from '../shared/pages.ts';
import { errorText, listTime } from '../shared/words.ts';
import { followGroup } from './follow.ts';

const STATUSES = ['queued', 'starting', 'started', 'success', 'failure', 'canceling', 'canceled'] as const;

export const runsCommand: Command = {
  name: 'runs',
  summary: 'List ingestion runs, newest first, and their errors; cancel runs and start new ones.',
  synopsis: '[group] | errors <run id> | cancel <run id> | start <group>',
  argumentsMax: 2,
  options: {
    ...LIST_OPTIONS,
    search: { short: 'q', value: '<text>', text: 'only runs with this text in status, stage or error' },
    status: { value: '<status>', text: `only runs with this status (not with a group): ${STATUSES.join(', ')}` },
    'only-failed': { text: 'start: read only the files that failed in the latest run' },
    wait: { short: 'w', text: 'start: wait until the run has ended; exit code 1 if a file failed' },
    json: { text: 'print the answer as one line of JSON' },
  },
  details: `
  pinakes runs                              the newest runs of all source groups
  pinakes runs <group>                      the newest runs of one group
  pinakes runs errors <run id>              the files that failed, with the reasons
  pinakes runs cancel <run id>              end a run; stored content stays
  pinakes runs start <group> --only-failed --wait

A group is given by its id, or by its name if only one group has it.`,
  async run(invocation) {
    const [first, id] = invocation.arguments;
    if (first === 'errors' || first === 'cancel' || first === 'start') {
      if (id === undefined)
        throw usageError(
          `pinakes runs ${first} needs ${first === 'start' ? 'a group' : 'an id'}. See pinakes runs --help.`,
        );
      const client = await openConfiguredClient();
      if (first === 'errors') return errors(client, checkId(id), invocation);
      if (first === 'cancel') return cancel(client, checkId(id), invocation);
      return start(client, await groupIdOf(client, id), invocation);
    }
    if (id !== undefined) throw usageError(`Unexpected argument "${id}". See pinakes runs --help.`);
    return list(first, invocation);
  },
};

type RunRow = Run & { source_group_name: string };

async function list(group: string | undefined, invocation: Invocation): Promise<number> {
  const { options, io } = invocation;
  const q = textOption(options, 'search');
  const status = choiceOption(options, 'status', STATUSES);
  if (group !== undefined && status !== undefined) throw usageError('--status cannot be used with a group.');
  const client = await openConfiguredClient();
  const groupId = group === undefined ? undefined : await groupIdOf(client, group);
  const names = new Map<string, string>();
  const read = async (page: PageQuery) => {
    const query = { order: 'desc' as const, q, ...page };
    if (groupId === undefined) {
      const { runs, pagination } = await client.listAllRuns({ query: { ...query, status } });
      return { runs: await namesOf(client, runs, names), pagination };
    }
    const { runs, pagination } = await client.listRuns({ params: { id: groupId }, query });
    return { runs: runs.map((run) => ({ ...run, source_group_name: '' })), pagination };
  };
  const pages = pagesOf('runs', read, limitOf(options));
  const columns: Column<RunRow>[] = [
    { title: 'ID', value: ({ id }) => id },
    ...(groupId === undefined
      ? [{ title: 'GROUP', value: (run: RunRow) => run.source_group_name, cut: true as const }]
      : []),
    { title: 'STATUS', value: (run) => run.status },
    { title: 'FILES', value: (run) => `${run.files_done}/${run.files_total}`, right: true, omit: 3 },
    { title: 'FAILED', value: ({ statistics }) => String(statistics.failed), right: true, omit: 0 },
    { title: 'CHUNKS', value: (run) => String(run.chunks_done), right: true, omit: 5 },
    { title: 'STARTED', value: (run) => listTime(run.start_time, io), omit: 2 },
    { title: 'TOOK', value: durationOf, right: true, omit: 6 },
    { title: 'ERROR', value: ({ error }) => (error === null ? '' : errorText(error)), cut: true, omit: 1 },
  ];
  return printList(pages, { columns, none: 'There are no such runs.' }, invocation);
}

/** Returns the runs with the names of their groups. The names are cached in `names`. */
async function namesOf(client: Client, runs: readonly Run[], names: Map<string, string>): Promise<RunRow[]> {
  const unknown = new Set(runs.map((run) => run.source_group_id).filter((id) => !names.has(id)));
  await mapRows([...unknown], async (id) => {
    // The group may have been deleted since the runs were listed.
    names.set(
      id,
      await client.getSourceGroup({ params: { id } }).then(
        ({ name }) => name,
        () => '',
      ),
    );
  });
  return runs.map((run) => ({ ...run, source_group_name: names.get(run.source_group_id) ?? '' }));
}

/** Returns `12 s` or `3 min`; empty before the run has ended. */
function durationOf({ start_time: start, end_time: end }: Run): string {
  if (start === null || end === null) return '';
  const seconds = end - start;
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

async function errors(client: Client, id: string, invocation: Invocation): Promise<number> {
  const read = (query: PageQuery) => client.listRunErrors({ params: { id }, query });
  const pages = pagesOf('errors', read, limitOf(invocation.options));
  const columns: Column<RunError>[] = [
    { title: 'NAME', value: ({ name }) => name, cut: true },
    { title: 'PLACE', value: placeOf, cut: true, omit: 2 },
    { title: 'STAGE', value: ({ stage }) => stage },
    { title: 'RETRY', value: ({ retryable }) => (retryable ? 'may help' : 'no'), omit: 1 },
    { title: 'ERROR', value: (error) => errorText(error), cut: true },
  ];
  return printList(pages, { columns, none: 'No file failed in this run.' }, invocation);
}

/** Returns the path or the address of a file; empty if its name says the same. */
function placeOf({ name, path, url }: RunError): string {
  const place = path ?? url ?? '';
  return place === name ? '' : place;
}

async function cancel(client: Client, id: string, invocation: Invocation): Promise<number> {
  const run = await client.cancelRun({ params: { id } });
  return printAnswer(invocation, run, () => invocation.io.err(`The run ${id} is ${run.status}.\n`));
}

async function start(client: Client, id: string, invocation: Invocation): Promise<number> {
  const { options, io } = invocation;
  const body = { only_failed: flagOption(options, 'only-failed') };
  const run = await client.startRun({ params: { id }, body });
  const show = (): void => io.out(`${run.id}\n`);
  if (!flagOption(options, 'wait')) return printAnswer(invocation, run, show);
  const { exitCode, outcome } = await followGroup(client, id, io);
  await printAnswer(invocation, outcome.run, show);
  return exitCode;
}

import { getRouteApi, Link } from '@tanstack/react-router';
import { useGroupChoices, useGroupNames } from '../../data/group-names.ts';
import { usePages } from '../../data/pages.ts';
import { listRuns, type Run } from '../../data/runs/runs.ts';
import { RUNS, useRunEvents } from '../../data/runs/use-run-events.ts';
import { buttonClass } from '../../parts/button.tsx';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { Empty, Header, KeyBar } from '../../parts/layout.tsx';
import { Listing, More } from '../../parts/listing.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { ago, moment, number, span } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { PERIODS, RUN_STATUSES, type RunFilters, type RunStatus, startOf } from './filters.ts';
import { RunProgress, RunState } from './run-state.tsx';

const route = getRouteApi('/runs');

export function Runs() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const since = startOf(filters.period);
  const query = usePages([RUNS, filters, since], (afterId) => listRuns(filters, since, afterId));
  useRunEvents();
  useRowKeys();
  const runs = query.pages.flatMap((page) => page.runs);
  const names = useGroupNames(runs.map((run) => run.source_group_id));
  const change = (next: RunFilters) => void navigate({ search: next, replace: true });

  return (
    <>
      <Header title={say('runs.title')} count={query.total !== undefined && number(query.total)} />
      <Filters filters={filters} change={change} />
      <Listing
        list={query}
        empty={runs.length === 0}
        nothing={<Nothing filtered={Object.values(filters).some((value) => value !== undefined)} />}
      >
        <Table label={say('runs.title')} rows={runs} keyOf={(run) => run.id} columns={columnsOf(names)}>
          <More list={query} />
        </Table>
      </Listing>
      <KeyBar keys={['move', 'open']}>{say('runs.live')}</KeyBar>
    </>
  );
}

function Filters({ filters, change }: { filters: RunFilters; change(filters: RunFilters): void }) {
  const groups = useGroupChoices();
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-1 gap-y-1.5 border-b border-line px-3 py-2">
      <FilterSelect
        label={say('runs.filter.status')}
        icon="activity"
        value={filters.status ?? ''}
        any={say('runs.filter.anyStatus')}
        options={RUN_STATUSES.map((status) => [status, say(`runs.state.${status}`)])}
        change={(status) => change({ ...filters, status: status as RunStatus | undefined })}
      />
      <FilterSelect
        label={say('sources.group')}
        icon="folder-open"
        value={filters.group ?? ''}
        any={say('runs.filter.anyGroup')}
        options={groups}
        change={(group) => change({ ...filters, group })}
      />
      <FilterSelect
        label={say('runs.filter.period')}
        icon="clock"
        value={filters.period ?? ''}
        any={say('runs.filter.anyTime')}
        options={PERIODS.map((period) => [period, say(`runs.period.${period}`)])}
        change={(period) => change({ ...filters, period: PERIODS.find((one) => one === period) })}
      />
    </div>
  );
}

function columnsOf(names: ReadonlyMap<string, string>): Column<Run>[] {
  return [
    {
      id: 'group',
      title: say('sources.group'),
      cell: ({ id, source_group_id: group }) => (
        <Link
          to="/runs/$id"
          params={{ id }}
          search={{}}
          data-row
          className="block truncate font-medium outline-offset-[-2px] after:absolute after:inset-0"
        >
          <bdi title={names.get(group)}>{names.get(group) ?? '…'}</bdi>
        </Link>
      ),
    },
    { id: 'state', title: say('column.state'), className: 'w-40', cell: (run) => <RunState run={run} /> },
    {
      id: 'files',
      title: say('runs.files'),
      end: true,
      className: 'w-32 whitespace-nowrap',
      cell: (run) => (
        <>
          {run.files_done === run.files_total
            ? number(run.files_total)
            : `${number(run.files_done)} / ${number(run.files_total)}`}
          <RunProgress run={run} />
        </>
      ),
    },
    {
      id: 'changes',
      title: say('runs.changes'),
      className: 'num w-44 max-lg:hidden',
      cell: (run) => <Changes run={run} />,
    },
    {
      id: 'duration',
      title: say('runs.duration'),
      end: true,
      className: 'w-24 whitespace-nowrap max-lg:hidden',
      cell: (run) => <span className="text-ink-3">{durationOf(run)}</span>,
    },
    {
      id: 'when',
      title: say('runs.when'),
      end: true,
      className: 'w-28 whitespace-nowrap',
      cell: ({ creation_time: time }) => (
        <span className="text-ink-3" title={moment(time)}>
          {ago(time)}
        </span>
      ),
    },
  ];
}

const CHANGES = [
  ['added', '+', 'text-ink-2'],
  ['updated', '~', 'text-ink-2'],
  ['deleted', '−', 'text-ink-2'],
  ['failed', '!', 'text-bad'],
] as const;

/** The numbers of changed files, without those that are zero. */
function Changes({ run }: { run: Run }) {
  const shown = CHANGES.filter(([change]) => run.statistics[change] > 0);
  if (shown.length === 0) return <span className="text-ink-3">{say('runs.noChanges')}</span>;
  return (
    <span className="flex gap-3 whitespace-nowrap">
      {shown.map(([change, sign, tone]) => (
        <span key={change} className={tone} title={say(`runs.change.${change}`)}>
          <span aria-hidden="true">{sign}</span>
          <span className="sr-only">{say(`runs.change.${change}`)} </span>
          {number(run.statistics[change])}
        </span>
      ))}
    </span>
  );
}

/** Returns how long the run took, or takes until now. */
export function durationOf(run: Run, now = Date.now() / 1000): string {
  return run.start_time === null ? '–' : span((run.end_time ?? now) - run.start_time);
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <Empty icon="activity" title={say('runs.noMatch')} text={say('runs.noMatchText')}>
        <Link to="/runs" search={{}} className={buttonClass()}>
          {say('sources.clear')}
        </Link>
      </Empty>
    );
  return <Empty icon="activity" title={say('runs.none')} text={say('runs.noneText')} />;
}

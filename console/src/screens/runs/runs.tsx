import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { inWords } from '../../data/api.ts';
import { useGroupChoices, useGroupNames } from '../../data/group-names.ts';
import { listRuns, type Run } from '../../data/runs.ts';
import { RUNS, useRunEvents } from '../../data/use-run-events.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { Empty, Header, Kbd, Problem, Spinner } from '../../parts/layout.tsx';
import { type Column, TableHead } from '../../parts/table-head.tsx';
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
  const query = useInfiniteQuery({
    queryKey: [RUNS, filters, since],
    queryFn: ({ pageParam }) => listRuns(filters, since, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.pagination.next_id ?? undefined,
    placeholderData: keepPreviousData,
  });
  useRunEvents();
  useRowKeys();
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? [];
  const names = useGroupNames(runs.map((run) => run.source_group_id));
  const total = query.data?.pages[0]?.pagination.total;
  const change = (next: RunFilters) => void navigate({ search: next, replace: true });

  return (
    <>
      <Header title={say('runs.title')} count={total !== undefined && number(total)} />
      <Filters filters={filters} change={change} />
      {query.isError ? (
        <div className="p-4">
          <Problem text={inWords(query.error)}>
            <Button size="small" onClick={() => query.refetch()}>
              {say('action.retry')}
            </Button>
          </Problem>
        </div>
      ) : query.isPending ? (
        <div className="p-4">
          <Spinner label={say('loading')} />
        </div>
      ) : runs.length === 0 ? (
        <Nothing filtered={Object.values(filters).some((value) => value !== undefined)} />
      ) : (
        <div className="scroll min-h-0 flex-1" tabIndex={0}>
          <table className="w-full table-fixed border-collapse">
            <caption className="sr-only">{say('runs.title')}</caption>
            <TableHead columns={COLUMNS} />
            <tbody>
              {runs.map((run) => (
                <Row key={run.id} run={run} group={names.get(run.source_group_id)} />
              ))}
            </tbody>
          </table>
          {query.hasNextPage && (
            <div className="p-3 text-center">
              <Button disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                {say('action.more')}
              </Button>
            </div>
          )}
        </div>
      )}
      <footer className="flex h-8 shrink-0 items-center gap-3 border-t border-line px-4 text-xs text-ink-3">
        <span className="flex items-center gap-1.5">
          <Kbd>J</Kbd>
          <Kbd>K</Kbd> {say('keys.move')}
        </span>
        <span className="ms-auto">{say('runs.live')}</span>
      </footer>
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

const COLUMNS: readonly Column[] = [
  { name: 'sources.group' },
  { name: 'column.state', className: 'w-40' },
  { name: 'runs.files', className: 'w-32', end: true },
  { name: 'runs.changes', className: 'w-44 max-lg:hidden' },
  { name: 'runs.duration', className: 'w-24 max-lg:hidden', end: true },
  { name: 'runs.when', className: 'w-28', end: true },
];

function Row({ run, group }: { run: Run; group: string | undefined }) {
  const { files_done: done, files_total: total } = run;
  const cell = 'h-[38px] px-2';
  return (
    <tr className="relative border-b border-line hover:bg-hover">
      <td className={`${cell} ps-4`}>
        <Link
          to="/runs/$id"
          params={{ id: run.id }}
          search={{}}
          data-row
          className="block truncate font-medium outline-offset-[-2px] after:absolute after:inset-0"
        >
          <bdi>{group ?? '…'}</bdi>
        </Link>
      </td>
      <td className={cell}>
        <RunState run={run} />
      </td>
      <td className={`${cell} num text-end whitespace-nowrap`}>
        {done === total ? number(total) : `${number(done)} / ${number(total)}`}
        <RunProgress run={run} />
      </td>
      <td className={`${cell} num max-lg:hidden`}>
        <Changes run={run} />
      </td>
      <td className={`${cell} num text-end whitespace-nowrap text-ink-3 max-lg:hidden`}>{durationOf(run)}</td>
      <td className={`${cell} num pe-4 text-end whitespace-nowrap text-ink-3`} title={moment(run.creation_time)}>
        {ago(run.creation_time)}
      </td>
    </tr>
  );
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

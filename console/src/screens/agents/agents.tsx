import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type AgentRunSummary, beginAgentRun, isActive, listAgentRuns } from '../../data/agents/agents.ts';
import { inWords } from '../../data/api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { Empty, Header, KeyBar } from '../../parts/layout.tsx';
import { Listing, More } from '../../parts/listing.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { ago, moment, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { Composer } from './composer.tsx';
import { AGENT_STATUSES } from './filters.ts';
import { LiveRun } from './live-run.tsx';
import { AgentState, durationOf } from './state.tsx';
import { useLiveRun } from './use-live-run.ts';

const route = getRouteApi('/agents');
const AGENT_RUNS = 'agent-runs';
const REFRESH_MS = 2_000;

/** The runs of agents, newest first, and a question for a new one. */
export function Agents() {
  const { status } = route.useSearch();
  const change = route.useNavigate();
  const navigate = useNavigate();
  const open = (id: string) => navigate({ to: '/agents/$id', params: { id } });
  const list = useInfiniteQuery({
    queryKey: [AGENT_RUNS, status],
    queryFn: ({ pageParam }) => listAgentRuns(status, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.pagination.next_id ?? undefined,
    placeholderData: keepPreviousData,
    // Runs begin and end on other pages, too.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ runs }) => runs.some(isActive)) ? REFRESH_MS : false),
  });
  useRowKeys();
  const begin = useMutation({ mutationFn: beginAgentRun, onSuccess: ({ id }) => open(id) });
  const live = useLiveRun(open);
  if (live.view !== null) return <LiveRun question={live.question} view={live.view} stop={live.stop} />;

  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  const total = list.data?.pages[0]?.pagination.total;
  return (
    <>
      <Header title={say('agents.title')} count={total !== undefined && number(total)} />
      <Composer
        busy={begin.isPending}
        problem={live.problem ?? (begin.error && inWords(begin.error))}
        start={(question, inBackground) => (inBackground ? begin.mutate(question) : live.start(question))}
      />
      <div className="flex min-h-11 shrink-0 items-center border-b border-line px-3 py-2">
        <FilterSelect
          label={say('agents.filter.status')}
          icon="activity"
          value={status ?? ''}
          any={say('agents.filter.anyStatus')}
          options={AGENT_STATUSES.map((one) => [one, say(`agents.status.${one}`)])}
          change={(one) =>
            void change({ search: { status: AGENT_STATUSES.find((known) => known === one) }, replace: true })
          }
        />
      </div>
      <Listing list={list} empty={runs.length === 0} nothing={<Nothing isFiltered={status !== undefined} />}>
        <Table label={say('agents.title')} rows={runs} columns={columns()} keyOf={(run) => run.id}>
          <More list={list} />
        </Table>
        <KeyBar keys={['move']} />
      </Listing>
    </>
  );
}

const columns = (): Column<AgentRunSummary>[] => [
  {
    id: 'question',
    title: say('agents.column.question'),
    cell: (run) => (
      <Link
        to="/agents/$id"
        params={{ id: run.id }}
        data-row
        className="block truncate font-medium outline-offset-[-2px] after:absolute after:inset-0"
      >
        <bdi>{run.input}</bdi>
      </Link>
    ),
  },
  { id: 'state', title: say('column.state'), className: 'w-44', cell: (run) => <AgentState run={run} /> },
  { id: 'tokens', title: say('agents.column.tokens'), className: 'w-28 max-lg:hidden', end: true, cell: tokensOf },
  {
    id: 'duration',
    title: say('agents.column.duration'),
    className: 'w-28 max-lg:hidden',
    end: true,
    cell: durationOf,
  },
  {
    id: 'when',
    title: say('agents.column.when'),
    className: 'w-28',
    end: true,
    cell: (run) => <span title={moment(run.creation_time)}>{ago(run.creation_time)}</span>,
  },
];

function tokensOf({ usage }: AgentRunSummary) {
  const tokens = usage.input_tokens + usage.output_tokens;
  return tokens === 0 ? '–' : number(tokens);
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <Empty icon="bot" title={say('agents.none')} text={say('agents.noneText')} />;
  return (
    <Empty icon="bot" title={say('agents.noMatch')} text={say('agents.noMatchText')}>
      <Link to="/agents" search={{}} className={buttonClass()}>
        {say('agents.clear')}
      </Link>
    </Empty>
  );
}

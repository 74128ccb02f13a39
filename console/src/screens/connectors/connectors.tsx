import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useRef } from 'react';
import { CONNECTORS, type ConnectorRow, listConnectors } from '../../data/connectors.ts';
import type { Run } from '../../data/runs/run-events.ts';
import { LATEST_RUNS, useRunEvents } from '../../data/runs/use-run-events.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header, KeyBar } from '../../parts/layout.tsx';
import { Listing } from '../../parts/listing.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { useSession } from '../../shell/use-session.ts';
import { ago, moment, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { ConnectorState } from './connector-state.tsx';
import { Details } from './details.tsx';
import { linesOf } from './kinds.ts';
import { dayAndTime, ruleInWords } from './schedule-words.ts';

const Wizard = lazy(() => import('./wizard.tsx').then((module) => ({ default: module.Wizard })));
const route = getRouteApi('/connectors');

export function Connectors() {
  const { id, add } = route.useSearch();
  const navigate = route.useNavigate();
  const session = useSession();
  const queries = useQueryClient();
  const query = useQuery({ queryKey: [CONNECTORS], queryFn: listConnectors });
  // Groups that a run named and the list lacks: most are uploads, for which it is asked once.
  const others = useRef(new Set<string>());
  // A run that begins or ends changes the state of its connector.
  useRunEvents((runs) => {
    const listed = new Map(queries.getQueryData<ConnectorRow[]>([CONNECTORS])?.map((row) => [row.id, row]));
    const isNews = ({ source_group_id: group, status }: Run) => {
      const row = listed.get(group);
      if (row) return row.status !== status && !(row.status === 'managed' && status === 'success');
      const isFirst = !others.current.has(group);
      others.current.add(group);
      return isFirst;
    };
    for (const run of runs) void queries.invalidateQueries({ queryKey: [LATEST_RUNS, run.source_group_id] });
    if (runs.filter(isNews).length > 0) void queries.invalidateQueries({ queryKey: [CONNECTORS] });
  });
  useRowKeys();
  const rows = query.data ?? [];
  const open = rows.find((row) => row.id === id);
  // A key with limits could not see the group that it creates.
  const mayAdd = session.source_group_ids === null && session.tag_ids === null;
  const setAdd = (next: boolean) => void navigate({ search: { add: next || undefined }, replace: !next });
  const addButton = (
    <Button look="primary" icon="plus" onClick={() => setAdd(true)}>
      {say('connectors.add')}
    </Button>
  );

  return (
    <>
      <Header title={say('connectors.title')} count={query.data && number(rows.length)}>
        {mayAdd && addButton}
      </Header>
      <Listing
        list={query}
        empty={rows.length === 0}
        nothing={
          <Empty
            icon="plug"
            title={say('connectors.none')}
            text={say(mayAdd ? 'connectors.noneText' : 'connectors.noneLimited')}
          >
            {mayAdd && addButton}
          </Empty>
        }
      >
        <Table label={say('connectors.title')} rows={rows} keyOf={(row) => row.id} columns={columnsOf()} />
      </Listing>
      <KeyBar keys={['move', 'open']} />
      {open && <Details key={open.id} row={open} close={() => void navigate({ search: {}, replace: true })} />}
      {add && mayAdd && (
        <Suspense>
          <Wizard close={(made) => void navigate({ search: made === undefined ? {} : { id: made }, replace: true })} />
        </Suspense>
      )}
    </>
  );
}

function columnsOf(): Column<ConnectorRow>[] {
  return [
    { id: 'name', title: say('column.name'), cell: (row) => <Name row={row} /> },
    {
      id: 'state',
      title: say('column.state'),
      className: 'w-44 max-xl:w-36',
      cell: (row) => <ConnectorState row={row} />,
    },
    {
      id: 'schedule',
      title: say('connectors.schedule'),
      className: 'w-64 max-xl:w-44',
      cell: ({ setting }) => <span className="block truncate text-ink-2">{ruleInWords(setting?.rrule ?? '')}</span>,
    },
    {
      id: 'next',
      title: say('connectors.next'),
      className: 'num w-44 max-xl:hidden',
      cell: ({ setting }) => {
        const [next] = setting?.next_run_times ?? [];
        return <span className="block truncate text-ink-3">{next === undefined ? '–' : dayAndTime(next)}</span>;
      },
    },
    {
      id: 'last',
      title: say('connectors.lastRun'),
      end: true,
      className: 'w-28 whitespace-nowrap',
      cell: (row) => {
        const last = row.end_time ?? row.start_time;
        return (
          <span className="text-ink-3" title={last === null ? undefined : moment(last)}>
            {last === null ? '–' : ago(last)}
          </span>
        );
      },
    },
  ];
}

function Name({ row }: { row: ConnectorRow }) {
  const { id, name, kind } = row;
  return (
    <div className="flex h-[46px] items-center gap-2.5">
      <span className="grid size-7 shrink-0 place-items-center rounded-md border border-line bg-sunken text-ink-2">
        <Icon name={kind.icon} size={14} />
      </span>
      <div className="min-w-0">
        <Link
          to="/connectors"
          search={{ id }}
          data-row
          className="block truncate font-medium outline-offset-[-2px] after:absolute after:inset-0"
        >
          <bdi>{name}</bdi>
        </Link>
        <span className="block truncate text-xs text-ink-3">
          {say(kind.name)} · <bdi>{whereOf(row)}</bdi>
        </span>
      </div>
    </div>
  );
}

/** Returns the value that says where the origin is, in one line. */
function whereOf({ kind, origin }: ConnectorRow): string {
  const [field] = kind.fields;
  return field ? linesOf(field, origin[field.name]).join(', ') : '';
}

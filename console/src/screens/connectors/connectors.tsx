import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { inWords } from '../../data/api.ts';
import { CONNECTORS, type ConnectorRow, listConnectors } from '../../data/connectors.ts';
import { LATEST_RUNS, useRunEvents } from '../../data/use-run-events.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header, Kbd, Problem, Spinner } from '../../parts/layout.tsx';
import { type Column, TableHead } from '../../parts/table-head.tsx';
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
  // A run that begins or ends changes the state of its connector.
  useRunEvents((run) => {
    void queries.invalidateQueries({ queryKey: [LATEST_RUNS, run.source_group_id] });
    const known = queries.getQueryData<ConnectorRow[]>([CONNECTORS])?.find((row) => row.id === run.source_group_id);
    if (known && (known.status === run.status || (known.status === 'managed' && run.status === 'success'))) return;
    void queries.invalidateQueries({ queryKey: [CONNECTORS] });
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
      ) : rows.length === 0 ? (
        <Empty
          icon="plug"
          title={say('connectors.none')}
          text={say(mayAdd ? 'connectors.noneText' : 'connectors.noneLimited')}
        >
          {mayAdd && addButton}
        </Empty>
      ) : (
        <List rows={rows} />
      )}
      <footer className="flex h-8 shrink-0 items-center gap-3 border-t border-line px-4 text-xs text-ink-3">
        <span className="flex items-center gap-1.5">
          <Kbd>J</Kbd>
          <Kbd>K</Kbd> {say('keys.move')}
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd>
            <Icon name="corner-down-left" size={11} />
          </Kbd>
          {say('keys.open')}
        </span>
      </footer>
      {open && <Details key={open.id} row={open} close={() => void navigate({ search: {}, replace: true })} />}
      {add && mayAdd && (
        <Suspense>
          <Wizard close={(made) => void navigate({ search: made === undefined ? {} : { id: made }, replace: true })} />
        </Suspense>
      )}
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { name: 'column.name' },
  { name: 'column.state', className: 'w-44' },
  { name: 'connectors.schedule', className: 'w-64' },
  { name: 'connectors.next', className: 'w-36 max-lg:hidden' },
  { name: 'connectors.lastRun', className: 'w-28', end: true },
];

function List({ rows }: { rows: readonly ConnectorRow[] }) {
  return (
    <div className="scroll min-h-0 flex-1" tabIndex={0}>
      <table className="w-full table-fixed border-collapse">
        <caption className="sr-only">{say('connectors.title')}</caption>
        <TableHead columns={COLUMNS} />
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: ConnectorRow }) {
  const { kind, setting } = row;
  const cell = 'h-[46px] px-2';
  const [next] = setting?.next_run_times ?? [];
  const last = row.end_time ?? row.start_time;
  return (
    <tr className="relative border-b border-line hover:bg-hover">
      <td className={`${cell} ps-4`}>
        <div className="flex items-center gap-2.5">
          <span className="grid size-7 shrink-0 place-items-center rounded-md border border-line bg-sunken text-ink-2">
            <Icon name={kind.icon} size={14} />
          </span>
          <div className="min-w-0">
            <Link
              to="/connectors"
              search={{ id: row.id }}
              data-row
              className="block truncate font-medium outline-offset-[-2px] after:absolute after:inset-0"
            >
              <bdi>{row.name}</bdi>
            </Link>
            <span className="block truncate text-xs text-ink-3">
              {say(kind.name)} · <bdi>{whereOf(row)}</bdi>
            </span>
          </div>
        </div>
      </td>
      <td className={cell}>
        <ConnectorState row={row} />
      </td>
      <td className={`${cell} truncate text-ink-2`}>{ruleInWords(setting?.rrule ?? '')}</td>
      <td className={`${cell} num truncate text-ink-3 max-lg:hidden`}>{next === undefined ? '–' : dayAndTime(next)}</td>
      <td
        className={`${cell} num pe-4 text-end whitespace-nowrap text-ink-3`}
        title={last === null ? undefined : moment(last)}
      >
        {last === null ? '–' : ago(last)}
      </td>
    </tr>
  );
}

/** Returns the value that says where the origin is, in one line. */
function whereOf({ kind, origin }: ConnectorRow): string {
  const [field] = kind.fields;
  return field ? linesOf(field, origin[field.name]).join(', ') : '';
}

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { inWords } from '../../data/api.ts';
import { type AuditEvent, listAuditEvents, readKeyNames } from '../../data/audit.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header, Kbd, Problem, Spinner } from '../../parts/layout.tsx';
import { Facts, PanelPart, SidePanel } from '../../parts/side-panel.tsx';
import { type Column, TableHead } from '../../parts/table-head.tsx';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { useScope } from '../../shell/use-session.ts';
import { moment, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { PERIODS } from '../runs/filters.ts';
import { ACTIONS, type AuditFilters, type AuditSearch, KINDS } from './filters.ts';

const route = getRouteApi('/audit');

/** Who changed what. Newest first; the details of an event stand beside the list. */
export function Audit() {
  const { event: openId, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam }) => listAuditEvents(filters, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.pagination.next_id ?? undefined,
    placeholderData: keepPreviousData,
  });
  useRowKeys();
  const mayList = useScope('apikeys:issue');
  const keys = useQuery({ queryKey: ['key-names'], queryFn: readKeyNames, enabled: mayList, retry: false });
  const names = keys.data ?? new Map<string, string>();
  const events = query.data?.pages.flatMap((page) => page.audit_events) ?? [];
  const total = query.data?.pages[0]?.pagination.total;
  const open = events.find((event) => event.id === openId);
  const change = (next: AuditSearch) => void navigate({ search: next, replace: true });

  return (
    <>
      <Header title={say('audit.title')} count={total !== undefined && number(total)} />
      <Filters filters={filters} names={names} change={change} />
      {query.isError ? (
        <div className="p-4">
          <Problem text={inWords(query.error)} />
        </div>
      ) : query.isPending ? (
        <div className="p-4">
          <Spinner label={say('loading')} />
        </div>
      ) : events.length === 0 ? (
        <Empty icon="scroll-text" title={say('audit.none')} text={say('audit.noneText')}>
          <Link to="/audit" search={{}} className={buttonClass()}>
            {say('sources.clear')}
          </Link>
        </Empty>
      ) : (
        <div className="scroll min-h-0 flex-1" tabIndex={0}>
          <table className="w-full table-fixed border-collapse">
            <caption className="sr-only">{say('audit.title')}</caption>
            <TableHead columns={COLUMNS} />
            <tbody>
              {events.map((event) => (
                <Row key={event.id} event={event} filters={filters} name={names.get(event.api_key_id ?? '')} />
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
        <span className="flex items-center gap-1.5">
          <Kbd>
            <Icon name="corner-down-left" size={11} />
          </Kbd>
          {say('keys.open')}
        </span>
      </footer>
      {open && (
        <Details
          key={open.id}
          event={open}
          name={names.get(open.api_key_id ?? '')}
          filter={(more) => change({ ...filters, ...more })}
          close={() => change(filters)}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { name: 'audit.number', className: 'w-20', end: true },
  { name: 'audit.time', className: 'w-48' },
  { name: 'audit.action', className: 'w-28' },
  { name: 'audit.object' },
  { name: 'audit.who', className: 'w-44' },
];

interface FiltersProps {
  filters: AuditFilters;
  names: ReadonlyMap<string, string>;
  change(filters: AuditFilters): void;
}

function Filters({ filters, names, change }: FiltersProps) {
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-1 gap-y-1.5 border-b border-line px-3 py-2">
      <FilterSelect
        label={say('audit.action')}
        icon="activity"
        value={filters.action ?? ''}
        any={say('audit.anyAction')}
        options={ACTIONS.map((one) => [one, say(`audit.action.${one}`)])}
        change={(action) => change({ ...filters, action: ACTIONS.find((one) => one === action) })}
      />
      <FilterSelect
        label={say('audit.object')}
        icon="list-filter"
        value={filters.kind ?? ''}
        any={say('audit.anyKind')}
        options={KINDS.map((one) => [one, say(`audit.kind.${one}`)])}
        change={(kind) => change({ ...filters, kind: KINDS.find((one) => one === kind) })}
      />
      {(names.size > 0 || filters.key !== undefined) && (
        <FilterSelect
          label={say('audit.who')}
          icon="key-round"
          value={filters.key ?? ''}
          any={say('audit.anyKey')}
          options={[...names]}
          change={(key) => change({ ...filters, key })}
        />
      )}
      <FilterSelect
        label={say('runs.filter.period')}
        icon="clock"
        value={filters.period ?? ''}
        any={say('runs.filter.anyTime')}
        options={PERIODS.map((period) => [period, say(`runs.period.${period}`)])}
        change={(period) => change({ ...filters, period: PERIODS.find((one) => one === period) })}
      />
      {filters.object !== undefined && (
        <span className="chip">
          <span className="text-ink-3">{say('audit.object')}</span>
          <bdi className="max-w-48 truncate font-medium">{filters.object}</bdi>
          <button
            type="button"
            aria-label={say('filter.remove', { name: say('audit.object') })}
            onClick={() => change({ ...filters, object: undefined })}
            className="grid size-5 place-items-center text-ink-3 hover:text-ink"
          >
            <Icon name="x" size={11} />
          </button>
        </span>
      )}
    </div>
  );
}

/** Returns the name that the details give the object, or its id. */
function objectName({ details, object_id: id }: AuditEvent): string {
  const { name } = details;
  return typeof name === 'string' && name !== '' ? name : id;
}

function actor({ api_key_id: id }: AuditEvent, name: string | undefined): string {
  return id === null ? say('audit.operator') : (name ?? id);
}

function Row({ event, filters, name }: { event: AuditEvent; filters: AuditFilters; name: string | undefined }) {
  const cell = 'h-[38px] px-2';
  return (
    <tr className="relative border-b border-line hover:bg-hover">
      <td className={`${cell} num ps-4 text-end text-ink-3`}>{number(event.seq)}</td>
      <td className={`${cell} num truncate text-ink-2`}>{moment(event.creation_time)}</td>
      <td className={`${cell} ${event.action === 'delete' || event.action === 'revoke' ? 'text-bad' : ''}`}>
        {say(`audit.action.${event.action}`)}
      </td>
      <td className={cell}>
        <Link
          to="/audit"
          search={{ ...filters, event: event.id }}
          replace
          data-row
          className="block truncate outline-offset-[-2px] after:absolute after:inset-0"
        >
          <span className="text-ink-3">{say(`audit.kind.${event.object_kind}`)}</span>{' '}
          <bdi className="font-medium">{objectName(event)}</bdi>
        </Link>
      </td>
      <td className={`${cell} truncate pe-4 text-ink-2`}>
        <bdi>{actor(event, name)}</bdi>
      </td>
    </tr>
  );
}

interface DetailsProps {
  event: AuditEvent;
  name: string | undefined;
  filter(more: AuditFilters): void;
  close(): void;
}

function Details({ event, name, filter, close }: DetailsProps) {
  const json = JSON.stringify(event.details, null, 2);
  const hash = (value: string) => <span className="font-mono text-2xs break-all text-ink-2">{value}</span>;
  return (
    <SidePanel
      title={`${say(`audit.action.${event.action}`)}: ${say(`audit.kind.${event.object_kind}`)}`}
      close={close}
    >
      <PanelPart title={say('audit.event')}>
        <Facts
          rows={[
            [say('audit.number'), number(event.seq)],
            [say('audit.time'), event.time],
            [say('audit.who'), <bdi key="who">{actor(event, name)}</bdi>],
            [say('audit.object'), <bdi key="object">{event.object_id}</bdi>],
          ]}
        />
        <div className="mt-3 flex flex-wrap gap-2">
          <Button size="small" icon="list-filter" onClick={() => filter({ object: event.object_id })}>
            {say('audit.sameObject')}
          </Button>
          {event.api_key_id !== null && (
            <Button size="small" icon="key-round" onClick={() => filter({ key: event.api_key_id ?? undefined })}>
              {say('audit.sameKey')}
            </Button>
          )}
        </div>
      </PanelPart>
      <PanelPart title={say('audit.details')}>
        <div className="flex justify-end">
          <CopyButton text={json} />
        </div>
        <pre
          tabIndex={0}
          dir="ltr"
          className="scroll max-h-80 rounded-lg border border-line bg-surface p-3 font-mono text-[11px] leading-[17px] text-ink-2"
        >
          {json}
        </pre>
      </PanelPart>
      <PanelPart title={say('audit.chain')}>
        <p className="mb-2 text-xs text-ink-3">{say('audit.chainText')}</p>
        <Facts
          rows={[
            [say('audit.hash'), hash(event.hash)],
            [say('audit.previous'), hash(event.prev_hash)],
          ]}
        />
      </PanelPart>
    </SidePanel>
  );
}

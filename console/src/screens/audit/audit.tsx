import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type AuditEvent, listAuditEvents, readKeyNames } from '../../data/audit.ts';
import { usePages } from '../../data/pages.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header, KeyBar } from '../../parts/layout.tsx';
import { Listing, More } from '../../parts/listing.tsx';
import { Facts, PanelPart, SidePanel } from '../../parts/side-panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
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
  const query = usePages(['audit', filters], (afterId) => listAuditEvents(filters, afterId));
  useRowKeys();
  const mayList = useScope('apikeys:issue');
  const keys = useQuery({ queryKey: ['key-names'], queryFn: readKeyNames, enabled: mayList, retry: false });
  const events = query.pages.flatMap((page) => page.audit_events);
  // Keys that were revoked are named by their events only.
  const names = new Map(keys.data);
  for (const { api_key_id: id, api_key_name: name } of events)
    if (id !== null && name !== null && !names.has(id)) names.set(id, name);
  const open = events.find((event) => event.id === openId);
  const change = (next: AuditSearch) => void navigate({ search: next, replace: true });

  return (
    <>
      <Header title={say('audit.title')} count={query.total !== undefined && number(query.total)} />
      <Filters filters={filters} names={names} change={change} />
      <Listing
        list={query}
        empty={events.length === 0}
        nothing={
          <Empty icon="scroll-text" title={say('audit.none')} text={say('audit.noneText')}>
            <Link to="/audit" search={{}} className={buttonClass()}>
              {say('sources.clear')}
            </Link>
          </Empty>
        }
      >
        <Table
          label={say('audit.title')}
          rows={events}
          keyOf={(event) => event.id}
          columns={columnsOf(filters)}
          minWidth="min-w-[44rem]"
        >
          <More list={query} />
        </Table>
      </Listing>
      <KeyBar keys={['move', 'open']} />
      {open && (
        <Details
          key={open.id}
          event={open}
          filter={(more) => change({ ...filters, ...more })}
          close={() => change(filters)}
        />
      )}
    </>
  );
}

function columnsOf(filters: AuditFilters): Column<AuditEvent>[] {
  return [
    {
      id: 'number',
      title: say('audit.number'),
      end: true,
      className: 'w-20',
      cell: ({ seq }) => <span className="text-ink-3">{number(seq)}</span>,
    },
    {
      id: 'time',
      title: say('audit.time'),
      className: 'w-48',
      cell: ({ creation_time: time }) => <span className="num block truncate text-ink-2">{moment(time)}</span>,
    },
    {
      id: 'action',
      title: say('audit.action'),
      className: 'w-28',
      cell: ({ action }) => (
        <span className={action === 'delete' || action === 'revoke' ? 'text-bad' : ''}>
          {say(`audit.action.${action}`)}
        </span>
      ),
    },
    {
      id: 'object',
      title: say('audit.object'),
      cell: (event) => (
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
      ),
    },
    {
      id: 'who',
      title: say('audit.who'),
      className: 'w-44',
      cell: (event) => <bdi className="block truncate text-ink-2">{actor(event)}</bdi>,
    },
  ];
}

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

function actor({ api_key_id: id, api_key_name: name }: AuditEvent): string {
  return id === null ? say('audit.operator') : (name ?? id);
}

interface DetailsProps {
  event: AuditEvent;
  filter(more: AuditFilters): void;
  close(): void;
}

function Details({ event, filter, close }: DetailsProps) {
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
            [say('audit.who'), <bdi key="who">{actor(event)}</bdi>],
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

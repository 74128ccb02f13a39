import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { hasNothing, inWords } from '../../data/api.ts';
import { readTable, TABLES, type TableDetails, useSources } from '../../data/tables/tables.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, FileGlyph, Header, Problem, Spinner } from '../../parts/layout.tsx';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { ColumnList } from './column-list.tsx';
import { Query } from './query.tsx';
import { SampleRows } from './sample-rows.tsx';
import { TableState } from './table-state.tsx';
import { WarningList } from './warnings.tsx';

const REFRESH_MS = 2_000;
const route = getRouteApi('/tables/$id');

/** One table: what its columns mean, its first rows, and queries. */
export function TablePage() {
  const { id } = route.useParams();
  const request = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: [TABLES, id],
    queryFn: ({ signal }) => readTable(id, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'building' ? REFRESH_MS : false),
  });
  const table = query.data;
  if (hasNothing(query))
    return (
      <>
        <Header title={<Crumbs />} />
        <Empty icon="circle-slash" title={say('tables.missing')} text={inWords(query.error)}>
          <Link to="/tables" search={{}} className={buttonClass()}>
            {say('tables.all')}
          </Link>
        </Empty>
      </>
    );
  if (!table)
    return (
      <>
        <Header title={<Crumbs />} />
        <div className="p-4">
          <Spinner label={say('loading')} />
        </div>
      </>
    );
  return (
    <>
      <Header title={<Crumbs name={table.name} />}>
        {table.source_id !== null && (
          <Link to="/sources/$id" params={{ id: table.source_id }} search={{}} className={buttonClass('ghost')}>
            <Icon name="file-text" size={14} />
            {say('tables.openSource')}
          </Link>
        )}
      </Header>
      <div className="min-h-0 flex-1 max-xl:overflow-auto xl:grid xl:grid-cols-[minmax(0,1fr)_360px]">
        <section
          aria-label={table.name}
          tabIndex={0}
          className="scroll min-h-0 min-w-0 outline-offset-[-2px] max-xl:overflow-visible"
        >
          <Summary table={table} />
          {table.version > 0 && (
            <>
              <Query
                key={id}
                table={table}
                request={request}
                run={(next) => void navigate({ search: next, replace: true })}
              />
              <SampleRows table={table} />
            </>
          )}
        </section>
        <ColumnList columns={table.columns} />
      </div>
    </>
  );
}

function Crumbs({ name }: { name?: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Link to="/tables" search={{}} className="font-normal text-ink-3 hover:text-ink">
        {say('tables.title')}
      </Link>
      <Icon name="chevron-right" size={13} className="text-ink-3 rtl:-scale-x-100" />
      {name !== undefined && <bdi className="truncate">{name}</bdi>}
    </span>
  );
}

function Summary({ table }: { table: TableDetails }) {
  const source = useSources(table.source_id === null ? [] : [table.source_id]).get(table.source_id ?? '');
  const { sheet, range } = table.position;
  return (
    <div className="flex flex-col gap-3 border-b border-line px-4 py-4">
      <dl className="flex flex-wrap items-start gap-x-8 gap-y-2">
        <Fact name={say('column.state')}>
          <TableState table={table} />
        </Fact>
        <Fact name={say('tables.sqlName')}>
          <code className="code">{table.sql_name}</code>
        </Fact>
        <Fact name={say('tables.source')}>
          <span className="flex min-w-0 items-center gap-2">
            <FileGlyph type={source?.file_type ?? ''} />
            <bdi className="truncate">{source?.name ?? table.url ?? '…'}</bdi>
          </span>
        </Fact>
        {sheet !== undefined && (
          <Fact name={say('tables.sheet')}>
            <bdi>{range === undefined ? sheet : `${sheet} ${range}`}</bdi>
          </Fact>
        )}
        <Fact name={say('tables.rows')}>
          <span className="num">{table.row_count === null ? '–' : number(table.row_count)}</span>
        </Fact>
      </dl>
      {table.description !== null && (
        <p dir="auto" className="max-w-3xl text-ink-2">
          {table.description}
        </p>
      )}
      {table.row_count === null && table.version > 0 && <p className="text-ink-3">{say('tables.someRows')}</p>}
      {table.error !== null && <Problem text={table.error} />}
      <WarningList warnings={table.warnings} />
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="mb-0.5 text-xs text-ink-3">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

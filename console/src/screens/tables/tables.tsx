import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listAllTables, TABLES, type Table as TableRecord, useSources } from '../../data/tables/tables.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Empty, FileGlyph, Header } from '../../parts/layout.tsx';
import { ListBar } from '../../parts/list-bar.tsx';
import { Listing, More } from '../../parts/listing.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { PoliciesNote } from '../../shell/policies-note.tsx';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { matches } from './match.ts';
import { TableState } from './table-state.tsx';
import { WarningCount } from './warnings.tsx';

const ROWS = 50;
const REFRESH_MS = 2_000;
const route = getRouteApi('/tables');

/** The tables that can be queried. */
export function Tables() {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const [shown, setShown] = useState(ROWS);
  useRowKeys();
  const list = useQuery({
    queryKey: [TABLES],
    queryFn: ({ signal }) => listAllTables(signal),
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'building') ? REFRESH_MS : false),
  });
  const all = list.data ?? [];
  const found = all.filter((table) => matches(table, q ?? ''));
  const rows = found.slice(0, shown);
  const sources = useSources(rows.flatMap((table) => table.source_id ?? []));
  return (
    <>
      <Header title={say('tables.title')} count={list.isSuccess && number(all.length)} />
      {all.length > 0 && (
        <ListBar
          q={q}
          label={say('tables.find')}
          change={(next) => void navigate({ search: { q: next }, replace: true })}
        />
      )}
      <Listing
        list={list}
        empty={rows.length === 0}
        nothing={
          all.length > 0 ? (
            <Empty icon="search" title={say('tables.noMatch')} text={say('tables.noMatchText')} />
          ) : (
            <Empty
              icon="table"
              title={say('tables.none')}
              text={
                <>
                  {say('tables.noneText')}
                  <PoliciesNote />
                </>
              }
            >
              <Link to="/sources" search={{}} className={buttonClass()}>
                {say('sources.title')}
              </Link>
            </Empty>
          )
        }
      >
        <Table
          label={say('tables.title')}
          rows={rows}
          keyOf={(table) => table.id}
          columns={columnsOf(sources)}
          minWidth="min-w-[44rem]"
        >
          <More
            list={{
              hasNextPage: found.length > rows.length,
              isFetchingNextPage: false,
              fetchNextPage: () => setShown(shown + ROWS),
            }}
          />
        </Table>
      </Listing>
    </>
  );
}

function columnsOf(sources: ReturnType<typeof useSources>): Column<TableRecord>[] {
  return [
    {
      id: 'name',
      title: say('column.name'),
      cell: ({ id, name, sql_name: sqlName }) => (
        <span className="flex min-w-0 items-baseline gap-2">
          <Link
            to="/tables/$id"
            params={{ id }}
            search={{}}
            data-row
            title={name}
            className="min-w-0 truncate font-medium hover:underline"
          >
            <bdi>{name}</bdi>
          </Link>
          {sqlName !== name && <code className="code min-w-0 truncate max-lg:hidden">{sqlName}</code>}
        </span>
      ),
    },
    {
      id: 'source',
      title: say('tables.source'),
      className: 'w-[26%]',
      cell: ({ source_id: id, position, url }) => {
        if (id === null) return <bdi className="truncate text-ink-2">{url}</bdi>;
        const source = sources.get(id);
        const place = position.sheet === undefined ? '' : ` › ${position.sheet}`;
        return (
          <Link
            to="/sources/$id"
            params={{ id }}
            search={{}}
            className="flex min-w-0 items-center gap-2 hover:underline"
          >
            <FileGlyph type={source?.file_type ?? ''} />
            <bdi className="truncate text-ink-2" title={source && `${source.name}${place}`}>
              {source ? `${source.name}${place}` : '…'}
            </bdi>
          </Link>
        );
      },
    },
    {
      id: 'rows',
      title: say('tables.rows'),
      end: true,
      className: 'w-20',
      cell: ({ row_count: rows }) => (rows === null ? '–' : number(rows)),
    },
    {
      id: 'columns',
      title: say('tables.columns'),
      end: true,
      className: 'w-20',
      cell: ({ columns }) => number(columns.length),
    },
    { id: 'state', title: say('column.state'), className: 'w-36', cell: (table) => <TableState table={table} /> },
    {
      id: 'warnings',
      title: say('tables.warnings'),
      className: 'w-28',
      cell: ({ warnings }) => <WarningCount warnings={warnings} />,
    },
  ];
}

import { useQuery } from '@tanstack/react-query';
import { pinakes } from '../../data/api.ts';
import { COLUMNS, type MetadataColumn } from '../../data/columns.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header } from '../../parts/layout.tsx';
import { Listing } from '../../parts/listing.tsx';
import { actionsColumn, DeleteButton, descriptionColumn } from '../../parts/row-parts.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useKept } from '../../shell/drafts.ts';
import { useScope } from '../../shell/use-session.ts';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { DeclareColumn, DeleteColumn } from './column-forms.tsx';
import { ColumnValues } from './column-values.tsx';

/** A tenant has at most 100 columns: one request reads all. */
const ALL = 100;

type Asked = { kind: 'declare' } | { kind: 'delete' | 'values'; column: MetadataColumn };

/** The metadata columns: keys of source metadata that filters may name. */
export function Columns() {
  const mayWrite = useScope('knowledge:write');
  const list = useQuery({
    queryKey: [COLUMNS],
    queryFn: ({ signal }) => pinakes.listMetadataColumns({ query: { limit: ALL } }, { signal }),
  });
  const rows = list.data?.metadata_columns ?? [];
  const [asked, setAsked] = useKept<Asked | null>('columns.window', null);
  const close = () => setAsked(null);
  const declare = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setAsked({ kind: 'declare' })}>
      {say('columns.declare')}
    </Button>
  );
  return (
    <>
      <Header title={say('columns.title')} count={list.isSuccess && number(rows.length)}>
        {declare}
      </Header>
      <Listing
        list={list}
        empty={rows.length === 0}
        nothing={
          <Empty icon="braces" title={say('columns.none')} text={say('columns.noneText')}>
            {declare}
          </Empty>
        }
      >
        <Table
          label={say('columns.title')}
          rows={rows}
          keyOf={(column) => column.id}
          minWidth="min-w-[44rem]"
          columns={columnsOf(mayWrite, (kind, column) => setAsked({ kind, column }))}
        />
      </Listing>
      {asked?.kind === 'declare' && <DeclareColumn close={close} />}
      {asked?.kind === 'delete' && <DeleteColumn column={asked.column} close={close} />}
      {asked?.kind === 'values' && <ColumnValues column={asked.column} close={close} />}
    </>
  );
}

function columnsOf(
  mayWrite: boolean,
  ask: (kind: 'delete' | 'values', column: MetadataColumn) => void,
): Column<MetadataColumn>[] {
  return [
    {
      id: 'key',
      title: say('filter.key'),
      className: 'w-[24%]',
      cell: ({ key }) => (
        <bdi className="block truncate font-mono text-xs font-medium" title={key}>
          {key}
        </bdi>
      ),
    },
    {
      id: 'type',
      title: say('columns.type'),
      className: 'w-28',
      cell: ({ type }) => <span className="text-ink-2">{say(`columns.type.${type}`)}</span>,
    },
    descriptionColumn('max-lg:hidden'),
    { id: 'state', title: say('column.state'), className: 'w-44', cell: (column) => <State column={column} /> },
    actionsColumn('w-32', (column) => (
      <>
        <Button
          look="ghost"
          size="small"
          aria-label={say('columns.valuesOf', { name: column.key })}
          onClick={() => ask('values', column)}
        >
          {say('columns.values')}
        </Button>
        {mayWrite && <DeleteButton name={column.key} run={() => ask('delete', column)} />}
      </>
    )),
  ];
}

function State({ column }: { column: MetadataColumn }) {
  const failures = column.coercion_failures > 0 && (
    <Hint label={say('columns.failuresHint')}>
      <button type="button" className="flex items-center gap-1 rounded-sm text-warn">
        <Icon name="triangle-alert" size={13} />
        {say('columns.failures', { n: column.coercion_failures })}
      </button>
    </Hint>
  );
  return (
    <span className="flex items-center gap-2">
      <span className="flex items-center gap-1.5 text-ink-3">
        <Icon name="check" size={14} />
        {say('state.ready')}
      </span>
      {failures}
    </span>
  );
}

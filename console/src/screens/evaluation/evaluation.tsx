import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EVALUATION, type EvaluationSet, listSets } from '../../data/evaluation/evaluation.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Header } from '../../parts/layout.tsx';
import { Listing } from '../../parts/listing.tsx';
import { actionsColumn, DeleteButton, EditButton } from '../../parts/row-parts.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { useKept } from '../../shell/drafts.ts';
import { day, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { CreateSet, DeleteSet, RenameSet } from './set-forms.tsx';

/** The question sets. */
export function Evaluation() {
  const list = useQuery({ queryKey: [EVALUATION, 'sets'], queryFn: ({ signal }) => listSets(signal) });
  const [creating, setCreating] = useKept('evaluation.creating', false);
  const [deleted, setDeleted] = useKept<EvaluationSet | null>('evaluation.deleted', null);
  const [renamed, setRenamed] = useKept<EvaluationSet | null>('evaluation.renamed', null);
  useRowKeys();
  const rows = list.data ?? [];
  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      {say('evaluation.create')}
    </Button>
  );
  return (
    <>
      <Header title={say('evaluation.title')} count={list.isSuccess && number(rows.length)}>
        {rows.length > 0 && create}
      </Header>
      <Listing
        list={list}
        empty={rows.length === 0}
        nothing={
          <Empty icon="circle-check" title={say('evaluation.none')} text={say('evaluation.noneText')}>
            {create}
          </Empty>
        }
      >
        <Table
          label={say('evaluation.sets')}
          rows={rows}
          keyOf={(set) => set.id}
          columns={columnsOf(setRenamed, setDeleted)}
        />
      </Listing>
      {creating && <CreateSet close={() => setCreating(false)} />}
      {renamed && <RenameSet set={renamed} close={() => setRenamed(null)} />}
      {deleted && <DeleteSet set={deleted} close={() => setDeleted(null)} />}
    </>
  );
}

function columnsOf(
  rename: (set: EvaluationSet) => void,
  remove: (set: EvaluationSet) => void,
): Column<EvaluationSet>[] {
  return [
    {
      id: 'name',
      title: say('column.name'),
      cell: ({ id, name }) => (
        <Link
          to="/evaluation/$id"
          params={{ id }}
          search={{}}
          data-row
          title={name}
          className="block truncate font-medium"
        >
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      id: 'questions',
      title: say('evaluation.questions'),
      end: true,
      className: 'w-28',
      cell: ({ questions_count: count }) => number(count),
    },
    {
      id: 'created',
      title: say('evaluation.created'),
      end: true,
      className: 'w-36',
      cell: ({ creation_time: created }) => <span className="text-ink-3">{day(created)}</span>,
    },
    actionsColumn('w-24', (set) => (
      <>
        <EditButton name={set.name} run={() => rename(set)} />
        <DeleteButton name={set.name} run={() => remove(set)} />
      </>
    )),
  ];
}

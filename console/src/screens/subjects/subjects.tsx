import { getRouteApi } from '@tanstack/react-router';
import { pinakes } from '../../data/api.ts';
import { ROWS_PER_REQUEST, usePages } from '../../data/pages.ts';
import { SUBJECTS, type Subject } from '../../data/policies.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Header } from '../../parts/layout.tsx';
import { ListBar } from '../../parts/list-bar.tsx';
import { Listing, More } from '../../parts/listing.tsx';
import { actionsColumn, changedColumn, DeleteButton, EditButton, nameColumn } from '../../parts/row-parts.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useKept } from '../../shell/drafts.ts';
import { ahead, moment, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { DeleteSubject, EditSubject } from './subject-forms.tsx';

const route = getRouteApi('/subjects');

type Asked = { kind: 'create' } | { kind: 'edit' | 'delete'; subject: Subject };

/** The subjects: the attributes of principals, for which policies ask. */
export function Subjects() {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const list = usePages([SUBJECTS, q], (afterId, signal) =>
    pinakes.listSubjects({ query: { limit: ROWS_PER_REQUEST, order: 'desc', q, after_id: afterId } }, { signal }),
  );
  const rows = list.pages.flatMap((page) => page.subjects);
  const [asked, setAsked] = useKept<Asked | null>('subjects.window', null);
  const close = () => setAsked(null);
  const create = (
    <Button look="primary" icon="plus" onClick={() => setAsked({ kind: 'create' })}>
      {say('subjects.create')}
    </Button>
  );
  return (
    <>
      <Header title={say('subjects.title')} count={list.total !== undefined && number(list.total)}>
        {create}
      </Header>
      {(rows.length > 0 || q !== undefined) && (
        <ListBar
          q={q}
          label={say('subjects.filter')}
          change={(next) => void navigate({ search: { q: next }, replace: true })}
        />
      )}
      <Listing
        list={list}
        empty={rows.length === 0}
        nothing={
          q === undefined ? (
            <Empty icon="users" title={say('subjects.none')} text={say('subjects.noneText')}>
              {create}
            </Empty>
          ) : (
            <Empty icon="search" title={say('list.noMatch')} text={say('list.noMatchText')} />
          )
        }
      >
        <Table
          label={say('subjects.title')}
          rows={rows}
          keyOf={(subject) => subject.principal_id}
          columns={columnsOf((kind, subject) => setAsked({ kind, subject }))}
        >
          <More list={list} />
        </Table>
      </Listing>
      {asked?.kind === 'create' && <EditSubject close={close} />}
      {asked?.kind === 'edit' && <EditSubject subject={asked.subject} close={close} />}
      {asked?.kind === 'delete' && <DeleteSubject subject={asked.subject} close={close} />}
    </>
  );
}

function columnsOf(ask: (kind: 'edit' | 'delete', subject: Subject) => void): Column<Subject>[] {
  return [
    nameColumn(({ principal_id: id }) => id, 'w-[28%]', say('policies.principal')),
    {
      id: 'attributes',
      title: say('subjects.attributes'),
      cell: ({ attributes }) => {
        const text = Object.entries(attributes)
          .map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
          .join(' · ');
        return (
          <bdi className="block truncate text-ink-2" title={text}>
            {text || '–'}
          </bdi>
        );
      },
    },
    {
      id: 'ends',
      title: say('apiKeys.ends'),
      className: 'w-28',
      cell: ({ expires_time: time }) =>
        time === null ? (
          <span className="text-ink-3">{say('apiKeys.endsNever')}</span>
        ) : (
          <span className={time <= Date.now() / 1000 ? 'text-bad' : 'num text-ink-2'} title={moment(time)}>
            {time <= Date.now() / 1000 ? say('apiKeys.expired') : ahead(time)}
          </span>
        ),
    },
    changedColumn('max-lg:hidden'),
    actionsColumn('w-24', (subject) => (
      <>
        <EditButton name={subject.principal_id} run={() => ask('edit', subject)} />
        <DeleteButton name={subject.principal_id} run={() => ask('delete', subject)} />
      </>
    )),
  ];
}

import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { pinakes } from '../../data/api.ts';
import { TAGS, type Tag } from '../../data/tags.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Header } from '../../parts/layout.tsx';
import { ListBar } from '../../parts/list-bar.tsx';
import { Listing } from '../../parts/listing.tsx';
import { actionsColumn, DeleteButton, descriptionColumn, EditButton, nameColumn } from '../../parts/row-parts.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useKept } from '../../shell/drafts.ts';
import { useScope } from '../../shell/use-session.ts';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { AssignTag } from './assign-tag.tsx';
import { DeleteTag, EditTag } from './tag-forms.tsx';

const route = getRouteApi('/tags');

type Asked = { kind: 'create' } | { kind: 'edit' | 'delete' | 'assign'; tag: Tag };

/** The tags. All of them are read at once: a tenant has at most 1,000. */
export function Tags() {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useScope('knowledge:write');
  const list = useQuery({ queryKey: [TAGS], queryFn: ({ signal }) => pinakes.listTags({}, { signal }) });
  const all = list.data?.tags ?? [];
  const wanted = (q ?? '').toLowerCase();
  const rows = all.filter(({ name }) => name.toLowerCase().includes(wanted));
  const [asked, setAsked] = useKept<Asked | null>('tags.window', null);
  const close = () => setAsked(null);
  const create = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setAsked({ kind: 'create' })}>
      {say('tags.create')}
    </Button>
  );
  return (
    <>
      <Header title={say('tags.title')} count={list.isSuccess && number(all.length)}>
        {create}
      </Header>
      {all.length > 0 && (
        <ListBar
          q={q}
          label={say('list.filter')}
          change={(next) => void navigate({ search: { q: next }, replace: true })}
        />
      )}
      <Listing
        list={list}
        empty={rows.length === 0}
        nothing={
          all.length > 0 ? (
            <Empty icon="search" title={say('list.noMatch')} text={say('list.noMatchText')} />
          ) : (
            <Empty icon="tag" title={say('tags.none')} text={say('tags.noneText')}>
              {create}
            </Empty>
          )
        }
      >
        <Table
          label={say('tags.title')}
          rows={rows}
          keyOf={(tag) => tag.id}
          columns={columnsOf(mayWrite, (kind, tag) => setAsked({ kind, tag }))}
        />
      </Listing>
      {asked?.kind === 'create' && <EditTag close={close} />}
      {asked?.kind === 'edit' && <EditTag tag={asked.tag} close={close} />}
      {asked?.kind === 'delete' && <DeleteTag tag={asked.tag} close={close} />}
      {asked?.kind === 'assign' && <AssignTag tag={asked.tag} close={close} />}
    </>
  );
}

function columnsOf(mayWrite: boolean, ask: (kind: 'edit' | 'delete' | 'assign', tag: Tag) => void): Column<Tag>[] {
  return [
    nameColumn(({ name }) => name),
    descriptionColumn(),
    actionsColumn('w-44', (tag) => (
      <>
        <Button
          look="ghost"
          size="small"
          aria-label={say('tags.assignOne', { name: tag.name })}
          onClick={() => ask('assign', tag)}
        >
          {say('tags.assign')}
        </Button>
        {mayWrite && (
          <>
            <EditButton name={tag.name} run={() => ask('edit', tag)} />
            <DeleteButton name={tag.name} run={() => ask('delete', tag)} />
          </>
        )}
      </>
    )),
  ];
}

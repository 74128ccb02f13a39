import { getRouteApi } from '@tanstack/react-router';
import { pinakes } from '../../data/api.ts';
import { ROWS_PER_REQUEST, usePages } from '../../data/pages.ts';
import { SECRETS, type Secret } from '../../data/secrets.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Header } from '../../parts/layout.tsx';
import { ListBar } from '../../parts/list-bar.tsx';
import { Listing, More } from '../../parts/listing.tsx';
import {
  actionsColumn,
  changedColumn,
  DeleteButton,
  descriptionColumn,
  EditButton,
  nameColumn,
} from '../../parts/row-parts.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useKept } from '../../shell/drafts.ts';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { DeleteSecret, EditSecret } from './secret-forms.tsx';

const route = getRouteApi('/secrets');

type Asked = { kind: 'create' } | { kind: 'edit' | 'delete'; secret: Secret };

/** The stored secrets. Their values are never shown: the service does not return them. */
export function Secrets() {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const list = usePages([SECRETS, q], (afterId, signal) =>
    pinakes.listSecrets({ query: { limit: ROWS_PER_REQUEST, order: 'desc', q, after_id: afterId } }, { signal }),
  );
  const rows = list.pages.flatMap((page) => page.secrets);
  const [asked, setAsked] = useKept<Asked | null>('secrets.window', null);
  const close = () => setAsked(null);
  const create = (
    <Button look="primary" icon="plus" onClick={() => setAsked({ kind: 'create' })}>
      {say('secrets.create')}
    </Button>
  );
  return (
    <>
      <Header title={say('secrets.title')} count={list.total !== undefined && number(list.total)}>
        {create}
      </Header>
      {(rows.length > 0 || q !== undefined) && (
        <ListBar
          q={q}
          label={say('list.filter')}
          change={(next) => void navigate({ search: { q: next }, replace: true })}
        >
          {say('secrets.neverShown')}
        </ListBar>
      )}
      <Listing
        list={list}
        empty={rows.length === 0}
        nothing={
          q === undefined ? (
            <Empty icon="lock" title={say('secrets.none')} text={say('secrets.noneText')}>
              {create}
            </Empty>
          ) : (
            <Empty icon="search" title={say('list.noMatch')} text={say('list.noMatchText')} />
          )
        }
      >
        <Table
          label={say('secrets.title')}
          rows={rows}
          keyOf={(secret) => secret.id}
          columns={columnsOf((kind, secret) => setAsked({ kind, secret }))}
        >
          <More list={list} />
        </Table>
      </Listing>
      {asked?.kind === 'create' && <EditSecret close={close} />}
      {asked?.kind === 'edit' && <EditSecret secret={asked.secret} close={close} />}
      {asked?.kind === 'delete' && <DeleteSecret secret={asked.secret} close={close} />}
    </>
  );
}

function columnsOf(ask: (kind: 'edit' | 'delete', secret: Secret) => void): Column<Secret>[] {
  return [
    nameColumn(({ name }) => name),
    {
      id: 'type',
      title: say('secrets.type'),
      className: 'w-40',
      cell: ({ type }) => <span className="text-ink-2">{say(`secrets.type.${type}`)}</span>,
    },
    descriptionColumn('max-lg:hidden'),
    changedColumn(),
    actionsColumn('w-24', (secret) => (
      <>
        <EditButton name={secret.name} run={() => ask('edit', secret)} />
        <DeleteButton name={secret.name} run={() => ask('delete', secret)} />
      </>
    )),
  ];
}

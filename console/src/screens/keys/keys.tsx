import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { stateOf } from '../../data/key-facts.ts';
import { type ApiKey, type IssuedKey, KEYS, listKeys } from '../../data/keys.ts';
import { usePages } from '../../data/pages.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header } from '../../parts/layout.tsx';
import { ListBar } from '../../parts/list-bar.tsx';
import { Listing, More } from '../../parts/listing.tsx';
import { actionsColumn, RowButton } from '../../parts/row-parts.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useKept } from '../../shell/drafts.ts';
import { useSession } from '../../shell/use-session.ts';
import { ago, ahead, moment, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { IssueKey } from './issue-key.tsx';
import { RevokeKey, RotateKey } from './key-actions.tsx';
import { NewKeyShown } from './new-key-shown.tsx';

const route = getRouteApi('/keys');

type Asked = { kind: 'issue' } | { kind: 'rotate' | 'revoke'; row: ApiKey };

/** The API keys: what each may do, when it was used last, and when it ends. */
export function Keys() {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const list = usePages([KEYS, q], (afterId, signal) => listKeys(q, afterId, signal));
  const rows = list.pages.flatMap((page) => page.api_keys);
  const [asked, setAsked] = useKept<Asked | null>('keys.window', null);
  // Not kept when the session ends: it holds a key.
  const [shown, setShown] = useState<IssuedKey | null>(null);
  const close = () => setAsked(null);
  const show = (issued: IssuedKey) => {
    setAsked(null);
    setShown(issued);
  };
  const unused = rows.filter((row) => stateOf(row) === 'unused').length;
  const issue = (
    <Button look="primary" icon="plus" onClick={() => setAsked({ kind: 'issue' })}>
      {say('apiKeys.issue')}
    </Button>
  );

  return (
    <>
      <Header title={say('apiKeys.title')} count={list.total !== undefined && number(list.total)}>
        {issue}
      </Header>
      <ListBar
        q={q}
        label={say('list.filter')}
        change={(next) => void navigate({ search: { q: next }, replace: true })}
      >
        {unused > 0 && (
          <span className="flex items-center gap-1.5 text-warn">
            <Icon name="triangle-alert" size={14} />
            {say('apiKeys.unusedNote', { n: unused })}
          </span>
        )}
      </ListBar>
      <Listing
        list={list}
        empty={rows.length === 0}
        nothing={<Empty icon="search" title={say('list.noMatch')} text={say('list.noMatchText')} />}
      >
        <Table
          label={say('apiKeys.title')}
          rows={rows}
          keyOf={(row) => row.id}
          minWidth="min-w-[44rem]"
          columns={columnsOf((kind, row) => setAsked({ kind, row }))}
        >
          <More list={list} />
        </Table>
      </Listing>
      {asked?.kind === 'issue' && <IssueKey close={close} done={show} />}
      {asked?.kind === 'rotate' && <RotateKey row={asked.row} close={close} done={show} />}
      {asked?.kind === 'revoke' && <RevokeKey row={asked.row} close={close} />}
      {shown && <NewKeyShown issued={shown} close={() => setShown(null)} />}
    </>
  );
}

function columnsOf(ask: (kind: 'rotate' | 'revoke', row: ApiKey) => void): Column<ApiKey>[] {
  return [
    { id: 'name', title: say('column.name'), cell: (row) => <Name row={row} /> },
    {
      id: 'scopes',
      title: say('apiKeys.scopes'),
      className: 'w-[26%] max-xl:hidden',
      cell: ({ scopes }) => (
        <Hint label={scopes.map((scope) => `${say(`scope.${scope}`)} (${scope})`).join(', ')}>
          <button type="button" className="block max-w-full truncate rounded-sm text-start text-ink-2">
            {scopes.map((scope) => say(`scope.${scope}`)).join(', ')}
          </button>
        </Hint>
      ),
    },
    { id: 'limits', title: say('apiKeys.limits'), className: 'w-32', cell: (row) => <Limits row={row} /> },
    { id: 'used', title: say('apiKeys.used'), className: 'w-36', cell: (row) => <Used row={row} /> },
    { id: 'ends', title: say('apiKeys.ends'), className: 'w-32', cell: (row) => <Ends row={row} /> },
    actionsColumn('w-24', (row) => <Actions row={row} ask={ask} />),
  ];
}

function Name({ row }: { row: ApiKey }) {
  const own = useSession().api_key_id === row.id;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <bdi className="truncate font-medium" title={row.name}>
        {row.name}
      </bdi>
      {own && <span className="chip h-5 shrink-0 pe-2 text-2xs text-ink-2">{say('apiKeys.own')}</span>}
    </span>
  );
}

function Limits({ row: { source_group_ids: groups, tag_ids: tags } }: { row: ApiKey }) {
  if (groups === null && tags === null) return <span className="text-ink-3">{say('apiKeys.everything')}</span>;
  const parts = [
    groups && say('apiKeys.groupCount', { n: groups.length }),
    tags && say('apiKeys.tagCount', { n: tags.length }),
  ];
  return <span className="block truncate">{parts.filter(Boolean).join(', ')}</span>;
}

function Used({ row }: { row: ApiKey }) {
  const text = row.last_used_time === null ? say('apiKeys.never') : ago(row.last_used_time);
  if (stateOf(row) !== 'unused')
    return (
      <span className="num text-ink-2" title={row.last_used_time === null ? undefined : moment(row.last_used_time)}>
        {text}
      </span>
    );
  return (
    <Hint label={say('apiKeys.unusedHint')}>
      <button type="button" className="num flex items-center gap-1.5 rounded-sm text-warn">
        <Icon name="triangle-alert" size={13} />
        {text}
      </button>
    </Hint>
  );
}

function Ends({ row }: { row: ApiKey }) {
  if (row.expires_time === null) return <span className="text-ink-3">{say('apiKeys.endsNever')}</span>;
  const expired = stateOf(row) === 'expired';
  return (
    <span className={`num ${expired ? 'text-bad' : 'text-ink-2'}`} title={moment(row.expires_time)}>
      {expired ? say('apiKeys.expired') : ahead(row.expires_time)}
    </span>
  );
}

function Actions({ row, ask }: { row: ApiKey; ask(kind: 'rotate' | 'revoke', row: ApiKey): void }) {
  const { name } = row;
  return (
    <>
      {stateOf(row) !== 'expired' && (
        <RowButton
          hint={say('apiKeys.rotate')}
          label={say('apiKeys.rotateOne', { name })}
          icon="rotate-ccw"
          run={() => ask('rotate', row)}
        />
      )}
      <RowButton
        hint={say('apiKeys.revoke')}
        label={say('apiKeys.revokeOne', { name })}
        icon="ban"
        run={() => ask('revoke', row)}
      />
    </>
  );
}

import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef } from 'react';
import { hasNothing, inWords } from '../../data/api.ts';
import type { SourceRow } from '../../data/sources.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header, KeyBar, NotRefreshed, Problem } from '../../parts/layout.tsx';
import { useKept } from '../../shell/drafts.ts';
import { useScope } from '../../shell/use-session.ts';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { DeleteGroup } from './delete-group.tsx';
import { isFiltered, type State } from './filters.ts';
import { Selection } from './selection.tsx';
import { SourceGrid } from './source-grid.tsx';
import { Toolbar } from './toolbar.tsx';
import { useDroppedFiles } from './use-dropped-files.ts';
import { useSourceList } from './use-source-list.ts';

const AddFiles = lazy(() => import('./add-files.tsx').then((module) => ({ default: module.AddFiles })));
const route = getRouteApi('/sources');

export function Sources() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const list = useSourceList(filters);
  const mayAdd = useScope('ingestion:manage');
  const [selected, setSelected] = useKept<ReadonlyMap<string, SourceRow>>('sources.selected', new Map());
  const setAdd = (add: boolean) =>
    void navigate({ search: (old) => ({ ...old, add: add || undefined }), replace: !add });
  const dropped = useDroppedFiles(mayAdd, () => setAdd(true));
  const { status, q, type, group, tag } = filters;
  // A selection belongs to the list in which it was made.
  const shownList = JSON.stringify([status, q, type, group, tag]);
  const selectedIn = useRef(shownList);
  useEffect(() => {
    if (selectedIn.current !== shownList) setSelected(new Map());
    selectedIn.current = shownList;
  }, [shownList, setSelected]);

  const select = useCallback(
    (rows: readonly SourceRow[], on: boolean) =>
      setSelected((old) => {
        const next = new Map(old);
        for (const row of rows) {
          if (on) next.set(row.id, row);
          else next.delete(row.id);
        }
        return next;
      }),
    [setSelected],
  );

  return (
    <>
      <Header title={say('sources.title')} count={list.counts && number(list.counts.total)}>
        {mayAdd && group !== undefined && (
          <DeleteGroup key={group} id={group} gone={() => void navigate({ search: {}, replace: true })} />
        )}
        {mayAdd && (
          <Button look="primary" icon="upload" onClick={() => setAdd(true)}>
            {say('add.action')}
          </Button>
        )}
      </Header>
      <Toolbar
        filters={filters}
        counts={list.counts}
        change={(next) => void navigate({ search: next, replace: true })}
      />
      {list.error && !hasNothing(list) && <NotRefreshed text={inWords(list.error)} retry={() => list.refetch()} />}
      {hasNothing(list) ? (
        <div className="p-4">
          <Problem text={inWords(list.error)}>
            <Button size="small" onClick={() => list.refetch()}>
              {say('action.retry')}
            </Button>
          </Problem>
        </div>
      ) : list.rows.length === 0 && !list.isPending && !list.isPlaceholderData ? (
        <Nothing
          state={status}
          pending={list.counts?.status.pending ?? 0}
          narrowed={isFiltered({ ...filters, status: undefined })}
          mayAdd={mayAdd}
          add={() => setAdd(true)}
        />
      ) : (
        <SourceGrid
          filters={filters}
          list={list}
          selected={selected}
          select={select}
          sort={(next) => void navigate({ search: next, replace: true })}
          mayManage={mayAdd}
        />
      )}
      {selected.size > 0 ? (
        <Selection rows={[...selected.values()]} clear={() => setSelected(new Map())} />
      ) : (
        <KeyBar keys={['move', 'select', 'peek', 'open']}>{mayAdd && say('sources.dropAnywhere')}</KeyBar>
      )}
      {dropped.over && <DropHere />}
      {filters.add && mayAdd && (
        <Suspense>
          <AddFiles given={dropped.files} close={() => setAdd(false)} />
        </Suspense>
      )}
    </>
  );
}

function DropHere() {
  return (
    <div className="pointer-events-none absolute inset-2 z-30 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-accent-soft/90">
      <p className="flex items-center gap-2 text-lg font-medium text-accent-ink">
        <Icon name="upload" size={20} />
        {say('sources.dropHere')}
      </p>
    </div>
  );
}

interface NothingProps {
  state: State | undefined;
  /** How many files were not read yet. */
  pending: number;
  /** Whether another filter than the state is set. */
  narrowed: boolean;
  mayAdd: boolean;
  add(): void;
}

function Nothing({ state, pending, narrowed, mayAdd, add }: NothingProps) {
  if (state === 'failed' && !narrowed)
    return (
      <Empty
        icon={pending > 0 ? 'clock' : 'circle-check'}
        title={say('sources.noneFailed')}
        text={pending > 0 ? say('sources.noneFailedYet', { n: pending }) : say('sources.noneFailedText')}
      />
    );
  if (narrowed || state !== undefined)
    return (
      <Empty icon="search" title={say('sources.noMatch')} text={say('sources.noMatchText')}>
        <Link to="/sources" search={{}} className={buttonClass()}>
          {say('sources.clear')}
        </Link>
      </Empty>
    );
  return (
    <Empty icon="file-text" title={say('sources.none')} text={say(mayAdd ? 'sources.noneText' : 'sources.noneReader')}>
      {mayAdd && (
        <Button look="primary" icon="upload" onClick={add}>
          {say('add.action')}
        </Button>
      )}
    </Empty>
  );
}

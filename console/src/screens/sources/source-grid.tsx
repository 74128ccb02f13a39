import { Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { SourceRow } from '../../data/sources.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FileGlyph, Spinner } from '../../parts/layout.tsx';
import { folderOf } from '../../parts/place-line.ts';
import { ago, bytes, moment, number } from '../../words/format.ts';
import { type Key, say } from '../../words/words.ts';
import { type Filters, rangeOf, type Sort, sortedBy } from './filters.ts';
import { Peek } from './peek.tsx';
import { RowState } from './row-state.tsx';
import type { useSourceList } from './use-source-list.ts';

const ROW_PX = 38;
const OVERSCAN = 12;
/** The next rows are asked for when this many are left below the window. */
const AHEAD = 60;

/** The failed sources have room for the reason; narrow windows have no room for size and language, phones none for the time. */
const USUAL =
  'grid grid-cols-[36px_minmax(180px,1.6fr)_minmax(150px,1.1fr)_minmax(100px,0.7fr)_64px_72px_48px_96px] items-center @max-4xl:grid-cols-[36px_minmax(180px,1.6fr)_minmax(140px,1fr)_0_0_64px_0_96px] @max-lg:grid-cols-[36px_minmax(0,1.6fr)_minmax(0,1fr)_0_0_0_0_0]';
const FAILED =
  'grid grid-cols-[36px_minmax(180px,1fr)_minmax(320px,2.4fr)_minmax(100px,0.6fr)_0_72px_0_96px] items-center @max-4xl:grid-cols-[36px_minmax(160px,1fr)_minmax(200px,1.6fr)_0_0_0_0_96px] @max-lg:grid-cols-[36px_minmax(0,1fr)_minmax(0,1fr)_0_0_0_0_0]';

/** How far a key moves the cursor. */
const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const rowId = ({ id }: SourceRow) => `row-${id}`;

interface Column {
  key: Key;
  sort?: Sort;
  end?: boolean;
  className?: string;
}

interface SourceGridProps {
  filters: Filters;
  list: ReturnType<typeof useSourceList>;
  selected: ReadonlyMap<string, SourceRow>;
  select(rows: readonly SourceRow[], on: boolean): void;
  sort(filters: Filters): void;
  mayManage: boolean;
}

/** The rows: only those near the window are in the document. J and K move, X selects, P and Space look into a row, Enter opens it. */
export function SourceGrid({ filters, list, selected, select, sort, mayManage }: SourceGridProps) {
  const { rows, counts } = list;
  const [cursor, setCursor] = useState(0);
  const grid = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastShown + AHEAD > rows.length) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, lastShown, rows.length]);

  const [isPeeking, setPeeking] = useState(false);
  // Where a range begins: the row that was selected last, or its selection taken away.
  const anchor = useRef<number | null>(null);
  const toggle = useCallback(
    (at: number, asRange: boolean) => {
      const row = rows[at];
      if (!row) return;
      if (asRange) select(rangeOf(rows, anchor.current, at), true);
      else select([row], !selected.has(row.id));
      anchor.current = at;
    },
    [rows, select, selected],
  );
  // Other filters or another order make another list, which begins at its first row.
  const { add: _, ...shown } = filters;
  const view = JSON.stringify(shown);
  const lastView = useRef(view);
  useEffect(() => {
    if (lastView.current === view) return;
    lastView.current = view;
    anchor.current = null;
    setCursor(0);
    scroller.current?.scrollTo({ top: 0 });
  }, [view]);
  const closePeek = useCallback(() => {
    setPeeking(false);
    grid.current?.focus();
  }, []);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      if (
        !(target instanceof HTMLElement) ||
        target.closest('input:not([type=checkbox]), select, textarea, [role=dialog]')
      )
        return;
      if (event.metaKey || event.ctrlKey || event.altKey) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const page = Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX);
      // In the panel beside the list these keys scroll.
      const far = { PageDown: page, PageUp: -page, End: Infinity, Home: -Infinity };
      const steps: Record<string, number> = target.closest('aside') ? STEPS : { ...STEPS, ...far };
      const step = steps[key] ?? 0;
      const row = rows[cursor];
      const onControl = target.closest('a, button, input') !== null;
      if (step !== 0) {
        event.preventDefault();
        const next = Math.max(0, Math.min(rows.length - 1, cursor + step));
        setCursor(next);
        virtual.scrollToIndex(next);
        // A screen reader says the row of the cursor while the list has the focus.
        grid.current?.focus({ preventScroll: true });
        if (event.shiftKey && mayManage) {
          anchor.current ??= cursor;
          select(rangeOf(rows, anchor.current, next), true);
        }
      } else if (key === 'x' && mayManage) toggle(cursor, event.shiftKey);
      else if (key === 'p' || (key === ' ' && !onControl)) {
        event.preventDefault();
        if (isPeeking) closePeek();
        else setPeeking(row !== undefined);
      } else if (key === 'Enter' && row && !onControl) void navigate({ to: '/sources/$id', params: { id: row.id } });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [rows, cursor, virtual, toggle, select, navigate, mayManage, isPeeking, closePeek]);

  const failed = filters.status === 'failed';
  const columns = failed ? FAILED : USUAL;
  const wide = '@max-4xl:invisible';
  const phone = '@max-lg:invisible';
  const heads: Column[] = [
    { key: 'column.name', sort: 'name' },
    { key: failed ? 'column.reason' : 'column.state' },
    { key: 'sources.group', className: wide },
    { key: 'column.chunks', sort: 'chunks', end: true, className: failed ? 'invisible' : wide },
    { key: 'column.size', sort: 'size', end: true, className: failed ? wide : phone },
    { key: 'column.language', end: true, className: failed ? 'invisible' : wide },
    { key: 'column.changed', sort: 'content_time', end: true, className: phone },
  ];

  return (
    <div className="@container relative flex min-h-0 flex-1 flex-col">
      {list.isPending && (
        <div className="p-4">
          <Spinner label={say('loading')} />
        </div>
      )}
      <div
        ref={grid}
        role="grid"
        tabIndex={0}
        aria-label={say('sources.title')}
        aria-activedescendant={rows[cursor] && rowId(rows[cursor])}
        aria-rowcount={(counts?.total ?? rows.length) + 1}
        // Rows of the last filter are pale while those of the new one are on their way.
        aria-busy={list.isPlaceholderData}
        className={`flex min-h-0 flex-1 flex-col outline-offset-[-2px] ${list.isPlaceholderData ? 'opacity-50' : ''}`}
      >
        <div role="rowgroup">
          <div
            role="row"
            aria-rowindex={1}
            className={`${columns} h-8 border-b border-line ps-2 pe-4 text-xs text-ink-3`}
          >
            <span role="columnheader">
              <span className="sr-only">{say('column.selected')}</span>
            </span>
            {heads.map((column) => (
              <Head key={column.key} column={column} filters={filters} sort={sort} />
            ))}
          </div>
        </div>
        <div ref={scroller} role="rowgroup" className="scroll relative flex-1">
          <div role="presentation" style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const row = rows[item.index];
              if (!row) return null;
              return (
                <div
                  key={row.id}
                  id={rowId(row)}
                  role="row"
                  aria-rowindex={item.index + 2}
                  aria-selected={selected.has(row.id)}
                  onClick={() => setCursor(item.index)}
                  style={{ transform: `translateY(${item.start}px)` }}
                  className={`${columns} group absolute inset-x-0 top-0 h-[38px] border-b border-line/60 ps-2 pe-4 ${selected.has(row.id) ? 'bg-accent-soft' : item.index === cursor ? 'bg-hover' : 'hover:bg-hover'}`}
                >
                  <Cells
                    row={row}
                    failed={failed}
                    selected={selected}
                    toggle={(asRange) => toggle(item.index, asRange)}
                    peek={() => {
                      setCursor(item.index);
                      setPeeking(true);
                    }}
                    mayManage={mayManage}
                    wide={wide}
                    phone={phone}
                  />
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {isPeeking && rows[cursor] && <Peek row={rows[cursor]} close={closePeek} />}
    </div>
  );
}

function Head({ column, filters, sort }: { column: Column; filters: Filters; sort(filters: Filters): void }) {
  const { sort: by, order = 'desc' } = filters;
  const active = column.sort !== undefined && column.sort === by;
  const align = column.end ? 'justify-end text-end' : '';
  const label = say(column.key);
  if (column.sort === undefined)
    return (
      <span role="columnheader" className={`flex min-w-0 ${align} ${column.className ?? ''}`}>
        <span className="truncate">{label}</span>
      </span>
    );
  const by_ = column.sort;
  return (
    <span
      role="columnheader"
      aria-sort={active ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
      className={`flex min-w-0 ${align} ${column.className ?? ''}`}
    >
      <button
        type="button"
        onClick={() => sort(sortedBy(filters, by_))}
        className={`-mx-1 flex min-w-0 items-center gap-0.5 rounded-sm px-1 hover:text-ink ${active ? 'text-ink-2' : ''}`}
      >
        <span className="truncate">{label}</span>
        {active && <Icon name="chevron-down" size={11} className={order === 'asc' ? 'rotate-180' : ''} />}
      </button>
    </span>
  );
}

interface CellsProps {
  row: SourceRow;
  failed: boolean;
  selected: ReadonlyMap<string, SourceRow>;
  toggle(asRange: boolean): void;
  peek(): void;
  mayManage: boolean;
  wide: string;
  phone: string;
}

function Cells({ row, failed, selected, toggle, peek, mayManage, wide, phone }: CellsProps) {
  const name = row.name || say('sources.withheld');
  const folder = folderOf(row);
  const shown =
    selected.size > 0 ? '' : 'opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100';
  return (
    <>
      <span role="gridcell" className="grid place-items-center">
        {mayManage && (
          <input
            type="checkbox"
            checked={selected.has(row.id)}
            onChange={(event) => toggle((event.nativeEvent as MouseEvent).shiftKey)}
            aria-label={say('sources.select', { name })}
            className={`size-3.5 accent-[var(--accent)] ${shown}`}
          />
        )}
      </span>
      <span role="gridcell" className="flex min-w-0 items-center gap-2.5 pe-3">
        <FileGlyph type={row.file_type} name={row.name} />
        <span className="flex min-w-0 flex-col">
          <Link
            to="/sources/$id"
            params={{ id: row.id }}
            title={row.path ?? name}
            className="min-w-0 truncate leading-[18px] font-medium hover:underline"
          >
            <bdi>{name}</bdi>
          </Link>
          {folder !== '' && (
            <bdi className="min-w-0 truncate text-2xs leading-[14px] text-ink-3" title={folder}>
              {folder}
            </bdi>
          )}
        </span>
        <Button
          look="ghost"
          size="small"
          icon="panel-right"
          tabIndex={-1}
          aria-label={say('sources.peek', { name })}
          onClick={peek}
          className="ms-auto opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100 @max-lg:hidden"
        />
      </span>
      <span role="gridcell" className="min-w-0 pe-4">
        <RowState row={row} wide={failed} mayManage={mayManage} />
      </span>
      <span role="gridcell" className={`min-w-0 truncate pe-3 text-ink-2 ${wide}`} title={row.source_group_name}>
        <bdi>{row.source_group_name}</bdi>
      </span>
      <span role="gridcell" className={`num text-end text-ink-2 ${failed ? 'invisible' : wide}`}>
        {row.chunk_count === 0 ? '–' : number(row.chunk_count)}
      </span>
      <span role="gridcell" className={`num text-end whitespace-nowrap text-ink-2 ${failed ? wide : phone}`}>
        {bytes(row.file_size)}
      </span>
      <span role="gridcell" className={`text-end text-ink-3 uppercase ${failed ? 'invisible' : wide}`}>
        {row.language ?? '–'}
      </span>
      <span
        role="gridcell"
        className={`num text-end whitespace-nowrap text-ink-3 ${phone}`}
        title={moment(row.content_time)}
      >
        {ago(row.content_time)}
      </span>
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { pinakes } from '../../data/api.ts';
import type { SourcePage } from '../../data/sources.ts';
import { Icon } from '../../parts/icon.tsx';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { type Filters, STATES, type State } from './filters.ts';

const TYPED_MS = 150;

interface ToolbarProps {
  filters: Filters;
  counts: SourcePage['counts'] | undefined;
  change(filters: Filters): void;
}

/** State tabs with counts, and the filters by type and name. */
export function Toolbar({ filters, counts, change }: ToolbarProps) {
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-1 gap-y-1.5 border-b border-line px-3 py-2">
      <Tab filters={filters} counts={counts} change={change} />
      {STATES.map((state) => (
        <Tab key={state} state={state} filters={filters} counts={counts} change={change} />
      ))}
      <span className="mx-1 h-4 w-px bg-line" />
      <TypeFilter filters={filters} counts={counts} change={change} />
      {filters.group !== undefined && <GroupChip filters={filters} change={change} />}
      <NameFilter filters={filters} change={change} />
    </div>
  );
}

function Tab({ state, filters, counts, change }: ToolbarProps & { state?: State }) {
  const pressed = filters.status === state;
  const all = counts && counts.status.pending + counts.status.ready + counts.status.failed;
  const count = state === undefined ? all : counts?.status[state];
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={() => change({ ...filters, status: state })}
      className={`flex h-7 items-center gap-1.5 rounded-md px-2 whitespace-nowrap transition-colors ${pressed ? 'bg-press font-medium text-ink' : 'text-ink-2 hover:bg-hover'}`}
    >
      {state === 'failed' && (count ?? 0) > 0 && <span className="size-1.5 rounded-full bg-bad" />}
      {say(state === undefined ? 'state.all' : `state.${state}`)}
      {count !== undefined && <span className="num text-xs text-ink-3">{number(count)}</span>}
    </button>
  );
}

function TypeFilter({ filters, counts, change }: ToolbarProps) {
  const types = counts?.file_type ?? [];
  return (
    <label className="relative flex h-7 items-center gap-1.5 rounded-md px-2 text-ink-2 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent">
      <Icon name="list-filter" size={14} />
      <span className="sr-only">{say('sources.type')}</span>
      <select
        value={filters.type ?? ''}
        onChange={(event) => change({ ...filters, type: event.target.value || undefined })}
        className="field-sizing-content appearance-none bg-transparent pe-4 outline-none"
      >
        <option value="">{say('sources.anyType')}</option>
        {filters.type !== undefined && !types.some((one) => one.file_type === filters.type) && (
          <option value={filters.type}>{filters.type}</option>
        )}
        {types.map(({ file_type, count }) => (
          <option key={file_type} value={file_type}>
            {`${file_type} · ${number(count)}`}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size={12} className="pointer-events-none absolute end-2" />
    </label>
  );
}

function GroupChip({ filters, change }: Omit<ToolbarProps, 'counts'>) {
  const id = filters.group ?? '';
  const group = useQuery({ queryKey: ['group', id], queryFn: () => pinakes.getSourceGroup({ params: { id } }) });
  return (
    <span className="chip">
      <span className="text-ink-3">{say('sources.group')}</span>
      <bdi className="max-w-48 truncate font-medium">{group.data?.name ?? '…'}</bdi>
      <button
        type="button"
        aria-label={say('filter.remove', { name: say('sources.group') })}
        onClick={() => change({ ...filters, group: undefined })}
        className="grid size-5 place-items-center text-ink-3 hover:text-ink"
      >
        <Icon name="x" size={11} />
      </button>
    </span>
  );
}

/** Filters while the reader types, a moment after the last letter. `/` goes to the field. */
function NameFilter({ filters, change }: Omit<ToolbarProps, 'counts'>) {
  const [text, setText] = useState(filters.q ?? '');
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef({ filters, change });
  latest.current = { filters, change };
  useEffect(() => {
    setText((old) => (old.trim() === (filters.q ?? '').trim() ? old : (filters.q ?? '')));
  }, [filters.q]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const { filters: now, change: apply } = latest.current;
      if (text.trim() !== (now.q ?? '').trim()) apply({ ...now, q: text.trim() === '' ? undefined : text });
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <label className="field ms-auto flex h-7 w-60 items-center gap-1.5 px-2 text-ink-3">
      <Icon name="search" size={13} />
      <input
        ref={field}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('');
        }}
        aria-label={say('sources.filter')}
        placeholder={say('sources.filter')}
        className="w-full bg-transparent text-ink outline-none placeholder:text-ink-3"
      />
    </label>
  );
}

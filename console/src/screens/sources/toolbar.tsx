import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { useGroupChoices } from '../../data/group-names.ts';
import type { SourcePage } from '../../data/sources.ts';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { Icon } from '../../parts/icon.tsx';
import { number, sortedByName } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { type Filters, STATES, type State } from './filters.ts';

const TYPED_MS = 150;
/** The service counts the groups with the most sources only. The others have no number. */
const COUNTED_GROUPS_MAX = 50;

interface ToolbarProps {
  filters: Filters;
  counts: SourcePage['counts'] | undefined;
  change(filters: Filters): void;
}

/** State tabs with counts, and the filters by type, group, tag and name. */
export function Toolbar({ filters, counts, change }: ToolbarProps) {
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-1 gap-y-1.5 border-b border-line px-3 py-2">
      <Tab filters={filters} counts={counts} change={change} />
      {STATES.map((state) => (
        <Tab key={state} state={state} filters={filters} counts={counts} change={change} />
      ))}
      <span className="mx-1 h-4 w-px bg-line" />
      <Facets filters={filters} counts={counts} change={change} />
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

/** The filters by type, group and tag, with the number of sources of each value. */
function Facets({ filters, counts, change }: ToolbarProps) {
  const { type, group, tag } = filters;
  const most = counts?.source_group;
  const others = useGroupChoices((most?.length ?? 0) >= COUNTED_GROUPS_MAX);
  const groups = useMemo(() => {
    const choices = new Map([...others, ...counted(most)]);
    return sortedByName([...choices], ([, name]) => name);
  }, [most, others]);
  const tags = counted(counts?.tag);
  // A value of the address that no source has any more still has its name.
  const groupName = useQuery({
    queryKey: ['group', group],
    queryFn: () => pinakes.getSourceGroup({ params: { id: group ?? '' } }),
    enabled: group !== undefined && counts !== undefined && !groups.some(([id]) => id === group),
  }).data?.name;
  return (
    <>
      <FilterSelect
        label={say('sources.type')}
        icon="list-filter"
        value={type ?? ''}
        any={say('sources.anyType')}
        options={(counts?.file_type ?? []).map(({ file_type, count }) => [
          file_type,
          `${file_type === 'unknown' ? say('sources.otherType') : file_type} · ${number(count)}`,
        ])}
        change={(value) => change({ ...filters, type: value })}
      />
      {(groups.length > 0 || group !== undefined) && (
        <FilterSelect
          label={say('sources.group')}
          icon="folder-open"
          value={group ?? ''}
          any={say('sources.anyGroup')}
          options={groupName === undefined ? groups : [[group ?? '', groupName], ...groups]}
          change={(value) => change({ ...filters, group: value })}
        />
      )}
      {(tags.length > 0 || tag !== undefined) && (
        <FilterSelect
          label={say('sources.tag')}
          icon="tag"
          value={tag ?? ''}
          any={say('sources.anyTag')}
          options={tags}
          change={(value) => change({ ...filters, tag: value })}
        />
      )}
    </>
  );
}

function counted(values: readonly { id: string; name: string; count: number }[] = []) {
  return values.map(({ id, name, count }) => [id, `${name || say('sources.withheld')} · ${number(count)}`] as const);
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

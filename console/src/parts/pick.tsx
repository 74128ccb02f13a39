import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { say } from '../words/words.ts';
import { Fields, Tick } from './form.tsx';
import { Icon } from './icon.tsx';

export interface Named {
  id: string;
  name: string;
}

interface PickProps {
  label: string;
  /** The answers of `find` are cached under it, and are read again with the list of this name. */
  kind: string;
  /** Returns some records whose name has the text. */
  find(q: string): Promise<Named[]>;
  /** Names by id. */
  chosen: ReadonlyMap<string, string>;
  change(chosen: ReadonlyMap<string, string>): void;
  /** Stands in the list if there is no record at all. */
  none?: ReactNode;
}

/** Chooses some records of a list that may be long: a field that searches it, and boxes to tick. */
export function Pick({ label, kind, find, chosen, change, none }: PickProps) {
  const [q, setQ] = useState('');
  const found = useQuery({ queryKey: [kind, 'pick', q.trim()], queryFn: () => find(q.trim()) });
  const offered = found.data ?? [];
  const others = [...chosen]
    .filter(([id]) => !offered.some((one) => one.id === id))
    .map(([id, name]) => ({ id, name }));
  function toggle({ id, name }: Named) {
    const next = new Map(chosen);
    if (!next.delete(id)) next.set(id, name);
    change(next);
  }
  return (
    <Fields label={label}>
      <div className="rounded-lg border border-line">
        <label className="flex h-8 items-center gap-1.5 border-b border-line px-2.5 text-ink-3 has-focus-visible:outline-2 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent">
          <Icon name="search" size={13} />
          <input
            value={q}
            onChange={(event) => setQ(event.target.value)}
            aria-label={say('pick.find', { label })}
            placeholder={say('pick.placeholder')}
            className="w-full bg-transparent text-ink outline-none placeholder:text-ink-3"
          />
        </label>
        <ul className="scroll flex h-32 flex-col gap-1 px-2.5 py-2">
          {[...others, ...offered].map((one) => (
            <li key={one.id}>
              <Tick label={<bdi>{one.name}</bdi>} checked={chosen.has(one.id)} onChange={() => toggle(one)} />
            </li>
          ))}
          {found.isSuccess && offered.length === 0 && (
            <li className="text-ink-3">{(q.trim() === '' && none) || say('pick.none')}</li>
          )}
        </ul>
      </div>
    </Fields>
  );
}

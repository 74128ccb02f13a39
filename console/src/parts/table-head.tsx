import { type Key, say } from '../words/words.ts';

export interface Column {
  name: Key;
  /** Width and visibility; no width: the rest. */
  className?: string;
  /** Numbers stand at the end of their column. */
  end?: boolean;
}

/** The head of a table, which stays while its rows scroll. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, className = '', end }) => (
          <th
            key={name}
            scope="col"
            className={`sticky top-0 z-10 h-8 border-b border-line bg-surface px-2 text-xs font-medium text-ink-3 first:ps-4 last:pe-4 ${end ? 'text-end' : 'text-start'} ${className}`}
          >
            {say(name)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

import type { Table } from '../../data/tables/tables.ts';
import { Icon } from '../../parts/icon.tsx';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';

type TableColumn = Table['columns'][number];

/** The columns with what is known about their values. */
export function ColumnList({ columns }: { columns: readonly TableColumn[] }) {
  return (
    <aside
      aria-label={say('tables.columns')}
      className="flex min-h-0 flex-col border-line bg-sunken max-xl:border-t xl:border-s"
    >
      <h2 className="flex h-9 shrink-0 items-center gap-2 px-4 text-xs font-medium text-ink-2">
        {say('tables.columns')}
        <span className="num text-ink-3">{number(columns.length)}</span>
      </h2>
      <ol
        tabIndex={0}
        aria-label={say('tables.columns')}
        className="scroll min-h-0 flex-1 px-4 pb-4 outline-offset-[-2px] max-xl:overflow-visible"
      >
        {columns.map((column) => (
          <li key={column.sql_name} className="border-t border-line py-2.5">
            <OneColumn column={column} />
          </li>
        ))}
      </ol>
    </aside>
  );
}

function OneColumn({ column }: { column: TableColumn }) {
  const { name, sql_name: sqlName, type, unit, description, distinct, min, max, examples } = column;
  return (
    <>
      <div className="flex items-baseline gap-2">
        <code className="code min-w-0 truncate text-ink" title={sqlName}>
          {sqlName}
        </code>
        <span className="ms-auto shrink-0 text-xs text-ink-2">
          {say(`tables.type.${type}`)}
          {unit !== null && ` ${say('tables.unit', { unit })}`}
        </span>
      </div>
      {name !== sqlName && (
        <p dir="auto" className="mt-1 truncate text-ink-2" title={name}>
          {name}
        </p>
      )}
      {description !== null && (
        <p dir="auto" className="mt-1 text-xs text-ink-2">
          {description}
        </p>
      )}
      <p className="num mt-1 flex flex-wrap gap-x-3 text-xs text-ink-3">
        {distinct !== null && <span>{say('tables.distinct', { n: distinct })}</span>}
        {min !== null && max !== null && type !== 'text' && <bdi>{say('tables.range', { min, max })}</bdi>}
      </p>
      {examples.length > 0 && (
        <p dir="auto" className="mt-1 line-clamp-2 text-xs break-words text-ink-3">
          {examples.join(' · ')}
        </p>
      )}
      {column.cast_failures !== null && column.cast_failures > 0 && (
        <p className="mt-1 flex items-start gap-1.5 text-xs text-warn">
          <Icon name="triangle-alert" size={12} className="mt-[3px]" />
          <span dir="auto">
            {say('tables.notCast', { n: column.cast_failures })}
            {column.cast_failure_examples.length > 0 && `: ${column.cast_failure_examples.join(' · ')}`}
          </span>
        </p>
      )}
    </>
  );
}

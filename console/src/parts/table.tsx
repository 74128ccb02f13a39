import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  title: string;
  /** Hidden heads still name their column for screen readers. */
  hiddenTitle?: boolean;
  /** Numbers stand at the end. */
  end?: boolean;
  /** Width, and at which widths of the window the column is shown. */
  className?: string;
  /** A link with `after:absolute after:inset-0` covers the row. */
  cell(row: Row): ReactNode;
}

interface TableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  /** The list scrolls sideways in a window that has less room. Otherwise the column without a width, which has the names, would vanish. */
  minWidth?: string;
  children?: ReactNode;
}

/** A list of a few hundred rows at most. What follows the rows, such as a button for more, is given as children. */
export function Table<Row>({ label, rows, columns, keyOf, minWidth = 'min-w-[36rem]', children }: TableProps<Row>) {
  return (
    <section aria-label={label} tabIndex={0} className="scroll min-h-0 flex-1 outline-offset-[-2px]">
      <table className={`w-full table-fixed border-collapse text-start ${minWidth}`}>
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ id, title, hiddenTitle, end, className = '' }) => (
              <th
                key={id}
                scope="col"
                className={`sticky top-0 z-10 h-8 border-b border-line bg-surface px-2 text-xs font-normal text-ink-3 first:ps-4 last:pe-4 ${end ? 'text-end' : 'text-start'} ${className}`}
              >
                <span className={hiddenTitle ? 'sr-only' : 'block truncate'}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="group relative hover:bg-hover">
              {columns.map(({ id, end, className = '', cell }) => (
                <td
                  key={id}
                  className={`h-[38px] border-b border-line/60 px-2 first:ps-4 last:pe-4 ${end ? 'num text-end' : ''} ${className}`}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </section>
  );
}

import type { ReactNode } from 'react';
import { say } from '../../words/words.ts';

interface GridProps {
  label: string;
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
  /** What stands before the cells of a row, under the title. */
  lead?: { title: string; cell(at: number): ReactNode };
}

const HEAD =
  'sticky top-0 z-10 h-8 border-b border-line bg-surface px-3 text-xs whitespace-nowrap font-medium text-ink-3';
const ALIGNED_DIGITS_MAX = 4;
const CELL = 'h-8 max-w-96 border-b border-line/60 px-3';

/** Cells as they are. Wide tables scroll in themselves. */
export function Grid({ label, columns, rows, lead }: GridProps) {
  const numeric = columns.map((_, at) => rows.some((row) => typeof row[at] === 'number'));
  const digits = columns.map((_, at) => digitsOf(rows.map((row) => row[at])));
  return (
    <section
      aria-label={label}
      tabIndex={0}
      className="scroll max-h-96 rounded-lg border border-line bg-surface outline-offset-[-2px]"
    >
      <table className="w-full border-collapse text-start">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr>
            {lead && (
              <th scope="col" className={`${HEAD} w-14 text-start`}>
                {lead.title}
              </th>
            )}
            {columns.map((name, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: Columns of a result may have the same name.
              <th key={at} scope="col" className={`${HEAD} ${numeric[at] ? 'text-end' : 'text-start'}`}>
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowAt) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: Rows have no other key, and stay in their order.
            <tr key={rowAt} className="hover:bg-hover">
              {lead && <td className={CELL}>{lead.cell(rowAt)}</td>}
              {row.map((value, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: As above.
                <td key={at} className={`${CELL} ${numeric[at] ? 'num text-end' : ''}`}>
                  <Cell value={typeof value === 'number' && digits[at] ? value.toFixed(digits[at]) : value} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Returns how many digits the numbers of a column show after the point, so that the points stand in one line; 0: as they are. */
function digitsOf(values: readonly unknown[]): number {
  const most = Math.max(0, ...values.map((value) => (typeof value === 'number' ? fractionOf(value) : 0)));
  return most <= ALIGNED_DIGITS_MAX ? most : 0;
}

function fractionOf(value: number): number {
  const text = String(value);
  return text.includes('e') ? ALIGNED_DIGITS_MAX + 1 : (text.split('.')[1]?.length ?? 0);
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined)
    return (
      <span className="text-ink-3">
        <span aria-hidden="true">–</span>
        <span className="sr-only">{say('tables.empty')}</span>
      </span>
    );
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return (
    <span className="block truncate" title={text.length > 40 ? text : undefined}>
      <bdi>{text}</bdi>
    </span>
  );
}

import { Link } from '@tanstack/react-router';
import type { TableDetails } from '../../data/tables/tables.ts';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { Grid } from './grid.tsx';
import { spanOfRow } from './span-of-row.ts';

/** The first rows. The number of a row opens it in the source. */
export function SampleRows({ table: { columns, sample } }: { table: TableDetails }) {
  return (
    <section className="px-4 pb-6">
      <h2 className="mb-2 text-base font-semibold">{say('tables.firstRows')}</h2>
      {sample.length === 0 ? (
        <p className="text-ink-3">{say('tables.noRows')}</p>
      ) : (
        <Grid
          label={say('tables.firstRows')}
          columns={columns.map((column) => column.sql_name)}
          rows={sample.map(({ values }) => columns.map((column) => values[column.sql_name] ?? null))}
          lead={{
            title: say('tables.row'),
            cell: (at) => {
              const { row, place } = sample[at]!;
              return (
                <Link
                  to="/sources/$id"
                  params={{ id: place.source_id }}
                  search={{ ...spanOfRow(sample, at), ...(place.page !== null && { page: place.page }) }}
                  aria-label={say('tables.openRow', { row: row + 1 })}
                  className="num text-accent-ink hover:underline"
                >
                  {number(row + 1)}
                </Link>
              );
            },
          }}
        />
      )}
    </section>
  );
}

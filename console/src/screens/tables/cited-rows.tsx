import { Link } from '@tanstack/react-router';
import type { CitedRow } from '../../data/tables/tables.ts';
import { FileGlyph } from '../../parts/layout.tsx';
import { say } from '../../words/words.ts';

/** The rows from which a result comes. Each opens its passage in the source. */
export function CitedRows({ rows }: { rows: readonly CitedRow[] }) {
  return (
    <ol className="grid gap-x-4 lg:grid-cols-2" aria-label={say('tables.citations')}>
      {rows.map((cited, at) => {
        const { start_offset: start, end_offset: end } = cited;
        const [page] = cited.pages ?? [];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: A row may be cited twice, and the list does not change.
          <li key={at} className="relative flex min-w-0 items-center gap-2 rounded-md px-2 py-1.5 hover:bg-hover">
            <FileGlyph type={cited.file_type} />
            <Link
              to="/sources/$id"
              params={{ id: cited.source_id }}
              search={{ ...(start !== null && end !== null && { start, end }), ...(page !== undefined && { page }) }}
              className="num shrink-0 font-medium after:absolute after:inset-0"
            >
              {cited.row.row === null ? <bdi>{cited.name}</bdi> : say('tables.rowNumber', { row: cited.row.row + 1 })}
            </Link>
            <span dir="auto" className="min-w-0 flex-1 truncate text-xs text-ink-3">
              {cited.content}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

import { Popover } from '@base-ui/react/popover';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { inWords } from '../../data/api.ts';
import { buildTable, listSourceTables, type SourceTable, TABLES } from '../../data/tables/tables.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Problem } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useScope } from '../../shell/use-session.ts';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';

const KEY = 'source-tables';

/** The tables of a source: those that can be queried, and those that can be built. Nothing if it has none. */
export function SourceTables({ id }: { id: string }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mayBuild = useScope('ingestion:manage');
  const tables = useQuery({ queryKey: [KEY, id], queryFn: () => listSourceTables(id) }).data ?? [];
  const build = useMutation({
    mutationFn: (index: number) => buildTable(id, index),
    onSuccess: (table) => {
      void queries.invalidateQueries({ queryKey: [KEY, id] });
      void queries.invalidateQueries({ queryKey: [TABLES] });
      return navigate({ to: '/tables/$id', params: { id: table }, search: {} });
    },
  });
  if (tables.length === 0) return null;
  return (
    <Popover.Root>
      <Popover.Trigger className={buttonClass('ghost')}>
        <Icon name="table" size={14} />
        {say('tables.title')}
        <span className="num text-ink-3">{number(tables.length)}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-40">
          <Popover.Popup
            aria-label={say('tables.title')}
            className="pop scroll max-h-96 w-80 rounded-lg bg-raised p-1.5 shadow-2 outline-none"
          >
            <ul>
              {tables.map((table) => (
                <li
                  key={table.position.index}
                  className="relative flex min-h-8 items-center gap-2 rounded-md px-2 py-1 hover:bg-hover"
                >
                  <Icon name="table" size={14} className="text-ink-3" />
                  {table.table_id !== null ? (
                    <Link
                      to="/tables/$id"
                      params={{ id: table.table_id }}
                      search={{}}
                      className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
                    >
                      <bdi>{nameOf(table)}</bdi>
                    </Link>
                  ) : (
                    <>
                      <bdi className="min-w-0 flex-1 truncate text-ink-2">{nameOf(table)}</bdi>
                      {mayBuild && (
                        <Button size="small" busy={build.isPending} onClick={() => build.mutate(table.position.index)}>
                          {say('source.buildTable')}
                        </Button>
                      )}
                    </>
                  )}
                </li>
              ))}
            </ul>
            {build.isError && (
              <div className="p-1.5">
                <Problem text={inWords(build.error)} />
              </div>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Returns what names the table in its source best: its title, its sheet, its heading, its page, else its number. */
function nameOf({ caption, position: { index, sheet, range, page, heading_path: headings } }: SourceTable): string {
  if (caption) return caption;
  if (sheet !== undefined) return range === undefined ? sheet : `${sheet} ${range}`;
  const heading = headings?.at(-1);
  if (heading !== undefined) return heading;
  const name = say('source.tableNumber', { n: index + 1 });
  return page === undefined ? name : `${name} · ${say('source.page', { n: page })}`;
}

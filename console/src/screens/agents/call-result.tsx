import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Operations } from '../../../../src/client/api.ts';
import { noteOf } from '../../data/agents/agent-view.ts';
import { FileGlyph } from '../../parts/layout.tsx';
import { say, sayOfService } from '../../words/words.ts';

const SHOWN_MAX = 10;
const ROWS_SHOWN_MAX = 20;

type Found = Operations['search']['response']['results'][number];
type Answered = Operations['queryTables']['response'];
type Tables = Operations['listTables']['response']['tables'];
type Table = Operations['getTable']['response'];
interface Read {
  source_id: string;
  text?: string;
  start_offset?: number;
  end_offset?: number;
  chunks?: { id: string; content: string; start_offset: number | null; end_offset: number | null }[];
}
interface ListedSource {
  id: string;
  name: string;
  file_type: string;
}

/** The result of a call: what the run may cite opens its source. */
export function CallResult({ tool, result }: { tool: string; result: object }) {
  const note = noteOf(result);
  if (note !== undefined)
    return (
      <p dir="auto" className="break-words text-ink-2">
        {note}
      </p>
    );
  switch (tool) {
    case 'search':
      return <Passages found={(result as { results: Found[] }).results} />;
    case 'read_source':
      return <ReadText read={result as Read} />;
    case 'list_sources':
      return <Sources sources={(result as { sources: ListedSource[] }).sources} />;
    case 'list_tables':
      return <Names names={(result as { tables: Tables }).tables.map(({ name }) => name)} />;
    case 'describe_table':
      return <Columns table={result as Table} />;
    case 'query_table':
      return <Rows answered={result as Answered} />;
    default:
      return (
        <pre className="scroll max-h-60 font-mono text-xs whitespace-pre-wrap">{JSON.stringify(result, null, 2)}</pre>
      );
  }
}

function Passages({ found }: { found: Found[] }) {
  return (
    <Listed items={found}>
      {({ id, source_id, name, file_type, heading_path, pages, content, start_offset, end_offset }) => (
        <li key={id}>
          <Place sourceId={source_id} start={start_offset} end={end_offset} page={pages?.[0]}>
            <span className="flex min-w-0 items-center gap-2">
              <FileGlyph type={file_type} />
              <bdi className="truncate font-medium">{name}</bdi>
              {heading_path.length > 0 && (
                <span dir="auto" className="min-w-0 truncate text-xs text-ink-3">
                  {heading_path.join(' › ')}
                </span>
              )}
              {pages?.[0] !== undefined && (
                <span className="num ms-auto shrink-0 text-2xs text-ink-3">
                  {say('search.page', { page: pages[0] })}
                </span>
              )}
            </span>
            <span dir="auto" className="mt-1 line-clamp-2 text-ink-2">
              {content}
            </span>
          </Place>
        </li>
      )}
    </Listed>
  );
}

function ReadText({ read }: { read: Read }) {
  if (read.chunks)
    return (
      <Listed items={read.chunks}>
        {({ id, content, start_offset, end_offset }) => (
          <li key={id}>
            <Place sourceId={read.source_id} start={start_offset} end={end_offset}>
              <span dir="auto" className="line-clamp-3 text-ink-2">
                {content}
              </span>
            </Place>
          </li>
        )}
      </Listed>
    );
  return (
    <Place sourceId={read.source_id} start={read.start_offset ?? null} end={read.end_offset ?? null}>
      <span dir="auto" className="line-clamp-6 whitespace-pre-wrap text-ink-2">
        {read.text}
      </span>
    </Place>
  );
}

function Sources({ sources }: { sources: ListedSource[] }) {
  return (
    <Listed items={sources}>
      {({ id, name, file_type }) => (
        <li key={id}>
          <Place sourceId={id} start={null} end={null}>
            <span className="flex min-w-0 items-center gap-2">
              <FileGlyph type={file_type} />
              <bdi className="truncate">{name}</bdi>
            </span>
          </Place>
        </li>
      )}
    </Listed>
  );
}

function Names({ names }: { names: string[] }) {
  return (
    <Listed items={names}>
      {(name) => (
        <li key={name} className="px-2 py-0.5">
          {name}
        </li>
      )}
    </Listed>
  );
}

function Columns({ table }: { table: Table }) {
  return (
    <>
      <p className="font-medium">{table.name}</p>
      <ul className="mt-1 flex flex-wrap gap-1.5">
        {table.columns.map((column) => (
          <li key={column.sql_name} className="chip pe-2">
            <bdi>{column.sql_name}</bdi>
            <span className="text-ink-3">{column.type}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Rows({ answered }: { answered: Answered }) {
  const { columns, rows, warnings, citations } = answered;
  const side = (i: number): string => (rows.some((row) => typeof row[i] === 'number') ? 'text-end' : 'text-start');
  const first = citations[0];
  return (
    <>
      <section
        className="scroll max-h-72 rounded-md border border-line bg-surface"
        tabIndex={0}
        aria-label={say('agents.result')}
      >
        <table className="min-w-full border-collapse">
          <thead>
            <tr>
              {columns.map(({ name }, i) => (
                <th
                  key={name}
                  scope="col"
                  className={`border-b border-line px-2 py-1 text-xs font-medium whitespace-nowrap text-ink-3 ${side(i)}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, ROWS_SHOWN_MAX).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity and never change
              <tr key={at} className="border-b border-line/60 last:border-0">
                {columns.map(({ name }, i) => (
                  <td key={name} dir="auto" className={`num px-2 py-1 ${side(i)}`}>
                    {cellText(row[i])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="mt-1.5 text-xs text-ink-3">
        {[
          say('agents.rows', { n: rows.length }),
          ...(rows.length > ROWS_SHOWN_MAX ? [say('agents.moreShown', { n: rows.length - ROWS_SHOWN_MAX })] : []),
          ...warnings.map(({ message }) => sayOfService(message)),
        ].join(' · ')}
      </p>
      {first && (
        <div className="mt-2">
          <Passages found={citations as unknown as Found[]} />
        </div>
      )}
    </>
  );
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The first items of a list, and how many more there are. */
function Listed<T>({ items, children }: { items: readonly T[]; children(item: T): ReactNode }) {
  if (items.length === 0) return <p className="text-ink-3">{say('agents.nothing')}</p>;
  return (
    <>
      <ul className="-mx-2">{items.slice(0, SHOWN_MAX).map(children)}</ul>
      {items.length > SHOWN_MAX && (
        <p className="mt-1 text-xs text-ink-3">{say('agents.moreShown', { n: items.length - SHOWN_MAX })}</p>
      )}
    </>
  );
}

interface PlaceProps {
  sourceId: string;
  start: number | null;
  end: number | null;
  page?: number | undefined;
  children: ReactNode;
}

/** Opens a source at a passage. */
function Place({ sourceId, start, end, page, children }: PlaceProps) {
  const search = {
    ...(start !== null && { start }),
    ...(end !== null && { end }),
    ...(page !== undefined && { page }),
  };
  return (
    <Link
      to="/sources/$id"
      params={{ id: sourceId }}
      search={search}
      className="block rounded-md px-2 py-1.5 outline-offset-[-2px] hover:bg-hover"
    >
      {children}
    </Link>
  );
}

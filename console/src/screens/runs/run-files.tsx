import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasNothing, inWords } from '../../data/api.ts';
import { type FileChange, isActive, listRunFiles, type Run, type RunFile, startRun } from '../../data/runs/runs.ts';
import { RUNS } from '../../data/runs/use-run-events.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { FileGlyph, Problem, Spinner } from '../../parts/layout.tsx';
import { More } from '../../parts/listing.tsx';
import { folderOf } from '../../parts/place-line.ts';
import { useMutation } from '../../parts/use-change.ts';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { useScope } from '../../shell/use-session.ts';
import { milliseconds, number } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';
import { FILE_CHANGES } from './filters.ts';

const ICONS: Readonly<Record<FileChange, readonly [IconName, string]>> = {
  added: ['plus', 'text-ink-3'],
  updated: ['rotate-ccw', 'text-ink-3'],
  deleted: ['trash-2', 'text-ink-3'],
  failed: ['circle-alert', 'text-bad'],
  skipped: ['ban', 'text-ink-3'],
};
const route = getRouteApi('/runs/$id');

/** The files that the run changed, skipped or could not read, by name. */
export function RunFiles({ run }: { run: Run }) {
  const { change } = route.useSearch();
  const query = useInfiniteQuery({
    queryKey: ['run-files', run.id, change],
    queryFn: ({ pageParam }) => listRunFiles(run.id, change, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.pagination.next_id ?? undefined,
  });
  useRowKeys();
  const { refetch } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of files is a reason to ask again
  useEffect(() => void refetch(), [run.files_done, run.status, refetch]);
  const files = query.data?.pages.flatMap((page) => page.files) ?? [];
  const slowest = Math.max(1, ...files.map((file) => file.read_ms ?? 0));
  return (
    <section aria-label={say('runs.files')}>
      <div className="flex min-h-11 flex-wrap items-center gap-1 px-3 py-2">
        <Tab chosen={change} />
        {FILE_CHANGES.map((one) => (
          <Tab key={one} change={one} chosen={change} count={run.statistics[one]} />
        ))}
      </div>
      {hasNothing(query) ? (
        <div className="px-4 pb-4">
          <Problem text={inWords(query.error)} />
        </div>
      ) : query.isPending ? (
        <div className="px-4 pb-4">
          <Spinner label={say('loading')} />
        </div>
      ) : files.length === 0 ? (
        <p className="px-4 py-8 text-center text-ink-3">{say(isActive(run) ? 'runs.noFilesYet' : 'runs.noFiles')}</p>
      ) : (
        <ul>
          {files.map((file) => (
            <File key={file.id} file={file} run={run} slowest={slowest} />
          ))}
        </ul>
      )}
      <More list={query} className="p-3 text-center" />
    </section>
  );
}

function Tab({ change, chosen, count }: { change?: FileChange; chosen: FileChange | undefined; count?: number }) {
  const navigate = route.useNavigate();
  const pressed = change === chosen;
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={() => void navigate({ search: { change }, replace: true })}
      className={`flex h-7 items-center gap-1.5 rounded-md px-2 whitespace-nowrap transition-colors ${pressed ? 'bg-press font-medium text-ink' : 'text-ink-2 hover:bg-hover'}`}
    >
      {change === 'failed' && (count ?? 0) > 0 && <span className="size-1.5 rounded-full bg-bad" />}
      {say(change === undefined ? 'state.all' : `runs.change.${change}`)}
      {count !== undefined && <span className="num text-xs text-ink-3">{number(count)}</span>}
    </button>
  );
}

function File({ file, run, slowest }: { file: RunFile; run: Run; slowest: number }) {
  const [icon, tone] = ICONS[file.change];
  const place = file.path === null ? (file.url ?? '').replace(/^https?:\/\//, '') : folderOf(file);
  const name = file.name === '' ? say('sources.withheld') : file.name;
  return (
    <li className="relative flex min-h-[38px] items-center gap-2.5 border-t border-line px-4 hover:bg-hover">
      <span className={tone} title={say(`runs.change.${file.change}`)}>
        <Icon name={icon} size={14} />
        <span className="sr-only">{say(`runs.change.${file.change}`)}</span>
      </span>
      <FileGlyph type="" name={file.name} />
      <span className="min-w-32 truncate font-medium" dir="auto">
        {file.source_id !== null && file.change !== 'deleted' ? (
          <Link
            to="/sources/$id"
            params={{ id: file.source_id }}
            search={{}}
            data-row
            className="outline-offset-[-2px]"
          >
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi>{name}</bdi>
        )}
      </span>
      {place !== '' && (
        <bdi className="min-w-8 shrink-[4] truncate text-xs text-ink-3" title={file.path ?? file.url ?? ''}>
          {place}
        </bdi>
      )}
      {file.title !== null && (
        <Hint label={`${sayOfService(file.title)}: ${sayOfService(file.message ?? '')}`}>
          <button type="button" className="min-w-0 truncate rounded-sm text-start text-bad" dir="auto">
            {sayOfService(file.title)}
            <span className="text-ink-3"> · {sayOfService(file.message ?? '')}</span>
          </button>
        </Hint>
      )}
      {file.title === null && file.message !== null && (
        <span className="min-w-0 truncate text-ink-3" title={file.message} dir="auto">
          {file.message}
        </span>
      )}
      {file.read_ms !== null && (
        <span className="ms-auto flex shrink-0 items-center gap-2">
          <span className="h-1 w-20 overflow-hidden rounded-full bg-press" aria-hidden="true">
            <span className="block h-full bg-ink-3" style={{ width: `${(file.read_ms / slowest) * 100}%` }} />
          </span>
          <span className="num w-16 text-end text-xs text-ink-3">{milliseconds(file.read_ms)}</span>
        </span>
      )}
      {file.change === 'failed' && file.source_id !== null && <Retry run={run} file={file} id={file.source_id} />}
    </li>
  );
}

function Retry({ run, file, id }: { run: Run; file: RunFile; id: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayManage = useScope('ingestion:manage');
  const again = useMutation({
    mutationFn: () => startRun(run.source_group_id, { source_ids: [id] }),
    onSuccess: (started) => {
      void queries.invalidateQueries({ queryKey: [RUNS] });
      return navigate({ to: '/runs/$id', params: { id: started.id }, search: {} });
    },
  });
  if (!mayManage) return null;
  return (
    <Hint label={again.isError ? inWords(again.error) : say('runs.retryOne')}>
      <Button
        look="ghost"
        size="small"
        icon={again.isError ? 'circle-alert' : 'rotate-ccw'}
        busy={again.isPending}
        disabled={isActive(run)}
        aria-label={say('sources.readAgain', { name: file.name })}
        onClick={() => again.mutate()}
        className="ms-auto"
      />
    </Hint>
  );
}

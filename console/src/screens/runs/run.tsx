import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { hasNothing, inWords } from '../../data/api.ts';
import { useGroupNames } from '../../data/group-names.ts';
import { cancelRun, isActive, type Run as RunRecord, readRun, startRun } from '../../data/runs/runs.ts';
import { RUN, RUNS, useRunEvents } from '../../data/runs/use-run-events.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header, Problem, Spinner } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useScope } from '../../shell/use-session.ts';
import { moment, number, span } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';
import { RunFiles } from './run-files.tsx';
import { RunProgress, RunState } from './run-state.tsx';

const route = getRouteApi('/runs/$id');

/** One run: when it did what, and what became of each file. */
export function Run() {
  const { id } = route.useParams();
  const query = useQuery({ queryKey: [RUN, id], queryFn: () => readRun(id) });
  useRunEvents();
  const run = query.data;
  const names = useGroupNames(run ? [run.source_group_id] : []);
  if (hasNothing(query)) return <Empty icon="circle-alert" title={say('runs.missing')} text={inWords(query.error)} />;
  if (!run)
    return (
      <div className="p-4">
        <Spinner label={say('loading')} />
      </div>
    );
  const group = names.get(run.source_group_id) ?? '…';
  return (
    <>
      <Header
        title={
          <span className="flex min-w-0 items-center gap-1.5">
            <Link to="/runs" search={{}} className="font-normal text-ink-3 hover:text-ink">
              {say('runs.title')}
            </Link>
            <Icon name="chevron-right" size={13} className="text-ink-3 rtl:-scale-x-100" />
            <bdi className="truncate">{group}</bdi>
          </span>
        }
      >
        <Actions run={run} />
      </Header>
      <div className="scroll min-h-0 flex-1" tabIndex={0}>
        <Summary run={run} />
        <RunFiles run={run} />
      </div>
    </>
  );
}

function Actions({ run }: { run: RunRecord }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayManage = useScope('ingestion:manage');
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id),
    onSuccess: (changed) => queries.setQueryData([RUN, run.id], changed),
  });
  const again = useMutation({
    mutationFn: (onlyFailed: boolean) => startRun(run.source_group_id, { only_failed: onlyFailed }),
    onSuccess: (started) => {
      void queries.invalidateQueries({ queryKey: [RUNS] });
      return navigate({ to: '/runs/$id', params: { id: started.id }, search: {} });
    },
  });
  if (!mayManage) return null;
  const problem = cancel.error ?? again.error;
  return (
    <>
      {problem && (
        <span role="alert" className="flex min-w-0 items-center gap-1.5 text-bad">
          <Icon name="circle-alert" size={14} />
          <span className="truncate">{inWords(problem)}</span>
        </span>
      )}
      {isActive(run) ? (
        <Button
          icon="circle-stop"
          busy={cancel.isPending || run.status === 'canceling'}
          onClick={() => cancel.mutate()}
        >
          {say('runs.cancel')}
        </Button>
      ) : (
        <>
          {run.statistics.failed > 0 && (
            <Button icon="rotate-ccw" busy={again.isPending} onClick={() => again.mutate(true)}>
              {say('runs.retryFailed')}
            </Button>
          )}
          <Button icon="rotate-ccw" busy={again.isPending} onClick={() => again.mutate(false)}>
            {say('runs.again')}
          </Button>
        </>
      )}
    </>
  );
}

const COUNTS = ['scanned', 'added', 'updated', 'unchanged', 'skipped', 'deleted', 'failed'] as const;

function Summary({ run }: { run: RunRecord }) {
  return (
    <section aria-label={say('runs.summary')} className="border-b border-line px-4 py-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <RunState run={run} />
        <span className="text-ink-3">{say('runs.began', { time: moment(run.creation_time) })}</span>
        {isActive(run) && run.stage !== null && <span className="text-ink-3">{say(stageName(run.stage))}</span>}
      </div>
      {run.error && run.status === 'failure' && (
        <div className="mt-3 max-w-3xl">
          <Problem text={`${sayOfService(run.error.title)}. ${sayOfService(run.error.message)}`} />
        </div>
      )}
      <Timeline run={run} />
      <dl className="mt-4 flex flex-wrap gap-x-8 gap-y-3">
        {COUNTS.map((name) => (
          <div key={name}>
            <dt className="text-xs text-ink-3">{say(`runs.count.${name}`)}</dt>
            <dd
              className={`num text-lg font-medium ${name === 'failed' && run.statistics.failed > 0 ? 'text-bad' : ''} ${run.statistics[name] === 0 ? 'text-ink-3' : ''}`}
            >
              {number(run.statistics[name])}
            </dd>
          </div>
        ))}
        <div>
          <dt className="text-xs text-ink-3">{say('column.chunks')}</dt>
          <dd className="num text-lg font-medium">{number(run.chunks_done)}</dd>
        </div>
      </dl>
    </section>
  );
}

function stageName(stage: string) {
  return stage === 'list' ? 'runs.stage.list' : 'runs.stage.parse';
}

/** How long the run waited and how long it worked, on one line of time. */
function Timeline({ run }: { run: RunRecord }) {
  const now = Date.now() / 1000;
  const end = run.end_time ?? now;
  const start = run.start_time ?? end;
  const total = Math.max(1, end - run.creation_time);
  const waited = start - run.creation_time;
  const worked = end - start;
  const parts = [
    { name: say('runs.waited'), seconds: waited, colour: 'bg-line-strong' },
    { name: say('runs.worked'), seconds: worked, colour: run.status === 'failure' ? 'bg-bad' : 'bg-accent' },
  ];
  return (
    <div className="mt-4 max-w-3xl">
      <h2 className="sr-only">{say('runs.timeline')}</h2>
      <div aria-hidden="true" className="flex h-2 gap-px overflow-hidden rounded-full bg-press">
        {parts.map(({ name, seconds, colour }) => (
          <span
            key={name}
            className={`h-full ${seconds > 0 ? 'min-w-1' : ''} ${colour}`}
            style={{ width: `${(Math.max(0, seconds) / total) * 100}%` }}
          />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-xs text-ink-2">
        {parts.map(({ name, seconds, colour }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span className={`size-2 rounded-full ${colour}`} />
            {name}
            <span className="num text-ink-3">{span(Math.max(0, seconds))}</span>
          </li>
        ))}
        {isActive(run) && (
          <li className="num ms-auto flex w-40 items-center gap-2 text-ink-3">
            <RunProgress run={run} />
            <span className="whitespace-nowrap">{`${number(run.files_done)} / ${number(run.files_total)}`}</span>
          </li>
        )}
      </ul>
    </div>
  );
}

import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followRuns, type Run } from './run-events.ts';
import type { RunPage } from './runs.ts';

export const RUNS = 'runs';
export const RUN = 'run';
export const LATEST_RUNS = 'latest-runs';

/** Changes are shown together: while many runs go on, each of their events would ask for whole lists. */
const TOGETHER_MS = 1_000;

/** Keeps the runs that are shown up to date. `changed` hears of the changes, too. */
export function useRunEvents(changed?: (runs: readonly Run[]) => void): void {
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new callback is no reason for a new stream
  useEffect(() => {
    const stop = new AbortController();
    const missed = () =>
      void Promise.all([
        queries.invalidateQueries({ queryKey: [RUNS] }),
        queries.invalidateQueries({ queryKey: [RUN] }),
      ]);
    const waiting = new Map<string, Run>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      const runs = [...waiting.values()];
      waiting.clear();
      store(queries, runs);
      changed?.(runs);
    };
    const update = (run: Run) => {
      waiting.set(run.id, run);
      timer ??= setTimeout(show, TOGETHER_MS);
    };
    void followRuns({ changed: update, missed }, stop.signal);
    return () => {
      stop.abort();
      clearTimeout(timer);
      store(queries, [...waiting.values()]);
    };
  }, [queries]);
}

/** Replaces the runs where they are shown. A run that no list has is new, or is now what a filter wants: the lists are asked again. */
function store(queries: QueryClient, runs: readonly Run[]): void {
  const changed = new Map(runs.map((run) => [run.id, run]));
  const known = new Set<string>();
  for (const run of runs) queries.setQueryData([RUN, run.id], run);
  queries.setQueriesData<InfiniteData<RunPage>>({ queryKey: [RUNS] }, (data) => {
    if (!data) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      runs: page.runs.map((one) => {
        const run = changed.get(one.id);
        if (run?.status === one.status) known.add(one.id);
        return run ?? one;
      }),
    }));
    return { ...data, pages };
  });
  if (known.size < changed.size) void queries.invalidateQueries({ queryKey: [RUNS] });
}

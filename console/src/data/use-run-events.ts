import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followRuns, type Run } from './run-events.ts';
import type { RunPage } from './runs.ts';

export const RUNS = 'runs';
export const RUN = 'run';
export const LATEST_RUNS = 'latest-runs';

/** Keeps the runs that are shown up to date. `changed` hears of each change, too. */
export function useRunEvents(changed?: (run: Run) => void): void {
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new callback is no reason for a new stream
  useEffect(() => {
    const stop = new AbortController();
    const missed = () =>
      void Promise.all([
        queries.invalidateQueries({ queryKey: [RUNS] }),
        queries.invalidateQueries({ queryKey: [RUN] }),
      ]);
    const update = (run: Run) => {
      store(queries, run);
      changed?.(run);
    };
    void followRuns({ changed: update, missed }, stop.signal);
    return () => stop.abort();
  }, [queries]);
}

/** Replaces the run where it is shown. A run that no list has is new, or is now what a filter wants: the lists are asked again. */
function store(queries: QueryClient, run: Run): void {
  queries.setQueryData([RUN, run.id], run);
  let known = false;
  queries.setQueriesData<InfiniteData<RunPage>>({ queryKey: [RUNS] }, (data) => {
    if (!data) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      runs: page.runs.map((one) => {
        if (one.id !== run.id) return one;
        known = known || one.status === run.status;
        return run;
      }),
    }));
    return { ...data, pages };
  });
  if (!known) void queries.invalidateQueries({ queryKey: [RUNS] });
}

import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useRunEvents } from '../../data/runs/use-run-events.ts';
import { listSources } from '../../data/sources.ts';
import type { Filters } from './filters.ts';

export const SOURCE_LIST = 'source-list';
/** Vectors follow without an event, and a long list is not read again at each event. */
const REFRESH_MS = 15_000;
const SHORT_LIST_PAGES = 3;

/** Returns the rows that are loaded, the counts, and what loads more. */
export function useSourceList({ add: _, ...filters }: Filters) {
  const queries = useQueryClient();
  // A list that is being read is not read from its beginning at each event.
  useRunEvents(() => {
    const isShort = (data: { pages: unknown[] } | undefined) => (data?.pages.length ?? 0) <= SHORT_LIST_PAGES;
    void queries.invalidateQueries(
      { queryKey: [SOURCE_LIST], predicate: ({ state }) => isShort(state.data as { pages: unknown[] } | undefined) },
      { cancelRefetch: false },
    );
  });
  const query = useInfiniteQuery({
    queryKey: [SOURCE_LIST, filters],
    queryFn: ({ pageParam, signal }) => listSources(filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.pagination.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      const busy =
        (pages[0]?.counts.status.pending ?? 0) > 0 ||
        pages.some((page) => page.sources.some((row) => row.stage !== null));
      return busy ? REFRESH_MS : false;
    },
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.sources) ?? [], [query.data]);
  return { ...query, rows, counts: query.data?.pages[0]?.counts };
}

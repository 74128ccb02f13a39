import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listSources } from '../../data/sources.ts';
import type { Filters } from './filters.ts';

export const SOURCE_LIST = 'source-list';
/** While files are read, the list is asked again; a long list that was scrolled less often. */
const REFRESH_MS = 2_000;
const REFRESH_LONG_MS = 15_000;
const SHORT_LIST_PAGES = 3;

/** Returns the rows that are loaded, the counts, and what loads more. */
export function useSourceList({ add: _, ...filters }: Filters) {
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
      return busy ? (pages.length <= SHORT_LIST_PAGES ? REFRESH_MS : REFRESH_LONG_MS) : false;
    },
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.sources) ?? [], [query.data]);
  return { ...query, rows, counts: query.data?.pages[0]?.counts };
}

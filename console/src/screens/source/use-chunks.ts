import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { readChunks, type Viewer } from '../../data/source.ts';

/** Returns the chunks of a source up to an offset, if it has any. `reach` loads those up to a later one. */
export function useChunks(id: string, until: number, viewer: Viewer, hasChunks: boolean) {
  const [wanted, setWanted] = useState(until);
  const query = useInfiniteQuery({
    queryKey: ['chunks', id, viewer],
    queryFn: ({ pageParam }) => readChunks(id, pageParam, viewer),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    enabled: hasChunks,
  });
  const chunks = useMemo(() => query.data?.pages.flatMap((page) => page.chunks) ?? [], [query.data]);
  const seen = useMemo(() => query.data?.pages.flatMap((page) => page.seen) ?? [], [query.data]);
  const loadedTo = chunks.at(-1)?.end_offset ?? 0;
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const missing = Math.max(wanted, until) > loadedTo;
  useEffect(() => {
    if (missing && hasNextPage && !isFetching) void fetchNextPage();
  }, [missing, hasNextPage, isFetching, fetchNextPage]);
  const reach = useCallback((offset: number) => setWanted((old) => Math.max(old, offset)), []);
  const total = query.data?.pages[0]?.total ?? 0;
  const { isPending, isFetchingNextPage } = query;
  return { chunks, seen, total, reach, isPending, hasNextPage, isFetchingNextPage, fetchNextPage };
}

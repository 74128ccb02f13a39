import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { readChunks } from '../../data/source.ts';

/** Returns the chunks of a source up to an offset. `reach` loads those up to a later one. */
export function useChunks(id: string, until: number) {
  const [wanted, setWanted] = useState(until);
  const query = useInfiniteQuery({
    queryKey: ['chunks', id],
    queryFn: ({ pageParam }) => readChunks(id, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const chunks = useMemo(() => query.data?.pages.flatMap((page) => page.chunks) ?? [], [query.data]);
  const loadedTo = chunks.at(-1)?.end_offset ?? 0;
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const missing = Math.max(wanted, until) > loadedTo;
  useEffect(() => {
    if (missing && hasNextPage && !isFetching) void fetchNextPage();
  }, [missing, hasNextPage, isFetching, fetchNextPage]);
  const reach = useCallback((offset: number) => setWanted((old) => Math.max(old, offset)), []);
  return { chunks, reach, isPending: query.isPending, hasMore: hasNextPage, loadMore: fetchNextPage };
}

/** Lists with a cursor, page after page. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

export const ROWS_PER_REQUEST = 100;

interface Page {
  pagination: { next_id: string | null; total: number };
}

/** Reads a list page after page. `read` gets the cursor, which is undefined for the first page. */
export function usePages<T extends Page>(
  key: readonly unknown[],
  read: (afterId: string | undefined, signal: AbortSignal) => Promise<T>,
) {
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_id ?? undefined,
    placeholderData: keepPreviousData,
  });
  return { ...list, pages: list.data?.pages ?? [], total: list.data?.pages[0]?.pagination.total };
}

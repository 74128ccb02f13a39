import { useQueries, useQuery } from '@tanstack/react-query';
import { pinakes } from './api.ts';

const KEPT_MS = 300_000;

const groupQuery = (id: string) => ({
  queryKey: ['group', id],
  queryFn: () => pinakes.getSourceGroup({ params: { id } }),
  staleTime: KEPT_MS,
});

/** Returns the names of groups by their ids, as they arrive. */
export function useGroupNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(ids)];
  return useQueries({
    queries: wanted.map(groupQuery),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [[data.id, data.name] as const] : []))),
  });
}

/** Returns the newest groups, for a choice among them. */
export function useGroupChoices(): readonly (readonly [id: string, name: string])[] {
  const groups = useQuery({
    queryKey: ['group-choices'],
    queryFn: () => pinakes.listSourceGroups({ query: { order: 'desc', limit: 100 } }),
  });
  return groups.data?.source_groups.map(({ id, name }) => [id, name] as const) ?? [];
}

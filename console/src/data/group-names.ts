import { useQueries, useQuery } from '@tanstack/react-query';
import type { Operations } from '../../../src/client/api.ts';
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

/** Groups that a choice offers: more than a reader looks through. */
const CHOICES_MAX = 1_000;
const GROUPS_PER_REQUEST = 100;

/** Returns the newest groups, for a choice among them. */
export function useGroupChoices(enabled = true): readonly (readonly [id: string, name: string])[] {
  const groups = useQuery({
    queryKey: ['group-choices'],
    queryFn: async () => {
      const found: [id: string, name: string][] = [];
      for (let after: string | undefined | null; after !== null && found.length < CHOICES_MAX; ) {
        const query = { order: 'desc' as const, limit: GROUPS_PER_REQUEST, after_id: after };
        const page: Operations['listSourceGroups']['response'] = await pinakes.listSourceGroups({ query });
        found.push(...page.source_groups.map(({ id, name }): [string, string] => [id, name]));
        after = page.pagination.next_id;
      }
      return found;
    },
    enabled,
  });
  return groups.data ?? NONE;
}

const NONE: readonly (readonly [string, string])[] = [];

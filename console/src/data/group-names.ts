import { useQueries, useQuery } from '@tanstack/react-query';
import type { Operations } from '../../../src/client/api.ts';
import { sortedByName } from '../words/format.ts';
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

export const GROUP_CHOICES = 'group-choices';

/** The newest groups, for a choice among them: by name, and 9 before 10. With a type, only those of this type. */
export function groupChoices(type?: 'local_file') {
  return {
    queryKey: [GROUP_CHOICES, type],
    queryFn: async () => {
      const found: [id: string, name: string][] = [];
      for (let after: string | undefined | null; after !== null && found.length < CHOICES_MAX; ) {
        const query = { source_type: type, order: 'desc' as const, limit: GROUPS_PER_REQUEST, after_id: after };
        const page: Operations['listSourceGroups']['response'] = await pinakes.listSourceGroups({ query });
        found.push(...page.source_groups.map(({ id, name }): [string, string] => [id, name]));
        after = page.pagination.next_id;
      }
      return sortedByName(found, ([, name]) => name);
    },
  };
}

export function useGroupChoices(enabled = true): readonly Choice[] {
  return useQuery({ ...groupChoices(), enabled }).data ?? NONE;
}

type Choice = readonly [id: string, name: string];

const NONE: readonly Choice[] = [];

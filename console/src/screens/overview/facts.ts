/** Facts of what needs somebody, from the answers of the service. */
import type { ApiKey, Run, Service } from '../../../../src/client/api.ts';

const ENDING_SECONDS = 14 * 86_400;
/** A quota of which this share is used is nearly used up. */
const FULL_SHARE = 0.9;
const NAMES_MAX = 3;

/** Returns the titles with their numbers, the most frequent first. */
export function reasonsOf(titles: readonly string[]): [title: string, count: number][] {
  const groups = Map.groupBy(titles, (title) => title);
  return [...groups].map(([title, all]): [string, number] => [title, all.length]).toSorted((a, b) => b[1] - a[1]);
}

/** Returns the different names in one line, the first ones of many. */
export function namesOf(names: readonly string[]): string {
  const all = [...new Set(names)].filter((name) => name !== '');
  return [...all.slice(0, NAMES_MAX), ...(all.length > NAMES_MAX ? ['…'] : [])].join(', ');
}

/** Returns the newest ended run of each group. The runs are newest first. */
export function latestOfGroups<T extends Pick<Run, 'source_group_id' | 'end_time'>>(runs: readonly T[]): T[] {
  const ended = runs.filter((run) => run.end_time !== null);
  return [...Map.groupBy(ended, (run) => run.source_group_id).values()].map(([newest]) => newest!);
}

type Quotas = NonNullable<Service['quotas']>;
interface FullQuota {
  kind: keyof Quotas;
  used: number;
  quota: number;
}

/** Returns the quotas that are nearly used up. */
export function fullQuotas(quotas: Service['quotas']): FullQuota[] {
  return (['bytes', 'files', 'groups'] as const).flatMap((kind) => {
    const { used = 0, quota = null } = quotas?.[kind] ?? {};
    return quota !== null && used >= quota * FULL_SHARE ? [{ kind, used, quota }] : [];
  });
}

type Ending = Pick<ApiKey, 'name' | 'creation_time' | 'expires_time'>;

/** Returns the keys that expire within 14 days, the first to expire first, without those that a newer key of the same name outlives. */
export function endingKeys<T extends Ending>(keys: readonly T[], now: number): (T & { expires_time: number })[] {
  const endOf = (key: Ending) => key.expires_time ?? Infinity;
  const newestFirst = keys.toSorted((a, b) => b.creation_time - a.creation_time || endOf(b) - endOf(a));
  /** The last end of the keys so far, by name. */
  const lastEnds = new Map<string, number>();
  return newestFirst
    .filter((key): key is T & { expires_time: number } => {
      const end = endOf(key);
      const lastEnd = Math.max(end, lastEnds.get(key.name) ?? 0);
      lastEnds.set(key.name, lastEnd);
      return end > now && end - now <= ENDING_SECONDS && end === lastEnd;
    })
    .toSorted((a, b) => a.expires_time - b.expires_time);
}

/** Compares what short queries find in a tenant of manuals before and after a code base is added. */
import type { Hit } from './judge.ts';
import type { BenchService } from './service.ts';
import { wordsOf } from './words.ts';

/** Queries made of words of the manuals. */
export const QUERIES: readonly string[] = [
  ...['purge', 'dependency', 'virtual package', 'upgrade', 'broken packages', 'search pattern', 'minibuffer'],
  ...['prune', 'checkpoint', 'passphrase', 'deduplication', 'compression level', 'archive', 'repository'],
  ...['relay', 'trigger', 'nicklist', 'buffer', 'Fenster', 'Nachrichten', 'Passwort', 'bar item'],
  ...['ownership', 'lifetime', 'trait object', 'closure', 'macro', 'enum', 'lint level'],
  ...['hotplug', 'isochronous', 'transfer', 'interface descriptor'],
  ...['isBlank', 'StringUtils', 'capitalize', 'null safe'],
  ...['wikilink', 'pagespec', 'plugin', 'comments'],
  ...['linspace', 'eigenvalues', 'sparse matrix'],
  ...['ssh-agent', 'bwlimit', 'session', 'proxy', 'timer', 'journal'],
];

/**
 * The change of the first three hits. Every added text changes lengths and frequencies a little, so close hits may swap places. New hits
 * without the words of the query must not appear.
 */
export const EFFECTS = ['unchanged', 'reordered', 'new hits with the words', 'new hits without the words'] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Change {
  query: string;
  effect: Effect;
  before: readonly Hit[];
  after: readonly Hit[];
}

const TOP = 3;

export async function searchTops(service: BenchService): Promise<Hit[][]> {
  const tops: Hit[][] = [];
  for (const query of QUERIES) tops.push((await service.search(query)).slice(0, TOP));
  return tops;
}

export function compareTops(before: readonly (readonly Hit[])[], after: readonly (readonly Hit[])[]): Change[] {
  return QUERIES.map((query, i) => {
    const [old, now] = [before[i] ?? [], after[i] ?? []];
    return { query, effect: effectOf(query, old, now), before: old, after: now };
  });
}

export function effectOf(query: string, before: readonly Hit[], after: readonly Hit[]): Effect {
  const ids = (hits: readonly Hit[]): string[] => hits.map(({ id }) => id);
  if (ids(before).join() === ids(after).join()) return 'unchanged';
  if (ids(before).sort().join() === ids(after).sort().join()) return 'reordered';
  const fresh = after.filter(({ id }) => !ids(before).includes(id));
  return fresh.every((hit) => holdsWords(hit, query)) ? 'new hits with the words' : 'new hits without the words';
}

export function describeChange({ query, effect, before, after }: Change): string {
  const line = (hit: Hit): string => {
    const words = holdsWords(hit, query) ? '' : ' (without the words)';
    return `${hit.corpus}:${hit.path} > ${hit.headingPath.join(' > ')}${words}`;
  };
  const lines = (name: string, hits: readonly Hit[]) => hits.map((hit, i) => `    ${name} ${i + 1} ${line(hit)}`);
  return [`  ${query}: ${effect}`, ...lines('was', before), ...lines('is ', after)].join('\n');
}

/** Returns true when the hit has the words of the query themselves, not only other words with the same stems. */
function holdsWords({ headingPath, content }: Hit, query: string): boolean {
  const words = wordsOf(`${headingPath.join(' ')} ${content}`);
  return wordsOf(query).every((word) => words.includes(word));
}

/** Random policies, attributes and corpora for tests of the SQL of policies. */

import { ATTRIBUTE_TYPES, type AttributeTypes } from '../../src/access/attribute-types.ts';
import type { Facts } from '../../src/access/evaluate.ts';
import type { Attributes, Policy, PolicyCondition, PolicyTarget } from '../../src/access/policy.ts';
import type { TypedMetadata } from '../../src/corpus/values.ts';
import { newId } from '../../src/util/ids.ts';
import type { SeedGroup, SeedSource } from '../retrieval/corpus.ts';
import { KEYS, VALUES } from '../retrieval/random-filters.ts';
import type { Random } from '../support/random.ts';

const TAGS = ['red', 'Red', '%', "t'; --", '__proto__', '本', 'name', '7'];
const SUBJECT_KEYS = ['department', 'projects', 'clearance', '__proto__', "o'key", 'missing'];
const OPERATORS = [
  ...(['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const),
  ...(['in', 'nin', 'contains', 'starts_with', 'exists', 'not_exists'] as const),
];

export interface PolicyCorpus {
  groups: SeedGroup[];
  sources: KnownSource[];
}

export interface KnownSource {
  id: string;
  chunks: { id: string; facts: Facts }[];
  facts: Facts;
}

/** Attributes and stored values of the wrong type, blank or padded: a policy must stay closed for them. */
const ODD = ['', ' ', '\u00a0', ' 7', '10\n', ' a ', '\u3000B', 'none', 'false', ' 2025-01-01 ', '\ufefféa'];
const CONTENT_VALUES = [...VALUES, ...ODD];

/** Returns a random corpus. Tags get their ids when they are stored; the facts read the ids from `tagIds` later. */
export function policyCorpus(random: Random, tagIds: ReadonlyMap<string, string>): PolicyCorpus {
  const groups: SeedGroup[] = [];
  const sources: KnownSource[] = [];
  let number = 0;
  while (sources.length < 25) {
    const id = newId();
    const metadata = someText(random);
    const tags = TAGS.filter(() => random.next() < 0.3);
    const group = { id, name: 'a group', metadata };
    const seeds: SeedSource[] = [];
    for (let left = random.integer(1, 4); left > 0; left--) {
      const own = someText(random);
      const origin = someOrigin(random);
      const known: KnownSource = {
        id: newId(),
        chunks: [],
        get facts(): Facts {
          const named = tags.map((name) => ({ name, id: tagIds.get(name)! }));
          return { group, tags: named, source: { metadata: own, originMetadata: origin }, chunk: null };
        },
      };
      const chunks = Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => {
        const chunkMetadata = someOrigin(random);
        const chunkId = newId();
        known.chunks.push({
          id: chunkId,
          get facts() {
            return { ...known.facts, chunk: { metadata: chunkMetadata } };
          },
        });
        number += 1;
        return { id: chunkId, content: `common ${number} ${random.word(8)}`, metadata: chunkMetadata };
      });
      seeds.push({ id: known.id, metadata: own, originMetadata: origin, chunks });
      sources.push(known);
    }
    groups.push({ id, metadata, tags, sources: seeds });
  }
  return { groups, sources };
}

export function randomAttributes(random: Random, ids: readonly string[]): Attributes {
  const one = (): string | number | boolean =>
    random.next() < 0.2 ? random.pick([7, 0.1, true, false]) : random.pick([...CONTENT_VALUES, ...TAGS, ...ids]);
  return Object.fromEntries(
    SUBJECT_KEYS.filter((key) => key !== 'missing' && random.next() < 0.7).map((key) => [
      key,
      random.next() < 0.4 ? Array.from({ length: random.integer(1, 4) }, one) : one(),
    ]),
  );
}

/** Returns random types of some attributes, or undefined. */
export function randomTypes(random: Random): AttributeTypes | undefined {
  if (random.next() < 0.7) return undefined;
  const declared = SUBJECT_KEYS.filter(() => random.next() < 0.5);
  return Object.fromEntries(declared.map((key) => [key, random.pick(ATTRIBUTE_TYPES)]));
}

export function randomPolicy(random: Random, ids: readonly string[], depth = 1): Policy {
  const filters = Array.from({ length: random.integer(1, 3) }, () =>
    depth < 5 && random.next() < 0.3 ? randomPolicy(random, ids, depth + 1) : randomCondition(random, ids),
  );
  return { operator: random.pick(['and', 'or', 'or']), filters };
}

function randomCondition(random: Random, ids: readonly string[]): PolicyCondition {
  const target: PolicyTarget = random.pick([
    ...(['source_metadata', 'source_metadata', 'chunk_metadata', 'chunk_metadata'] as const),
    ...(['group_metadata', 'tag', 'source_group'] as const),
  ]);
  const operator = random.pick(OPERATORS);
  const isPresence = operator === 'exists' || operator === 'not_exists';
  const named = target === 'tag' || target === 'source_group';
  const key = named
    ? random.pick(target === 'tag' && isPresence ? ['name', 'id', ...TAGS] : ['name', 'id'])
    : random.pick(KEYS);
  const trust =
    target === 'chunk_metadata' || target === 'source_metadata'
      ? random.pick([true, true, false, undefined])
      : undefined;
  const condition: PolicyCondition = {
    target,
    key,
    operator,
    ...(trust === undefined ? {} : { trust_content: trust }),
  };
  if (isPresence) return condition;
  if (random.next() < 0.35) return { ...condition, value: { subject: random.pick(SUBJECT_KEYS) } };
  const value = (): string | number | boolean =>
    random.next() < 0.1
      ? random.pick([7, 10, 0.1, true])
      : random.pick(named ? [...TAGS, ...ids, ' a group'] : CONTENT_VALUES);
  if (operator !== 'in' && operator !== 'nin') return { ...condition, value: value() };
  return { ...condition, value: Array.from({ length: random.integer(1, 4) }, value) };
}

function someText(random: Random): Record<string, string> {
  return Object.fromEntries(KEYS.filter(() => random.next() < 0.5).map((key) => [key, random.pick(CONTENT_VALUES)]));
}

/** Returns random origin records; a connector reported half of them. */
function someOrigin(random: Random): TypedMetadata {
  return Object.fromEntries(
    Object.entries(someText(random)).map(([key, val]) => [
      key,
      { val, type: 'string' as const, ...(random.next() < 0.5 ? { trusted: true } : {}) },
    ]),
  );
}

/**
 * Compiles a policy and the attributes of a principal to SQL over source `s` with its group `g`, and over chunk `c`. Keys and values
 * are bound parameters. evaluate.ts defines the meaning.
 *
 * The policy language has no negation. If every condition on the chunk is replaced by true, the policy holds for every source with a
 * visible chunk. This weaker policy selects the sources; chunks are tested only if the policy asks about chunks.
 */

import { empty, join, raw, type Sql, sql } from '../db/sql.ts';
import { conditionSql, readValue, typedOrderSql } from '../filters/metadata-sql.ts';
import type { MetadataFilter, Scalar } from '../filters/types.ts';
import { isId } from '../util/ids.ts';
import {
  type Attributes,
  asksForTag,
  isOnChunk,
  isUntrusted,
  operandOf,
  type Policy,
  type PolicyCondition,
  WHITE_SPACE,
} from './policy.ts';
import { type PolicyCost, policyCost } from './policy-cost.ts';

/** The conditions of a policy, which apply in addition to the tenant and the limits of the key. */
export interface CompiledPolicy {
  /** Holds for every source `s`, in group `g`, that has a visible chunk; null means that it holds for all sources. */
  source: Sql | null;
  /** Must hold for a chunk `c` of such a source; null means no further condition. */
  chunk: Sql | null;
  /** Must hold for a source `s` without chunks; null means no further condition. */
  chunkless: Sql | null;
  cost: PolicyCost;
}

const TRUE = raw('true');
const FALSE = raw('false');

/** Stands for a policy that does not exist: nothing is visible. */
export const NOTHING: CompiledPolicy = {
  source: FALSE,
  chunk: null,
  chunkless: null,
  cost: policyCost({ operator: 'and', filters: [] }, {}),
};

/** Returns the conditions of the policy for a principal with these attributes. */
export function compilePolicy(policy: Policy, attributes: Attributes): CompiledPolicy {
  const compile = (group: Policy, onChunk: (condition: PolicyCondition) => Sql): Sql =>
    groupSql(group, (condition) => (isOnChunk(condition) ? onChunk(condition) : conditionOf(condition, attributes)));
  const source = compile(policy, () => TRUE);
  const bound = source === TRUE ? null : source;
  const cost = policyCost(policy, attributes);
  if (!someCondition(policy, isOnChunk)) return { source: bound, chunk: null, chunkless: null, cost };
  const exactly = (group: Policy): Sql => compile(group, (condition) => conditionOf(condition, attributes));
  const chunks = conjuncts(policy).filter((member) => someCondition(member, isOnChunk));
  const tests = chunks.map((member) => {
    const test = exactly(member);
    return someCondition(member, (condition) => !isOnChunk(condition)) ? inItsSource(test) : test;
  });
  const withoutChunk = compile(policy, ({ operator }) => (operator === 'not_exists' ? TRUE : FALSE));
  return { source: bound, chunk: join(tests, ' and '), chunkless: withoutChunk, cost };
}

function someCondition(group: Policy, test: (condition: PolicyCondition) => boolean): boolean {
  return group.filters.some((member) => ('filters' in member ? someCondition(member, test) : test(member)));
}

/** Splits the policy into groups that must all hold. */
function conjuncts(policy: Policy): Policy[] {
  if (policy.operator === 'or' && policy.filters.length > 1) return [policy];
  return policy.filters.flatMap((member) =>
    'filters' in member ? conjuncts(member) : [{ operator: 'and' as const, filters: [member] }],
  );
}

/** Returns the SQL of a group. Constant members are folded, so that the planner sees only open conditions. */
function groupSql(group: Policy, condition: (condition: PolicyCondition) => Sql): Sql {
  const isAnd = group.operator === 'and';
  const [deciding, neutral] = isAnd ? [FALSE, TRUE] : [TRUE, FALSE];
  const members = group.filters.map((member) =>
    'filters' in member ? groupSql(member, condition) : condition(member),
  );
  if (members.includes(deciding)) return deciding;
  const open = members.filter((member) => member !== neutral);
  if (open.length === 0) return neutral;
  return sql`(${join(open, isAnd ? ' and ' : ' or ')})`;
}

/** Returns the test with the chunk's source and group in scope. `offset 0` makes PostgreSQL look both rows up by their full keys. */
function inItsSource(test: Sql): Sql {
  return sql`coalesce((select ${test}
    from (select * from source where tenant_id = c.tenant_id and source_group_id = c.source_group_id and id = c.source_id offset 0) s,
         (select * from source_group where tenant_id = c.tenant_id and id = c.source_group_id offset 0) g), false)`;
}

function conditionOf(condition: PolicyCondition, attributes: Attributes): Sql {
  const operand = operandOf(condition, attributes);
  if (operand === null) return FALSE;
  const { target, key, operator } = condition;
  if (isUntrusted(condition)) return operator === 'not_exists' ? TRUE : FALSE;
  const filter: MetadataFilter = { key, operator, ...operand };
  switch (target) {
    case 'tag':
      return onTags(condition, filter);
    case 'source_group':
      return onGroup(filter);
    case 'group_metadata':
      return onValue(filter, sql`(g.metadata ->> ${key}::text)`);
    case 'chunk_metadata':
      return onValue(filter, sql`(c.metadata -> ${key}::text ->> 'val')`, true);
    case 'source_metadata':
      return onValue(filter, condition.trust_content ? anyRecord(key) : trustedRecord(key));
  }
}

/** Returns the value of the key: API records win over origin records. */
function anyRecord(key: string): Sql {
  return sql`coalesce(s.metadata ->> ${key}::text, s.origin_metadata -> ${key}::text ->> 'val')`;
}

/** Returns the value of the key from API records, or from origin records that a connector reported. */
function trustedRecord(key: string): Sql {
  return sql`coalesce(s.metadata ->> ${key}::text,
    case when s.origin_metadata -> ${key}::text ->> 'trusted' = 'true' then s.origin_metadata -> ${key}::text ->> 'val' end)`;
}

/** Returns the condition on a value. Unlike in filters, a missing value never matches, also not for `ne` and `nin`. */
function onValue(filter: MetadataFilter, value: Sql, isNfc = false): Sql {
  const { operator } = filter;
  if (operator !== 'ne' && operator !== 'nin') return sql`(${compared(filter, value, isNfc)})`;
  return sql`(${value} is not null and not ${compared(positive(filter), value, isNfc)})`;
}

/** Returns the comparison of a trimmed value. Unlike in filters, only two numbers or two times have an order. */
function compared(filter: MetadataFilter, value: Sql, isNfc = false): Sql {
  const { operator } = filter;
  if (operator === 'exists' || operator === 'not_exists') return conditionSql(filter, readValue(value));
  const trimmed = sql`btrim(${value}, ${WHITE_SPACE}::text)`;
  if (operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte')
    return typedOrderSql(trimmed, operator, filter.value as Scalar);
  if (isNfc) return conditionSql(filter, readValue(trimmed, true));
  // Text in ASCII is in NFC. Normalizing it would cost 15 times as much as reading it.
  const inNfc = sql`case when octet_length(${value}) = length(${value}) then ${trimmed} else normalize(${trimmed}) end`;
  return conditionSql(filter, readValue(sql`(${inNfc})`, true));
}

/** Returns the condition of which `ne` or `nin` is the opposite; other conditions as they are. */
function positive(filter: MetadataFilter): MetadataFilter {
  const opposites = { ne: 'eq', nin: 'in' } as const;
  const { operator } = filter;
  return operator === 'ne' || operator === 'nin' ? { ...filter, operator: opposites[operator] } : filter;
}

/** Returns the condition on the group; every group has an id and a name. */
function onGroup(filter: MetadataFilter): Sql {
  if (filter.operator === 'exists') return TRUE;
  if (filter.operator === 'not_exists') return FALSE;
  if (filter.key === 'name') return onValue(filter, raw('g.name'));
  if (filter.operator === 'eq' || filter.operator === 'in') {
    const ids = [filter.value as Scalar | readonly Scalar[]].flat().filter((id) => isId(id));
    return sql`g.id = any(${ids}::uuid[])`;
  }
  return onValue(filter, raw('g.id::text'));
}

/** Returns the condition on tags: one tag must match. For `ne` and `nin`, the group must have a tag and none may equal the operand. */
function onTags(condition: PolicyCondition, filter: MetadataFilter): Sql {
  const { operator } = filter;
  if (asksForTag(condition))
    return someTag(sql`and ${filter.key}::text in (t.name, t.id::text)`, operator === 'not_exists');
  if (operator === 'exists' || operator === 'not_exists') return someTag(empty, operator === 'not_exists');
  const value = filter.key === 'id' ? raw('t.id::text') : raw('t.name');
  const isNegative = operator === 'ne' || operator === 'nin';
  const fits = someTag(sql`and ${compared(positive(filter), value)}`, isNegative);
  return isNegative ? sql`(${someTag(empty, false)} and ${fits})` : fits;
}

function someTag(condition: Sql, none: boolean): Sql {
  return sql`${none ? raw('not ') : empty}exists (select from tag_source_group l join tag t on t.tenant_id = l.tenant_id and t.id = l.tag_id
    where l.tenant_id = g.tenant_id and l.source_group_id = g.id ${condition})`;
}

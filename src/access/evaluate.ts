/**
 * Evaluates a policy in plain code. The evaluator is the reference for the SQL of policies, and it explains decisions. Pure.
 *
 * A missing key or attribute makes a condition false for every operator except `not_exists`. So does a value of the wrong type: only
 * two numbers or two times have an order. Both sides are trimmed and in NFC.
 */

import { classify, type Operand } from '../filters/metadata-value.ts';
import type { FilterOperator, Scalar } from '../filters/types.ts';
import { ownValue } from '../util/own-value.ts';
import { type Attributes, asksForTag, isUntrusted, operandOf, type Policy, type PolicyCondition } from './policy.ts';

/** The facts about a chunk, its source and its group that conditions can ask about. */
export interface Facts {
  group: { id: string; name: string; metadata: Readonly<Record<string, string>> };
  tags: readonly { id: string; name: string }[];
  source: {
    /** Records set through the API. */
    metadata: Readonly<Record<string, string>>;
    originMetadata: Readonly<Record<string, { val: string; trusted?: boolean }>>;
  };
  /** Null for a source without chunks. */
  chunk: { metadata: Readonly<Record<string, { val: string }>> } | null;
}

export interface Decision {
  allowed: boolean;
  /** JSON pointer, within the policy, to the condition or group that decided the outcome. */
  matchedRule: string;
}

/** Returns whether the policy allows the chunk, and which of its conditions decided. `at` is the JSON pointer to the policy. */
export function evaluate(policy: Policy, attributes: Attributes, facts: Facts, at = ''): Decision {
  const isAnd = policy.operator === 'and';
  let only: Decision | undefined;
  for (const [i, member] of policy.filters.entries()) {
    const here = `${at}/filters/${i}`;
    const decision =
      'filters' in member
        ? evaluate(member, attributes, facts, here)
        : { allowed: holds(member, attributes, facts), matchedRule: here };
    // The first denying member decides an `and`; the first allowing member decides an `or`.
    if (decision.allowed !== isAnd) return decision;
    only = decision;
  }
  return policy.filters.length === 1 && only ? only : { allowed: isAnd, matchedRule: at };
}

function holds(condition: PolicyCondition, attributes: Attributes, facts: Facts): boolean {
  const operand = operandOf(condition, attributes);
  if (operand === null) return false;
  const stored = valuesOf(condition, facts).map((value) => value.trim());
  const { operator } = condition;
  if (operator === 'exists') return stored.length > 0;
  if (operator === 'not_exists') return stored.length === 0;
  if (stored.length === 0) return false;
  // A group may have several tags. One matching tag is enough; for `ne` and `nin`, no tag may equal the operand.
  if (operator === 'ne' || operator === 'nin')
    return stored.every((value) => !fits(operator === 'ne' ? 'eq' : 'in', value, operand.value!));
  return stored.some((value) => fits(operator, value, operand.value!));
}

/** Returns the values that the condition asks about; empty if the key is missing. Only tags can have several values. */
function valuesOf(condition: PolicyCondition, { group, tags, source, chunk }: Facts): string[] {
  const { target, key } = condition;
  const some = (value: string | undefined): string[] => (value === undefined ? [] : [value]);
  switch (target) {
    case 'tag':
      if (asksForTag(condition)) return tags.flatMap(({ id, name }) => (id === key || name === key ? [name] : []));
      return tags.map((tag) => tag[key as 'id' | 'name']);
    case 'source_group':
      return [group[key as 'id' | 'name']];
    case 'group_metadata':
      return some(ownValue(group.metadata, key));
    case 'chunk_metadata':
      return isUntrusted(condition) || chunk === null ? [] : some(ownValue(chunk.metadata, key)?.val);
    case 'source_metadata': {
      const origin = ownValue(source.originMetadata, key);
      const counts = condition.trust_content || origin?.trusted === true;
      return some(ownValue(source.metadata, key) ?? (counts ? origin?.val : undefined));
    }
  }
}

function fits(operator: FilterOperator, stored: string, operand: Scalar | readonly Scalar[]): boolean {
  if (Array.isArray(operand)) return operand.some((one: Scalar) => compare(stored, one) === 0);
  const one = operand as Scalar;
  switch (operator) {
    case 'contains':
      return stored.normalize('NFC').includes(String(one).normalize('NFC'));
    case 'starts_with':
      return stored.normalize('NFC').startsWith(String(one).normalize('NFC'));
    case 'eq':
      return compare(stored, one) === 0;
    case 'gt':
      return inOrder(stored, one, (order) => order > 0);
    case 'gte':
      return inOrder(stored, one, (order) => order >= 0);
    case 'lt':
      return inOrder(stored, one, (order) => order < 0);
    case 'lte':
      return inOrder(stored, one, (order) => order <= 0);
    default:
      throw new Error(`no comparison: ${operator}`);
  }
}

/** Returns whether two numbers, or two times, have the wanted order. Other values have no order. */
function inOrder(stored: string, given: Scalar, isWanted: (order: number) => boolean): boolean {
  const { kind } = classify(stored);
  return kind !== 'text' && kind === classify(given).kind && isWanted(compare(stored, given));
}

/** Returns the order of two values: two numbers by size, two times by moment, anything else as text by bytes. */
function compare(stored: string, given: Scalar): number {
  const [a, b] = [classify(stored), classify(given)];
  if (a.kind === b.kind && a.kind !== 'text') {
    const [x, y] = [exact(a), exact(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  return Buffer.compare(Buffer.from(stored.normalize('NFC')), Buffer.from(String(given).normalize('NFC')));
}

/** Maximum decimal places: a number has at most 100 digits and an exponent of three digits. */
const PLACES = 1_100;

/** Returns a number as a multiple of 10^-PLACES, or a time in microseconds. */
function exact({ kind, text }: Operand): bigint {
  if (kind === 'number') {
    const [, sign, whole = '', fraction = '', exponent = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text)!;
    const scaled = BigInt(whole + fraction) * 10n ** BigInt(PLACES - fraction.length + Number(exponent));
    return sign === '-' ? -scaled : scaled;
  }
  const [, moment = '', fraction = '', zone = ''] = /^(.{10}[T ]\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?(.*)$/.exec(text)!;
  return BigInt(Date.parse(`${moment.replace(' ', 'T')}${zone}`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** Tests that a policy carries: facts about a source, attributes of a principal, and whether the policy must allow. Pure. */

import type { Scalar } from '../filters/types.ts';
import { type AttributeTypes, attributesOfType } from './attribute-types.ts';
import { evaluate, type Facts } from './evaluate.ts';
import type { Attributes, Policy, PolicyCondition } from './policy.ts';

/** A policy as it is written and stored. */
export interface PolicyDocument extends Policy {
  attribute_types?: AttributeTypes;
  tests?: readonly PolicyTest[];
}

/** The facts by the targets of conditions, and `content_metadata`: records that a file sets about itself. */
export interface TestSource {
  source_metadata?: TestMetadata;
  content_metadata?: TestMetadata;
  chunk_metadata?: TestMetadata;
  group_metadata?: TestMetadata;
  /** The tags of the group. Each text is the name and the id of a tag. */
  tag?: readonly string[];
  /** The name and the id of the group. */
  source_group?: string;
}

export type TestMetadata = Readonly<Record<string, Scalar>>;

export interface PolicyTest {
  name?: string;
  /** The attributes of the principal. */
  given: Attributes;
  source: TestSource;
  expect: 'allow' | 'deny';
}

/** Maximum conditions that the reason of a failing test names. */
const NAMED_MAX = 5;

/** Returns why the first failing test fails, and its JSON pointer; undefined if all tests pass. */
export function failedTest(document: PolicyDocument): { pointer: string; problem: string } | undefined {
  return testResults(document).flatMap((problem, i) =>
    problem === null ? [] : [{ pointer: `/tests/${i}`, problem }],
  )[0];
}

/** Returns for each test why it fails; null for a test that passes. */
export function testResults({ attribute_types: types, tests, ...policy }: PolicyDocument): (string | null)[] {
  return (tests ?? []).map(({ name, given, source, expect }, i) => {
    const attributes = attributesOfType(given, types);
    const facts = factsOf(source);
    const { allowed, matchedRule } = evaluate(policy, attributes, facts);
    if (allowed === (expect === 'allow')) return null;
    const reasons = conditionsOf(policy).filter(
      ({ condition }) => evaluate({ operator: 'and', filters: [condition] }, attributes, facts).allowed === allowed,
    );
    const named = reasons.slice(0, NAMED_MAX).map(({ at, condition }) => `${at} (${wordsOf(condition)})`);
    return (
      `/tests/${i}${name === undefined ? '' : ` (${name})`}: expects ${expect}, but the policy ${allowed ? 'allows' : 'denies'} it. ` +
      `${matchedRule || 'The policy as a whole'} decided. These conditions are ${allowed}: ${named.join(', ')}` +
      `${reasons.length > NAMED_MAX ? ` and ${reasons.length - NAMED_MAX} more` : ''}.`
    );
  });
}

/** Returns the conditions of a policy with their JSON pointers. */
export function conditionsOf(policy: Policy, at = ''): { at: string; condition: PolicyCondition }[] {
  return policy.filters.flatMap((member, i) => {
    const here = `${at}/filters/${i}`;
    return 'filters' in member ? conditionsOf(member, here) : [{ at: here, condition: member }];
  });
}

function wordsOf({ target, key, operator, value }: PolicyCondition): string {
  return `${target} ${key} ${operator}${value === undefined ? '' : ` ${JSON.stringify(value)}`}`;
}

function factsOf({ source_metadata, content_metadata, chunk_metadata, group_metadata, tag, source_group }: TestSource) {
  const group = source_group ?? '';
  return {
    group: { id: group, name: group, metadata: texts(group_metadata) },
    tags: (tag ?? []).map((name) => ({ id: name, name })),
    source: { metadata: texts(source_metadata), originMetadata: records(content_metadata) },
    chunk: { metadata: records(chunk_metadata) },
  } satisfies Facts;
}

function texts(metadata: TestMetadata = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, String(value)]));
}

function records(metadata: TestMetadata = {}): Record<string, { val: string }> {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, { val: String(value) }]));
}

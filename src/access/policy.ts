/**
 * Policies: named groups of conditions on the facts about a chunk. The operands may be attributes of the principal that asks. This
 * module has their wire form, which is also the stored form.
 */

import type { z } from 'zod';
import {
  type FilterGroup,
  type FilterParser,
  filterGroupOf,
  groupJsonSchema,
  OPERAND_SCHEMAS,
  type Path,
  parseKey,
  parseOperand,
  parseOperator,
} from '../filters/filter-group.ts';
import type { FilterOperator, Scalar } from '../filters/types.ts';
import { isObject } from '../util/is-object.ts';
import { ownValue } from '../util/own-value.ts';

const POLICY_TARGETS = ['source_metadata', 'chunk_metadata', 'group_metadata', 'tag', 'source_group'] as const;
export type PolicyTarget = (typeof POLICY_TARGETS)[number];

/** Refers to an attribute of the principal that asks. */
export interface SubjectRef {
  subject: string;
}

export interface PolicyCondition {
  target: PolicyTarget;
  /**
   * For metadata, any key. For tags and source groups, `name` or `id`. With `exists` and `not_exists`, also the name or the id of a tag:
   * the condition then asks whether the group has this tag.
   */
  key: string;
  operator: FilterOperator;
  /** Absent for exists and not_exists. */
  value?: Scalar | readonly Scalar[] | SubjectRef;
  /** Records that a file sets about itself count too. */
  trust_content?: boolean;
}

export type Policy = FilterGroup<PolicyCondition>;

/** Name -> value. A missing value, or a value of the wrong kind, makes a condition false. */
export type Attributes = Readonly<Record<string, Scalar | readonly Scalar[]>>;

const MEMBERS = ['target', 'key', 'operator', 'value', 'trust_content'];
/** The key of a condition on these targets that has no key. */
const DEFAULT_KEYS: Partial<Record<PolicyTarget, string>> = { tag: 'name', source_group: 'id' };

const wire = groupJsonSchema(
  'AuthzPolicyGroup',
  {
    target: {
      type: 'string',
      enum: POLICY_TARGETS,
      default: 'source_metadata',
      description: 'What the condition is about.',
    },
    key: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description:
        'Key of metadata. For `tag` and `source_group`: `name` or `id` (absent: the name of a tag, the id of a source group); ' +
        'with exists and not_exists also the name or the id of a tag.',
    },
    value: {
      anyOf: [
        ...OPERAND_SCHEMAS,
        {
          type: 'object',
          properties: { subject: { type: 'string', description: 'Name of an attribute of the principal.' } },
          required: ['subject'],
          additionalProperties: false,
        },
      ],
      description:
        'An array for in and nin, absent for exists and not_exists, else a scalar; ' +
        'or `{"subject": "…"}`: that attribute of the principal.',
    },
    trust_content: {
      type: 'boolean',
      default: false,
      description:
        'Also uses records that a file sets about itself: front matter, meta tags, properties, record columns.',
    },
  },
  ['operator'],
);

export const policySchema: z.ZodType<Policy> = filterGroupOf(parseCondition).meta({ id: 'AuthzPolicyGroup', wire });

function parseCondition(value: Record<string, unknown>, path: Path, parser: FilterParser): PolicyCondition | undefined {
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return parser.fail([...path, unknown], 'is not a member of a condition');
  const { target: given = 'source_metadata', trust_content: trust } = value;
  const target = POLICY_TARGETS.find((name) => name === given);
  if (!target) return parser.fail([...path, 'target'], `must be one of ${POLICY_TARGETS.join(', ')}`);
  const operator = parseOperator(value['operator'], [...path, 'operator'], parser);
  if (operator === undefined) return undefined;
  const key = parseTargetKey(target, operator, value['key'], [...path, 'key'], parser);
  if (key === undefined) return undefined;
  if (trust !== undefined && typeof trust !== 'boolean')
    return parser.fail([...path, 'trust_content'], 'must be true or false');
  if (trust && target !== 'source_metadata' && target !== 'chunk_metadata')
    return parser.fail([...path, 'trust_content'], `means nothing for ${target}: documents do not set it`);
  const operand = isObject(value['value'])
    ? parseSubject(operator, value['value'], [...path, 'value'], parser)
    : parseOperand(operator, value, path, parser);
  return operand && { target, key, operator, ...operand, ...(trust === undefined ? {} : { trust_content: trust }) };
}

function parseTargetKey(
  target: PolicyTarget,
  operator: FilterOperator,
  given: unknown,
  path: Path,
  parser: FilterParser,
): string | undefined {
  const key = parseKey(given ?? DEFAULT_KEYS[target], path, parser);
  if (key === undefined || !(target in DEFAULT_KEYS) || key === 'name' || key === 'id') return key;
  if (target === 'tag' && (operator === 'exists' || operator === 'not_exists')) return key;
  return parser.fail(path, `must be "name" or "id" for ${target} with ${operator}`);
}

function parseSubject(
  operator: FilterOperator,
  value: Record<string, unknown>,
  path: Path,
  parser: FilterParser,
): { value: SubjectRef } | undefined {
  if (operator === 'exists' || operator === 'not_exists')
    return parser.fail(path, `must be absent: ${operator} takes no value`);
  const unknown = Object.keys(value).find((name) => name !== 'subject');
  if (unknown !== undefined) return parser.fail([...path, unknown], 'is not a member of a reference to an attribute');
  const subject = parseKey(value['subject'], [...path, 'subject'], parser);
  return subject === undefined ? undefined : { value: { subject } };
}

/**
 * Returns the operand of a condition, trimmed: always an array for `in` and `nin`, absent for `exists` and `not_exists`. Returns null
 * if the condition is false because the principal lacks the attribute, the attribute is an array where one value is needed, or the
 * operand is blank. Blank members of an array do not count.
 */
export function operandOf(
  { operator, value }: PolicyCondition,
  attributes: Attributes,
): { value?: Scalar | readonly Scalar[] } | null {
  if (operator === 'exists' || operator === 'not_exists') return {};
  const found = isSubjectRef(value) ? ownValue(attributes, value.subject) : value;
  if (found === undefined) return null;
  const given = [found].flat() as readonly Scalar[];
  const operands = given.map(trimmed).filter((one) => one !== '');
  if (operands.length === 0 && given.length > 0) return null;
  if (operator === 'in' || operator === 'nin') return { value: operands };
  return Array.isArray(found) ? null : { value: operands[0]! };
}

/** The characters that are trimmed from both sides of a comparison, in SQL too: white space as JavaScript defines it. */
export const WHITE_SPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

function trimmed(value: Scalar): Scalar {
  return typeof value === 'string' ? value.trim() : value;
}

/** Returns true for chunk metadata without trust: files set all metadata of their chunks, so the metadata counts as missing. */
export function isUntrusted({ target, trust_content }: PolicyCondition): boolean {
  return target === 'chunk_metadata' && !trust_content;
}

/** Returns true if the condition depends on the chunk. Without trust in content, chunk metadata counts as missing in all chunks. */
export function isOnChunk(condition: PolicyCondition): boolean {
  return condition.target === 'chunk_metadata' && !isUntrusted(condition);
}

/** Returns true if the condition asks whether the group has the tag with this name or id. */
export function asksForTag({ target, key }: PolicyCondition): boolean {
  return target === 'tag' && key !== 'name' && key !== 'id';
}

/** Returns whether an operand is an attribute of the principal. */
export function isSubjectRef(value: PolicyCondition['value']): value is SubjectRef {
  return typeof value === 'object' && !Array.isArray(value);
}

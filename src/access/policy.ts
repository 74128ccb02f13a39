/**
 * Policies: named groups of conditions on what is known of a chunk, whose values may come from the attributes of the principal
 * that asks. This is their wire form, which is also how they are stored.
 */
import type { z } from 'zod';
import {
  type FilterGroup,
  type FilterOperator,
  type FilterParser,
  filterGroupOf,
  groupJsonSchema,
  OPERAND_SCHEMAS,
  type Path,
  parseKey,
  parseOperand,
  parseOperator,
  type Scalar,
} from '../filters/filter-group.ts';
import { isObject } from '../util/is-object.ts';

export const POLICY_TARGETS = ['source_metadata', 'chunk_metadata', 'group_metadata', 'tag', 'source_group'] as const;
export type PolicyTarget = (typeof POLICY_TARGETS)[number];

/** An attribute of the principal that asks. */
export interface SubjectRef {
  subject: string;
}

export interface PolicyCondition {
  target: PolicyTarget;
  /** Of metadata any; of tags and source groups `name` or `id`, and of tags also the name of one, to ask whether it is there. */
  key: string;
  operator: FilterOperator;
  /** Absent for exists and not_exists. */
  value?: Scalar | readonly Scalar[] | SubjectRef;
  /** Records count too that documents set about themselves. */
  trust_content?: boolean;
}

export type Policy = FilterGroup<PolicyCondition>;

/** Name -> value. A value that is missing and one that does not fit make a condition false. */
export type Attributes = Readonly<Record<string, Scalar | readonly Scalar[]>>;

const MEMBERS = ['target', 'key', 'operator', 'value', 'trust_content'];
/** What a condition on these is about when it does not say it. */
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
        'with exists and not_exists also the name of a tag.',
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
        'An array for in and nin, absent for exists and not_exists, else a scalar; or `{"subject": "…"}`: that attribute of the principal.',
    },
    trust_content: {
      type: 'boolean',
      default: false,
      description:
        'Also records that a document sets about itself: front matter, meta tags, properties, record columns.',
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
 * What a condition compares with: for in and nin always an array, for exists and not_exists nothing. Null: the principal lacks the
 * attribute, or it is an array where one value is asked for, so the condition is false.
 */
export function operandOf(
  { operator, value }: PolicyCondition,
  attributes: Attributes,
): { value?: Scalar | readonly Scalar[] } | null {
  if (operator === 'exists' || operator === 'not_exists') return {};
  const found = isSubjectRef(value) ? own(attributes, value.subject) : value;
  if (found === undefined) return null;
  const many = Array.isArray(found);
  if (operator === 'in' || operator === 'nin') return { value: many ? found : [found as Scalar] };
  return many ? null : { value: found };
}

/** Documents set all metadata of chunks, and what no connector vouches for of sources: without trust it does not exist. */
export function isUntrusted({ target, trust_content }: PolicyCondition): boolean {
  return target === 'chunk_metadata' && !trust_content;
}

/** Asks whether a tag is there, by its name. */
export function asksForTag({ target, key }: PolicyCondition): boolean {
  return target === 'tag' && key !== 'name' && key !== 'id';
}

function isSubjectRef(value: PolicyCondition['value']): value is SubjectRef {
  return typeof value === 'object' && !Array.isArray(value);
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The wire form of MetadataFilterGroup: validated node by node, so that the message points at the bad one. */
import { z } from 'zod';
import type { MetadataFilter, MetadataFilterGroup } from '../retrieval/types.ts';
import { codePointLength } from './schemas.ts';

export const FILTER_MEMBERS_MAX = 64;
export const FILTER_DEPTH_MAX = 5;
export const FILTER_NODES_MAX = 200;
export const FILTER_KEY_LENGTH_MAX = 256;
export const FILTER_VALUE_LENGTH_MAX = 4096;
export const FILTER_VALUES_MAX = 1000;

const OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'contains',
  'starts_with',
  'exists',
  'not_exists',
] as const satisfies readonly MetadataFilter['operator'][];

type Path = readonly (string | number)[];
type Scalar = string | number | boolean;

/** Collects what is wrong; parsing goes on only as far as it makes sense. */
interface Parser {
  fail(path: Path, message: string): undefined;
  nodes: number;
}

/** A group of conditions on metadata. The parsed value has no unknown members and always an operator. */
export const metadataFilterGroupSchema = z
  .unknown()
  .transform((value, context): MetadataFilterGroup => {
    const parser: Parser = {
      nodes: 0,
      fail(path, message) {
        context.addIssue({ code: 'custom', path: [...path], message, input: value });
        return undefined;
      },
    };
    return parseGroup(value, [], 1, parser) ?? z.NEVER;
  })
  .meta({ id: 'MetadataFilterGroup', wire: groupJsonSchema() });

function parseGroup(value: unknown, path: Path, depth: number, parser: Parser): MetadataFilterGroup | undefined {
  if (!isObject(value)) return parser.fail(path, 'must be an object {"operator": "and" or "or", "filters": […]}');
  if (depth > FILTER_DEPTH_MAX) return parser.fail(path, `is nested deeper than ${FILTER_DEPTH_MAX} groups`);
  parser.nodes++;
  const unknown = Object.keys(value).find((key) => key !== 'operator' && key !== 'filters');
  if (unknown !== undefined) return parser.fail([...path, unknown], 'is not a member of a filter group');
  const { operator = 'and', filters } = value;
  if (operator !== 'and' && operator !== 'or') return parser.fail([...path, 'operator'], 'must be "and" or "or"');
  if (!Array.isArray(filters) || filters.length < 1 || filters.length > FILTER_MEMBERS_MAX) {
    return parser.fail([...path, 'filters'], `must be an array of 1 to ${FILTER_MEMBERS_MAX} filters`);
  }
  const members: (MetadataFilter | MetadataFilterGroup)[] = [];
  for (const [i, member] of filters.entries()) {
    const at = [...path, 'filters', i];
    const parsed =
      isObject(member) && 'filters' in member
        ? parseGroup(member, at, depth + 1, parser)
        : parseFilter(member, at, parser);
    if (!parsed) return undefined;
    if (parser.nodes > FILTER_NODES_MAX) return parser.fail(at, `is more than the ${FILTER_NODES_MAX}th node`);
    members.push(parsed);
  }
  return { operator, filters: members };
}

function parseFilter(value: unknown, path: Path, parser: Parser): MetadataFilter | undefined {
  parser.nodes++;
  if (!isObject(value)) return parser.fail(path, 'must be an object {"key", "operator", "value"} or a group');
  const unknown = Object.keys(value).find((name) => name !== 'key' && name !== 'operator' && name !== 'value');
  if (unknown !== undefined) return parser.fail([...path, unknown], 'is not a member of a filter');
  const { key, operator } = value;
  if (typeof key !== 'string' || key === '' || codePointLength(key) > FILTER_KEY_LENGTH_MAX) {
    return parser.fail([...path, 'key'], `must be text of 1 to ${FILTER_KEY_LENGTH_MAX} characters`);
  }
  const known = OPERATORS.find((name) => name === operator);
  if (!known) return parser.fail([...path, 'operator'], `must be one of ${OPERATORS.join(', ')}`);
  if (known === 'exists' || known === 'not_exists') {
    if ('value' in value) return parser.fail([...path, 'value'], `must be absent: ${known} takes no value`);
    return { key, operator: known };
  }
  if (known === 'in' || known === 'nin') {
    const values = parseValues(value['value'], [...path, 'value'], parser);
    return values && { key, operator: known, value: values };
  }
  const scalar = parseScalar(value['value'], [...path, 'value'], parser);
  return scalar === undefined ? undefined : { key, operator: known, value: scalar };
}

function parseValues(value: unknown, path: Path, parser: Parser): Scalar[] | undefined {
  if (!Array.isArray(value) || value.length < 1 || value.length > FILTER_VALUES_MAX) {
    return parser.fail(path, `must be an array of 1 to ${FILTER_VALUES_MAX} values`);
  }
  const values: Scalar[] = [];
  for (const [i, item] of value.entries()) {
    const scalar = parseScalar(item, [...path, i], parser);
    if (scalar === undefined) return undefined;
    values.push(scalar);
  }
  return values;
}

function parseScalar(value: unknown, path: Path, parser: Parser): Scalar | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    // JSON.parse has rounded it already: the filter would look for a neighbour.
    return parser.fail(path, `is beyond ±${Number.MAX_SAFE_INTEGER}: send so large a number as text`);
  }
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (typeof value !== 'string') return parser.fail(path, 'must be text, a number, true or false');
  if (value.length > FILTER_VALUE_LENGTH_MAX && codePointLength(value) > FILTER_VALUE_LENGTH_MAX) {
    return parser.fail(path, `must have at most ${FILTER_VALUE_LENGTH_MAX} characters`);
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function groupJsonSchema(): Record<string, unknown> {
  const scalar = { type: ['string', 'number', 'boolean'] };
  const filter = {
    type: 'object',
    properties: {
      key: { type: 'string', minLength: 1, maxLength: FILTER_KEY_LENGTH_MAX },
      operator: { type: 'string', enum: OPERATORS },
      value: {
        anyOf: [scalar, { type: 'array', items: scalar, minItems: 1, maxItems: FILTER_VALUES_MAX }],
        description: 'An array for in and nin, absent for exists and not_exists, else a scalar.',
      },
    },
    required: ['key', 'operator'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    description: `Conditions on metadata, at most ${FILTER_DEPTH_MAX} groups deep and ${FILTER_NODES_MAX} nodes in all.`,
    properties: {
      operator: { type: 'string', enum: ['and', 'or'], default: 'and' },
      filters: {
        type: 'array',
        minItems: 1,
        maxItems: FILTER_MEMBERS_MAX,
        items: { anyOf: [filter, { $ref: '#/components/schemas/MetadataFilterGroup' }] },
      },
    },
    required: ['filters'],
    additionalProperties: false,
  };
}

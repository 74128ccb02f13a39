/** The wire form of MetadataFilterGroup. It is validated node by node, so that the error message names the wrong node. */
import { z } from 'zod';
import { codePointLength } from '../util/code-points.ts';
import { isObject } from '../util/is-object.ts';
import { FILTER_OPERATORS, type FilterOperator, type MetadataFilter, type Scalar } from './types.ts';

const FILTER_MEMBERS_MAX = 64;
const FILTER_DEPTH_MAX = 5;
const FILTER_NODES_MAX = 200;
export const FILTER_KEY_LENGTH_MAX = 256;
export const FILTER_VALUE_LENGTH_MAX = 4096;
const FILTER_VALUES_MAX = 1000;
/** `contains` looks for its text in every value, so its cost grows with the length of the text. The second limit is for a whole filter. */
export const CONTAINS_LENGTH_MAX = 1_000;
export const CONTAINS_LENGTH_TOTAL_MAX = 10_000;

const SCALAR_SCHEMA = { type: ['string', 'number', 'boolean'] };
export const OPERAND_SCHEMAS = [
  SCALAR_SCHEMA,
  { type: 'array', items: SCALAR_SCHEMA, minItems: 1, maxItems: FILTER_VALUES_MAX },
] as const;

export type Path = readonly (string | number)[];

export interface FilterGroup<Condition> {
  operator: 'and' | 'or';
  filters: readonly (Condition | FilterGroup<Condition>)[];
}

/** Collects errors, and counts nodes and characters, while a filter group is parsed. */
export interface FilterParser {
  fail(path: Path, message: string): undefined;
  nodes: number;
  /** Characters that all `contains` look for. */
  containsLength: number;
}

/** Returns the parsed condition; undefined after `fail`. */
type ParseCondition<Condition> = (
  value: Record<string, unknown>,
  path: Path,
  parser: FilterParser,
) => Condition | undefined;

/** Returns the schema of a group of conditions. A parsed group has no unknown members and always an operator. */
export function filterGroupOf<Condition extends object>(parseCondition: ParseCondition<Condition>) {
  return z.unknown().transform((value, context): FilterGroup<Condition> => {
    const parser: FilterParser = {
      nodes: 0,
      containsLength: 0,
      fail(path, message) {
        context.addIssue({ code: 'custom', path: [...path], message, input: value });
        return undefined;
      },
    };
    return parseGroup(value, [], 1, parser, parseCondition) ?? z.NEVER;
  });
}

/** The schema of a group of conditions on metadata. */
export const metadataFilterGroupSchema = filterGroupOf(parseFilter).meta({
  id: 'MetadataFilterGroup',
  wire: groupJsonSchema('MetadataFilterGroup', {}),
});

function parseGroup<Condition extends object>(
  value: unknown,
  path: Path,
  depth: number,
  parser: FilterParser,
  parseCondition: ParseCondition<Condition>,
): FilterGroup<Condition> | undefined {
  if (!isObject(value)) return parser.fail(path, 'must be an object {"operator": "and" or "or", "filters": […]}');
  if (depth > FILTER_DEPTH_MAX) return parser.fail(path, `is nested deeper than ${FILTER_DEPTH_MAX} groups`);
  parser.nodes++;
  const unknown = Object.keys(value).find((key) => key !== 'operator' && key !== 'filters');
  if (unknown !== undefined) {
    const remedy = 'key' in value ? ': conditions stand in the array "filters"' : '';
    return parser.fail([...path, unknown], `is not a member of a filter group${remedy}`);
  }
  const { operator = 'and', filters } = value;
  if (operator !== 'and' && operator !== 'or') {
    const remedy = operator === 'not' ? ': the opposites of conditions are ne, nin and not_exists' : '';
    return parser.fail([...path, 'operator'], `must be "and" or "or"${remedy}`);
  }
  if (!Array.isArray(filters) || filters.length < 1 || filters.length > FILTER_MEMBERS_MAX) {
    return parser.fail([...path, 'filters'], `must be an array of 1 to ${FILTER_MEMBERS_MAX} filters`);
  }
  const members: (Condition | FilterGroup<Condition>)[] = [];
  for (const [i, member] of filters.entries()) {
    const at = [...path, 'filters', i];
    const parsed =
      isObject(member) && 'filters' in member
        ? parseGroup(member, at, depth + 1, parser, parseCondition)
        : parseMember(member, at, parser, parseCondition);
    if (!parsed) return undefined;
    if (parser.nodes > FILTER_NODES_MAX) return parser.fail(at, `is more than the ${FILTER_NODES_MAX}th node`);
    members.push(parsed);
  }
  return { operator, filters: members };
}

function parseMember<Condition>(
  value: unknown,
  path: Path,
  parser: FilterParser,
  parseCondition: ParseCondition<Condition>,
): Condition | undefined {
  parser.nodes++;
  if (!isObject(value)) return parser.fail(path, 'must be an object {"key", "operator", "value"} or a group');
  return parseCondition(value, path, parser);
}

function parseFilter(value: Record<string, unknown>, path: Path, parser: FilterParser): MetadataFilter | undefined {
  const unknown = Object.keys(value).find((name) => name !== 'key' && name !== 'operator' && name !== 'value');
  if (unknown !== undefined) return parser.fail([...path, unknown], 'is not a member of a filter');
  const key = parseKey(value['key'], [...path, 'key'], parser);
  if (key === undefined) return undefined;
  const operator = parseOperator(value['operator'], [...path, 'operator'], parser);
  if (operator === undefined) return undefined;
  const operand = parseOperand(operator, value, path, parser);
  return operand && { key, operator, ...operand };
}

export function parseKey(value: unknown, path: Path, parser: FilterParser): string | undefined {
  if (typeof value === 'string' && value !== '' && codePointLength(value) <= FILTER_KEY_LENGTH_MAX) return value;
  return parser.fail(path, `must be text of 1 to ${FILTER_KEY_LENGTH_MAX} characters`);
}

export function parseOperator(value: unknown, path: Path, parser: FilterParser): FilterOperator | undefined {
  return (
    FILTER_OPERATORS.find((name) => name === value) ??
    parser.fail(path, `must be one of ${FILTER_OPERATORS.join(', ')}`)
  );
}

/** Returns the operand that an operator takes: no value, an array, or a scalar. Undefined after `fail`. */
export function parseOperand(
  operator: FilterOperator,
  member: Record<string, unknown>,
  path: Path,
  parser: FilterParser,
): { value?: Scalar | Scalar[] } | undefined {
  const at = [...path, 'value'];
  if (operator === 'exists' || operator === 'not_exists') {
    if ('value' in member) return parser.fail(at, `must be absent: ${operator} takes no value`);
    return {};
  }
  const value =
    operator === 'in' || operator === 'nin'
      ? parseValues(member['value'], at, parser)
      : parseScalar(member['value'], at, parser);
  if (value === undefined || (operator === 'contains' && !isContainsCheap(String(value), at, parser))) return undefined;
  return { value };
}

/** Returns false after `fail`. */
function isContainsCheap(text: string, path: Path, parser: FilterParser): boolean {
  const length = codePointLength(text);
  parser.containsLength += length;
  if (length > CONTAINS_LENGTH_MAX) {
    parser.fail(path, `must have at most ${CONTAINS_LENGTH_MAX} characters for contains`);
  } else if (parser.containsLength > CONTAINS_LENGTH_TOTAL_MAX) {
    parser.fail(path, `is beyond the ${CONTAINS_LENGTH_TOTAL_MAX} characters that all contains of a filter may have`);
  } else return true;
  return false;
}

function parseValues(value: unknown, path: Path, parser: FilterParser): Scalar[] | undefined {
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

function parseScalar(value: unknown, path: Path, parser: FilterParser): Scalar | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    // JSON.parse has rounded the number already, so the filter would compare with another number.
    return parser.fail(path, `is beyond ±${Number.MAX_SAFE_INTEGER}: send so large a number as text`);
  }
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (typeof value !== 'string') {
    const remedy = Array.isArray(value)
      ? ': in and nin take an array'
      : value === null
        ? ': not_exists finds a missing key'
        : '';
    return parser.fail(path, `must be text, a number, true or false${remedy}`);
  }
  if (value.length > FILTER_VALUE_LENGTH_MAX && codePointLength(value) > FILTER_VALUE_LENGTH_MAX) {
    return parser.fail(path, `must have at most ${FILTER_VALUE_LENGTH_MAX} characters`);
  }
  return value;
}

/**
 * Returns the JSON Schema of a group called `name`.
 *
 * @param members members of the conditions, which are added to those of a filter or replace them.
 */
export function groupJsonSchema(
  name: string,
  members: Record<string, unknown>,
  required: readonly string[] = ['key', 'operator'],
): Record<string, unknown> {
  const filter = {
    type: 'object',
    properties: {
      key: { type: 'string', minLength: 1, maxLength: FILTER_KEY_LENGTH_MAX, description: 'Key of the metadata.' },
      operator: {
        type: 'string',
        enum: FILTER_OPERATORS,
        description: 'How the value of the key is compared with `value`.',
      },
      value: {
        anyOf: OPERAND_SCHEMAS,
        description:
          'An array for in and nin, absent for exists and not_exists, else a scalar. ' +
          `For contains at most ${CONTAINS_LENGTH_MAX} characters, and ${CONTAINS_LENGTH_TOTAL_MAX} in the whole filter.`,
      },
      ...members,
    },
    required,
    additionalProperties: false,
  };
  return {
    type: 'object',
    description: `Conditions on metadata, at most ${FILTER_DEPTH_MAX} groups deep and ${FILTER_NODES_MAX} nodes in all.`,
    properties: {
      operator: {
        type: 'string',
        enum: ['and', 'or'],
        default: 'and',
        description: '`and`: all conditions must hold. `or`: at least one must hold.',
      },
      filters: {
        type: 'array',
        minItems: 1,
        maxItems: FILTER_MEMBERS_MAX,
        items: { anyOf: [filter, { $ref: `#/components/schemas/${name}` }] },
        description: `Conditions and groups of conditions, 1 to ${FILTER_MEMBERS_MAX}.`,
      },
    },
    required: ['filters'],
    additionalProperties: false,
  };
}

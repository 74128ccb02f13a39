/**
 * One metadata condition -> SQL over `value`, a text expression that is null when the key is missing.
 *
 * Comparison is typed: numbers numerically when both sides parse, ISO dates chronologically when both sides parse, else
 * strings bytewise after NFC. A missing key satisfies `ne`, `nin` and `not_exists` only.
 */
import { raw, type Sql, sql } from '../db/sql.ts';
import { classify, NUMBER_LENGTH_MAX, NUMBER_PATTERN, TIME_LENGTH_MAX, TIME_PATTERN } from './metadata-value.ts';
import type { MetadataFilter } from './types.ts';

export type Scalar = string | number | boolean;

export const OPERATORS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Patterns come from this program and hold no quote, so they may be text. */
const isNumber = (value: Sql): Sql =>
  sql`length(${value}) <= ${raw(String(NUMBER_LENGTH_MAX))} and ${value} ~ ${raw(`'${NUMBER_PATTERN}'`)}`;
const isTime = (value: Sql): Sql =>
  sql`length(${value}) between 10 and ${raw(String(TIME_LENGTH_MAX))} and ${value} ~ ${raw(`'${TIME_PATTERN}'`)}`;

export function conditionSql(filter: MetadataFilter, value: Sql): Sql {
  switch (filter.operator) {
    case 'exists':
      return sql`${value} is not null`;
    case 'not_exists':
      return sql`${value} is null`;
    case 'in':
      return oneOf(value, filter.value as readonly Scalar[]);
    case 'nin':
      return sql`(${value} is null or not ${oneOf(value, filter.value as readonly Scalar[])})`;
    case 'contains':
      return sql`strpos(${normalized(value)}, ${textOf(filter.value as Scalar)}) > 0`;
    case 'starts_with':
      return sql`starts_with(${normalized(value)}, ${textOf(filter.value as Scalar)})`;
    case 'ne':
      return sql`(${value} is null or not ${compare(value, '=', filter.value as Scalar)})`;
    default:
      return compare(value, OPERATORS[filter.operator], filter.value as Scalar);
  }
}

function compare(value: Sql, operator: (typeof OPERATORS)[keyof typeof OPERATORS], operand: Scalar): Sql {
  const op = raw(operator);
  const asText = sql`${normalized(value)} collate "C" ${op} ${textOf(operand)}`;
  const parsed = classify(operand);
  if (parsed.kind === 'number') {
    return sql`(case when ${isNumber(value)} then ${value}::numeric ${op} ${parsed.text}::numeric else ${asText} end)`;
  }
  if (parsed.kind === 'time') {
    return sql`(case when ${isTime(value)} then ${timeOf(value)} ${op} ${parsed.text}::timestamptz else ${asText} end)`;
  }
  return sql`(${asText})`;
}

/** Equal values are of one kind, so each kind is looked up among its own. */
function oneOf(value: Sql, operands: readonly Scalar[]): Sql {
  const parsed = operands.map(classify);
  const of = (kind: string): string[] => parsed.filter((operand) => operand.kind === kind).map(({ text }) => text);
  return sql`(case when ${isNumber(value)} then ${value}::numeric = any(${of('number')}::numeric[])
    when ${isTime(value)} then ${timeOf(value)} = any(${of('time')}::timestamptz[])
    else ${normalized(value)} collate "C" = any(${of('text')}::text[]) end)`;
}

/** A date without a time is its first moment, a time without a zone is in UTC. */
function timeOf(value: Sql): Sql {
  return sql`(${value} || case when length(${value}) = 10 then 'T00:00Z' when ${value} ~ '(Z|[+-][0-9:]+)$' then '' else 'Z' end)::timestamptz`;
}

function normalized(value: Sql): Sql {
  return sql`normalize(${value})`;
}

function textOf(operand: Scalar): string {
  return String(operand).normalize('NFC');
}

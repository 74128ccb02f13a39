/**
 * SQL of metadata conditions.
 *
 * Comparison is typed. If both sides are numbers, they are compared as numbers. If both sides are ISO dates, they are compared as
 * times. Otherwise both sides are compared bytewise as text in NFC. A missing key matches only `ne`, `nin` and `not_exists`.
 */
import { raw, type Sql, sql } from '../db/sql.ts';
import { classify, NUMBER_LENGTH_MAX, NUMBER_PATTERN, TIME_LENGTH_MAX, TIME_PATTERN } from './metadata-value.ts';
import type { MetadataFilter } from './types.ts';

export type Scalar = string | number | boolean;

export const OPERATORS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The patterns are constants without quotes, so they are safe as SQL text. */
const isNumber = (value: Sql): Sql =>
  sql`length(${value}) <= ${raw(String(NUMBER_LENGTH_MAX))} and ${value} ~ ${raw(`'${NUMBER_PATTERN}'`)}`;
const isTime = (value: Sql): Sql =>
  sql`length(${value}) between 10 and ${raw(String(TIME_LENGTH_MAX))} and ${value} ~ ${raw(`'${TIME_PATTERN}'`)}`;

/**
 * Returns the SQL of a condition.
 *
 * @param value a text expression that is null if the key is missing.
 * @param isNfc true if the expression returns text in NFC.
 */
export function conditionSql(filter: MetadataFilter, value: Sql, isNfc = false): Sql {
  const text = isNfc ? value : sql`normalize(${value})`;
  switch (filter.operator) {
    case 'exists':
      return sql`${value} is not null`;
    case 'not_exists':
      return sql`${value} is null`;
    case 'in':
      return oneOf(value, text, filter.value as readonly Scalar[]);
    case 'nin':
      return sql`(${value} is null or not ${oneOf(value, text, filter.value as readonly Scalar[])})`;
    case 'contains':
      return sql`strpos(${text}, ${textOf(filter.value as Scalar)}) > 0`;
    case 'starts_with':
      return sql`starts_with(${text}, ${textOf(filter.value as Scalar)})`;
    case 'ne':
      return sql`(${value} is null or not ${compare(value, text, '=', filter.value as Scalar)})`;
    default:
      return compare(value, text, OPERATORS[filter.operator], filter.value as Scalar);
  }
}

function compare(value: Sql, text: Sql, operator: (typeof OPERATORS)[keyof typeof OPERATORS], operand: Scalar): Sql {
  const op = raw(operator);
  const asText = sql`${text} collate "C" ${op} ${textOf(operand)}`;
  const parsed = classify(operand);
  if (parsed.kind === 'number') {
    return sql`(case when ${isNumber(value)} then ${value}::numeric ${op} ${parsed.text}::numeric else ${asText} end)`;
  }
  if (parsed.kind === 'time') {
    return sql`(case when ${isTime(value)} then ${timeOf(value)} ${op} ${parsed.text}::timestamptz else ${asText} end)`;
  }
  return sql`(${asText})`;
}

/**
 * Returns the SQL of an order between two numbers or two times. It is false for values of any other type.
 *
 * @param value a text expression that is null if the key is missing.
 */
export function typedOrderSql(value: Sql, operator: Exclude<keyof typeof OPERATORS, 'eq'>, operand: Scalar): Sql {
  const op = raw(OPERATORS[operator]);
  const { kind, text } = classify(operand);
  if (kind === 'number')
    return sql`(case when ${isNumber(value)} then ${value}::numeric ${op} ${text}::numeric else false end)`;
  if (kind === 'time')
    return sql`(case when ${isTime(value)} then ${timeOf(value)} ${op} ${text}::timestamptz else false end)`;
  return raw('false');
}

/** Returns whether a value equals an operand. Equal values have the same kind, so each kind is compared with its own operands only. */
function oneOf(value: Sql, text: Sql, operands: readonly Scalar[]): Sql {
  const parsed = operands.map(classify);
  const ofKind = (kind: string): string[] => parsed.filter((operand) => operand.kind === kind).map(({ text }) => text);
  // A longer value equals none of them. Comparing it with many operands would read it to its end.
  const bytesMax = Math.max(NUMBER_LENGTH_MAX, ...parsed.map((operand) => Buffer.byteLength(operand.text)));
  return sql`(case when octet_length(${text}) > ${bytesMax}::int then false
    when ${isNumber(value)} then ${value}::numeric = any(${ofKind('number')}::numeric[])
    when ${isTime(value)} then ${timeOf(value)} = any(${ofKind('time')}::timestamptz[])
    else ${text} collate "C" = any(${ofKind('text')}::text[]) end)`;
}

/** Returns the time of a value. A date without a time is its first moment, and a time without a zone is in UTC. */
function timeOf(value: Sql): Sql {
  const hasZone = sql`${value} ~ '(Z|[+-][0-9:]+)$'`;
  return sql`(${value} || case when length(${value}) = 10 then 'T00:00Z' when ${hasZone} then '' else 'Z' end)::timestamptz`;
}

function textOf(operand: Scalar): string {
  return String(operand).normalize('NFC');
}

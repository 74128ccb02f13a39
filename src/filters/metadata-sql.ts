/**
 * SQL of metadata conditions.
 *
 * Comparison is typed. If both sides are numbers, they are compared as numbers. If both sides are ISO dates, they are compared as
 * times. Otherwise both sides are compared bytewise as text in NFC. A missing key matches only `ne`, `nin` and `not_exists`.
 */
import { join, raw, type Sql, sql } from '../db/sql.ts';
import {
  classify,
  NUMBER_LENGTH_MAX,
  NUMBER_PATTERN,
  type Operand,
  TIME_LENGTH_MAX,
  TIME_PATTERN,
} from './metadata-value.ts';
import type { MetadataFilter, Scalar } from './types.ts';

export const OPERATORS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** How SQL reads a metadata value; every expression is null if the key is missing. */
export interface ValueSql {
  value: Sql;
  /** The value in NFC. */
  text: Sql;
  /** Null if the value is no number. */
  number: Sql;
  /** Null if the value is no time. */
  time: Sql;
}

/** Returns how a text expression is read. @param isNfc true if the expression returns text in NFC. */
export function readValue(value: Sql, isNfc = false): ValueSql {
  return {
    value,
    text: isNfc ? value : sql`normalize(${value})`,
    number: sql`(case when ${isNumber(value)} then ${value}::numeric end)`,
    time: sql`(case when ${isTime(value)} then ${timeOf(value)} end)`,
  };
}

/**
 * The patterns are constants without quotes, so they are safe as SQL text. A regular expression takes most of the time of a filter,
 * so cheap tests come first: a number and a time begin with a character below the colon, most numbers have digits only, and most
 * times are dates before the 29th.
 */
const isNumber = (value: Sql): Sql =>
  sql`${value} collate "C" < ':' and length(${value}) <= ${raw(String(NUMBER_LENGTH_MAX))}
    and case translate(${value}, '0123456789', '') when '' then ${value} <> '' else ${value} ~ ${raw(`'${NUMBER_PATTERN}'`)} end`;
const isTime = (value: Sql): Sql =>
  sql`${value} collate "C" < ':' and length(${value}) between 10 and ${raw(String(TIME_LENGTH_MAX))}
    and case when translate(${value}, '0123456789', '9999999999') = '9999-99-99' and left(${value}, 4) <> '0000'
      and substr(${value}, 6, 2) collate "C" between '01' and '12' and substr(${value}, 9) collate "C" between '01' and '28' then true
    else ${value} ~ ${raw(`'${TIME_PATTERN}'`)} end`;

export function conditionSql(filter: MetadataFilter, read: ValueSql): Sql {
  const { value, text } = read;
  switch (filter.operator) {
    case 'exists':
      return sql`${value} is not null`;
    case 'not_exists':
      return sql`${value} is null`;
    case 'in':
      return oneOf(read, filter.value as readonly Scalar[]);
    case 'nin':
      return sql`(${value} is null or not ${oneOf(read, filter.value as readonly Scalar[])})`;
    case 'contains':
      return sql`strpos(${text}, ${textOf(filter.value as Scalar)}) > 0`;
    case 'starts_with':
      return sql`starts_with(${text}, ${textOf(filter.value as Scalar)})`;
    case 'ne':
      return sql`(${value} is null or not ${compare(read, '=', filter.value as Scalar)})`;
    default:
      return compare(read, OPERATORS[filter.operator], filter.value as Scalar);
  }
}

function compare(read: ValueSql, operator: (typeof OPERATORS)[keyof typeof OPERATORS], operand: Scalar): Sql {
  const op = raw(operator);
  const asText = sql`${read.text} collate "C" ${op} ${textOf(operand)}`;
  const { kind, text } = classify(operand);
  if (kind === 'number') return sql`coalesce(${read.number} ${op} ${text}::numeric, ${asText})`;
  if (kind === 'time') return sql`coalesce(${read.time} ${op} ${text}::timestamptz, ${asText})`;
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
  const { number, time } = readValue(value);
  if (kind === 'number') return sql`coalesce(${number} ${op} ${text}::numeric, false)`;
  if (kind === 'time') return sql`coalesce(${time} ${op} ${text}::timestamptz, false)`;
  return raw('false');
}

/** Returns whether a value equals an operand. Equal values have the same kind, so each kind is compared with its own operands only. */
function oneOf({ text, number, time }: ValueSql, operands: readonly Scalar[]): Sql {
  const parsed = operands.map(classify);
  const ofKind = (kind: string): string[] => parsed.filter((operand) => operand.kind === kind).map(({ text }) => text);
  const [numbers, times, texts] = [ofKind('number'), ofKind('time'), ofKind('text')];
  const tests = [
    ...(numbers.length > 0 ? [sql`${number} = any(${numbers}::numeric[])`] : []),
    ...(times.length > 0 ? [sql`${time} = any(${times}::timestamptz[])`] : []),
    sql`${text} collate "C" = any(${texts}::text[])`,
  ];
  // A longer value equals none of them. Comparing it with many operands would read it to its end.
  const bytesMax = Math.max(NUMBER_LENGTH_MAX, ...parsed.map((operand) => Buffer.byteLength(operand.text)));
  return sql`(case when octet_length(${text}) > ${bytesMax}::int then false else coalesce(${join(tests)}) end)`;
}

/** Returns the time of a value. A date without a time is its first moment, and a time without a zone is in UTC. */
function timeOf(value: Sql): Sql {
  const hasZone = sql`${value} ~ '(Z|[+-][0-9:]+)$'`;
  return sql`(${value} || case when length(${value}) = 10 then 'T00:00Z' when ${hasZone} then '' else 'Z' end)::timestamptz`;
}

/** Returns the kinds other than text that a condition compares values as. */
export function comparedKinds({ operator, value }: MetadataFilter): Operand['kind'][] {
  if (operator === 'contains' || operator === 'starts_with' || value === undefined) return [];
  return [value as Scalar | readonly Scalar[]].flat().map((operand) => classify(operand).kind);
}

export function textOf(operand: Scalar): string {
  return String(operand).normalize('NFC');
}

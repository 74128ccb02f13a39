/** Structured queries: a query as data, which becomes SQL. Names are quoted, and values are literals of the type of their column. */

import { invalidAt } from '../errors.ts';
import type { ColumnType } from '../files/columns/column-type.ts';
import { classify } from '../filters/metadata-value.ts';
import type { MetadataFilter, MetadataFilterGroup } from '../filters/types.ts';
import { nearestNames } from './engine/nearest-names.ts';
import { quotedName, textLiteral } from './engine/sql-text.ts';
import type { TableColumn } from './table.ts';

export const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max', 'count_distinct', 'median'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export type Selected = { column: string } | { fn: Aggregate; column?: string | undefined; as?: string | undefined };

export interface StructuredQuery {
  /** The SQL name of a table. */
  from: string;
  /** Absent: all columns of the table, or of `groupBy` if that is there. */
  columns?: readonly Selected[] | undefined;
  where?: MetadataFilterGroup | undefined;
  groupBy?: readonly string[] | undefined;
  orderBy?: readonly { column: string; direction: 'asc' | 'desc' }[] | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface QueriedTable {
  sqlName: string;
  columns: readonly Pick<TableColumn, 'sqlName' | 'type'>[];
}

type Column = QueriedTable['columns'][number];
type Scalar = string | number | boolean;
/** The place of a member in the request body. */
type Path = readonly PropertyKey[];

const NUMBERS: readonly ColumnType[] = ['integer', 'decimal', 'double'];
const COMPARISONS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/;

/** Returns the SQL of the query. @throws ServiceError invalid_request that names the wrong member. */
export function toSql(query: StructuredQuery, tables: readonly QueriedTable[]): string {
  const table = tables.find(({ sqlName }) => sqlName.toLowerCase() === query.from.toLowerCase());
  if (!table) {
    const near = nearestNames(
      query.from,
      tables.map(({ sqlName }) => sqlName),
    );
    throw invalidAt(['query', 'from'], `there is no table ${query.from}.${near}`);
  }
  const groupBy = (query.groupBy ?? []).map((name, i) => columnOf(table, name, ['query', 'group_by', i]));
  const selected =
    query.columns ?? (groupBy.length > 0 ? groupBy : table.columns).map(({ sqlName }) => ({ column: sqlName }));
  const isGrouped = groupBy.length > 0 || selected.some((one) => 'fn' in one);
  const outputs = new Map<string, string>();
  const list = selected.map((one, i) => {
    const at = ['query', 'columns', i];
    const { name, sql } = selectedSql(one, table, isGrouped ? groupBy : undefined, at);
    if (outputs.has(name.toLowerCase())) throw invalidAt(at, `the name ${name} is there twice.`);
    outputs.set(name.toLowerCase(), name);
    return sql;
  });
  const clauses = [`select ${list.join(', ')}`, `from ${quotedName(table.sqlName)}`];
  if (query.where) clauses.push(`where ${groupSql(query.where, table, ['query', 'where'])}`);
  if (groupBy.length > 0) clauses.push(`group by ${groupBy.map(({ sqlName }) => quotedName(sqlName)).join(', ')}`);
  const order = (query.orderBy ?? []).map(({ column, direction }, i) => {
    const output = outputs.get(column.toLowerCase());
    const at = ['query', 'order_by', i, 'column'];
    if (output === undefined && isGrouped) throw invalidAt(at, `${column} is not in the result.`);
    return `${quotedName(output ?? columnOf(table, column, at).sqlName)} ${direction} nulls last`;
  });
  if (order.length > 0) clauses.push(`order by ${order.join(', ')}`);
  if (query.limit !== undefined) clauses.push(`limit ${query.limit}`);
  if (query.offset) clauses.push(`offset ${query.offset}`);
  return clauses.join(' ');
}

/** @param groupBy undefined if the query has no groups. */
function selectedSql(
  selected: Selected,
  table: QueriedTable,
  groupBy: readonly Column[] | undefined,
  at: Path,
): { name: string; sql: string } {
  if (!('fn' in selected)) {
    const column = columnOf(table, selected.column, [...at, 'column']);
    if (groupBy && !groupBy.includes(column)) {
      throw invalidAt([...at, 'column'], `${column.sqlName} is neither in group_by nor in a function.`);
    }
    return { name: column.sqlName, sql: quotedName(column.sqlName) };
  }
  const { fn } = selected;
  if (selected.column === undefined) {
    if (fn !== 'count') throw invalidAt([...at, 'column'], `${fn} needs a column.`);
    const name = selected.as ?? 'count';
    return { name, sql: `count(*) as ${quotedName(name)}` };
  }
  const column = columnOf(table, selected.column, [...at, 'column']);
  if (['sum', 'avg', 'median'].includes(fn) && !NUMBERS.includes(column.type)) {
    throw invalidAt([...at, 'column'], `${fn} needs a column of numbers, and ${column.sqlName} is ${column.type}.`);
  }
  const name = selected.as ?? `${fn}_${column.sqlName}`;
  const call =
    fn === 'count_distinct' ? `count(distinct ${quotedName(column.sqlName)})` : `${fn}(${quotedName(column.sqlName)})`;
  return { name, sql: `${call} as ${quotedName(name)}` };
}

function groupSql(group: MetadataFilterGroup, table: QueriedTable, at: Path): string {
  const members = group.filters.map((member, i) => {
    const here = [...at, 'filters', i];
    return 'filters' in member ? groupSql(member, table, here) : conditionSql(member, table, here);
  });
  return `(${members.join(` ${group.operator} `)})`;
}

function conditionSql({ key, operator, value }: MetadataFilter, table: QueriedTable, at: Path): string {
  const column = columnOf(table, key, [...at, 'key']);
  const name = quotedName(column.sqlName);
  const operands = (Array.isArray(value) ? value : [value]) as readonly Scalar[];
  const compared = (operand: Scalar, i: number) =>
    comparisonOf(column, operand, Array.isArray(value) ? [...at, 'value', i] : [...at, 'value']);
  switch (operator) {
    case 'exists':
      return `${name} is not null`;
    case 'not_exists':
      return `${name} is null`;
    case 'contains':
    case 'starts_with': {
      if (column.type !== 'text') throw invalidAt([...at, 'operator'], `${operator} needs a column of text.`);
      const { left, right } = compared(operands[0]!, 0);
      return `${operator}(${left}, ${right})`;
    }
    case 'in':
      return anyOf(operands.map(compared));
    case 'nin':
      return `(${name} is null or not ${anyOf(operands.map(compared))})`;
    case 'ne': {
      const { left, right } = compared(operands[0]!, 0);
      return `(${name} is null or ${left} <> ${right})`;
    }
    default: {
      const { left, right } = compared(operands[0]!, 0);
      return `${left} ${COMPARISONS[operator]} ${right}`;
    }
  }
}

interface Comparison {
  left: string;
  right: string;
}

function anyOf(comparisons: readonly Comparison[]): string {
  const byLeft = Map.groupBy(comparisons, ({ left }) => left);
  const lists = [...byLeft].map(([left, ones]) => `${left} in (${ones.map(({ right }) => right).join(', ')})`);
  return lists.length === 1 ? lists[0]! : `(${lists.join(' or ')})`;
}

/** Returns both sides of a comparison. A value that does not fit the type of the column is refused: it would match nothing. */
function comparisonOf(column: Column, operand: Scalar, at: Path): Comparison {
  const name = quotedName(column.sqlName);
  const wrong = (wanted: string) =>
    invalidAt(at, `the column ${column.sqlName} is ${column.type}, so the value must be ${wanted}.`);
  if (column.type === 'text') {
    const text = String(operand).normalize('NFC');
    // Cells are compared in NFC. For a value in ASCII, that makes no difference that a reader sees.
    return { left: /^[\0-\x7f]*$/.test(text) ? name : `nfc_normalize(${name})`, right: textLiteral(text) };
  }
  if (column.type === 'boolean') {
    if (!/^(?:true|false)$/i.test(String(operand))) throw wrong('true or false');
    return { left: name, right: String(operand).toLowerCase() };
  }
  if (column.type === 'time') {
    if (!TIME_OF_DAY.test(String(operand))) throw wrong('a time such as 09:30:00');
    return { left: name, right: `cast(${textLiteral(String(operand))} as time)` };
  }
  const { kind, text } = classify(operand);
  if (column.type === 'date' || column.type === 'datetime') {
    if (kind !== 'time') throw wrong('a date such as 2024-01-31 or 2024-01-31T09:30:00Z');
    const isDay = String(operand).length === 10;
    if (isDay && column.type === 'date') return { left: name, right: `cast(${textLiteral(String(operand))} as date)` };
    const time = new Date(text).toISOString().replace('T', ' ').replace('Z', '');
    return { left: `cast(${name} as timestamp)`, right: `cast(${textLiteral(time)} as timestamp)` };
  }
  if (kind !== 'number' || !Number.isFinite(Number(text))) throw wrong('a number');
  const isExact = column.type !== 'double' && /^[+-]?\d{1,18}(?:\.\d{1,18})?$/.test(text);
  return { left: name, right: isExact ? text.replace('+', '') : `cast(${textLiteral(text)} as double)` };
}

function columnOf(table: QueriedTable, name: string, at: Path): Column {
  const column = table.columns.find(({ sqlName }) => sqlName.toLowerCase() === name.toLowerCase());
  if (column) return column;
  const near = nearestNames(
    name,
    table.columns.map(({ sqlName }) => sqlName),
  );
  throw invalidAt(at, `there is no column ${name}.${near}`);
}

/** A structured query as the form changes it. What the API takes is the truth: it stands in the address and is sent as it is. */
import type { Table, TableQuery, TableRequest } from '../../data/tables/tables.ts';

type Column = Pick<Table['columns'][number], 'sql_name' | 'type'>;
type Member = NonNullable<TableQuery['where']>['filters'][number];
export type Condition = Extract<Member, { key: string }>;
export type Operator = Condition['operator'];
type Selected = NonNullable<TableQuery['columns']>[number];
type Function = Extract<Selected, { fn: string }>['fn'];

/** A figure for each group of rows, or for all rows. */
export interface Summary {
  fn: Function;
  /** Absent: rows are counted. */
  column?: string | undefined;
  by?: string | undefined;
}

/** What an address asks of a table. */
export type AddressedRequest = Omit<TableRequest, 'tables'>;

export function readTableRequest(given: Record<string, unknown>): AddressedRequest {
  const { sql, question, query } = given;
  if (typeof sql === 'string') return { sql };
  if (typeof question === 'string') return { question };
  const isQuery = typeof query === 'object' && query !== null && 'from' in query;
  return isQuery ? { query: query as TableQuery } : {};
}

const NUMBERS: readonly Column['type'][] = ['integer', 'decimal', 'double'];

/** Returns the comparisons that a column can take. */
export function operatorsOf(type: Column['type'] | undefined): Operator[] {
  const same: Operator[] = ['eq', 'ne'];
  const found: Operator[] = ['exists', 'not_exists'];
  if (type === 'boolean') return [...same, ...found];
  if (type === 'text') return [...same, 'contains', 'starts_with', ...found];
  return [...same, 'gt', 'gte', 'lt', 'lte', ...found];
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'exists' && operator !== 'not_exists';
}

/** Returns the columns that a function can take. */
export function columnsFor<C extends Column>(fn: Function, columns: readonly C[]): C[] {
  const isArithmetic = fn === 'sum' || fn === 'avg' || fn === 'median';
  return columns.filter(({ type }) => !isArithmetic || NUMBERS.includes(type));
}

export function conditionsOf(query: TableQuery): Condition[] {
  return (query.where?.filters ?? []).filter((one): one is Condition => 'key' in one);
}

export function withConditions({ where: _, ...query }: TableQuery, filters: Condition[]): TableQuery {
  return filters.length === 0 ? query : { ...query, where: { filters } };
}

/** Returns the figure that the query computes; null if it returns rows. */
export function summaryOf(query: TableQuery): Summary | null {
  const figure = query.columns?.find((one) => 'fn' in one);
  return figure && 'fn' in figure ? { fn: figure.fn, column: figure.column, by: query.group_by?.[0] } : null;
}

/** Returns the query with another figure. An order by a column that the result no longer has is left out. */
export function withSummary(query: TableQuery, summary: Summary | null, columns: readonly Column[]): TableQuery {
  const { columns: _, group_by: __, order_by: order, ...rest } = query;
  const next: TableQuery = summary ? { ...rest, ...selectionOf(summary) } : rest;
  const kept = order?.filter(({ column }) => resultColumns(next, columns).includes(column)) ?? [];
  return kept.length === 0 ? next : { ...next, order_by: kept };
}

function selectionOf({ fn, column, by }: Summary): Pick<TableQuery, 'columns' | 'group_by'> {
  const figure = column === undefined ? { fn } : { fn, column };
  return by === undefined ? { columns: [figure] } : { columns: [{ column: by }, figure], group_by: [by] };
}

/** Returns the names by which the result can be sorted. */
export function resultColumns(query: TableQuery, columns: readonly Column[]): string[] {
  const summary = summaryOf(query);
  if (!summary) return columns.map(({ sql_name: name }) => name);
  const figure = summary.column === undefined ? 'count' : `${summary.fn}_${summary.column}`;
  return summary.by === undefined ? [figure] : [summary.by, figure];
}

/** Returns whether nothing is missing: each condition that needs a value has one. */
export function isComplete(query: TableQuery): boolean {
  return conditionsOf(query).every(({ operator, value }) => !needsValue(operator) || String(value ?? '').trim() !== '');
}

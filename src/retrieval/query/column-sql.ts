/**
 * Compiles a condition on a metadata column to SQL over source `s`. Values compare as in every metadata filter; a value of an
 * integer column is the number in plain decimal digits. A source without a value of the column's type lacks the key.
 */
import { type ColumnRef, columnValues, computedValue, textIsOneOf } from '../../corpus/column-store.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import { conditionSql, OPERATORS, readValue, type Scalar } from '../../filters/metadata-sql.ts';
import { classify } from '../../filters/metadata-value.ts';
import type { MetadataFilter } from '../../filters/types.ts';

/** Operators that also match a missing key, with the operator that they negate. */
const OPPOSITES: Partial<Record<MetadataFilter['operator'], MetadataFilter['operator']>> = {
  ne: 'eq',
  nin: 'in',
  not_exists: 'exists',
};

/**
 * Returns the condition. The index of the column serves it. While the index is being built, the condition reads the metadata itself,
 * so that answers do not depend on the progress of the build.
 */
export function columnCondition(tenantId: string, filter: MetadataFilter, column: ColumnRef): Sql {
  if (column.status === 'building') return conditionSql(filter, readValue(computedValue(column)));
  const opposite = OPPOSITES[filter.operator];
  if (opposite) return sql`not ${columnCondition(tenantId, { ...filter, operator: opposite }, column)}`;
  const condition = column.type === 'string' ? textCondition(filter) : integerCondition(filter);
  // `is true` prevents a join: the planner computes the set once and hashes it, whatever the statistics are.
  return sql`((s.id in (select v.source_id from ${columnValues(tenantId, column)} v where ${condition})) is true)`;
}

function textCondition(filter: MetadataFilter): Sql {
  if (filter.operator === 'eq' || filter.operator === 'in') {
    const operands = [filter.value as Scalar | readonly Scalar[]].flat().map(classify);
    // Only plain text equals nothing but itself: 7 equals 07, and a date equals its first moment.
    if (operands.every(({ kind }) => kind === 'text')) return textIsOneOf(operands.map(({ text }) => text));
  }
  return conditionSql(filter, readValue(raw('v.text_value'), true));
}

function integerCondition(filter: MetadataFilter): Sql {
  switch (filter.operator) {
    case 'in': {
      const operands = (filter.value as readonly Scalar[]).map(classify);
      const numbers = operands.filter(({ kind }) => kind === 'number').map(({ text }) => text);
      return sql`v.int_value = any(${numbers}::numeric[])`;
    }
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const operand = classify(filter.value as Scalar);
      if (operand.kind === 'number')
        return sql`v.int_value ${raw(OPERATORS[filter.operator])} ${operand.text}::numeric`;
    }
  }
  return conditionSql(filter, readValue(raw('v.int_value::text'), true));
}

/** The estimated work of metadata conditions in the database. The figures were measured on the embedded engine, with long values. */
import type { MetadataFilter, MetadataFilterGroup } from './types.ts';

/** Nanoseconds; a search tests most rows about four times. */
const CONDITION_NS = 50;
/** For each byte of an operand, which may be compared up to its end. */
const OPERAND_BYTE_NS = 0.3;
const IN_NS = 1_000;
const IN_VALUE_NS = 1;
/** For each value of `in`, however many rows there are: it is read and prepared by each statement. */
const IN_VALUE_FIXED_NS = 70_000;
/** `contains` compares up to its whole text at each byte of the value. */
const CONTAINS_NS = 1.5;
const CONTAINS_CHARACTER_NS = 0.3;

export interface FilterCost {
  fixedNs: number;
  rowNs: number;
  /** For each byte of the metadata of the rows. */
  byteNs: number;
}

/** Returns the cost of all groups together; undefined groups cost nothing. */
export function costOf(...groups: readonly (MetadataFilterGroup | undefined)[]): FilterCost {
  const cost = { fixedNs: 0, rowNs: 0, byteNs: 0 };
  for (const group of groups) if (group) addGroup(cost, group);
  return cost;
}

export function addCosts(...costs: readonly FilterCost[]): FilterCost {
  const sum = { fixedNs: 0, rowNs: 0, byteNs: 0 };
  for (const { fixedNs, rowNs, byteNs } of costs) {
    sum.fixedNs += fixedNs;
    sum.rowNs += rowNs;
    sum.byteNs += byteNs;
  }
  return sum;
}

function addGroup(cost: FilterCost, group: MetadataFilterGroup): void {
  for (const member of group.filters) {
    if ('filters' in member) addGroup(cost, member);
    else addCondition(cost, member);
  }
}

export function addCondition(cost: FilterCost, { operator, value }: MetadataFilter): void {
  cost.rowNs += CONDITION_NS;
  if (Array.isArray(value)) {
    cost.fixedNs += value.length * IN_VALUE_FIXED_NS;
    cost.rowNs += IN_NS + value.length * IN_VALUE_NS;
  } else if (operator === 'contains') {
    cost.byteNs += CONTAINS_NS + CONTAINS_CHARACTER_NS * String(value).length;
  } else if (value !== undefined) {
    cost.rowNs += Buffer.byteLength(String(value)) * OPERAND_BYTE_NS;
  }
}

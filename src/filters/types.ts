/** Filters on metadata: comparisons of keys, joined by `and` and `or`. */

export const FILTER_OPERATORS = [
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
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];
export type Scalar = string | number | boolean;

/** A comparison of one metadata key. `value` is absent for exists and not_exists, and an array for in and nin. */
export interface MetadataFilter {
  key: string;
  operator: FilterOperator;
  value?: Scalar | readonly Scalar[];
}

export interface MetadataFilterGroup {
  operator: 'and' | 'or';
  filters: readonly (MetadataFilter | MetadataFilterGroup)[];
}

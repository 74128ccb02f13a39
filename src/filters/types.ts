/** Filters on metadata: comparisons of keys, joined by `and` and `or`. */

/** A comparison of one metadata key. `value` is absent for exists and not_exists, and an array for in and nin. */
export interface MetadataFilter {
  key: string;
  operator:
    | 'eq'
    | 'ne'
    | 'gt'
    | 'gte'
    | 'lt'
    | 'lte'
    | 'in'
    | 'nin'
    | 'contains'
    | 'starts_with'
    | 'exists'
    | 'not_exists';
  value?: string | number | boolean | readonly (string | number | boolean)[];
}

export interface MetadataFilterGroup {
  operator: 'and' | 'or';
  filters: readonly (MetadataFilter | MetadataFilterGroup)[];
}

/** The filters of the source list, as they stand in the address. */

export const STATES = ['ready', 'pending', 'failed'] as const;
export type State = (typeof STATES)[number];
export const SORTS = ['name', 'content_time', 'size', 'chunks'] as const;
export type Sort = (typeof SORTS)[number];

export interface Filters {
  q?: string | undefined;
  status?: State | undefined;
  type?: string | undefined;
  group?: string | undefined;
  tag?: string | undefined;
  sort?: Sort | undefined;
  order?: 'asc' | 'desc' | undefined;
  /** Whether the dialog that adds files is open. */
  add?: true | undefined;
}

function oneOf<const T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((one) => one === value);
}

/** Returns the filters of an address. Members that are no filter are left out. */
export function readFilters(given: Record<string, unknown>): Filters {
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' && value.trim() !== ''
      ? value
      : typeof value === 'number'
        ? String(value)
        : undefined;
  };
  return {
    q: text('q'),
    status: oneOf(STATES, given['status']),
    type: text('type'),
    group: text('group'),
    tag: text('tag'),
    sort: oneOf(SORTS, given['sort']),
    order: oneOf(['asc', 'desc'], given['order']),
    add: given['add'] === true ? true : undefined,
  };
}

/**
 * Returns the filters after a click on the head of a column: the column in its usual direction, then the other one, then the order without
 * a column, which is the newest source first.
 */
export function sortedBy(filters: Filters, column: Sort): Filters {
  const usual = column === 'name' ? 'asc' : 'desc';
  const { sort, order = 'desc' } = filters;
  if (sort !== column) return { ...filters, sort: column, order: usual };
  if (order !== usual) return { ...filters, sort: undefined, order: undefined };
  return { ...filters, sort: column, order: usual === 'asc' ? 'desc' : 'asc' };
}

/** Whether the list is narrowed at all. */
export function isFiltered({ q, status, type, group, tag }: Filters): boolean {
  return [q, status, type, group, tag].some((value) => value !== undefined);
}

/** Returns the rows from one to another of a list, in either direction. Without a beginning, the one row. */
export function rangeOf<T>(rows: readonly T[], from: number | null, to: number): T[] {
  const [first, last] = from === null ? [to, to] : [Math.min(from, to), Math.max(from, to)];
  return rows.slice(first, last + 1);
}

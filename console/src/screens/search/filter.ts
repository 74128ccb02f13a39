/**
 * The filter of a search. Its JSON is the truth: it stands in the address, and is sent as it is. The form shows the part of it that it
 * understands, and leaves the rest as it is.
 */
import type { SearchBody } from '../../data/search.ts';

export type Filter = Omit<SearchBody, 'query' | 'mode' | 'limit' | 'offset' | 'rerank' | 'context' | 'use_postfilter'>;

export const FILE_TYPES = [
  'pdf',
  'docx',
  'odt',
  'rtf',
  'txt',
  'md',
  'html',
  'pptx',
  'odp',
  'xlsx',
  'ods',
  'csv',
  'tsv',
  'eml',
  'epub',
  'json',
  'jsonl',
  'xml',
  'yaml',
  'parquet',
  'sqlite',
  'ipynb',
  'code',
  'unknown',
] as const;
export const SOURCE_TYPES = ['local_file', 'drive', 'page', 'repo', 'web', 'database'] as const;
export const OPERATORS = [
  'eq',
  'ne',
  'contains',
  'starts_with',
  'gt',
  'gte',
  'lt',
  'lte',
  'exists',
  'not_exists',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** Filters whose values are joined by “or”. */
const LISTS = ['source_group_ids', 'file_types', 'source_types', 'tags'] as const;
type ListKind = (typeof LISTS)[number];
/** Limits of the date of a source, in Unix seconds. */
const DATES = ['date_from', 'date_to'] as const;
export const KINDS = [...LISTS, ...DATES, 'metadata'] as const;
/** The service takes no earlier date. */
export const DAY_MIN = '2025-01-01';

/** A line of the form. */
export type Condition =
  | { kind: ListKind; values: string[] }
  | { kind: (typeof DATES)[number]; value: number }
  | { kind: 'metadata'; key: string; operator: Operator; value: string | number | boolean };

/** Whether a value may be a filter: the service says what is wrong with its members. */
export function isFilter(value: unknown): value is Filter {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the filter of an address; null if it is not a JSON object. Without the filter, a search would show what it is to hide. */
export function readFilter(text: string | undefined): Filter | null {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isFilter(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns the JSON for the address; undefined for no filter. */
export function filterText(filter: Filter): string | undefined {
  return Object.keys(filter).length === 0 ? undefined : JSON.stringify(filter);
}

/** Returns the conditions that the form can show, and whether the filter has more than them. */
export function conditionsOf(filter: Filter): { conditions: Condition[]; more: boolean } {
  const conditions: Condition[] = [];
  let more = false;
  for (const [name, value] of Object.entries(filter)) {
    const list = LISTS.find((one) => one === name);
    const date = DATES.find((one) => one === name);
    if (list && Array.isArray(value)) conditions.push({ kind: list, values: value.map(String) });
    else if (date && typeof value === 'number') conditions.push({ kind: date, value });
    else if (name === 'source_metadata' && isSimpleGroup(value))
      conditions.push(
        ...value.filters.map(({ key, operator, value: v }) => ({
          kind: 'metadata' as const,
          key,
          operator,
          value: v ?? '',
        })),
      );
    else more = true;
  }
  return { conditions, more };
}

interface SimpleGroup {
  operator?: 'and';
  filters: { key: string; operator: Operator; value?: string | number | boolean }[];
}

function isSimpleGroup(value: unknown): value is SimpleGroup {
  const group = value as { operator?: unknown; filters?: unknown } | null;
  if (typeof group !== 'object' || group === null || !Array.isArray(group.filters)) return false;
  if (group.operator !== undefined && group.operator !== 'and') return false;
  return group.filters.every((one: { key?: unknown; operator?: unknown; value?: unknown }) => {
    const scalar = one.value === undefined || ['string', 'number', 'boolean'].includes(typeof one.value);
    return typeof one.key === 'string' && OPERATORS.includes(one.operator as Operator) && scalar;
  });
}

/** Returns the filter with a condition more. Values of the same kind are joined. */
export function withCondition(filter: Filter, added: Condition): Filter {
  if (added.kind !== 'metadata' && !('values' in added)) return { ...filter, [added.kind]: added.value };
  if (added.kind !== 'metadata') {
    const old = (filter[added.kind] ?? []) as string[];
    return { ...filter, [added.kind]: [...new Set([...old, ...added.values])] };
  }
  const { key, operator, value } = added;
  const one = operator === 'exists' || operator === 'not_exists' ? { key, operator } : { key, operator, value };
  const old = filter.source_metadata;
  if (old === undefined) return { ...filter, source_metadata: { filters: [one] } };
  if (isSimpleGroup(old)) return { ...filter, source_metadata: { ...old, filters: [...old.filters, one] } };
  return { ...filter, source_metadata: { operator: 'and', filters: [old, one] } };
}

/** Returns the filter without a condition, given by its position among those of `conditionsOf`. */
export function withoutCondition(filter: Filter, at: number): Filter {
  const removed = conditionsOf(filter).conditions[at];
  if (!removed) return filter;
  if (removed.kind !== 'metadata') {
    const { [removed.kind]: _, ...rest } = filter;
    return rest;
  }
  const group = filter.source_metadata as SimpleGroup;
  const before = conditionsOf(filter)
    .conditions.slice(0, at)
    .filter((one) => one.kind === 'metadata').length;
  const filters = group.filters.filter((_, index) => index !== before);
  const { source_metadata: _, ...rest } = filter;
  return filters.length === 0 ? rest : { ...rest, source_metadata: { ...group, filters } };
}

/** Returns the value of a text field: a number or a truth value if it is written like one. */
export function typedValue(text: string): string | number | boolean {
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** Returns a day of the form, such as `2026-03-01`, as a limit: from its first second, or to its last, where the reader is. */
export function secondsOf(kind: (typeof DATES)[number], day: string): number {
  return Math.floor(new Date(`${day}T${kind === 'date_from' ? '00:00:00' : '23:59:59'}`).getTime() / 1000);
}

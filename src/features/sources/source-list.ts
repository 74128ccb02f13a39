/** The list of all sources that a key may see: search, filters, sort, counts, and what each source waits for. */
import type { GroupLimits } from '../../access/limits.ts';
import type { Database } from '../../db/database.ts';
import { invalidRequest } from '../../errors.ts';
import { FACT_STEPS, redactFact } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import type { Redactors } from '../../redaction/redactors.ts';
import { readRedactor } from '../../redaction/redactors.ts';
import { collect } from '../../util/collect.ts';
import { isId } from '../../util/ids.ts';
import {
  countAllSources,
  countByGroup,
  countByTag,
  type Facet,
  type ListedSource,
  listAllSources,
  listSourceNames,
  type SourceCount,
  type SourceFilter,
  type SourcePage,
  type SourceSort,
  type SourceState,
} from './source-list-store.ts';

/** Maximum names with the text `q` that one request redacts in order to search them. */
const REDACTED_NAMES_MAX = 500;
/** Maximum file types, source groups and tags with a count of their own: the most frequent ones. */
const FACETS_MAX = 50;

export interface SourceList {
  rows: ListedSource[];
  counts: Counts;
  /** Null unless they were asked for. */
  facets: Facets | null;
  redactor: Redactor | null;
}

export interface Facets {
  groups: Facet[];
  tags: Facet[];
}

export interface Counts {
  total: number;
  byState: Record<SourceState, number>;
  byFileType: { fileType: string; count: number }[];
}

/**
 * Returns one page, with one extra row if there is a next page, and the counts.
 *
 * @throws ServiceError invalid_request if redaction rules may apply to names, and the list is sorted by name, or `q` is in too many names:
 *   positions and matches would reveal what the rules hide.
 */
export async function listSources(
  { db, redactors }: { db: Database; redactors: Redactors },
  caller: GroupLimits & { tenantId: string },
  filter: SourceFilter,
  page: SourcePage & { facets: boolean },
): Promise<SourceList> {
  const { tenantId } = caller;
  const redactor = await readRedactor({ db, redactors }, tenantId);
  const isRedacted = FACT_STEPS.some((step) => redactor?.appliesAt(step));
  if (isRedacted && page.sort === 'name')
    throw invalidRequest(
      'Query parameter "sort": sources cannot be sorted by name while redaction rules apply to names.',
    );
  const visible =
    isRedacted && filter.q !== undefined
      ? await searchRedacted(db, caller, filter, filter.q, redactor)
      : { ...filter, inPath: true };
  return db.transaction(tenantId, async (tx) => ({
    rows: await listAllSources(tx, caller, visible, page),
    counts: sumUp(await countAllSources(tx, caller, visible), filter),
    facets: page.facets
      ? {
          groups: await countByGroup(tx, caller, visible, FACETS_MAX),
          tags: await countByTag(tx, caller, visible, FACETS_MAX),
        }
      : null,
    redactor,
  }));
}

/** Returns the filter with the ids of the sources whose redacted names contain `q`, instead of `q`. */
async function searchRedacted(
  db: Database,
  caller: GroupLimits & { tenantId: string },
  filter: SourceFilter,
  q: string,
  redactor: Redactor | null,
): Promise<SourceFilter> {
  const found = await db.transaction(caller.tenantId, (tx) =>
    listSourceNames(tx, caller, filter, REDACTED_NAMES_MAX + 1),
  );
  if (found.length > REDACTED_NAMES_MAX)
    throw invalidRequest(`Query parameter "q": is in more than ${REDACTED_NAMES_MAX} names. Give more of the name.`);
  const ids = await collect(found, async ({ id, name }) => {
    const redacted = await redactFact(redactor, name);
    return redacted?.toLowerCase().includes(q.toLowerCase()) ? id : undefined;
  });
  return { ...filter, q: undefined, ids };
}

/** Returns the counts. Each count has all filters but its own: the numbers of the other tabs do not change with the tab. */
function sumUp(rows: readonly SourceCount[], { state, fileTypes }: SourceFilter): Counts {
  const counts: Counts = { total: 0, byState: { pending: 0, ready: 0, failed: 0 }, byFileType: [] };
  const byType = new Map<string, number>();
  for (const row of rows) {
    const hasState = state === undefined || row.state === state;
    const hasType = fileTypes === undefined || fileTypes.includes(row.fileType);
    if (hasState && hasType) counts.total += row.count;
    if (hasType) counts.byState[row.state] += row.count;
    if (hasState) byType.set(row.fileType, (byType.get(row.fileType) ?? 0) + row.count);
  }
  counts.byFileType = [...byType]
    .map(([fileType, count]) => ({ fileType, count }))
    .sort((a, b) => b.count - a.count || (a.fileType < b.fileType ? -1 : 1))
    .slice(0, FACETS_MAX);
  return counts;
}

export const STAGES = ['queued', 'waiting', 'reading', 'embedding', 'stopped'] as const;
export type Stage = (typeof STAGES)[number];

/** Returns what happens to the source now, or what it waits for; null when nothing is left to do. */
export function stageOf({ state, groupStatus, attempts, embeds }: ListedSource): Stage | null {
  if (state !== 'pending') return embeds ? 'embedding' : null;
  if (groupStatus === 'queued' || groupStatus === 'starting') return 'queued';
  if (groupStatus !== 'started') return 'stopped';
  return attempts > 0 ? 'reading' : 'waiting';
}

/** Returns the cursor of the page behind the row. */
export function cursorOf(row: ListedSource, sort: SourceSort, order: 'asc' | 'desc'): string {
  return Buffer.from(JSON.stringify([sort, order, row.sortValue, row.id])).toString('base64url');
}

/** Returns the position that a cursor names. @throws ServiceError invalid_request for a cursor of another list. */
export function readCursor(cursor: string, sort: SourceSort, order: 'asc' | 'desc'): NonNullable<SourcePage['after']> {
  const [ofSort, ofOrder, value, id] = parse(cursor);
  const type = sort === 'name' ? 'string' : 'number';
  const isValue =
    sort === 'time' ? value === null : typeof value === type && (type === 'string' || Number.isSafeInteger(value));
  if (ofSort !== sort || ofOrder !== order || !isValue || !isId(id) || String(value).includes('\0'))
    throw invalidRequest('Query parameter "cursor": must be the next_cursor of a page with the same sort and order.');
  return { value: value as string | number, id };
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** The source list across groups, and what can be done with its rows. */
import type { GroupSource } from '../../../src/client/api.ts';
import type { Filters } from '../screens/sources/filters.ts';
import { PinakesError, pinakes, sessionFetch } from './api.ts';

const ROWS_PER_REQUEST = 100;

export interface SourceRow extends GroupSource {
  source_group_name: string;
  /** What is still done with the source; null when nothing is to be done. */
  stage: 'queued' | 'waiting' | 'reading' | 'embedding' | null;
  /** Why the newest version could not be read. */
  error: { title: string; message: string; retryable: boolean; stage: string } | null;
}

export interface SourcePage {
  sources: SourceRow[];
  counts: {
    total: number;
    status: { pending: number; ready: number; failed: number };
    file_type: { file_type: string; count: number }[];
  };
  pagination: { limit: number; has_more: boolean; next_cursor: string | null };
}

export async function listSources(filters: Filters, cursor: string | null, signal: AbortSignal): Promise<SourcePage> {
  const query = new URLSearchParams({ limit: String(ROWS_PER_REQUEST) });
  const given = {
    q: filters.q?.trim(),
    status: filters.status,
    file_type: filters.type,
    source_group_id: filters.group,
    sort: filters.sort,
    order: filters.order,
    cursor: cursor ?? undefined,
  };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value);
  const response = await sessionFetch(`/api/v1/source-list?${query}`, { signal });
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as SourcePage;
}

/** Reads the failed files again of every group that has one of the sources. */
export async function readAgain(rows: readonly SourceRow[]): Promise<void> {
  for (const id of new Set(rows.map((row) => row.source_group_id)))
    await pinakes.startRun({ params: { id }, body: { only_failed: true } });
}

export async function deleteSources(rows: readonly SourceRow[]): Promise<void> {
  for (const { id } of rows) await pinakes.deleteSource({ params: { id } });
}

export async function errorOf(response: Response): Promise<PinakesError> {
  const body = (await response.json().catch(() => null)) as { error?: { message: string; type: string } } | null;
  return new PinakesError(response.status, body?.error?.type ?? '', body?.error?.message ?? response.statusText, null);
}

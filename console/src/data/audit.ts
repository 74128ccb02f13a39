/** The audit log, newest first. */
import type { AuditEvent, Operations } from '../../../src/client/api.ts';
import { type AuditFilters, startOf } from '../screens/audit/filters.ts';
import { pinakes } from './api.ts';

const EVENTS_PER_REQUEST = 50;

export type { AuditEvent };
export type AuditPage = Operations['listAuditEvents']['response'];

export function listAuditEvents(filters: AuditFilters, afterId: string | undefined): Promise<AuditPage> {
  const { action, kind, object, key, period } = filters;
  const query = {
    limit: EVENTS_PER_REQUEST,
    order: 'desc' as const,
    action,
    object_kind: kind,
    object_id: object,
    api_key_id: key,
    from_time: startOf(period),
    after_id: afterId,
  };
  return pinakes.listAuditEvents({ query });
}

/** Returns the names of API keys by their ids; nothing if this key may not see them. */
export async function readKeyNames(): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let after: string | undefined | null; after !== null; ) {
    const query = { limit: 100, ...(after !== undefined && { after_id: after }) };
    const page: Operations['listApiKeys']['response'] = await pinakes.listApiKeys({ query });
    for (const { id, name } of page.api_keys) names.set(id, name);
    after = page.pagination.next_id;
  }
  return names;
}

/** The filters of the audit log, as they stand in the address. */
import type { AuditEvent } from '../../../../src/client/api.ts';
import { PERIODS, type Period } from '../runs/filters.ts';

export { startOf } from '../runs/filters.ts';

export const ACTIONS = [
  'create',
  'change',
  'delete',
  'issue',
  'rotate',
  'revoke',
] as const satisfies AuditEvent['action'][];
export const KINDS = [
  'api_key',
  'console_session',
  'secret',
  'subject',
  'authz_policy',
  'redaction_policy',
  'source_group',
  'source',
  'setting',
  'conversation',
  'tag',
  'metadata_column',
  'tenant',
  'master_key',
] as const satisfies AuditEvent['object_kind'][];

export interface AuditFilters {
  action?: AuditEvent['action'] | undefined;
  kind?: AuditEvent['object_kind'] | undefined;
  object?: string | undefined;
  key?: string | undefined;
  period?: Period | undefined;
}
/** `event`: the one whose details are open. */
export type AuditSearch = AuditFilters & { event?: string | undefined };

/** Returns the filters of an address. Members that are no filter are left out. */
export function readAuditSearch(given: Record<string, unknown>): AuditSearch {
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    action: ACTIONS.find((one) => one === given['action']),
    kind: KINDS.find((one) => one === given['kind']),
    object: text('object'),
    key: text('key'),
    period: PERIODS.find((one) => one === given['period']),
    event: text('event'),
  };
}

/** The route that reads the audit log. Events are written by the changes themselves, in their transactions. */
import { z } from 'zod';
import { AUDIT_ACTIONS, AUDIT_OBJECT_KINDS, type ListedAuditEvent, listAuditEvents } from '../../corpus/audit-store.ts';
import type { Deps } from '../../http/deps.ts';
import { refuseLimitedKeys } from '../../http/key-limits.ts';
import {
  orderShape,
  pageAnswer,
  pageQueryShape,
  pageRequest,
  pageResponse,
  readTimes,
  timesShape,
} from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { givenId, idSchema, timeSchema } from '../../http/schemas.ts';
import { text } from '../../util/text-schema.ts';
import { unixSeconds } from '../../util/time.ts';

/** The longest object ids are those of principals. */
const OBJECT_ID_LENGTH_MAX = 256;

const eventSchema = z
  .object({
    id: idSchema.describe('Id of the event.'),
    seq: z.int().describe('Number of the event in the log of the tenant: 1, 2, 3 …, without gaps.'),
    creation_time: timeSchema,
    api_key_id: idSchema
      .nullable()
      .describe('API key that made the change; null when the operator made it by a command.'),
    api_key_name: z
      .string()
      .nullable()
      .describe('Name of this API key, also after it was revoked. It is not part of `hash`. Null for the operator.'),
    action: z.enum(AUDIT_ACTIONS).describe('What was done.'),
    object_kind: z.enum(AUDIT_OBJECT_KINDS).describe('Kind of the object that was changed.'),
    object_id: z
      .string()
      .describe('Id of the object. Policies and metadata columns have their name here, subjects their principal.'),
    details: z.record(z.string(), z.unknown()).describe('What changed, without secrets and without content.'),
    time: z.string().describe('The exact time, in the form that is hashed: ISO 8601 with milliseconds.'),
    prev_hash: z.string().describe('The `hash` of the previous event; zeros for the first event.'),
    hash: z.string().describe('SHA-256, in hex, of `prev_hash`, a line feed, and the event as canonical JSON.'),
  })
  .meta({ id: 'AuditEvent' });

const eventQuery = z.strictObject({
  ...pageQueryShape,
  ...orderShape,
  action: z.enum(AUDIT_ACTIONS).optional().describe('Only events with this action.'),
  object_kind: z.enum(AUDIT_OBJECT_KINDS).optional().describe('Only events about objects of this kind.'),
  object_id: text(1, OBJECT_ID_LENGTH_MAX)
    .optional()
    .describe('Only events about the object with this id. An unknown id selects nothing.'),
  api_key_id: givenId.optional().describe('Only changes that this API key made. An unknown key selects nothing.'),
  ...timesShape('Only events'),
});

export const auditRoutes = (deps: Deps): Route[] => [
  routesOf('Audit log')({
    method: 'GET',
    path: '/audit-events',
    scopes: ['audit:read'],
    operation: {
      id: 'listAuditEvents',
      summary: 'List audit events',
      description:
        'Who changed API keys, secrets, policies, tags, metadata columns and schedules, and who deleted what. Every event ' +
        'holds the hash of the previous event, so that later changes and removals of events can be detected. An API key with limits ' +
        'cannot read the audit log.',
    },
    check: refuseLimitedKeys('read the audit log'),
    query: eventQuery,
    response: pageResponse('audit_events', eventSchema, 'Events of this page.'),
    async handler({ caller, query }) {
      const { action, object_kind: objectKind, object_id: objectId, api_key_id: apiKeyId } = query;
      const filter = { action, objectKind, objectId, apiKeyId, ...readTimes(query) };
      const listed = await deps.db.transaction(caller.tenantId, (tx) =>
        listAuditEvents(tx, filter, pageRequest(query)),
      );
      return pageAnswer('audit_events', query, listed, (event: ListedAuditEvent) =>
        toRecord(eventSchema, event, { creation_time: unixSeconds(event.at), time: event.at.toISOString() }),
      );
    },
  }),
];

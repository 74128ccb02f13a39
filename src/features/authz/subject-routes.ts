/** Routes for subjects: the attributes of principals. */

import { z } from 'zod';
import { findSubject, listSubjects, type Subject } from '../../access/subject-store.ts';
import type { Tx } from '../../db/database.ts';
import { orNotFound } from '../../errors.ts';
import { applyBatch, batchSchema } from '../../http/batch.ts';
import type { Deps } from '../../http/deps.ts';
import { refuseLimitedKeys } from '../../http/key-limits.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse, searchShape } from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { PRINCIPAL_LENGTH_MAX, TIME_MAX, timeSchema } from '../../http/schemas.ts';
import { text } from '../../util/text-schema.ts';
import { attributesPatchSchema, attributesSchema, storedAttributesSchema } from './attributes.ts';
import { changeSubject, removeSubject, setSubject } from './subjects.ts';

const route = routesOf('Authorization');
const SUBJECT_BATCH_MAX = 50;
const PATH = '/authz/subjects/{principal_id}/attributes';

/** Subjects and policies apply to the whole tenant, so a limited key must not change them. */
export const refuseLimited = refuseLimitedKeys('change who may see what');

const principalText = text(1, PRINCIPAL_LENGTH_MAX).refine((id) => id.isWellFormed() && !id.includes('\0'));
const params = z.strictObject({
  principal_id: principalText.describe('The end user, by the same id as in the `principal_id` of requests.'),
});
const expiresTime = z.int().min(0).max(TIME_MAX).nullable();

const subjectBody = z.strictObject({
  attributes: attributesSchema,
  expires_time: expiresTime
    .optional()
    .describe('From this time on the subject counts as one without attributes. Null or absent: never. Unix seconds.'),
});

const patchBody = z.strictObject({
  attributes: attributesPatchSchema
    .optional()
    .describe('Attributes to set, by name. Null removes an attribute; the others stay.'),
  expires_time: expiresTime.optional().describe('Unix seconds. Absent: unchanged. Null: the subject never expires.'),
});

const batchBody = z.strictObject({
  items: z
    .array(z.strictObject({ principal_id: principalText.describe('The end user.'), ...subjectBody.shape }))
    .max(SUBJECT_BATCH_MAX, `must have at most ${SUBJECT_BATCH_MAX} items`)
    .describe('The subjects to set. They are set in this order.'),
});

const subjectSchema = z
  .object({
    principal_id: z.string().describe('The end user.'),
    attributes: storedAttributesSchema.describe('Values of the attributes, by name.'),
    expires_time: timeSchema.nullable().describe('Unix seconds; null: the subject never expires.'),
    creation_time: timeSchema,
    last_update_time: timeSchema,
  })
  .meta({ id: 'AuthzSubject' });

const shared = {
  path: PATH,
  scopes: ['authz:grant'],
  params,
  response: { status: 200, schema: subjectSchema },
} as const;

export const subjectRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/authz/subjects',
    scopes: ['authz:grant'],
    operation: { id: 'listSubjects', summary: 'List subjects' },
    query: z.strictObject({ ...pageQueryShape, ...orderShape, ...searchShape('the principal_id') }),
    response: pageResponse('subjects', subjectSchema, 'Subjects of this page.'),
    async handler({ caller, query }) {
      const listed = await deps.db.transaction(caller.tenantId, (tx) => listSubjects(tx, query.q, pageRequest(query)));
      return pageAnswer('subjects', query, listed, toWire);
    },
  }),
  route({
    method: 'POST',
    path: '/authz/subjects/attributes/batch',
    scopes: ['authz:grant'],
    operation: {
      id: 'setSubjects',
      summary: 'Set the attributes of many subjects',
      description:
        `Sets at most ${SUBJECT_BATCH_MAX} subjects, one after the other. Each item succeeds or fails on its own, with the same error ` +
        'message as the request for one subject. A malformed body fails as a whole.',
    },
    check: refuseLimited,
    body: batchBody,
    response: { status: 200, schema: batchSchema('principal_id') },
    example: { items: [{ principal_id: 'ada@example.com', attributes: { department: 'sales' } }] },
    handler: async ({ caller, body, signal }) =>
      applyBatch(
        body.items,
        (item) => item.principal_id,
        (item) => setSubject(deps, caller, item.principal_id, toFields(item)),
        signal,
      ),
  }),
  route({
    ...shared,
    method: 'GET',
    operation: { id: 'getSubject', summary: 'Get the attributes of a subject' },
    handler: async ({ caller, params }) => {
      const find = (tx: Tx) => findSubject(tx, params.principal_id);
      return toWire(orNotFound(await deps.db.transaction(caller.tenantId, find)));
    },
  }),
  route({
    ...shared,
    method: 'PUT',
    operation: {
      id: 'setSubject',
      summary: 'Set the attributes of a subject',
      description:
        'Replaces all attributes of the subject. Takes effect at once. An API key with limits cannot do this.',
    },
    check: refuseLimited,
    body: subjectBody,
    errors: [409],
    example: { attributes: { department: 'sales', projects: ['apollo', 'gemini'], clearance: 2 } },
    handler: async ({ caller, params, body }) =>
      toWire(await setSubject(deps, caller, params.principal_id, toFields(body))),
  }),
  route({
    ...shared,
    method: 'PATCH',
    operation: {
      id: 'changeSubject',
      summary: 'Change attributes of a subject',
      description:
        'Sets and removes the attributes that the request names; the others stay. Takes effect at once. An API key with limits ' +
        'cannot do this.',
    },
    check: refuseLimited,
    body: patchBody,
    example: { attributes: { department: 'legal', clearance: null } },
    handler: async ({ caller, params, body }) =>
      toWire(
        await changeSubject(deps, caller, params.principal_id, {
          attributes: body.attributes ?? {},
          ...(body.expires_time === undefined ? {} : { expiresAt: toDate(body.expires_time) }),
        }),
      ),
  }),
  route({
    ...shared,
    method: 'DELETE',
    operation: {
      id: 'deleteSubject',
      summary: 'Delete a subject',
      description:
        'From now on the principal has no attributes. The answer is the deleted subject. An API key with limits cannot do this.',
    },
    check: refuseLimited,
    handler: async ({ caller, params }) => toWire(await removeSubject(deps, caller, params.principal_id)),
  }),
];

function toFields({ attributes, expires_time: time = null }: z.output<typeof subjectBody>) {
  return { attributes, expiresAt: toDate(time) };
}

function toDate(time: number | null): Date | null {
  return time === null ? null : new Date(time * 1000);
}

function toWire(subject: Subject): z.input<typeof subjectSchema> {
  return toRecord(subjectSchema, subject);
}

/** Attributes of principals over HTTP. */
import { z } from 'zod';
import { listSubjects, type Subject } from '../../access/subject-store.ts';
import { ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { unlimitedTo } from '../../http/key-limits.ts';
import { orderShape, pageQueryShape, paginationSchema, toPage } from '../../http/page.ts';
import { type Route, route } from '../../http/route.ts';
import { PRINCIPAL_LENGTH_MAX, timeSchema } from '../../http/schemas.ts';
import { text } from '../../util/text-schema.ts';
import { unixSeconds } from '../../util/time.ts';
import { attributesPatchSchema, attributesSchema, shownAttributesSchema } from './attributes.ts';
import { changeSubject, readSubject, removeSubject, setSubject } from './subjects.ts';

const AREA = 'Authorization';
export const SUBJECT_BATCH_MAX = 50;
/** Year 9999. */
const EXPIRES_TIME_MAX = 253_402_300_799;
const PATH = '/authz/subjects/{principal_id}/attributes';

/** Subjects and policies decide for the whole tenant. */
export const refuseLimited = unlimitedTo('change who may see what');

const principalText = text(1, PRINCIPAL_LENGTH_MAX).refine((id) => id.isWellFormed() && !id.includes('\0'));
const params = z.strictObject({ principal_id: principalText.describe('The end user, as requests name it.') });
const expiresTime = z.int().min(0).max(EXPIRES_TIME_MAX).nullable();

const subjectBody = z.strictObject({
  attributes: attributesSchema,
  expires_time: expiresTime
    .optional()
    .describe('From then on it counts as one without attributes; null or absent: never.'),
});

const patchBody = z.strictObject({
  attributes: attributesPatchSchema.optional().describe('Merged by name; null removes one.'),
  expires_time: expiresTime.optional().describe('Absent: unchanged; null: never.'),
});

const batchBody = z.strictObject({
  items: z
    .array(z.strictObject({ principal_id: principalText, ...subjectBody.shape }))
    .max(SUBJECT_BATCH_MAX, `must have at most ${SUBJECT_BATCH_MAX} items`),
});

const subjectSchema = z
  .object({
    principal_id: z.string(),
    attributes: shownAttributesSchema.describe('By name.'),
    expires_time: timeSchema.nullable().describe('Unix seconds; null: never.'),
    creation_time: timeSchema,
    last_update_time: timeSchema,
  })
  .meta({ id: 'AuthzSubject' });

export function subjectRoutes(deps: Deps): Route[] {
  const shared = {
    path: PATH,
    scopes: ['authz:grant'],
    params,
    response: { status: 200, schema: subjectSchema },
  } as const;
  return [
    route({
      method: 'GET',
      path: '/authz/subjects',
      scopes: ['authz:grant'],
      operation: { id: 'listSubjects', area: AREA, summary: 'List subjects' },
      query: z.strictObject({ ...pageQueryShape, ...orderShape }),
      response: { status: 200, schema: z.object({ subjects: z.array(subjectSchema), pagination: paginationSchema }) },
      errors: [400],
      async handler({ caller, query }) {
        const { rows, total } = await deps.db.transaction(caller.tenantId, (tx) =>
          listSubjects(tx, caller.tenantId, { limit: query.limit, afterId: query.after_id, order: query.order }),
        );
        const { page, pagination } = toPage(rows, query.limit, total);
        return { subjects: page.map(toWire), pagination };
      },
    }),
    batchRoute(deps),
    route({
      ...shared,
      method: 'GET',
      operation: { id: 'getSubject', area: AREA, summary: 'Get the attributes of a subject' },
      errors: [404],
      handler: async ({ caller, params }) => toWire(await readSubject(deps, caller, params.principal_id)),
    }),
    route({
      ...shared,
      method: 'PUT',
      operation: {
        id: 'setSubject',
        area: AREA,
        summary: 'Set the attributes of a subject',
        description:
          'All of them, in the place of those that it had. Effective at once. A key with limits cannot do this.',
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
        area: AREA,
        summary: 'Change attributes of a subject',
        description: 'Merged by name into those that it has. Effective at once. A key with limits cannot do this.',
      },
      check: refuseLimited,
      body: patchBody,
      errors: [404],
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
        area: AREA,
        summary: 'Delete a subject',
        description:
          'It counts as one without attributes at once. The answer is what it was. A key with limits cannot do this.',
      },
      check: refuseLimited,
      errors: [404],
      handler: async ({ caller, params }) => toWire(await removeSubject(deps, caller, params.principal_id)),
    }),
  ];
}

function batchRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/authz/subjects/attributes/batch',
    scopes: ['authz:grant'],
    operation: {
      id: 'setSubjects',
      area: AREA,
      summary: 'Set the attributes of many subjects',
      description:
        `At most ${SUBJECT_BATCH_MAX} items, each as the single request, in their order. Each succeeds or fails by itself, with the ` +
        'error message of the single request; a body of another shape fails as a whole.',
    },
    check: refuseLimited,
    body: batchBody,
    response: {
      status: 200,
      schema: z.object({
        success_count: z.int(),
        results: z
          .array(
            z.object({
              id: z.string().describe('The principal_id of the item.'),
              success: z.boolean(),
              error: z.string().describe('What the single request would have said; empty after a success.'),
            }),
          )
          .describe('One for each item, in their order.'),
      }),
    },
    example: { items: [{ principal_id: 'ada@example.com', attributes: { department: 'sales' } }] },
    async handler({ caller, body, signal }) {
      const results: { id: string; success: boolean; error: string }[] = [];
      for (const { principal_id: id, ...fields } of body.items) {
        signal.throwIfAborted();
        const error = await setSubject(deps, caller, id, toFields(fields)).then(() => '', faultOfItem);
        results.push({ id, success: error === '', error });
      }
      return { success_count: results.filter(({ success }) => success).length, results };
    },
  });
}

function faultOfItem(error: unknown): string {
  if (error instanceof ServiceError && error.status < 500) return error.message;
  throw error;
}

function toFields({ attributes, expires_time: time = null }: z.output<typeof subjectBody>) {
  return { attributes, expiresAt: toDate(time) };
}

function toDate(time: number | null): Date | null {
  return time === null ? null : new Date(time * 1000);
}

function toWire(subject: Subject): z.input<typeof subjectSchema> {
  return {
    principal_id: subject.principalId,
    attributes: subject.attributes,
    expires_time: subject.expiresAt && unixSeconds(subject.expiresAt),
    creation_time: unixSeconds(subject.createdAt),
    last_update_time: unixSeconds(subject.updatedAt),
  };
}

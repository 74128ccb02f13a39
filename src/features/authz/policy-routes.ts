/** Routes for policies, and the route that explains their decisions. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { DEFAULT_POLICY } from '../../access/access.ts';
import { findPolicy, listPolicies, type NamedPolicy } from '../../access/policy-store.ts';
import { invalidRequest, orNotFound } from '../../errors.ts';
import { readPrecondition, versionTag } from '../../http/body/precondition.ts';
import type { Deps } from '../../http/deps.ts';
import { pageAnswer, pageQuery, pageRequest, pageResponse } from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { givenId, principalShape, timeSchema } from '../../http/schemas.ts';
import { explain } from './explain.ts';
import { POLICIES_MAX, removePolicy, setPolicy } from './policies.ts';
import { policyDocumentSchema, shownExtraShape } from './policy-body.ts';
import { previewRoute } from './preview-routes.ts';
import { refuseLimited } from './subject-routes.ts';

const route = routesOf('Authorization');
const PATH = '/authz/policies/{name}';

const params = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/)
    .describe(
      'Name of the policy, as in the `authz_policy` of requests. Requests without `authz_policy` use the policy `default`.',
    ),
});

const namedSchema = z
  .object({
    name: z.string().describe('Name of the policy.'),
    version: z.int().describe('1 for a new policy; each change adds 1.'),
    operator: z.enum(['and', 'or']).describe('`and`: all conditions must hold. `or`: at least one must hold.'),
    filters: z.array(z.unknown()).describe('Conditions and groups of conditions, as they were sent.'),
    ...shownExtraShape,
    creation_time: timeSchema,
    last_update_time: timeSchema,
  })
  .meta({ id: 'AuthzPolicy' });

const explainBody = z.strictObject({
  ...principalShape,
  source_id: givenId.optional().describe('The source to explain. Send either source_id or chunk_id.'),
  chunk_id: givenId.optional().describe('The chunk to explain. Send either source_id or chunk_id.'),
});

const shared = {
  path: PATH,
  scopes: ['authz:grant'],
  params,
  response: { status: 200, schema: namedSchema },
  versioned: true,
} as const;
const send = (reply: FastifyReply, policy: NamedPolicy) => {
  reply.header('etag', versionTag(policy.version));
  return toWire(policy);
};

export const policyRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/authz/policies',
    scopes: ['authz:grant'],
    operation: { id: 'listPolicies', summary: 'List policies', description: 'Oldest first.' },
    query: pageQuery,
    response: pageResponse('policies', namedSchema, 'Policies of this page.'),
    async handler({ caller, query }) {
      const listed = await deps.db.transaction(caller.tenantId, (tx) => listPolicies(tx, pageRequest(query)));
      return pageAnswer('policies', query, listed, toWire);
    },
  }),
  route({
    ...shared,
    method: 'GET',
    operation: { id: 'getPolicy', summary: 'Get a policy' },
    handler: async ({ caller, params, reply }) => {
      return send(reply, orNotFound(await deps.db.transaction(caller.tenantId, (tx) => findPolicy(tx, params.name))));
    },
  }),
  route({
    ...shared,
    method: 'PUT',
    operation: {
      id: 'setPolicy',
      summary: 'Create or change a policy',
      description:
        'A policy is a group of conditions. A chunk is visible if the group is true for the chunk and the attributes of the ' +
        'principal. The tests of the policy run first: if one fails, the policy is refused with 400, and the error says which test ' +
        'failed and which condition decided. Takes effect at once. With `If-Match` it replaces only the version that the caller has ' +
        'read. A tenant has at most ' +
        `${POLICIES_MAX.toLocaleString('en')} policies; one more is 409. An API key with limits cannot do this.`,
    },
    check: refuseLimited,
    body: policyDocumentSchema,
    errors: [409],
    example: {
      operator: 'or',
      filters: [
        { target: 'tag', operator: 'eq', value: 'public' },
        { key: 'department', operator: 'eq', value: { subject: 'department' } },
      ],
    },
    handler: async ({ caller, params, body, raw, reply }) =>
      send(reply, await setPolicy(deps, caller, params.name, body, readPrecondition(raw.headers))),
  }),
  route({
    ...shared,
    method: 'DELETE',
    operation: {
      id: 'deletePolicy',
      summary: 'Delete a policy',
      description:
        'Requests that name the policy see nothing from now on. The answer is the deleted policy. An API key with limits cannot do this.',
    },
    check: refuseLimited,
    handler: async ({ caller, params, raw }) =>
      toWire(await removePolicy(deps, caller, params.name, readPrecondition(raw.headers))),
  }),
  route({
    method: 'POST',
    path: '/authz/explain',
    scopes: ['authz:grant'],
    operation: {
      id: 'explainAccess',
      summary: 'Explain who may see what',
      description:
        'Says whether the policy shows the source or chunk to the principal, and which of its rules decided. This works even while ' +
        'authorization is off, so that policies can be tried before it is turned on. A source is shown if one of its chunks is shown.',
    },
    body: explainBody,
    response: {
      status: 200,
      schema: z.object({
        allowed: z.boolean().describe('Whether the principal may see the source or chunk.'),
        matched_rule: z
          .string()
          .nullable()
          .describe(
            'JSON pointer, within the policy, to the condition that decided, or to the group if all its members decided together. Null ' +
              'when there is no policy with this name.',
          ),
      }),
    },
    errors: [404],
    example: { principal_id: 'ada@example.com', source_id: '0198f2b4-8c00-7000-8000-000000000001' },
    async handler({ caller, body }) {
      const { source_id: sourceId, chunk_id: chunkId } = body;
      if ((sourceId === undefined) === (chunkId === undefined))
        throw invalidRequest('The request body: must have either source_id or chunk_id.');
      const principal = {
        id: body.principal_id ?? null,
        policy: body.authz_policy ?? DEFAULT_POLICY,
        at: deps.clock.now(),
      };
      const object =
        sourceId === undefined ? { kind: 'chunk' as const, id: chunkId! } : { kind: 'source' as const, id: sourceId };
      const { allowed, matchedRule } = await explain(deps, caller, principal, object);
      return { allowed, matched_rule: matchedRule };
    },
  }),
  previewRoute(deps),
];

function toWire({ definition, ...policy }: NamedPolicy): z.input<typeof namedSchema> {
  const { attribute_types, tests } = definition;
  return toRecord(namedSchema, { ...policy, ...definition }, { attribute_types, tests: tests && [...tests] });
}

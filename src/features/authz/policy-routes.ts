/** Policies over HTTP, and why they decide as they do. */
import { z } from 'zod';
import { DEFAULT_POLICY } from '../../access/access.ts';
import { policySchema } from '../../access/policy.ts';
import { listPolicies, type NamedPolicy } from '../../access/policy-store.ts';
import { invalidRequest } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { pageQuery, paginationSchema, toPage } from '../../http/page.ts';
import { type Route, route } from '../../http/route.ts';
import { principalShape, timeSchema } from '../../http/schemas.ts';
import { unixSeconds } from '../../util/time.ts';
import { explain } from './explain.ts';
import { POLICIES_MAX, readPolicy, removePolicy, setPolicy } from './policies.ts';
import { refuseLimited } from './subject-routes.ts';

const AREA = 'Authorization';
const PATH = '/authz/policies/{name}';

const params = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/)
    .describe('The name that requests give as `authz_policy`; `default` is the one of requests that give none.'),
});

const namedSchema = z
  .object({
    name: z.string(),
    version: z.int().describe('1, then one more with each change.'),
    operator: z.enum(['and', 'or']),
    filters: z.array(z.unknown()).describe('Conditions and groups of conditions, as they were sent.'),
    creation_time: timeSchema,
    last_update_time: timeSchema,
  })
  .meta({ id: 'AuthzPolicy' });

const explainBody = z.strictObject({
  ...principalShape,
  source_id: z.string().optional().describe('Either this or chunk_id.'),
  chunk_id: z.string().optional().describe('Either this or source_id.'),
});

export function policyRoutes(deps: Deps): Route[] {
  const shared = {
    path: PATH,
    scopes: ['authz:grant'],
    params,
    response: { status: 200, schema: namedSchema },
  } as const;
  return [
    route({
      method: 'GET',
      path: '/authz/policies',
      scopes: ['authz:grant'],
      operation: { id: 'listPolicies', area: AREA, summary: 'List policies', description: 'Oldest first.' },
      query: pageQuery,
      response: { status: 200, schema: z.object({ policies: z.array(namedSchema), pagination: paginationSchema }) },
      errors: [400],
      async handler({ caller, query }) {
        const { rows, total } = await deps.db.transaction(caller.tenantId, (tx) =>
          listPolicies(tx, caller.tenantId, { limit: query.limit, afterId: query.after_id }),
        );
        const { page, pagination } = toPage(rows, query.limit, total);
        return { policies: page.map(toWire), pagination };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      operation: { id: 'getPolicy', area: AREA, summary: 'Get a policy' },
      errors: [404],
      handler: async ({ caller, params }) => toWire(await readPolicy(deps, caller, params.name)),
    }),
    route({
      ...shared,
      method: 'PUT',
      operation: {
        id: 'setPolicy',
        area: AREA,
        summary: 'Make or change a policy',
        description:
          'A group of conditions: a chunk is visible when it is true for the attributes of the principal. Effective at once. ' +
          `409 for the policy after the ${POLICIES_MAX.toLocaleString('en')}th. A key with limits cannot do this.`,
      },
      check: refuseLimited,
      body: policySchema,
      errors: [409],
      example: {
        operator: 'or',
        filters: [
          { target: 'tag', operator: 'eq', value: 'public' },
          { key: 'department', operator: 'eq', value: { subject: 'department' } },
        ],
      },
      handler: async ({ caller, params, body }) => toWire(await setPolicy(deps, caller, params.name, body)),
    }),
    route({
      ...shared,
      method: 'DELETE',
      operation: {
        id: 'deletePolicy',
        area: AREA,
        summary: 'Delete a policy',
        description:
          'Who names it sees nothing from then on. The answer is what it was. A key with limits cannot do this.',
      },
      check: refuseLimited,
      errors: [404],
      handler: async ({ caller, params }) => toWire(await removePolicy(deps, caller, params.name)),
    }),
    explainRoute(deps),
  ];
}

function explainRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/authz/explain',
    scopes: ['authz:grant'],
    operation: {
      id: 'explainAccess',
      area: AREA,
      summary: 'Explain who may see what',
      description:
        'Whether the policy shows the source or chunk to the principal, and which of its rules decided. Also while authorization is ' +
        'off, to try policies before it is turned on. A source is shown when one of its chunks is.',
    },
    body: explainBody,
    response: {
      status: 200,
      schema: z.object({
        allowed: z.boolean(),
        matched_rule: z
          .string()
          .nullable()
          .describe(
            'JSON pointer, within the policy, to the condition that decided, or to the group where all its members did; null when there ' +
              'is no policy of this name.',
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
  });
}

function toWire({ name, version, definition, createdAt, updatedAt }: NamedPolicy): z.input<typeof namedSchema> {
  return {
    name,
    version,
    operator: definition.operator,
    filters: [...definition.filters],
    creation_time: unixSeconds(createdAt),
    last_update_time: unixSeconds(updatedAt),
  };
}

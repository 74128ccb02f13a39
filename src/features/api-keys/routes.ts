/** Routes for API keys. A key itself is returned only when it is issued; lists hold its facts. */
import { z } from 'zod';
import { SCOPES } from '../../access/caller.ts';
import { listApiKeys } from '../../corpus/api-key-store.ts';
import type { UsageRow } from '../../corpus/usage-store.ts';
import type { Deps } from '../../http/deps.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse, searchShape } from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { givenId, idParams, idSchema, nameSchema, queryInteger, TIME_MAX, timeSchema } from '../../http/schemas.ts';
import { USAGE_KEPT_DAYS } from '../../llm/usage-ledger.ts';
import { type ApiKeyView, issueApiKey, LIMIT_IDS_MAX, revokeOwnApiKey, rotateApiKey } from './api-keys.ts';
import { readUsage } from './usage.ts';

const scopeSchema = z.enum(SCOPES);
const SCOPES_DESCRIPTION = 'Scopes of the key: what it may do.';

const apiKeySchema = z
  .object({
    id: idSchema.describe('Id of the key.'),
    name: z.string().describe('Name of the key.'),
    scopes: z.array(scopeSchema).describe(SCOPES_DESCRIPTION),
    source_group_ids: z.array(idSchema).nullable().describe('Only these source groups; null: not limited.'),
    tag_ids: z.array(idSchema).nullable().describe('Only source groups with one of these tags; null: not limited.'),
    expires_time: timeSchema.nullable().describe('Time when the key expires, Unix seconds; null: never.'),
    issued_by: idSchema
      .nullable()
      .describe('Id of the key that issued or rotated this one; it may be revoked since. Null: an operator did.'),
    creation_time: timeSchema,
    last_used_time: timeSchema
      .nullable()
      .describe('Time of the last request with the key, Unix seconds, to the minute; null: not used yet.'),
  })
  .meta({ id: 'ApiKey' });

const issuedSchema = apiKeySchema
  .extend({ key: z.string().describe('The key itself. No other answer contains it.') })
  .meta({ id: 'IssuedApiKey' });

const issueBody = z.strictObject({
  name: nameSchema.describe('Name of the key.'),
  scopes: z.array(scopeSchema).min(1).max(SCOPES.length).describe(SCOPES_DESCRIPTION),
  expires_time: z
    .int()
    .min(0)
    .max(TIME_MAX)
    .nullish()
    .describe('Time when the key expires, Unix seconds. Absent or null: never.'),
  source_group_ids: z
    .array(givenId)
    .min(1)
    .max(LIMIT_IDS_MAX)
    .nullish()
    .describe('Limits the key to these source groups. Absent or null: not limited.'),
  tag_ids: z
    .array(givenId)
    .min(1)
    .max(LIMIT_IDS_MAX)
    .nullish()
    .describe('Limits the key to source groups with one of these tags. Absent or null: not limited.'),
});

/** 90 days. */
const GRACE_SECONDS_MAX = 7_776_000;

const rotateBody = z.strictObject({
  grace_seconds: z
    .int()
    .min(0)
    .max(GRACE_SECONDS_MAX)
    .default(0)
    .describe('How many seconds the old key still works; 0: it ends at once.'),
});

const USAGE_DAYS_DEFAULT = 30;

const usageCounts = {
  requests: z.int().describe('Calls to the chat model: answers, rewritten questions, web searches.'),
  input_tokens: z.int().describe('Tokens that were sent to the model.'),
  output_tokens: z.int().describe('Tokens that the model generated.'),
};

const usageSchema = z
  .object({
    api_key_id: idSchema.describe('Id of the key.'),
    days: z
      .array(z.object({ date: z.string().describe('Day in UTC, such as 2026-11-22.'), ...usageCounts }))
      .describe('Usage of each day, oldest first. Days without a call are left out.'),
    total: z.object(usageCounts).describe('Sum of all these days.'),
    tokens_per_day: z
      .int()
      .nullable()
      .describe('Budget of each key per day, in tokens of input and output together; null: not limited.'),
  })
  .meta({ id: 'ApiKeyUsage' });

const route = routesOf('API keys');

export const apiKeyRoutes = (deps: Deps): Route[] => [
  route({
    method: 'POST',
    path: '/api-keys',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'issueApiKey',
      summary: 'Issue an API key',
      description:
        'Only this answer contains the key itself. A key can issue only keys whose scopes, limits and expiry lie within its own.',
    },
    body: issueBody,
    response: { status: 201, schema: issuedSchema, description: 'The issued key. No other answer contains it.' },
    errors: [404],
    idempotent: 'once',
    example: { name: 'search only', scopes: ['knowledge:read'] },
    async handler({ body, caller }) {
      const { row, key } = await issueApiKey(deps, caller, {
        name: body.name,
        scopes: body.scopes,
        expiresAt: body.expires_time == null ? null : new Date(body.expires_time * 1000),
        sourceGroupIds: body.source_group_ids ?? null,
        tagIds: body.tag_ids ?? null,
      });
      return { ...toWire(row), key };
    },
  }),
  route({
    method: 'GET',
    path: '/api-keys',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'listApiKeys',
      summary: 'List API keys',
      description:
        'Returns facts about the keys, not the keys themselves. Revoked keys are left out. A limited key sees only keys whose limits ' +
        'lie within its own.',
    },
    query: z.strictObject({ ...pageQueryShape, ...orderShape, ...searchShape('the name') }),
    response: pageResponse('api_keys', apiKeySchema, 'API keys of this page.'),
    async handler({ query, caller }) {
      const listed = await listApiKeys(deps.db, caller.tenantId, caller, query.q, pageRequest(query));
      return pageAnswer('api_keys', query, listed, toWire);
    },
  }),
  route({
    method: 'DELETE',
    path: '/api-keys/{id}',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'revokeApiKey',
      summary: 'Revoke an API key',
      description:
        'The key stops working at once; with several replicas, within a second. The keys that it issued go on working. Returns the ' +
        'revoked key.',
    },
    params: idParams,
    response: { status: 200, schema: apiKeySchema },
    async handler({ params, caller }) {
      return toWire(await revokeOwnApiKey(deps, caller, params.id));
    },
  }),
  route({
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'rotateApiKey',
      summary: 'Rotate an API key',
      description:
        'Issues a successor with the same name, scopes, limits and expiry, and with a new id. Only this answer contains the new key. The ' +
        'old key ends after the grace time, or when it is revoked. A key can be rotated once: after that, rotate its successor.',
    },
    params: idParams,
    body: rotateBody,
    bodyOptional: true,
    response: { status: 201, schema: issuedSchema, description: 'The new key. No other answer contains it.' },
    idempotent: 'once',
    example: { grace_seconds: 3600 },
    async handler({ params, body, caller }) {
      const { row, key } = await rotateApiKey(deps, caller, params.id, body?.grace_seconds ?? 0);
      return { ...toWire(row), key };
    },
  }),
  route({
    method: 'GET',
    path: '/api-keys/{id}/usage',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'getApiKeyUsage',
      summary: 'Get the chat model usage of an API key',
      description:
        'Tokens are counted by the provider. If the provider does not report them, they are estimated, rather too high than too low. The ' +
        'usage is still available after the key was revoked.',
    },
    params: idParams,
    query: z.object({
      days: queryInteger(1, USAGE_KEPT_DAYS)
        .default(USAGE_DAYS_DEFAULT)
        .describe('Number of days in UTC, up to and including today.'),
    }),
    response: { status: 200, schema: usageSchema },
    async handler({ params, query, caller }) {
      const { days, total } = await readUsage(deps, caller, params.id, query.days);
      return {
        api_key_id: params.id,
        days: days.map(({ day, ...counts }) => ({ date: day, ...toCounts(counts) })),
        total: toCounts(total),
        tokens_per_day: deps.config.chat.tokensPerDay.key || null,
      };
    },
  }),
];

function toCounts({ requests, inputTokens, outputTokens }: UsageRow): z.input<typeof usageSchema>['total'] {
  return { requests, input_tokens: inputTokens, output_tokens: outputTokens };
}

function toWire(row: ApiKeyView): z.input<typeof apiKeySchema> {
  return toRecord(apiKeySchema, row, { scopes: row.scopes as z.input<typeof scopeSchema>[] });
}

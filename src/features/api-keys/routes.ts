/** API keys over HTTP: shown once, listed without their secret, revoked at once. */
import { z } from 'zod';
import { SCOPES } from '../../access/caller.ts';
import { listApiKeys } from '../../corpus/api-key-store.ts';
import { USAGE_KEPT_DAYS } from '../../corpus/usage-ledger.ts';
import type { UsageRow } from '../../corpus/usage-store.ts';
import type { Deps } from '../../http/deps.ts';
import { pageQuery, paginationSchema, toPage } from '../../http/page.ts';
import { type Route, route } from '../../http/route.ts';
import { idParams, idSchema, nameSchema, queryInteger, timeSchema } from '../../http/schemas.ts';
import { unixSeconds } from '../../util/time.ts';
import { issueApiKey, LIMIT_IDS_MAX, revokeOwnApiKey, rotateApiKey, type ShownApiKey } from './api-keys.ts';
import { readUsage } from './usage.ts';

const scopeSchema = z.enum(SCOPES);
/** Unix seconds up to the year 9999. */
const TIME_MAX = 253_402_300_799;

const apiKeySchema = z
  .object({
    id: idSchema,
    name: z.string(),
    scopes: z.array(scopeSchema),
    source_group_ids: z.array(idSchema).nullable().describe('Only these source groups; null = not limited.'),
    tag_ids: z.array(idSchema).nullable().describe('Only source groups with one of these tags; null = not limited.'),
    expires_time: timeSchema.nullable(),
    creation_time: timeSchema,
  })
  .meta({ id: 'ApiKey' });

const issuedSchema = apiKeySchema
  .extend({ key: z.string().describe('The key itself. It is shown only here.') })
  .meta({ id: 'IssuedApiKey' });

const issueBody = z.strictObject({
  name: nameSchema,
  scopes: z.array(scopeSchema).min(1).max(SCOPES.length),
  expires_time: z.int().min(0).max(TIME_MAX).nullish().describe('Unix seconds; absent or null = does not expire.'),
  source_group_ids: z.array(z.string()).min(1).max(LIMIT_IDS_MAX).nullish(),
  tag_ids: z.array(z.string()).min(1).max(LIMIT_IDS_MAX).nullish(),
});

/** 90 days. */
const GRACE_SECONDS_MAX = 7_776_000;

const rotateBody = z.strictObject({
  grace_seconds: z
    .int()
    .min(0)
    .max(GRACE_SECONDS_MAX)
    .default(0)
    .describe('For how long the old key still works; 0 = it ends at once.'),
});

const USAGE_DAYS_DEFAULT = 30;

const usageCounts = {
  requests: z.int().describe('Calls to the chat model: answers, rewritten questions, web searches.'),
  input_tokens: z.int().describe('Of what the model was sent.'),
  output_tokens: z.int().describe('Of what it said.'),
};

const usageSchema = z
  .object({
    api_key_id: idSchema.describe('The key.'),
    days: z
      .array(z.object({ date: z.string().describe('Day of UTC, as 2026-11-22.'), ...usageCounts }))
      .describe('Oldest first; days without a call are left out.'),
    total: z.object(usageCounts),
    tokens_per_day: z.int().nullable().describe('Budget of each key, input and output together; null = not limited.'),
  })
  .meta({ id: 'ApiKeyUsage' });

const AREA = 'API keys';

export function apiKeyRoutes(deps: Deps): Route[] {
  const issue = route({
    method: 'POST',
    path: '/api-keys',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'issueApiKey',
      area: AREA,
      summary: 'Issue an API key',
      description:
        'The key is shown only in this answer. A key can issue only keys whose scopes, limits and expiry lie within its own.',
    },
    body: issueBody,
    response: { status: 201, schema: issuedSchema, description: 'The key, shown once.' },
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
  });

  const list = route({
    method: 'GET',
    path: '/api-keys',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'listApiKeys',
      area: AREA,
      summary: 'List API keys',
      description:
        'Without their secrets. Revoked keys are gone. A key that is limited sees the keys whose limits lie within its own.',
    },
    query: pageQuery,
    response: { status: 200, schema: z.object({ api_keys: z.array(apiKeySchema), pagination: paginationSchema }) },
    async handler({ query, caller }) {
      const { rows, total } = await listApiKeys(deps.db, caller.tenantId, caller, query.limit + 1, query.after_id);
      const { page, pagination } = toPage(rows, query.limit, total);
      return { api_keys: page.map(toWire), pagination };
    },
  });

  const revoke = route({
    method: 'DELETE',
    path: '/api-keys/{id}',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'revokeApiKey',
      area: AREA,
      summary: 'Revoke an API key',
      description:
        'The key stops working at once; with several replicas, within a second. The answer is the revoked key.',
    },
    params: idParams,
    response: { status: 200, schema: apiKeySchema },
    async handler({ params, caller }) {
      return toWire(await revokeOwnApiKey(deps, caller, params.id));
    },
  });

  const rotate = route({
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'rotateApiKey',
      area: AREA,
      summary: 'Rotate an API key',
      description:
        'Issues a key with the name, scopes, limits and expiry of this one, under an id of its own and shown only in this answer. The old key ends after the grace time; revoking it ends it before. A key can be rotated once: after that, rotate its successor.',
    },
    params: idParams,
    body: rotateBody,
    bodyOptional: true,
    response: { status: 201, schema: issuedSchema, description: 'The new key, shown once.' },
    errors: [409],
    idempotent: 'once',
    example: { grace_seconds: 3600 },
    async handler({ params, body, caller }) {
      const { row, key } = await rotateApiKey(deps, caller, params.id, body?.grace_seconds ?? 0);
      return { ...toWire(row), key };
    },
  });

  const usage = route({
    method: 'GET',
    path: '/api-keys/{id}/usage',
    scopes: ['apikeys:issue'],
    operation: {
      id: 'getApiKeyUsage',
      area: AREA,
      summary: 'Read what an API key used of the chat model',
      description:
        'Tokens as the provider counts them, or estimated on the high side where it does not tell. Kept when the key is revoked.',
    },
    params: idParams,
    query: z.object({
      days: queryInteger(1, USAGE_KEPT_DAYS)
        .default(USAGE_DAYS_DEFAULT)
        .meta({
          wire: { type: 'integer', minimum: 1, maximum: USAGE_KEPT_DAYS, default: USAGE_DAYS_DEFAULT },
          description: 'The last days of UTC, today included.',
        }),
    }),
    response: { status: 200, schema: usageSchema },
    errors: [404],
    async handler({ params, query, caller }) {
      const { days, total } = await readUsage(deps, caller, params.id, query.days);
      return {
        api_key_id: params.id,
        days: days.map(({ day, ...counts }) => ({ date: day, ...toCounts(counts) })),
        total: toCounts(total),
        tokens_per_day: deps.config.chat.tokensPerDay.key || null,
      };
    },
  });

  return [issue, list, revoke, rotate, usage];
}

function toCounts({ requests, inputTokens, outputTokens }: UsageRow): z.input<typeof usageSchema>['total'] {
  return { requests, input_tokens: inputTokens, output_tokens: outputTokens };
}

function toWire(row: ShownApiKey): z.input<typeof apiKeySchema> {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes as z.input<typeof scopeSchema>[],
    source_group_ids: row.sourceGroupIds,
    tag_ids: row.tagIds,
    expires_time: unixSeconds(row.expiresAt),
    creation_time: unixSeconds(row.createdAt),
  };
}

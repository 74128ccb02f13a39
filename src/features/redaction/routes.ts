/** Routes for the redaction policy of a tenant, and a route that tries the policy on a text. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { type AuditAction, recordChange } from '../../corpus/audit-store.ts';
import { lockAdditions } from '../../db/additions.ts';
import type { Tx } from '../../db/database.ts';
import { invalidAt, ServiceError } from '../../errors.ts';
import { readPrecondition, versionTag } from '../../http/body/precondition.ts';
import type { Deps } from '../../http/deps.ts';
import { refuseLimitedKeys } from '../../http/key-limits.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { timeSchema } from '../../http/schemas.ts';
import { isName } from '../../redaction/detectors/entities.ts';
import { ACTIONS, APPLY_AT, type RedactionPolicy, redactionPolicyShape } from '../../redaction/redaction-policy.ts';
import {
  deleteRedactionPolicy,
  findRedactionPolicy,
  type StoredRedactionPolicy,
  saveRedactionPolicy,
} from '../../redaction/redaction-store.ts';
import { openPattern } from '../../redaction/tenant-pattern.ts';
import { text } from '../../util/text-schema.ts';
import { prepareToSeal } from '../../vault/secret-store.ts';

const route = routesOf('Redaction');
const TEST_LENGTH_MAX = 200_000;

const policyBody = z.strictObject(redactionPolicyShape);
const policySchema = z
  .object({
    ...redactionPolicyShape,
    version: z.int().describe('Version of the policy. It grows with every change.'),
    creation_time: timeSchema,
    last_update_time: timeSchema,
  })
  .meta({ id: 'RedactionPolicy' });

const testBody = z.strictObject({
  text: text(1, TEST_LENGTH_MAX).describe('The text to redact.'),
  policy: policyBody.optional().describe('A policy to try before it is set. Absent: the stored policy.'),
  apply_at: z.enum(APPLY_AT).optional().describe('Applies only the rules of this step. Absent: all rules.'),
});
const testSchema = z.object({
  text: z.string().describe('The redacted text; empty if it is blocked.'),
  blocked: z.boolean().describe('A rule with the action `block` matched: the text would be withheld as a whole.'),
  matches: z
    .array(
      z.object({
        rule: z.string().describe('Name of the rule.'),
        kind: z.enum(['entity', 'regex', 'dictionary']).describe('Kind of the rule.'),
        entity: z.string().nullable().describe('What an entity rule found; null for other rules.'),
        start: z.int().describe('Offset of the first code point of the match, in the given text.'),
        end: z.int().describe('Offset behind the last code point of the match.'),
        action: z.enum(ACTIONS).describe('What the rule does.'),
      }),
    )
    .describe('The matches, from left to right. They do not overlap.'),
});

const EXAMPLE = {
  enabled: true,
  rules: [
    {
      name: 'contact',
      kind: 'entity',
      entities: ['email', 'phone'],
      action: 'mask',
      apply_at: ['retrieval', 'output'],
    },
    { name: 'employee', kind: 'regex', pattern: 'EMP-\\d{4,8}', action: 'hash', apply_at: ['ingest'] },
    { name: 'project', kind: 'dictionary', terms: ['Blue Heron'], action: 'block', apply_at: ['output'] },
  ],
};

/** The policy applies to the whole tenant, so a limited key must not manage it. */
const shared = { scopes: ['policy:redaction:manage'], check: refuseLimitedKeys('manage redaction') } as const;
const ofPolicy = {
  ...shared,
  path: '/redaction-policy',
  response: { status: 200, schema: policySchema },
  versioned: true,
} as const;

export const redactionRoutes = (deps: Deps): Route[] => [
  route({
    ...ofPolicy,
    method: 'GET',
    operation: { id: 'getRedactionPolicy', summary: 'Get the redaction policy' },
    errors: [404],
    async handler({ caller, reply }) {
      const policy = orNoPolicy(await deps.db.transaction(caller.tenantId, (tx) => findRedactionPolicy(tx)));
      return send(reply, policy);
    },
  }),
  route({
    ...ofPolicy,
    method: 'PUT',
    operation: {
      id: 'putRedactionPolicy',
      summary: 'Set the redaction policy',
      description:
        'Replaces the whole policy; with `If-Match`, only the version that the caller has read. Matches are resolved from left to ' +
        'right. If several begin at the same place, the longest counts; of equally long ones, the one with the stricter action. If rules ' +
        'of the step `ingest` change, the sources are read again in runs of their groups; until then, the new rules are applied ' +
        'whenever their content is returned.',
    },
    body: policyBody,
    example: EXAMPLE,
    async handler({ caller, body, signal, raw, reply }) {
      const precondition = readPrecondition(raw.headers);
      await checkRules(deps, body.rules, ['rules'], signal);
      if (body.rules.some((rule) => rule.action === 'hash')) await prepareToSeal(deps);
      const now = deps.clock.now();
      const saved = await deps.db.transaction(caller.tenantId, async (tx) => {
        await lockAdditions(tx, 'redaction_policy');
        const before = await findRedactionPolicy(tx);
        precondition.check(before?.version);
        const policy = await saveRedactionPolicy(tx, { ...body, now });
        await deps.queue.enqueue(tx, 'reprocess', { tenantId: caller.tenantId });
        await record(tx, caller, before ? 'change' : 'create', policy);
        return policy;
      });
      return send(reply, saved);
    },
  }),
  route({
    ...ofPolicy,
    method: 'DELETE',
    operation: {
      id: 'deleteRedactionPolicy',
      summary: 'Delete the redaction policy',
      description: 'Returns the deleted policy. Sources that were ingested with its rules are read again without them.',
    },
    errors: [404],
    handler: ({ caller, raw }) =>
      deps.db.transaction(caller.tenantId, async (tx) => {
        const precondition = readPrecondition(raw.headers);
        await lockAdditions(tx, 'redaction_policy');
        const policy = orNoPolicy(await deleteRedactionPolicy(tx, deps.clock.now()));
        precondition.check(policy.version);
        await deps.queue.enqueue(tx, 'reprocess', { tenantId: caller.tenantId });
        await record(tx, caller, 'delete', policy);
        return toWire(policy);
      }),
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/redaction-policy/test',
    operation: {
      id: 'testRedactionPolicy',
      summary: 'Try the redaction policy on a text',
      description:
        'Tries the stored policy, or a draft, even while it is not enabled. The text is not stored. Hashes differ from those of stored ' +
        'content, so that nobody can look up the hash of a value.',
    },
    body: testBody,
    response: { status: 200, schema: testSchema },
    errors: [404],
    example: { text: 'Write to jane@example.com about EMP-4711.' },
    async handler({ caller, body, signal }) {
      const draft = body.policy && { ...body.policy, version: 0 };
      if (draft) await checkRules(deps, draft.rules, ['policy', 'rules'], signal);
      const redactor = await deps.db.transaction(caller.tenantId, async (tx) => {
        const policy = orNoPolicy(draft ?? (await findRedactionPolicy(tx)));
        return deps.redactors.compileTrial(tx, policy);
      });
      return redactor.redact(body.text, body.apply_at ?? 'any', signal);
    },
  }),
];

/**
 * Compiles the patterns, because the engine refuses some that the schema accepts, and refuses entities that no analyzer finds.
 *
 * @param path of the rules in the request body.
 * @throws ServiceError invalid_request
 */
async function checkRules(
  { analyzer }: Pick<Deps, 'analyzer'>,
  rules: RedactionPolicy['rules'],
  path: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  let supported: readonly string[] | undefined;
  for (const [i, rule] of rules.entries()) {
    if (rule.kind === 'regex') checkPattern(rule, [...path, i, 'pattern']);
    for (const [j, entity] of (rule.kind === 'entity' ? rule.entities : []).entries()) {
      if (!isName(entity)) continue;
      const at = [...path, i, 'entities', j];
      const subject = `${entity} is found by an analyzer of names`;
      if (!analyzer) throw invalidAt(at, `${subject}, and none is configured: PINAKES_PRESIDIO_URL is not set.`);
      supported ??= await analyzer.supported(signal);
      if (!supported.includes(entity))
        throw invalidAt(at, `${subject}, but the configured analyzer does not support it.`);
    }
  }
}

function checkPattern(rule: { pattern: string; ignore_case: boolean }, path: readonly PropertyKey[]): void {
  try {
    openPattern(rule.pattern, rule.ignore_case);
  } catch (error) {
    throw invalidAt(path, `${error instanceof Error ? error.message : 'is refused'}.`);
  }
}

function record(tx: Tx, caller: Caller, action: AuditAction, policy: StoredRedactionPolicy): Promise<void> {
  // Terms and patterns are left out, because they can be secrets themselves.
  const rules = policy.rules.map(({ name, kind, action: does, apply_at }) => ({ name, kind, action: does, apply_at }));
  const details = { version: policy.version, enabled: policy.enabled, rules };
  return recordChange(tx, caller, action, 'redaction_policy', 'redaction-policy', details);
}

function send(reply: FastifyReply, policy: StoredRedactionPolicy): z.input<typeof policySchema> {
  reply.header('etag', versionTag(policy.version));
  return toWire(policy);
}

function toWire(policy: StoredRedactionPolicy): z.input<typeof policySchema> {
  return toRecord(policySchema, policy);
}

/** Returns the policy. @throws ServiceError that says so if the tenant has none */
function orNoPolicy<T>(policy: T | undefined | null): T {
  if (policy === undefined || policy === null) throw new ServiceError('not_found', 'There is no redaction policy.');
  return policy;
}

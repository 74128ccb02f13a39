/** Routes for stored secrets. They accept the value of a secret, but never return it: see vault/. */
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { parseDatabaseUrl } from '../../connectors/database/url.ts';
import { type AuditAction, recordChange } from '../../corpus/audit-store.ts';
import { retryFailing } from '../../corpus/setting-store.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, orNotFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { refuseLimitedKeys } from '../../http/key-limits.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse, searchShape } from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idSchema, nameSchema, pathId, timeSchema } from '../../http/schemas.ts';
import { newId } from '../../util/ids.ts';
import { text } from '../../util/text-schema.ts';
import {
  countSecretsLocked,
  deleteSecret,
  findSecret,
  insertSecret,
  listSecrets,
  prepareToSeal,
  SECRET_TYPES,
  type Secret,
  type SecretType,
  updateSecret,
} from '../../vault/secret-store.ts';

const route = routesOf('Secrets');
const SECRET_LENGTH_MAX = 5_000;
const DESCRIPTION_LENGTH_MAX = 1_000;
/** Maximum number of secrets of one tenant. */
export const SECRETS_MAX = 1_000;

const secretSchema = z
  .object({
    id: idSchema.describe('Id of the secret.'),
    name: z.string().describe('Name of the secret.'),
    type: z.enum(SECRET_TYPES).describe('Type of source that the secret opens.'),
    last_update_time: timeSchema,
    creation_time: timeSchema,
    description: z.string().describe('What the secret is for, in the words of its owner. Empty when none was given.'),
  })
  .meta({ id: 'Secret' });

const secretParams = z.strictObject({ secret_id: pathId.describe('Id of the secret.') });
const valueSchema = text(1, SECRET_LENGTH_MAX);
const descriptionSchema = text(0, DESCRIPTION_LENGTH_MAX);

const createBody = z.strictObject({
  name: nameSchema.describe('Name of the secret.'),
  type: z
    .enum(SECRET_TYPES)
    .describe(
      'Type of source that the secret opens: `drive` (the JSON key of a service account), `repo` (an access token), `page` (an ' +
        'integration token), `database` (a connection URL such as `postgresql://user:password@host/database`).',
    ),
  secret: valueSchema.describe('The value. It is never returned. The first run that uses it shows whether it works.'),
  description: descriptionSchema.optional().describe('What the secret is for, in your own words.'),
});

const updateBody = z.strictObject({
  name: nameSchema.describe('New name of the secret.'),
  secret: valueSchema.optional().describe('New value. Absent: the current value stays.'),
  description: descriptionSchema
    .optional()
    .describe('What the secret is for. Absent: unchanged. Empty: no description.'),
});

/** Secrets belong to the whole tenant, so an API key that is limited to some groups must not use them. */
const shared = { scopes: ['ingestion:manage'], check: refuseLimitedKeys('use secrets') } as const;
const ofOneSecret = {
  ...shared,
  path: '/secrets/{secret_id}',
  params: secretParams,
  response: { status: 200, schema: secretSchema },
} as const;

export const secretRoutes = (deps: Deps): Route[] => [
  route({
    ...shared,
    method: 'POST',
    path: '/secrets',
    operation: {
      id: 'createSecret',
      summary: 'Store a secret',
      description: 'The value is encrypted before it is stored, and it is never returned.',
    },
    body: createBody,
    response: { status: 201, schema: secretSchema, description: 'The secret, without its value.' },
    idempotent: true,
    example: { name: 'drive reader', type: 'drive', secret: '{"type":"service_account"}', description: 'Team drive' },
    async handler({ caller, body, idempotency }) {
      checkValue(body.type, body.secret);
      await prepareToSeal(deps);
      const createdAt = deps.clock.now();
      return deps.db.transaction(caller.tenantId, async (tx) => {
        if ((await countSecretsLocked(tx)) >= SECRETS_MAX)
          throw conflict(`There are ${SECRETS_MAX} secrets already: delete one first.`);
        const secret = await insertSecret(tx, deps.config, {
          id: newId(createdAt.getTime()),
          name: body.name,
          type: body.type,
          description: body.description ?? '',
          value: body.secret,
          createdAt,
        });
        const answer = toWire(secret);
        await idempotency.save(tx, answer);
        await record(tx, caller, 'create', secret);
        return answer;
      });
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/secrets',
    operation: {
      id: 'listSecrets',
      summary: 'List secrets',
      description: 'Returns the secrets without their values.',
    },
    query: z.strictObject({ ...pageQueryShape, ...orderShape, ...searchShape('the name') }),
    response: pageResponse('secrets', secretSchema, 'Secrets of this page, without their values.'),
    async handler({ caller, query }) {
      const listed = await listSecrets(deps.db, caller.tenantId, query.q, pageRequest(query));
      return pageAnswer('secrets', query, listed, toWire);
    },
  }),
  route({
    ...ofOneSecret,
    method: 'GET',
    operation: {
      id: 'getSecret',
      summary: 'Get a secret',
      description: 'Returns the secret without its value.',
    },
    async handler({ caller, params }) {
      const secret = orNotFound(await deps.db.transaction(caller.tenantId, (tx) => findSecret(tx, params.secret_id)));
      return toWire(secret);
    },
  }),
  route({
    ...ofOneSecret,
    method: 'PUT',
    operation: {
      id: 'updateSecret',
      summary: 'Change a secret',
      description:
        'Later runs use the new value. A run that is active keeps the value with which it started. Sources with a schedule whose last ' +
        'run failed run again at once.',
    },
    body: updateBody,
    example: { name: 'drive reader', description: 'Team drive, key of March' },
    async handler({ caller, params, body }) {
      if (body.secret !== undefined) await prepareToSeal(deps);
      const change = {
        name: body.name,
        description: body.description,
        value: body.secret,
        updatedAt: deps.clock.now(),
      };
      return deps.db.transaction(caller.tenantId, async (tx) => {
        const secret = orNotFound(await updateSecret(tx, deps.config, params.secret_id, change));
        if (body.secret !== undefined) {
          checkValue(secret.type, body.secret);
          await retryFailing(tx, secret.id, change.updatedAt);
        }
        await record(tx, caller, 'change', secret, { new_value: body.secret !== undefined });
        return toWire(secret);
      });
    },
  }),
  route({
    ...ofOneSecret,
    method: 'DELETE',
    operation: {
      id: 'deleteSecret',
      summary: 'Delete a secret',
      description: 'Returns the deleted secret. The next run of a source that uses it fails.',
    },
    async handler({ caller, params }) {
      return deps.db.transaction(caller.tenantId, async (tx) => {
        const secret = orNotFound(await deleteSecret(tx, params.secret_id));
        await record(tx, caller, 'delete', secret);
        return toWire(secret);
      });
    },
  }),
];

/** Checks a value whose form is known. @throws ServiceError invalid_request */
function checkValue(type: SecretType, value: string): void {
  if (type === 'database') parseDatabaseUrl(value);
}

function record(tx: Tx, caller: Caller, action: AuditAction, secret: Secret, more: object = {}): Promise<void> {
  return recordChange(tx, caller, action, 'secret', secret.id, { name: secret.name, type: secret.type, ...more });
}

function toWire(secret: Secret): z.input<typeof secretSchema> {
  return toRecord(secretSchema, secret);
}

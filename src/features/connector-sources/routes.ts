/** Routes for sources that are synchronized with an origin. The routes for their settings are in setting-routes.ts. */

import { z } from 'zod';
import { listGroups } from '../../corpus/group-store.ts';
import { listSettingsOfGroups } from '../../corpus/setting-store.ts';
import { deleteGroupRoute } from '../../http/delete-group-route.ts';
import type { Deps } from '../../http/deps.ts';
import { checkMayCreateGroup } from '../../http/key-limits.ts';
import { pageAnswer, pageQuery, pageRequest, pageResponse } from '../../http/page.ts';
import { redactGroup } from '../../http/records/group-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import {
  givenId,
  groupStatusSchema,
  idParams,
  idSchema,
  latestRunShape,
  metadataPatchSchema,
  metadataSchema,
  nameSchema,
  timeSchema,
} from '../../http/schemas.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { text } from '../../util/text-schema.ts';
import { unixSeconds } from '../../util/time.ts';
import { type ConnectorSource, createSource, getSource, type NewSource } from './connector-sources.ts';
import { listKey, SOURCE_KINDS, type SourceKind } from './kinds.ts';
import { ruleSchema, settingRoutes } from './setting-routes.ts';

const SCOPES = ['ingestion:manage'] as const;
/** The same limit as for stored secrets. */
const CREDENTIAL_LENGTH_MAX = 5_000;

export function connectorSourceRoutes(deps: Deps): Route[] {
  return SOURCE_KINDS.flatMap((kind) => [...sourceRoutes(deps, kind), ...settingRoutes(deps, kind)]);
}

function sourceRoutes(deps: Deps, kind: SourceKind): Route[] {
  const schema = sourceSchema(kind);
  const key = listKey(kind.path);
  const route = routesOf(kind.area);
  return [
    route({
      method: 'POST',
      path: kind.path,
      scopes: SCOPES,
      check: checkMayCreateGroup,
      operation: {
        id: `create${kind.name}`,
        summary: `Create a ${kind.noun}`,
        description:
          'Creates the source with its ingestion setting and starts its first run. Without `rrule` there is only this run, until ' +
          '`POST /source-groups/{id}/runs` starts another. 404 if the secret is unknown or has another type.',
      },
      body: createBody(kind),
      response: { status: 201, schema, description: 'The source. Its first run is queued.' },
      errors: kind.credential ? [404, 409] : [409],
      idempotent: true,
      example: kind.example,
      async handler({ caller, body, idempotency }) {
        const source = await createSource(deps, caller, kind, newSource(kind, body), async (tx, made) =>
          idempotency.save(tx, await toSource(kind, made, null)),
        );
        return toSource(kind, source, null);
      },
    }),
    route({
      method: 'GET',
      path: kind.path,
      scopes: SCOPES,
      operation: { id: `list${kind.name}s`, summary: `List ${kind.noun}s` },
      query: pageQuery,
      response: pageResponse(key, schema, 'The sources of this page.'),
      async handler({ caller, query }) {
        const { settings, redactor, ...listed } = await withRedactor(deps, caller.tenantId, async (tx) => {
          const groups = await listGroups(tx, caller, { sourceType: kind.kind }, pageRequest(query));
          const ids = groups.rows.map(({ id }) => id);
          return { ...groups, settings: await listSettingsOfGroups(tx, ids) };
        });
        const settingOf = new Map(settings.map((setting) => [setting.sourceGroupId, setting]));
        return pageAnswer(key, query, listed, (group) =>
          toSource(kind, { group, setting: settingOf.get(group.id)! }, redactor),
        );
      },
    }),
    route({
      method: 'GET',
      path: `${kind.path}/{id}`,
      scopes: SCOPES,
      operation: { id: `get${kind.name}`, summary: `Get a ${kind.noun}` },
      params: idParams,
      response: { status: 200, schema },
      async handler({ caller, params }) {
        const { redactor, ...source } = await withRedactor(deps, caller.tenantId, (tx) =>
          getSource(tx, caller, kind, params.id),
        );
        return toSource(kind, source, redactor);
      },
    }),
    deleteGroupRoute(
      deps,
      route,
      kind.path,
      {
        id: `delete${kind.name}`,
        summary: `Delete a ${kind.noun}`,
        description:
          'When the request is answered, the content is hidden, and the setting and a one-time credential are deleted; a background ' +
          'job removes the rest. Until then, a repeated request gets the same answer.',
      },
      kind.kind,
    ),
  ];
}

function sourceSchema({ name, answerMembers }: SourceKind) {
  return z
    .object({
      id: idSchema.describe('Id of the source, which is also the id of its source group.'),
      name: z.string().describe('Name of the source and of its source group.'),
      ...answerMembers,
      status: groupStatusSchema,
      ingestion_setting_id: z.string().describe('Id of the ingestion setting; empty after the setting was deleted.'),
      creation_time: timeSchema,
      ...latestRunShape,
      metadata: metadataSchema,
    })
    .meta({ id: name });
}

/** Returns the schema of the body that creates a source. */
export function createBody({ requestMembers, credential }: SourceKind) {
  return z.strictObject({
    name: nameSchema.describe('Name of the source and of its source group.'),
    ...requestMembers,
    ...(credential && {
      secret_id: givenId
        .optional()
        .describe(
          `Id of a stored secret of the type \`${credential.secretType}\`; not together with \`${credential.member}\`.`,
        ),
      [credential.member]: text(1, CREDENTIAL_LENGTH_MAX)
        .optional()
        .describe(
          `${credential.description}, for one run only: it is encrypted, never returned, and erased when the first run ends. Not ` +
            'together with `secret_id`.',
        ),
    }),
    rrule: ruleSchema
      .optional()
      .describe(
        'When to run again: an RFC 5545 RRULE.' +
          (credential ? ' If the source needs a credential, a schedule needs a stored secret.' : ''),
      ),
    metadata: metadataPatchSchema.optional().describe('Metadata of the source group.'),
  });
}

/** Returns what a validated body says about a new source. */
export function newSource(kind: SourceKind, body: z.output<ReturnType<typeof createBody>>): NewSource {
  const members = body as Record<string, unknown>;
  return {
    name: body.name,
    origin: kind.toOrigin(members),
    oneTimeCredential: kind.credential ? (members[kind.credential.member] as string | undefined) : undefined,
    secretId: members['secret_id'] as string | undefined,
    rrule: body.rrule ?? '',
    metadata: body.metadata?.records ?? [],
  };
}

/** Returns the wire record of a source, redacted. A caller who creates a source gets it as it was sent. */
async function toSource(
  kind: SourceKind,
  { group, setting }: ConnectorSource,
  redactor: Redactor | null,
): Promise<z.input<ReturnType<typeof sourceSchema>>> {
  return {
    id: group.id,
    ...(await redactGroup(group, redactor)),
    ...kind.toWire(setting.origin),
    status: group.status,
    ingestion_setting_id: setting.deletedAt ? '' : setting.id,
    creation_time: unixSeconds(group.createdAt),
    start_time: unixSeconds(group.startedAt),
    end_time: unixSeconds(group.endedAt),
  };
}

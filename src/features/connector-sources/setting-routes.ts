/** Routes for ingestion settings. Each source that is synchronized with an origin has one. */
import { z } from 'zod';
import { listSettings, type Setting } from '../../corpus/setting-store.ts';
import type { Deps } from '../../http/deps.ts';
import { pageAnswer, pageQuery, pageRequest, pageResponse } from '../../http/page.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idParams, idSchema, nameSchema, timeSchema } from '../../http/schemas.ts';
import { RULE_LENGTH_MAX } from '../../jobs/schedule-limits.ts';
import { text } from '../../util/text-schema.ts';
import { unixSeconds } from '../../util/time.ts';
import { changeSetting, getSetting, removeSetting } from './connector-sources.ts';
import { listKey, type SourceKind } from './kinds.ts';

const SCOPES = ['ingestion:manage'] as const;

export const ruleSchema = text(0, RULE_LENGTH_MAX);

export function settingRoutes(deps: Deps, kind: SourceKind): Route[] {
  const schema = settingSchema(kind);
  const key = listKey(kind.settingPath);
  const route = routesOf(kind.area);
  return [
    route({
      method: 'GET',
      path: kind.settingPath,
      scopes: SCOPES,
      operation: { id: `list${kind.settingName}s`, summary: `List the settings of ${kind.noun}s` },
      query: pageQuery,
      response: pageResponse(key, schema, 'The settings of this page.'),
      handler: ({ caller, query }) =>
        deps.db.transaction(caller.tenantId, async (tx) => {
          const listed = await listSettings(tx, kind.kind, caller, pageRequest(query));
          return pageAnswer(key, query, listed, (setting) => toSetting(kind, setting));
        }),
    }),
    route({
      method: 'GET',
      path: `${kind.settingPath}/{id}`,
      scopes: SCOPES,
      operation: { id: `get${kind.settingName}`, summary: `Get the setting of a ${kind.noun}` },
      params: idParams,
      response: { status: 200, schema },
      handler: async ({ caller, params }) => toSetting(kind, await getSetting(deps, caller, kind, params.id)),
    }),
    route({
      method: 'PUT',
      path: `${kind.settingPath}/{id}`,
      scopes: SCOPES,
      operation: {
        id: `update${kind.settingName}`,
        summary: `Change the name and the schedule of a ${kind.noun}`,
        description: 'The origin and its secret cannot be changed. A run that is active continues.',
      },
      params: idParams,
      body: z.strictObject({
        name: nameSchema.describe('New name of the setting and of its source.'),
        rrule: ruleSchema.optional().describe('When to run: an RFC 5545 RRULE. Absent: unchanged. Empty: no schedule.'),
      }),
      response: { status: 200, schema },
      example: { name: String(kind.example['name']), rrule: 'FREQ=DAILY;BYHOUR=5;BYMINUTE=0' },
      handler: async ({ caller, params, body }) =>
        toSetting(kind, await changeSetting(deps, caller, kind, params.id, { name: body.name, rrule: body.rrule })),
    }),
    route({
      method: 'DELETE',
      path: `${kind.settingPath}/{id}`,
      scopes: SCOPES,
      operation: {
        id: `delete${kind.settingName}`,
        summary: `End the schedule of a ${kind.noun}`,
        description: 'The source and its content stay, and the source can still be run. Returns the deleted setting.',
      },
      params: idParams,
      response: { status: 200, schema },
      handler: async ({ caller, params }) => toSetting(kind, await removeSetting(deps, caller, kind, params.id)),
    }),
  ];
}

function settingSchema({ settingName, answerMembers, credential }: SourceKind) {
  return z
    .object({
      id: idSchema.describe('Id of the setting.'),
      name: z.string().describe('Name of the setting and of its source.'),
      ...answerMembers,
      rrule: z.string().describe('The schedule as it was sent: an RFC 5545 RRULE. Empty: no schedule.'),
      ...(credential && { secret_id: z.string().describe('Id of the stored secret; empty when there is none.') }),
      source_group_id: idSchema.describe('Id of the source, which is also the id of its source group.'),
      creation_time: timeSchema.describe('Unix seconds. A schedule without DTSTART starts at this time, in UTC.'),
      next_run_times: z
        .array(timeSchema)
        .describe(
          'The next times of the schedule, at most 5, in Unix seconds; empty without a schedule. A run starts within 75 seconds after ' +
            'its time. While runs fail, times are left out.',
        ),
      failing_since_time: timeSchema
        .nullable()
        .describe(
          'When the first of the runs was started that failed since the last success; null after a success. The schedule then waits as ' +
            'long as the runs have failed, at most 22 hours after the last run.',
        ),
    })
    .meta({ id: settingName });
}

function toSetting(kind: SourceKind, setting: Setting): z.input<ReturnType<typeof settingSchema>> {
  return {
    id: setting.id,
    name: setting.name,
    ...kind.toWire(setting.origin),
    rrule: setting.rrule,
    ...(kind.credential && { secret_id: setting.secretId ?? '' }),
    source_group_id: setting.sourceGroupId,
    creation_time: unixSeconds(setting.createdAt),
    next_run_times: setting.nextTimes.map((time) => unixSeconds(time)),
    failing_since_time: setting.failingSince && unixSeconds(setting.failingSince),
  };
}

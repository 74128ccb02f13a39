/** Routes that show what a new source would do, before it is created: what its origin has, and when its schedule runs. */
import { z } from 'zod';
import { invalidAt } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { checkMayCreateGroup } from '../../http/key-limits.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { nameSchema, timeSchema } from '../../http/schemas.ts';
import { RULE_LENGTH_MAX } from '../../jobs/schedule-limits.ts';
import { shownFact } from '../../redaction/apply-redaction.ts';
import { readRedactor } from '../../redaction/redactors.ts';
import { collect } from '../../util/collect.ts';
import { text } from '../../util/text-schema.ts';
import { unixSeconds } from '../../util/time.ts';
import { CHECK_MS_MAX, openOriginChecks } from './check-origin.ts';
import { SOURCE_KINDS, type SourceKind } from './kinds.ts';
import { createBody, newSource } from './routes.ts';

const SCOPES = ['ingestion:manage'] as const;
const ZONE_LENGTH_MAX = 64;

const problemSchema = z.object({
  title: z.string().describe('What is wrong, in a few words.'),
  message: z.string().describe('What is wrong and what to do, in words for a person.'),
  retryable: z.boolean().describe('Whether the same check may succeed later.'),
});

const checkSchema = z
  .object({
    reachable: z.boolean().describe('Whether the origin answered and accepted the credential.'),
    account: z
      .string()
      .nullable()
      .describe(
        'The account that the credential names, such as the address of a service account; null: it names none.',
      ),
    files: z.int().describe('Files found until the check ended.'),
    complete: z.boolean().describe('Whether these are all files. False: the check ended before the listing did.'),
    names: z.array(z.string()).describe('Names of the first files, at most 3.'),
    problem: problemSchema.nullable().describe('Why the origin cannot be read; null: nothing is wrong.'),
  })
  .meta({ id: 'OriginCheck' });

function checkBody(kind: SourceKind) {
  return createBody(kind).extend({
    kind: z.literal(kind.kind).describe('Kind of the source. The other members are those of its creation.'),
    name: nameSchema.default('check').describe('Name of the source; not needed for a check.'),
  });
}

export const previewRoutes = (deps: Deps): Route[] => [
  checkRoute(deps),
  routesOf('Connectors')({
    method: 'POST',
    path: '/schedules/preview',
    scopes: SCOPES,
    operation: {
      id: 'previewSchedule',
      summary: 'Say when a schedule would run',
      description: 'Checks the rule as the creation of a source does. Nothing is stored.',
    },
    body: z.strictObject({
      rrule: text(1, RULE_LENGTH_MAX).describe('An RFC 5545 RRULE.'),
      time_zone: text(1, ZONE_LENGTH_MAX)
        .optional()
        .describe('The zone in which to read a rule that names none, such as `Europe/Berlin`. Absent: UTC.'),
    }),
    response: {
      status: 200,
      schema: z.object({
        rrule: z.string().describe('The rule with its zone: what to send when the source is created.'),
        next_run_times: z.array(timeSchema).describe('The next times, at most 5, in Unix seconds.'),
      }),
    },
    example: { rrule: 'FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=6;BYMINUTE=0', time_zone: 'Europe/Berlin' },
    async handler({ body }) {
      const rule = inZone(body.rrule, body.time_zone);
      if (rule.length > RULE_LENGTH_MAX)
        throw invalidAt(['rrule'], `must have at most ${RULE_LENGTH_MAX} characters with its zone.`);
      const now = deps.clock.now();
      const times = await deps.schedules.check(rule, now, now);
      return { rrule: rule, next_run_times: times.map((time) => unixSeconds(time)) };
    },
  }),
];

function checkRoute(deps: Deps): Route {
  const [first, ...others] = SOURCE_KINDS.map(checkBody);
  const kindOf = new Map<string, SourceKind>(SOURCE_KINDS.map((kind) => [kind.kind, kind]));
  const check = openOriginChecks(deps);
  const [{ kind: exampleKind, example }] = SOURCE_KINDS.slice(-1) as [SourceKind];
  return routesOf('Connectors')({
    method: 'POST',
    path: '/connectors/check',
    scopes: SCOPES,
    check: checkMayCreateGroup,
    operation: {
      id: 'checkConnector',
      summary: 'Look at an origin before a source follows it',
      description:
        'Takes the body that creates a source, with its `kind`, and refuses what the creation would refuse. Lists the origin for at most ' +
        `${CHECK_MS_MAX / 1_000} seconds and stores nothing. An origin that cannot be read is no error of the request: \`problem\` says ` +
        'what is wrong. A tenant may check two origins at the same time.',
    },
    body: z.discriminatedUnion('kind', [first!, ...others]),
    response: { status: 200, schema: checkSchema },
    errors: [404],
    example: { kind: exampleKind, ...example },
    async handler({ caller, body, signal }) {
      const { kind: name, ...members } = body;
      const kind = kindOf.get(name)!;
      const found = await check(caller, kind, newSource(kind, members), signal);
      const redactor = await readRedactor(deps, caller.tenantId);
      return { ...found, names: await collect(found.names, async (one) => await shownFact(redactor, one)) };
    },
  });
}

/** Returns the rule with the zone as its last part, unless it has a start or a zone of its own. */
function inZone(rule: string, zone: string | undefined): string {
  if (zone === undefined || /\b(?:TZID|DTSTART)\b/i.test(rule)) return rule;
  return `${rule.replace(/[;\s]+$/, '')};TZID=${zone}`;
}

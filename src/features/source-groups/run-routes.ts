/** Runs of source groups over HTTP: history, progress, per-file errors, run again, cancel. */

import { z } from 'zod';
import { findGroup } from '../../corpus/group-store.ts';
import { findRun, listRunErrors, listRuns, type Run, type RunError } from '../../corpus/run-store.ts';
import { notFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { orderShape, pageQuery, pageQueryShape, paginationSchema, searchShape, toPage } from '../../http/page.ts';
import { type Route, route } from '../../http/route.ts';
import { idParams, idSchema, jobErrorSchema, timeSchema } from '../../http/schemas.ts';
import { cancelRun, startRun } from '../../ingest/runs/run-actions.ts';
import { JOB_STATUSES } from '../../jobs/status.ts';
import { FACT_STEPS, redactText } from '../../redaction/apply-redaction.ts';
import { collect } from '../../util/collect.ts';
import { isId } from '../../util/ids.ts';
import { unixSeconds } from '../../util/time.ts';

const AREA = 'Runs';

const runSchema = z
  .object({
    id: idSchema,
    source_group_id: idSchema,
    status: z.enum(JOB_STATUSES),
    stage: z
      .string()
      .nullable()
      .describe('What the run is doing now: `list` while its origin is listed and what came is read, then `parse`.'),
    files_done: z.int(),
    files_total: z.int(),
    chunks_done: z.int(),
    statistics: z.object({
      scanned: z.int(),
      added: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      skipped: z.int(),
      deleted: z.int(),
      failed: z.int(),
    }),
    creation_time: timeSchema,
    start_time: timeSchema.nullable(),
    end_time: timeSchema.nullable(),
    error: jobErrorSchema.nullable(),
  })
  .meta({ id: 'Run' });

const runErrorSchema = z
  .object({
    id: idSchema,
    source_id: idSchema.nullable().describe('Null: what could not be listed or fetched has never become a source.'),
    name: z.string(),
    stage: z.string().describe('Where it failed: list, fetch, detect, parse, chunk or store.'),
    title: z.string(),
    message: z.string(),
    retryable: z.boolean().describe('True when the same file may succeed in another run.'),
    creation_time: timeSchema,
  })
  .meta({ id: 'RunError' });

export function runRoutes(deps: Deps): Route[] {
  return [listAllRoute(deps), listRoute(deps), startRoute(deps), getRoute(deps), errorsRoute(deps), cancelRoute(deps)];
}

function listRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/source-groups/{id}/runs',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listRuns', area: AREA, summary: 'List the runs of a source group' },
    params: idParams,
    query: z.strictObject({ ...pageQueryShape, ...orderShape, ...searchShape('the status, stage or error') }),
    response: { status: 200, schema: z.object({ runs: z.array(runSchema), pagination: paginationSchema }) },
    errors: [400, 404],
    handler: ({ caller, params, query }) =>
      deps.db.transaction(caller.tenantId, async (tx) => {
        if (!isId(params.id) || !(await findGroup(tx, caller.tenantId, params.id, caller))) throw notFound();
        const request = { limit: query.limit, afterId: query.after_id, order: query.order };
        const { rows, total } = await listRuns(
          tx,
          caller.tenantId,
          caller,
          { sourceGroupId: params.id, q: query.q },
          request,
        );
        const { page, pagination } = toPage(rows, query.limit, total);
        return { runs: page.map(toRun), pagination };
      }),
  });
}

function listAllRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/runs',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listAllRuns', area: AREA, summary: 'List the runs of all source groups' },
    query: z.strictObject({
      ...pageQueryShape,
      ...orderShape,
      ...searchShape('the status, stage or error'),
      status: z.enum(JOB_STATUSES).optional(),
    }),
    response: { status: 200, schema: z.object({ runs: z.array(runSchema), pagination: paginationSchema }) },
    async handler({ caller, query }) {
      const request = { limit: query.limit, afterId: query.after_id, order: query.order };
      const filter = { status: query.status, q: query.q };
      const { rows, total } = await deps.db.transaction(caller.tenantId, (tx) =>
        listRuns(tx, caller.tenantId, caller, filter, request),
      );
      const { page, pagination } = toPage(rows, query.limit, total);
      return { runs: page.map(toRun), pagination };
    },
  });
}

function startRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/source-groups/{id}/runs',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'startRun',
      area: AREA,
      summary: 'Run a source group again',
      description:
        'Unchanged files cost nothing; failed ones are tried again. With only_failed the others are not counted. What is kept in ' +
        'step with an origin is listed anew, with and without only_failed; 409 when its one-time credential was erased.',
    },
    params: idParams,
    body: z.strictObject({ only_failed: z.boolean().default(false) }),
    bodyOptional: true,
    response: { status: 201, schema: runSchema, description: 'The run, queued.' },
    errors: [400, 404, 409],
    idempotent: true,
    example: { only_failed: true },
    async handler({ caller, params, body }) {
      if (!isId(params.id)) throw notFound();
      return toRun(await startRun(deps, caller.tenantId, params.id, caller, body?.only_failed ?? false));
    },
  });
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/runs/{id}',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'getRun', area: AREA, summary: 'Get a run and its progress' },
    params: idParams,
    response: { status: 200, schema: runSchema },
    errors: [404],
    async handler({ caller, params }) {
      const run = isId(params.id)
        ? await deps.db.transaction(caller.tenantId, (tx) => findRun(tx, caller.tenantId, params.id, caller))
        : undefined;
      if (!run) throw notFound();
      return toRun(run);
    },
  });
}

function errorsRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/runs/{id}/errors',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listRunErrors', area: AREA, summary: 'List the files that failed in a run' },
    params: idParams,
    query: pageQuery,
    response: { status: 200, schema: z.object({ errors: z.array(runErrorSchema), pagination: paginationSchema }) },
    errors: [400, 404],
    async handler({ caller, params, query }) {
      const { rows, total, redactor } = await deps.db.transaction(caller.tenantId, async (tx) => {
        if (!isId(params.id) || !(await findRun(tx, caller.tenantId, params.id, caller))) throw notFound();
        const request = { limit: query.limit, afterId: query.after_id };
        const listed = await listRunErrors(tx, caller.tenantId, params.id, request);
        return { ...listed, redactor: await deps.redactors.forTenant(tx, caller.tenantId) };
      });
      const { page, pagination } = toPage(rows, query.limit, total);
      // What went wrong may quote the file.
      const shown = async (text: string): Promise<string> => (await redactText(redactor, text, FACT_STEPS)) ?? '';
      const errors = await collect(page, async (error) =>
        toRunError({ ...error, name: await shown(error.name), message: await shown(error.message) }),
      );
      return { errors, pagination };
    },
  });
}

function cancelRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/runs/{id}/cancel',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'cancelRun',
      area: AREA,
      summary: 'Cancel a run',
      description:
        'Files in hand are dropped, what is stored stays. The run may still end in success or failure if it finished first.',
    },
    params: idParams,
    response: { status: 202, schema: runSchema, description: 'The run, canceling.' },
    errors: [404, 409],
    async handler({ caller, params }) {
      if (!isId(params.id)) throw notFound();
      return toRun(await cancelRun(deps, caller.tenantId, params.id, caller));
    },
  });
}

function toRun(run: Run): z.input<typeof runSchema> {
  const { scanned, added, updated, unchanged, skipped, deleted, failed } = run;
  return {
    id: run.id,
    source_group_id: run.sourceGroupId,
    status: run.status,
    stage: run.stage,
    files_done: run.filesDone,
    files_total: run.filesTotal,
    chunks_done: run.chunksDone,
    statistics: { scanned, added, updated, unchanged, skipped, deleted, failed },
    creation_time: unixSeconds(run.createdAt),
    start_time: unixSeconds(run.startedAt),
    end_time: unixSeconds(run.endedAt),
    error: run.errorTitle === null ? null : { title: run.errorTitle, message: run.errorMessage ?? '' },
  };
}

function toRunError(error: RunError): z.input<typeof runErrorSchema> {
  return {
    id: error.id,
    source_id: error.sourceId,
    name: error.name,
    stage: error.stage,
    title: error.title,
    message: error.message,
    retryable: error.retryable,
    creation_time: unixSeconds(error.createdAt),
  };
}

/** Routes for the runs of source groups: history, progress, errors of files, start, cancel. */

import { z } from 'zod';
import { findGroup } from '../../corpus/group-store.ts';
import { findRun, listRunErrors, listRuns, type Run } from '../../corpus/run-store.ts';
import { FILE_CHANGES, listRunFiles, RUN_FILES_MAX, RUN_SKIPPED_MAX } from '../../corpus/runs/run-file-store.ts';
import type { FilePlace } from '../../corpus/values.ts';
import { notFound, orNotFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import {
  orderShape,
  pageAnswer,
  pageQuery,
  pageQueryShape,
  pageRequest,
  pageResponse,
  readTimes,
  searchShape,
  timesShape,
} from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { givenId, idParams, idSchema, jobStatusSchema, sentId, timeSchema } from '../../http/schemas.ts';
import { cancelRun, startRun } from '../../ingest/runs/run-actions.ts';
import { redactFact, shownFact, wholePath } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { readRedactor, withRedactor } from '../../redaction/redactors.ts';
import { runSchema, toRun } from './run-record.ts';

const route = routesOf('Runs');
const SOURCE_IDS_MAX = 1_000;

const runPage = pageResponse('runs', runSchema, 'Runs of this page.');

/** Many files of an origin have one name, as `index.html`. */
const placeSchemas = {
  path: z
    .string()
    .nullable()
    .describe(
      'Path of the file when the run saw it, also of deleted and skipped files; for a file inside a file as in GroupSource. Null for ' +
        'files without a path, and where a redaction rule would change it.',
    ),
  url: z
    .string()
    .nullable()
    .describe(
      'Address of the file at its origin when the run saw it. Null if it is not known, and where a redaction rule would change it.',
    ),
};

const runErrorSchema = z
  .object({
    id: idSchema.describe('Id of the error.'),
    source_id: idSchema
      .nullable()
      .describe('Id of the source. Null when the file could not be listed or fetched, and so never became a source.'),
    name: z.string().describe('Name of the file.'),
    path: placeSchemas.path,
    url: placeSchemas.url,
    stage: z.string().describe('Where the file failed: list, fetch, detect, parse, chunk or store.'),
    title: z.string().describe('What failed, in a few words.'),
    message: z.string().describe('What went wrong, in words for a person.'),
    retryable: z.boolean().describe('Whether the same file may succeed in another run.'),
    creation_time: timeSchema,
  })
  .meta({ id: 'RunError' });

const runFileSchema = z
  .object({
    id: idSchema.describe('Position in the list.'),
    source_id: idSchema
      .nullable()
      .describe('Id of the source, which may be deleted. Null for files that never became one.'),
    name: z.string().describe('Name of the file.'),
    path: placeSchemas.path,
    url: placeSchemas.url,
    change: z.enum(FILE_CHANGES).describe('What the run did with the file.'),
    read_ms: z.int().nullable().describe('Milliseconds for reading the file; null if it was not read, or failed.'),
    stage: z.string().nullable().describe('Where a failed file failed; null for others.'),
    title: z.string().nullable().describe('What failed, in a few words; null for others.'),
    message: z
      .string()
      .nullable()
      .describe('What went wrong, or why the file was skipped, in words for a person; null for others.'),
    retryable: z.boolean().nullable().describe('Whether the same file may succeed in another run; null for others.'),
  })
  .meta({ id: 'RunFile' });

export const runRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/runs',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listAllRuns', summary: 'List the runs of all source groups' },
    query: z.strictObject({
      ...pageQueryShape,
      ...orderShape,
      ...searchShape('the status, stage or error; while redaction rules exist, not the message of the error'),
      status: jobStatusSchema.optional().describe('Only runs with this status.'),
      source_group_id: givenId
        .optional()
        .describe('Only runs of the source group with this id. An unknown group selects nothing.'),
      ...timesShape('Only runs made'),
    }),
    response: runPage,
    async handler({ caller, query }) {
      const { status, q, source_group_id: sourceGroupId } = query;
      const times = readTimes(query);
      const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, (tx, redactor) => {
        const filter = { status, q, sourceGroupId, ...times, hidesMessages: redactor !== null };
        return listRuns(tx, caller, filter, pageRequest(query));
      });
      return pageAnswer('runs', query, listed, (run) => toRun(redactor, run));
    },
  }),
  route({
    method: 'GET',
    path: '/source-groups/{id}/runs',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listRuns', summary: 'List the runs of a source group' },
    params: idParams,
    query: z.strictObject({
      ...pageQueryShape,
      ...orderShape,
      ...searchShape('the status, stage or error; while redaction rules exist, not the message of the error'),
    }),
    response: runPage,
    async handler({ caller, params, query }) {
      const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, async (tx, redactor) => {
        if (!(await findGroup(tx, params.id, caller))) throw notFound();
        const filter = { sourceGroupId: params.id, q: query.q, hidesMessages: redactor !== null };
        return listRuns(tx, caller, filter, pageRequest(query));
      });
      return pageAnswer('runs', query, listed, (run) => toRun(redactor, run));
    },
  }),
  route({
    method: 'POST',
    path: '/source-groups/{id}/runs',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'startRun',
      summary: 'Run a source group again',
      description:
        'Files that did not change are not read again; files that failed are retried. A source with an origin is listed again, with and ' +
        'without `only_failed`; 409 if its one-time credential was erased. With `source_ids` only these files are read again, from their ' +
        'stored bytes; 409 if none of them has failed.',
    },
    params: idParams,
    body: z.strictObject({
      only_failed: z
        .boolean()
        .default(false)
        .describe('Only the files that failed in the latest run. The other files are not counted in the new run.'),
      source_ids: z
        .array(sentId)
        .min(1)
        .max(SOURCE_IDS_MAX)
        .optional()
        .describe(`Only these files of the group, at most ${SOURCE_IDS_MAX}. 404 if one of them is not in the group.`),
    }),
    bodyOptional: true,
    response: { status: 201, schema: runSchema, description: 'The queued run.' },
    idempotent: true,
    example: { only_failed: true },
    async handler({ caller, params, body }) {
      const request = { onlyFailed: body?.only_failed ?? false, sourceIds: body?.source_ids };
      return shown(deps, caller.tenantId, await startRun(deps, caller.tenantId, params.id, caller, request));
    },
  }),
  route({
    method: 'GET',
    path: '/runs/{id}',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'getRun', summary: 'Get a run and its progress' },
    params: idParams,
    response: { status: 200, schema: runSchema },
    async handler({ caller, params }) {
      const run = orNotFound(await deps.db.transaction(caller.tenantId, (tx) => findRun(tx, params.id, caller)));
      return shown(deps, caller.tenantId, run);
    },
  }),
  route({
    method: 'GET',
    path: '/runs/{id}/errors',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: { id: 'listRunErrors', summary: 'List the files that failed in a run' },
    params: idParams,
    query: pageQuery,
    response: pageResponse('errors', runErrorSchema, 'Failed files of this page.'),
    async handler({ caller, params, query }) {
      const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, async (tx) => {
        if (!(await findRun(tx, params.id, caller))) throw notFound();
        return listRunErrors(tx, params.id, pageRequest(query));
      });
      // A message may quote the file.
      return pageAnswer('errors', query, listed, async (error) =>
        toRecord(runErrorSchema, error, {
          name: await shownFact(redactor, error.name),
          message: await shownFact(redactor, error.message),
          ...(await readablePlace(redactor, error)),
        }),
      );
    },
  }),
  route({
    method: 'GET',
    path: '/runs/{id}/files',
    scopes: ['ingestion:manage', 'knowledge:read'],
    operation: {
      id: 'listRunFiles',
      summary: 'List the files that a run changed, skipped or could not read',
      description:
        `A run keeps the names of ${RUN_FILES_MAX.toLocaleString('en')} changed files, and of ${RUN_SKIPPED_MAX} files that the ` +
        'origin lists and a rule excludes; its counts have all. A skipped file with a stored version is also in the list as deleted.',
    },
    params: idParams,
    query: z.strictObject({
      ...pageQueryShape,
      change: z.enum(FILE_CHANGES).optional().describe('Only files to which this happened.'),
    }),
    response: pageResponse('files', runFileSchema, 'Files of this page.'),
    async handler({ caller, params, query }) {
      const { redactor, ...listed } = await withRedactor(deps, caller.tenantId, async (tx) => {
        if (!(await findRun(tx, params.id, caller))) throw notFound();
        return listRunFiles(tx, params.id, query.change, pageRequest(query));
      });
      return pageAnswer('files', query, listed, async (file) => {
        const message = file.message && (await shownFact(redactor, file.message));
        const place = await readablePlace(redactor, file);
        return toRecord(runFileSchema, file, { name: await shownFact(redactor, file.name), ...place, message });
      });
    },
  }),
  route({
    method: 'POST',
    path: '/runs/{id}/cancel',
    scopes: ['ingestion:manage'],
    operation: {
      id: 'cancelRun',
      summary: 'Cancel a run',
      description:
        'Files that are being processed are dropped; stored content stays. A run that finishes first still ends in success or failure.',
    },
    params: idParams,
    response: { status: 202, schema: runSchema, description: 'The run, which is being canceled.' },
    errors: [409],
    async handler({ caller, params }) {
      return shown(deps, caller.tenantId, await cancelRun(deps, caller.tenantId, params.id, caller));
    },
  }),
];

/** A path or an address that a rule would change is left out, because the rest of it leads nowhere. */
async function readablePlace(redactor: Redactor | null, { path, url }: FilePlace): Promise<FilePlace> {
  const isWhole = url !== null && (await redactFact(redactor, url)) === url;
  return { path: await wholePath(redactor, path), url: isWhole ? url : null };
}

async function shown(deps: Deps, tenantId: string, run: Run): Promise<z.input<typeof runSchema>> {
  return toRun(await readRedactor(deps, tenantId), run);
}

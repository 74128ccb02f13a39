/** Routes that say what the service can do, and whether all parts of it work. */
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { countWaiting } from '../../corpus/embedding-queue-store.ts';
import { readQuotaUse } from '../../corpus/source-lookup.ts';
import type { Deps } from '../../http/deps.ts';
import { refuseLimitedKeys } from '../../http/key-limits.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { timeSchema } from '../../http/schemas.ts';
import { type Tool, toolsFor } from '../../http/tools/tool.ts';
import { packageVersion } from '../../util/package-files.ts';
import { unixSeconds } from '../../util/time.ts';
import { type Check, openChecks } from './checks.ts';

const route = routesOf('Service');

/** What the roots pass in: checks of all adapters, and limits of other features. */
export interface ServiceParts {
  examine: () => Promise<{ checks: readonly Check[] }>;
  uploadBytesMax: number;
  filesPerUploadMax: number;
  tools: readonly Tool[];
}

const modelName = (use: string) => z.string().nullable().describe(`Name of the ${use} model; null: none.`);

const quotaSchema = (of: string) =>
  z
    .object({
      used: z.int().describe(`${of} that count.`),
      quota: z.int().nullable().describe('How many the tenant may have; null: not limited.'),
    })
    .describe(`${of} of the tenant.`);

const serviceSchema = z
  .object({
    version: z.string().describe('Version of the service.'),
    authorization: z.boolean().describe('Whether policies decide who sees what.'),
    models: z
      .object({
        chat: modelName('chat').describe('Name of the chat model; null: answers are quotations.'),
        embedding: modelName('embedding').describe('Name of the embedding model; null: search is by words only.'),
        rerank: modelName('rerank'),
        entailment: modelName('entailment').describe('Name of the entailment model; null: rules check citations.'),
      })
      .describe('The configured models.'),
    tools: z
      .array(
        z.object({
          name: z.string().describe('Name of the tool.'),
          title: z.string().describe('What the tool does, in a few words.'),
          description: z.string().describe('What a model reads about the tool.'),
        }),
      )
      .describe('The tools of `/mcp` and of agent runs that the key may use.'),
    ocr_languages: z
      .array(z.string())
      .nullable()
      .describe('Languages in which pictures are read, as tesseract names them; null: pictures are not read.'),
    office: z
      .boolean()
      .describe('Whether LibreOffice may read old Office files. Without it, they are read without lists and charts.'),
    names_analyzer: z.boolean().describe('Whether redaction rules can find names of people and places.'),
    web_grounding: z.boolean().describe('Whether answers may use web search.'),
    limits: z
      .object({
        upload_bytes_max: z.int().describe('Maximum bytes of an upload, of all its files together.'),
        files_per_upload_max: z.int().describe('Maximum files of an upload.'),
        requests_per_minute: z.int().nullable().describe('Requests of a key per minute; null: not limited.'),
        concurrent_requests: z.int().nullable().describe('Requests of a key at the same time; null: not limited.'),
        tokens_per_day: z.int().nullable().describe('Tokens of the chat model of a key per day; null: not limited.'),
      })
      .describe('Limits that a client can respect before it sends a request.'),
    quotas: z
      .object({
        bytes: quotaSchema('Bytes of files'),
        files: quotaSchema('Files'),
        groups: quotaSchema('Source groups'),
      })
      .nullable()
      .describe(
        'What the tenant has and may have; deleted sources do not count. Null: the tenant has no quotas, or the key has limits or ' +
          'lacks the scope `ingestion:manage`.',
      ),
  })
  .meta({ id: 'Service' });

const checksSchema = z
  .object({
    ok: z.boolean().describe('True if all checks succeeded.'),
    checks: z
      .array(
        z.object({
          name: z.string().describe('What was checked.'),
          ok: z.boolean().describe('Whether it works.'),
          detail: z.string().describe('The result in words for a person.'),
          fix: z
            .string()
            .nullable()
            .describe(
              'A command for the operator if the check failed, or if a part is missing without which it works; otherwise null.',
            ),
        }),
      )
      .describe('The checks.'),
    chunks_waiting: z.int().describe('Chunks of the tenant that have no vector yet: they are found by words only.'),
    chunks_refused: z.int().describe('Chunks of the tenant that the embedding model refused.'),
    checked_time: timeSchema.describe('When the checks ran, Unix seconds.'),
  })
  .meta({ id: 'ServiceChecks' });

export function serviceFactRoutes(deps: Deps, parts: ServiceParts): Route[] {
  const runChecks = openChecks(parts.examine, () => deps.clock.now());
  return [
    route({
      method: 'GET',
      path: '/service',
      scopes: ['knowledge:read', 'ingestion:manage'],
      operation: { id: 'getService', summary: 'Say what the service can do' },
      response: { status: 200, schema: serviceSchema },
      handler: async ({ caller }) => ({
        ...facts(deps, parts),
        tools: toolsFor(parts.tools, caller).map(({ name, title, description }) => ({ name, title, description })),
        quotas: await quotaFacts(deps, caller),
      }),
    }),
    route({
      method: 'GET',
      path: '/service/checks',
      scopes: ['apikeys:issue'],
      check: refuseLimitedKeys('check the service'),
      operation: {
        id: 'checkService',
        summary: 'Check the parts of the service',
        description:
          'Asks the database, the models and the programs once. Answers of the last 30 seconds are used again. The operator gets more, ' +
          'with paths and reasons, by the command `pinakes doctor`.',
      },
      response: { status: 200, schema: checksSchema },
      async handler({ caller }) {
        const { ok, checks, at } = await runChecks();
        const { waiting, refused } = deps.embedding
          ? await deps.db.transaction(caller.tenantId, (tx) => countWaiting(tx, caller.tenantId))
          : { waiting: 0, refused: 0 };
        return { ok, checks, chunks_waiting: waiting, chunks_refused: refused, checked_time: unixSeconds(at) };
      },
    }),
  ];
}

function facts({ config, chatModel, embedding, reranker, entailment, analyzer }: Deps, parts: ServiceParts) {
  return {
    version: packageVersion(),
    authorization: config.authorization,
    models: {
      chat: chatModel.ask ? chatModel.name : null,
      embedding: embedding?.model.name ?? null,
      rerank: reranker?.name ?? null,
      entailment: entailment?.name ?? null,
    },
    ocr_languages: config.tools.ocrLanguages?.split('+') ?? null,
    office: config.tools.office,
    names_analyzer: analyzer !== null,
    web_grounding: config.webGrounding,
    limits: {
      upload_bytes_max: parts.uploadBytesMax,
      files_per_upload_max: parts.filesPerUploadMax,
      requests_per_minute: config.rateLimitPerMinute || null,
      concurrent_requests: config.concurrentRequests || null,
      tokens_per_day: config.chat.tokensPerDay.key || null,
    },
  };
}

/** Returns null for keys that must not learn how much there is besides what they see. */
async function quotaFacts({ db, config }: Deps, { tenantId, scopes, sourceGroupIds, tagIds }: Caller) {
  if (sourceGroupIds !== null || tagIds !== null || !scopes.includes('ingestion:manage')) return null;
  const found = await db.transaction(tenantId, (tx) => readQuotaUse(tx, config.quotas));
  if (!found) return null;
  const { quotas, used } = found;
  const of = (name: keyof typeof quotas) => ({ used: used[name], quota: quotas[name] || null });
  return { bytes: of('bytes'), files: of('files'), groups: of('groups') };
}

/** Routes of question sets, with which a tenant measures its search. */
import { z } from 'zod';
import { notFound, orNotFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { refuseLimitedKeys } from '../../http/key-limits.ts';
import { orderShape, pageAnswer, pageQueryShape, pageRequest, pageResponse } from '../../http/page.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { givenId, idParams, idSchema, nameSchema, principalShape, timeSchema } from '../../http/schemas.ts';
import { shownFact } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { readRedactor } from '../../redaction/redactors.ts';
import { collect } from '../../util/collect.ts';
import { text } from '../../util/text-schema.ts';
import {
  addQuestion,
  changeSet,
  createSet,
  getSet,
  type JudgedQuestion,
  judge,
  openSetRuns,
  QUESTIONS_MAX,
  RUNS_KEPT,
  SETS_MAX,
} from './evaluation.ts';
import {
  deleteQuestion,
  deleteSet,
  type EvaluationRun,
  type EvaluationSet,
  findRun,
  findSet,
  listRuns,
  listSets,
} from './store.ts';

const route = routesOf('Evaluation');
const QUERY_LENGTH_MAX = 4_000;
const MODES = ['hybrid', 'lexical', 'semantic'] as const;
const shared = { scopes: ['knowledge:write'], check: refuseLimitedKeys('measure the search') } as const;

const QUERY = 'The words or question that are searched for. Empty where a redaction rule withholds them.';
const redactedSchema = z
  .boolean()
  .describe('True where a redaction rule changes or withholds these words. Runs search for the stored words.');

const setShape = {
  id: idSchema.describe('Id of the set.'),
  name: z.string().describe('Name of the set. Empty where a redaction rule withholds it.'),
  is_redacted: z.boolean().describe('True where a redaction rule changes or withholds the name.'),
  questions_count: z.int().describe('Number of its questions.'),
  creation_time: timeSchema,
};
const setSchema = z.object(setShape).meta({ id: 'EvaluationSet' });

const judgementSchema = z.object({
  source_id: idSchema.describe('Id of the source.'),
  chunk_id: idSchema
    .nullable()
    .describe('Id of the chunk that has the text now; null if the source no longer has the text.'),
  relevant: z.boolean().describe('Whether the passage answers the question.'),
});
const questionSchema = z
  .object({
    id: idSchema.describe('Id of the question.'),
    query: z.string().describe(QUERY),
    is_redacted: redactedSchema,
    judgements: z.array(judgementSchema).describe('Passages that were judged.'),
  })
  .meta({ id: 'EvaluationQuestion' });

const measures = {
  ndcg10: z.number().describe('nDCG@10, from 0 to 1: relevant passages stand above others.'),
  recall100: z.number().describe('Share of the relevant passages among the first 100 results.'),
  mrr10: z.number().describe('1 divided by the rank of the first relevant passage; 0 if it is not among the first 10.'),
};
const runShape = {
  id: idSchema.describe('Id of the run.'),
  evaluation_set_id: idSchema.describe('Id of the set.'),
  mode: z.enum(MODES).describe('How was searched.'),
  questions_count: z.int().describe('Number of questions that have a relevant passage, and so were measured.'),
  ...measures,
  creation_time: timeSchema,
};
const runSchema = z.object(runShape).meta({ id: 'EvaluationRun' });
const measuredSchema = z.object({
  question_id: idSchema.describe('Id of the question, which may be deleted.'),
  query: z.string().describe(QUERY),
  ...measures,
});
const runDetailsSchema = z
  .object({ ...runShape, questions: z.array(measuredSchema).describe('Measures of each question.') })
  .meta({ id: 'EvaluationRunDetails' });

export function evaluationRoutes(deps: Deps): Route[] {
  const run = openSetRuns(deps);
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/evaluation-sets',
      operation: { id: 'listEvaluationSets', summary: 'List question sets' },
      query: z.strictObject({ ...pageQueryShape, ...orderShape }),
      response: pageResponse('evaluation_sets', setSchema, 'Sets of this page.'),
      async handler({ caller, query }) {
        const listed = await deps.db.transaction(caller.tenantId, (tx) => listSets(tx, pageRequest(query)));
        const redactor = await readRedactor(deps, caller.tenantId);
        return pageAnswer('evaluation_sets', query, listed, (set) => toSet(set, redactor));
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/evaluation-sets',
      operation: {
        id: 'createEvaluationSet',
        summary: 'Create a question set',
        description: `A tenant has at most ${SETS_MAX} sets.`,
      },
      body: z.strictObject({ name: nameSchema.describe('Name of the set.') }),
      response: { status: 201, schema: setSchema, description: 'The new set.' },
      errors: [409],
      example: { name: 'Questions of the help desk' },
      handler: async ({ caller, body }) =>
        toSet(await createSet(deps, caller, body.name), await readRedactor(deps, caller.tenantId)),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/evaluation-sets/{id}',
      operation: { id: 'getEvaluationSet', summary: 'Get a question set with its questions' },
      params: idParams,
      response: {
        status: 200,
        schema: z
          .object({ ...setShape, questions: z.array(questionSchema).describe('All questions, oldest first.') })
          .meta({ id: 'EvaluationSetDetails' }),
      },
      async handler({ caller, params }) {
        const { set, questions } = await getSet(deps, caller, params.id);
        const redactor = await readRedactor(deps, caller.tenantId);
        return {
          ...(await toSet(set, redactor)),
          questions: await collect(questions, (question) => toQuestion(question, redactor)),
        };
      },
    }),
    route({
      ...shared,
      method: 'PATCH',
      path: '/evaluation-sets/{id}',
      operation: { id: 'renameEvaluationSet', summary: 'Rename a question set' },
      params: idParams,
      body: z.strictObject({ name: nameSchema.describe('The new name of the set.') }),
      response: { status: 200, schema: setSchema },
      example: { name: 'Questions of the help desk' },
      handler: async ({ caller, params, body }) =>
        toSet(await changeSet(deps, caller, params.id, body.name), await readRedactor(deps, caller.tenantId)),
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/evaluation-sets/{id}',
      operation: { id: 'deleteEvaluationSet', summary: 'Delete a question set with its questions and runs' },
      params: idParams,
      response: { status: 200, schema: z.object({ id: idSchema.describe('Id of the deleted set.') }) },
      async handler({ caller: { tenantId }, params: { id } }) {
        if (!(await deps.db.transaction(tenantId, (tx) => deleteSet(tx, id)))) throw notFound();
        return { id };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/evaluation-sets/{id}/questions',
      operation: {
        id: 'addEvaluationQuestion',
        summary: 'Add a question to a set',
        description: `A set has at most ${QUESTIONS_MAX} questions. A question that the set has is returned as it is.`,
      },
      params: idParams,
      body: z.strictObject({ query: text(1, QUERY_LENGTH_MAX).describe('Words or question to search for.') }),
      response: { status: 201, schema: questionSchema, description: 'The question.' },
      errors: [409],
      example: { query: 'How long are records kept?' },
      handler: async ({ caller, params, body }) =>
        toQuestion(await addQuestion(deps, caller, params.id, body.query), await readRedactor(deps, caller.tenantId)),
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/evaluation-questions/{id}',
      operation: { id: 'deleteEvaluationQuestion', summary: 'Delete a question' },
      params: idParams,
      response: { status: 200, schema: z.object({ id: idSchema.describe('Id of the deleted question.') }) },
      async handler({ caller: { tenantId }, params: { id } }) {
        if (!(await deps.db.transaction(tenantId, (tx) => deleteQuestion(tx, id)))) throw notFound();
        return { id };
      },
    }),
    route({
      ...shared,
      method: 'PUT',
      path: '/evaluation-questions/{id}/judgements',
      operation: {
        id: 'judgePassage',
        summary: 'Say whether a passage answers a question',
        description:
          'The judgement holds for the text of the chunk in its source. It is kept when the source is read again and still has the text, ' +
          'and deleted with the source.',
      },
      params: idParams,
      body: z.strictObject({
        chunk_id: givenId.describe('Id of a chunk, as search returns it.'),
        relevant: z.boolean().nullable().describe('Whether it answers the question; null takes the judgement back.'),
      }),
      response: { status: 200, schema: questionSchema, description: 'The question with all its judgements.' },
      example: { chunk_id: '01981f7a-4c2e-7b3a-9d54-0f6a2b8c1d3e', relevant: true },
      handler: async ({ caller, params, body }) =>
        toQuestion(
          await judge(deps, caller, params.id, body.chunk_id, body.relevant),
          await readRedactor(deps, caller.tenantId),
        ),
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/evaluation-sets/{id}/runs',
      operation: {
        id: 'runEvaluationSet',
        summary: 'Measure the search with a question set',
        description:
          'Searches for each question that has a relevant passage, and stores how well the passages were found. Passages that were not ' +
          `judged count as not relevant. The latest ${RUNS_KEPT} runs of a set are kept.`,
      },
      params: idParams,
      body: z.strictObject({ mode: z.enum(MODES).default('hybrid').describe('How to search.'), ...principalShape }),
      response: { status: 201, schema: runDetailsSchema, description: 'The measures.' },
      errors: [409, 502, 504],
      example: { mode: 'lexical' },
      handler: async ({ caller, params, body, signal }) =>
        toRunDetails(await run(caller, params.id, body, signal), await readRedactor(deps, caller.tenantId)),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/evaluation-sets/{id}/runs',
      operation: { id: 'listEvaluationRuns', summary: 'List the runs of a question set' },
      params: idParams,
      query: z.strictObject({ ...pageQueryShape, ...orderShape }),
      response: pageResponse('evaluation_runs', runSchema, 'Runs of this page.'),
      async handler({ caller: { tenantId }, params: { id }, query }) {
        const listed = await deps.db.transaction(tenantId, async (tx) => {
          if (!(await findSet(tx, id))) throw notFound();
          return listRuns(tx, id, pageRequest(query));
        });
        return pageAnswer('evaluation_runs', query, listed, toRun);
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/evaluation-runs/{id}',
      operation: { id: 'getEvaluationRun', summary: 'Get a run with the measures of each question' },
      params: idParams,
      response: { status: 200, schema: runDetailsSchema },
      async handler({ caller: { tenantId }, params: { id } }) {
        const found = orNotFound(await deps.db.transaction(tenantId, (tx) => findRun(tx, id)));
        return toRunDetails(found, await readRedactor(deps, tenantId));
      },
    }),
  ];
}

async function toSet(set: EvaluationSet, redactor: Redactor | null): Promise<z.input<typeof setSchema>> {
  const name = await shownFact(redactor, set.name);
  return toRecord(setSchema, set, { name, is_redacted: name !== set.name, questions_count: set.questions });
}

async function toQuestion(
  { id, query, judgements }: JudgedQuestion,
  redactor: Redactor | null,
): Promise<z.input<typeof questionSchema>> {
  const shown = await shownFact(redactor, query);
  return {
    id,
    query: shown,
    is_redacted: shown !== query,
    judgements: judgements.map((one) => toRecord(judgementSchema, one)),
  };
}

function toRun(run: EvaluationRun): z.input<typeof runSchema> {
  const { setId, results, mode } = run;
  return toRecord(runSchema, run, {
    evaluation_set_id: setId,
    mode: mode as (typeof MODES)[number],
    questions_count: results.length,
  });
}

async function toRunDetails(run: EvaluationRun, redactor: Redactor | null): Promise<z.input<typeof runDetailsSchema>> {
  const questions = await collect(run.results, async (one) =>
    toRecord(measuredSchema, one, { query: await shownFact(redactor, one.query) }),
  );
  return { ...toRun(run), questions };
}

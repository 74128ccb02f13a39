/** Rules of question sets: their limits, judgements of passages, and runs that measure the search. */
import { principalOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { conflict, notFound, orNotFound, ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { type Measures, meanMeasures, measureQuery } from '../../retrieval/measures.ts';
import { readHashes } from '../../retrieval/reading/hits.ts';
import { retrieve } from '../../retrieval/retrieve.ts';
import type { RetrieveRequest } from '../../retrieval/types.ts';
import { idsOf, newId } from '../../util/ids.ts';
import {
  countSets,
  type EvaluationRun,
  type EvaluationSet,
  findChunkText,
  findQuestion,
  findSet,
  insertQuestion,
  insertRun,
  insertSet,
  type Judgement,
  listJudgements,
  listQuestions,
  lockSet,
  type Question,
  type QuestionResult,
  renameSet,
  saveJudgement,
} from './store.ts';

export const SETS_MAX = 100;
export const QUESTIONS_MAX = 100;
export const RUNS_KEPT = 50;
const RESULTS_PER_QUESTION = 100;
const RUNS_AT_ONCE = 2;
const RUN_MS_MAX = 60_000;

export type JudgedQuestion = Question & { judgements: Judgement[] };
export type SearchMode = RetrieveRequest['mode'];

export function createSet({ db, clock }: Deps, { tenantId }: Caller, name: string): Promise<EvaluationSet> {
  return db.transaction(tenantId, async (tx) => {
    if ((await countSets(tx)) >= SETS_MAX)
      throw conflict(`There are ${SETS_MAX} question sets already: delete one first.`);
    const createdAt = clock.now();
    const id = newId(createdAt.getTime());
    await insertSet(tx, { id, name, createdAt });
    return (await findSet(tx, id))!;
  });
}

/** Renames a set. @throws ServiceError not_found */
export function changeSet({ db }: Deps, { tenantId }: Caller, id: string, name: string): Promise<EvaluationSet> {
  return db.transaction(tenantId, async (tx) => {
    if (!(await renameSet(tx, id, name))) throw notFound();
    return (await findSet(tx, id))!;
  });
}

/** Returns a set with its questions. @throws ServiceError not_found */
export function getSet({ db }: Deps, { tenantId }: Caller, id: string) {
  return db.transaction(tenantId, async (tx) => {
    const set = orNotFound(await findSet(tx, id));
    const questions = await listQuestions(tx, id);
    return { set, questions: withJudgements(questions, await listJudgements(tx, idsOf(questions))) };
  });
}

function withJudgements(questions: readonly Question[], judgements: readonly Judgement[]): JudgedQuestion[] {
  const byQuestion = Map.groupBy(judgements, ({ questionId }) => questionId);
  return questions.map((question) => ({ ...question, judgements: byQuestion.get(question.id) ?? [] }));
}

/** Adds a question and returns it; a question that the set has is returned as it is. @throws ServiceError not_found, conflict */
export function addQuestion(
  { db, clock }: Deps,
  { tenantId }: Caller,
  setId: string,
  query: string,
): Promise<JudgedQuestion> {
  return db.transaction(tenantId, async (tx) => {
    if (!(await lockSet(tx, setId))) throw notFound();
    const questions = await listQuestions(tx, setId);
    if (questions.length >= QUESTIONS_MAX && !questions.some((one) => one.query === query))
      throw conflict(`The set has ${QUESTIONS_MAX} questions already: delete one first.`);
    const now = clock.now();
    const id = await insertQuestion(tx, { id: newId(now.getTime()), setId, query }, now);
    return { id, setId, query, judgements: await listJudgements(tx, [id]) };
  });
}

/** Says whether a passage answers a question; null takes the judgement back. @throws ServiceError not_found */
export function judge(
  { db }: Deps,
  { tenantId }: Caller,
  questionId: string,
  chunkId: string,
  relevant: boolean | null,
): Promise<JudgedQuestion> {
  return db.transaction(tenantId, async (tx) => {
    const question = await findQuestion(tx, questionId);
    const text = question && (await findChunkText(tx, chunkId));
    if (!question || !text) throw notFound();
    await saveJudgement(tx, { questionId: question.id, ...text }, relevant);
    return { ...question, judgements: await listJudgements(tx, [question.id]) };
  });
}

/** Returns the function that runs a set, which counts the runs of this process. */
export function openSetRuns(deps: Deps) {
  let running = 0;
  return async (
    caller: Caller,
    setId: string,
    { mode, ...named }: { mode: SearchMode; principal_id?: string | undefined; authz_policy?: string | undefined },
    signal: AbortSignal,
  ): Promise<EvaluationRun> => {
    const { set, questions } = await getSet(deps, caller, setId);
    const judged = questions.filter(({ judgements }) => judgements.some(({ relevant }) => relevant));
    if (judged.length === 0)
      throw conflict('No question of the set has a relevant passage: judge some passages first.');
    if (running >= RUNS_AT_ONCE)
      throw new ServiceError('rate_limited', 'Other question sets are running. Try again.', { retryAfterSeconds: 5 });
    running++;
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(RUN_MS_MAX)]);
      const results: QuestionResult[] = [];
      for (const question of judged) {
        if (within.aborted && !signal.aborted)
          throw new ServiceError('overloaded', `The set takes longer than ${RUN_MS_MAX / 1_000} seconds.`);
        results.push(await measure(deps, caller, question, mode, principalOf(deps, named), signal));
      }
      const createdAt = deps.clock.now();
      const run = { id: newId(createdAt.getTime()), setId: set.id, mode, ...meanMeasures(results), results, createdAt };
      await deps.db.transaction(caller.tenantId, async (tx) => {
        // The set may have been deleted meanwhile.
        if (!(await lockSet(tx, set.id))) throw notFound();
        await insertRun(tx, run, RUNS_KEPT);
      });
      return run;
    } finally {
      running--;
    }
  };
}

async function measure(
  deps: Deps,
  caller: Caller,
  { id, query, judgements }: JudgedQuestion,
  mode: SearchMode,
  principal: ReturnType<typeof principalOf>,
  signal: AbortSignal,
): Promise<QuestionResult> {
  const { hits } = await retrieve(
    deps,
    {
      ...caller,
      principal,
      query,
      mode,
      filters: {},
      usePostfilter: false,
      rerank: true,
      proximity: true,
      limit: RESULTS_PER_QUESTION,
      offset: 0,
    },
    signal,
  );
  const hashes = await deps.db.transaction(caller.tenantId, (tx) => readHashes(tx, idsOf(hits)));
  const ranked = hits.map((hit) => `${hit.sourceId} ${hashes.get(hit.id) ?? ''}`);
  const grades = new Map(judgements.map((one) => [`${one.sourceId} ${one.textHash}`, one.relevant ? 1 : 0]));
  const measures: Measures = measureQuery(ranked, grades);
  return { questionId: id, query, ...measures };
}

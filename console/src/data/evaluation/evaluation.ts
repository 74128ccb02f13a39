/** Question sets, their judgements, and the runs that measure the search with them. */
import type { Operations } from '../../../../src/client/api.ts';
import { pinakes } from '../api.ts';

export type EvaluationSet = Operations['listEvaluationSets']['response']['evaluation_sets'][number];
export type SetDetails = Operations['getEvaluationSet']['response'];
export type Question = SetDetails['questions'][number];
export type EvaluationRun = Operations['listEvaluationRuns']['response']['evaluation_runs'][number];
export type RunDetails = Operations['getEvaluationRun']['response'];

export const MODES = ['hybrid', 'lexical', 'semantic'] as const;
export type Mode = (typeof MODES)[number];

export const MEASURES = ['ndcg10', 'recall100', 'mrr10'] as const;
export type Measure = (typeof MEASURES)[number];

/** The keys of the queries: all begin with the first. */
export const EVALUATION = 'evaluation';
export const setKey = (id: string) => [EVALUATION, 'set', id] as const;
export const runsKey = (id: string) => [EVALUATION, 'runs', id] as const;
export const runKey = (id: string) => [EVALUATION, 'run', id] as const;

/** Returns all sets, newest first. A tenant has at most 100. */
export async function listSets(signal: AbortSignal): Promise<EvaluationSet[]> {
  const query = { limit: 100, order: 'desc' as const };
  return (await pinakes.listEvaluationSets({ query }, { signal })).evaluation_sets;
}

/** Returns all runs of a set, newest first. The service keeps 50. */
export async function listSetRuns(id: string, signal: AbortSignal): Promise<EvaluationRun[]> {
  const query = { limit: 50, order: 'desc' as const };
  return (await pinakes.listEvaluationRuns({ params: { id }, query }, { signal })).evaluation_runs;
}

export const readSet = (id: string, signal: AbortSignal): Promise<SetDetails> =>
  pinakes.getEvaluationSet({ params: { id } }, { signal });

export const readRun = (id: string, signal: AbortSignal): Promise<RunDetails> =>
  pinakes.getEvaluationRun({ params: { id } }, { signal });

/** Returns the set with the question in place of its earlier state. */
export function withQuestion(set: SetDetails, question: Question): SetDetails {
  return { ...set, questions: set.questions.map((one) => (one.id === question.id ? question : one)) };
}

export const relevantOf = (question: Question): number => question.judgements.filter(({ relevant }) => relevant).length;

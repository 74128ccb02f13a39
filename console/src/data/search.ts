/** Searches, with the times of the stages from the header of the answer. */
import type { Operations, SearchHit, Warning } from '../../../src/client/api.ts';
import { readStages, type Stage } from '../screens/search/stages.ts';
import { pinakes } from './api.ts';

export type SearchBody = Operations['search']['request']['body'];

export type Hit = SearchHit;

export interface SearchAnswer {
  results: Hit[];
  warnings: Warning[];
  stages: Stage[];
  /** From sending the request to the end of the answer. */
  totalMs: number;
}

export async function runSearch(body: SearchBody, signal: AbortSignal): Promise<SearchAnswer> {
  const startedAt = performance.now();
  const response = await pinakes.send('search', { body: { ...body, highlights: true } }, { signal });
  const { results, warnings } = (await response.json()) as { results: Hit[]; warnings: Warning[] };
  const stages = readStages(response.headers.get('server-timing') ?? '');
  return { results, warnings, stages, totalMs: performance.now() - startedAt };
}

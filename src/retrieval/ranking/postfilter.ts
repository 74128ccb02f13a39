/** `use_postfilter`: searches first and filters what was found. */
import type { Tx } from '../../db/database.ts';
import { readHashes } from '../reading/hits.ts';
import type { Warning } from '../types.ts';
import { keepFitting, lexicalCandidates, lexicalOnly, type RankedCandidate, type Search } from './candidates.ts';
import { findHalves, rankHalves } from './hybrid.ts';
import { select } from './select.ts';

/** So many of the best chunks of each kind are looked at, or `offset + limit` if that is more. */
export const POSTFILTER_CANDIDATES = 200;

/**
 * What fits the filters among the best chunks. What the caller may not see is never among them.
 *
 * @param wanted how many the caller is warned about when fewer fit.
 */
export async function postfiltered(
  tx: Tx,
  search: Search,
  wanted: number,
  warnings: Warning[],
): Promise<RankedCandidate[]> {
  const { request } = search;
  const searched = Math.max(POSTFILTER_CANDIDATES, wanted);
  const found = await findUnfiltered(tx, search, searched);
  const fitting = await keepFitting(tx, request, found);
  const hashes = await readHashes(
    tx,
    request.tenantId,
    fitting.map(({ id }) => id),
  );
  const remaining = select(fitting, request.maxChunksPerSource, hashes).length;
  if (remaining < wanted && found.length >= searched) {
    warnings.push({
      type: 'postfilter_underfilled',
      message: `Of the best ${found.length} chunks only ${remaining} fit the filters; without use_postfilter all are searched.`,
    });
  }
  return fitting;
}

async function findUnfiltered(tx: Tx, search: Search, limit: number): Promise<RankedCandidate[]> {
  const { semantic } = search;
  if (semantic) {
    const hybrid = { ...search, semantic };
    return rankHalves(hybrid, await findHalves(tx, hybrid, {}, limit));
  }
  return (await lexicalCandidates(tx, search, {}, limit)).map(lexicalOnly);
}

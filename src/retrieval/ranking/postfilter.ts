/** `use_postfilter`: searches first, and filters the results. */
import type { Tx } from '../../db/database.ts';
import { readHashes } from '../reading/hits.ts';
import type { Warning } from '../types.ts';
import { keepMatching, lexicalCandidates, lexicalOnly, type RankedCandidate, type Search } from './candidates.ts';
import { findHalves, rankHalves } from './hybrid.ts';
import { select } from './select.ts';

/** Number of the best chunks of each kind that are filtered, or `offset + limit` if that is more. */
const POSTFILTER_CANDIDATES = 200;

/**
 * Returns the chunks among the best that match the filters. Chunks that the caller may not see are never among the best.
 *
 * @param wanted number of wanted results; the caller gets a warning if fewer match.
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
  const filterMatches = await keepMatching(tx, request, found);
  const hashes = await readHashes(
    tx,
    request.tenantId,
    filterMatches.map(({ id }) => id),
  );
  const remaining = select(filterMatches, request.maxChunksPerSource, hashes).length;
  if (remaining < wanted && found.length >= searched) {
    warnings.push({
      type: 'postfilter_underfilled',
      message: `Of the best ${found.length} chunks only ${remaining} match the filters; without use_postfilter all chunks are searched.`,
    });
  }
  return filterMatches;
}

async function findUnfiltered(tx: Tx, search: Search, limit: number): Promise<RankedCandidate[]> {
  const { semantic } = search;
  if (semantic) {
    const hybrid = { ...search, semantic };
    return rankHalves(hybrid, await findHalves(tx, hybrid, {}, limit));
  }
  return (await lexicalCandidates(tx, search, {}, limit)).map(lexicalOnly);
}

/** Ranks the candidates of an engine. Pure. */
import type { Candidate, Candidates } from '../engine.ts';
import type { Hit, SearchMode } from '../types.ts';
import { type FusionSettings, fuse } from './fuse.ts';

export interface RankedCandidate extends Candidate {
  scores: Hit['scores'];
}

/** Returns the ranking of both halves. In mode `semantic` the score is the similarity. */
export function rankCandidates(
  { mode, fusion }: { mode: SearchMode; fusion: FusionSettings },
  { lexical, semantic }: Pick<Candidates, 'lexical' | 'semantic'>,
): RankedCandidate[] {
  if (mode === 'lexical') {
    return lexical.map((one) => ({ ...one, scores: { lexical: one.score, semantic: null, rerank: null } }));
  }
  if (mode === 'semantic') {
    // Candidates that the engine missed at first come at the end, so their scores are lowered to stay in order.
    let least = Number.POSITIVE_INFINITY;
    return semantic.map((one) => {
      least = Math.min(least, one.score);
      return { ...one, score: least, scores: { lexical: null, semantic: one.score, rerank: null } };
    });
  }
  return fuse(lexical, semantic, fusion).map((fused) => ({
    id: fused.id,
    sourceId: fused.from.sourceId,
    score: fused.score,
    scores: { lexical: fused.lexical, semantic: fused.semantic, rerank: null },
  }));
}

/**
 * Returns `first`, followed by the new candidates of `longer`, so that every page has the same order: an engine may find other
 * candidates when it is asked for more.
 */
export function extendCandidates(first: Candidates, longer: Candidates): Candidates {
  const { exhausted } = longer;
  return {
    exhausted,
    lexical: extend(first.lexical, longer.lexical),
    semantic: extend(first.semantic, longer.semantic),
  };
}

function extend(first: readonly Candidate[], longer: readonly Candidate[]): readonly Candidate[] {
  const ids = new Set(first.map(({ id }) => id));
  return [...first, ...longer.filter(({ id }) => !ids.has(id))];
}

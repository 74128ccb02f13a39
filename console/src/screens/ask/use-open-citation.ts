import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { readPlace } from '../../data/ask.ts';
import type { Citation } from '../../data/turns.ts';

/**
 * Returns what opens the source of a citation at the cited passage: near the passage if its place is not certain, at the beginning of
 * the source if the passage is gone.
 */
export function useOpenCitation(): (citation: Citation) => void {
  const navigate = useNavigate();
  return useCallback(
    (citation) => {
      void readPlace(citation)
        .catch((): { start?: number } => ({}))
        .then((search) => navigate({ to: '/sources/$id', params: { id: citation.source_id }, search }));
    },
    [navigate],
  );
}

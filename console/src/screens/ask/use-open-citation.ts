import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { readPlace } from '../../data/ask.ts';
import type { Citation } from '../../data/turns.ts';

/** Returns what opens the source of a citation at the cited passage; at its beginning if the passage is gone. */
export function useOpenCitation(): (citation: Citation) => void {
  const navigate = useNavigate();
  return useCallback(
    (citation) => {
      void readPlace(citation)
        .then(({ start, end, page }) => ({
          ...(start !== undefined && { start }),
          ...(end !== undefined && { end }),
          ...(page !== null && { page }),
        }))
        .catch((): { start?: number } => ({}))
        .then((search) => navigate({ to: '/sources/$id', params: { id: citation.source_id }, search }));
    },
    [navigate],
  );
}

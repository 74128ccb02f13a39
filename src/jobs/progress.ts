/** What a run has done so far. Counted in the transaction that did it, so it is never ahead of or behind the content. */

/** Files by what the run did with them; `scanned` = all it looked at. */
export interface RunStatistics {
  scanned: number;
  added: number;
  updated: number;
  unchanged: number;
  skipped: number;
  deleted: number;
  failed: number;
}

/** Steps forward, to be added to the run's row. */
export interface ProgressStep {
  filesDone: number;
  chunksDone: number;
  added: number;
  updated: number;
  failed: number;
}

export interface RunOutcome {
  status: 'success' | 'failure';
  error: { title: string; message: string } | null;
}

/**
 * How a run ends that tried `tried` files, `failed` of them in vain: with some failures it is a success that says so, with
 * failures only it is a failure. `examples` are a few of the failures, for people.
 */
export function runOutcome(
  tried: number,
  failed: number,
  examples: readonly { name: string; title: string }[],
): RunOutcome {
  if (failed === 0) return { status: 'success', error: null };
  const message = examples.map((failure) => `${failure.name}: ${failure.title}`).join('\n');
  return {
    status: failed >= tried ? 'failure' : 'success',
    error: { title: `${failed} of ${tried} files failed`, message },
  };
}

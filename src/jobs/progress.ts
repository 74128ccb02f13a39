/** The progress of a run. It is counted in the transaction that stores the content, so that both always agree. */
import { countOf } from '../util/count-of.ts';

/** Numbers of files by what the run did with them. `scanned` counts all files that the run looked at. */
export interface RunStatistics {
  scanned: number;
  added: number;
  updated: number;
  unchanged: number;
  skipped: number;
  deleted: number;
  failed: number;
}

/** Numbers to be added to the row of the run. */
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
 * Returns the outcome of a run of `tried` files, of which `failed` files failed. A run with some failures is a success with an
 * error, a run with only failures is a failure. The error names the `examples`.
 *
 * @param hasOthers the run did not try the files that were read before, so that not all files of the group failed.
 */
export function runOutcome(
  tried: number,
  failed: number,
  examples: readonly { name: string; title: string }[],
  hasOthers = false,
): RunOutcome {
  if (failed === 0) return { status: 'success', error: null };
  const message = examples.map((failure) => `${failure.name}: ${failure.title}`).join('\n');
  return {
    status: failed >= tried && !hasOthers ? 'failure' : 'success',
    error: { title: `${failed} of ${countOf(tried, 'file')} failed`, message },
  };
}

/** What became of a new version of a file that was sent. Pure. */
import type { Source } from '../../data/source.ts';

type States = Pick<Source, 'status' | 'update_status'>;

/** Whether the file of a source, or a new version of it, was not read yet. */
export function isBeingRead({ status, update_status: update }: States): boolean {
  return status === 'pending' || update === 'pending';
}

/** Returns the state of a new version. While it waits, the status of the source may still be that of the version before. */
export function stateOfVersion(
  source: States,
  { unchanged }: { unchanged: number },
): 'same' | 'waiting' | 'failed' | 'ready' {
  if (unchanged === 1) return 'same';
  if (isBeingRead(source)) return 'waiting';
  return source.status === 'failed' || source.update_status === 'failed' ? 'failed' : 'ready';
}

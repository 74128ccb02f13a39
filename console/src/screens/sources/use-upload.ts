import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { inWords } from '../../data/api.ts';
import { GROUP_CHOICES } from '../../data/group-names.ts';
import { type StoredBatch, sendBatch } from '../../data/upload/upload.ts';
import { randomId } from '../../parts/random-id.ts';
import { takeKept, useKeep } from '../../shell/drafts.ts';
import { isSameUpload, pathsInGroup, type UploadPlan, type UploadTarget } from './upload-plan.ts';
import type { PickedFile } from './use-dropped-files.ts';
import { SOURCE_LIST } from './use-source-list.ts';

export type UploadState =
  | { step: 'plan' }
  | { step: 'sending'; sentBytes: number; batch: number }
  | { step: 'failed'; problem: string }
  | { step: 'done'; stored: StoredBatch[] };

/** What was sent of a plan. */
interface Sent {
  abort: AbortController;
  /** All files of the plan, in their order. */
  files: readonly File[];
  target: UploadTarget;
  /** The batches that are stored. */
  stored: StoredBatch[];
  keys: string[];
}

/** Sends the batches of a plan one after the other. A batch that failed can be sent again without storing it twice. */
export function useUpload() {
  const queries = useQueryClient();
  const [state, setState] = useState<UploadState>({ step: 'plan' });
  const run = useRef<Sent>(takeKept<{ current: Sent | undefined }>('upload.sent')?.current);
  useKeep('upload.sent', run);

  async function start(plan: UploadPlan<PickedFile>, target: UploadTarget) {
    const { name, groupId, leavesOut } = target;
    const files = plan.batches.flat().map(({ file }) => file);
    // Batches that are stored stay so when the reader tries again with the same files and the same group.
    const before = run.current;
    const { stored, keys }: Pick<Sent, 'stored' | 'keys'> =
      before && isSameUpload(before, { files, target })
        ? before
        : { stored: [], keys: plan.batches.map(() => randomId()) };
    const abort = new AbortController();
    run.current = { abort, files, target, stored, keys };
    const paths = pathsInGroup(plan.batches.flat(), leavesOut);
    const sizes = plan.batches.map((batch) => batch.reduce((sum, file) => sum + file.size, 0));
    try {
      for (let at = stored.length; at < plan.batches.length; at++) {
        const earlier = sizes.slice(0, at).reduce((sum, size) => sum + size, 0);
        const progress = (bytes: number) =>
          setState({ step: 'sending', sentBytes: earlier + Math.min(bytes, sizes[at]!), batch: at });
        progress(0);
        const title = plan.batches.length === 1 ? name : `${name} (${at + 1})`;
        const first = plan.batches.slice(0, at).flat().length;
        const sent = plan.batches[at]!.map(({ file }, index) => ({ file, path: paths[first + index]! }));
        const batch = { group: groupId === undefined ? { name: title } : { id: groupId }, files: sent, key: keys[at]! };
        stored.push(await sendBatch(batch, progress, abort.signal));
      }
      setState({ step: 'done', stored });
    } catch (error) {
      const stopped = error instanceof DOMException && error.name === 'AbortError';
      setState(stopped ? { step: 'plan' } : { step: 'failed', problem: inWords(error) });
    } finally {
      void queries.invalidateQueries({ queryKey: [SOURCE_LIST] });
      void queries.invalidateQueries({ queryKey: [GROUP_CHOICES] });
    }
  }

  return {
    state,
    start,
    stop: () => run.current?.abort.abort(),
    /** Forgets what was sent: for other files. */
    reset: () => {
      run.current = undefined;
      setState({ step: 'plan' });
    },
  };
}

/** Builds a table in a thread with little memory, so that a large table does not block the service. */
import { Worker } from 'node:worker_threads';
import type { BuildRequest, BuiltTable } from './build-table.ts';

/** The thread is in the process of the service, whose memory must stay small. */
const HEAP_MB_MAX = 192;
const YOUNG_HEAP_MB_MAX = 24;

/** A problem is shown to people. */
export type BuildAnswer = { table: BuiltTable } | { problem: string };

/** Returns the built table or the problem of the table. @throws the signal's reason, or the error of the thread. */
export async function runBuild(request: BuildRequest, signal: AbortSignal): Promise<BuildAnswer> {
  signal.throwIfAborted();
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const thread = new Worker(new URL(`./build-thread.${extension}`, import.meta.url), {
    workerData: request,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX },
  });
  const { promise, resolve, reject } = Promise.withResolvers<BuildAnswer>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  thread.on('message', resolve);
  thread.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve({ problem: 'The table needs too much memory to be built.' });
    else reject(error);
  });
  thread.on('exit', () => reject(new Error('the thread ended before the table was built')));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

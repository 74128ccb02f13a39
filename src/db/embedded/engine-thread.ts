/** The main thread's side of the database worker. One request is one batch of protocol bytes. */
import { Worker } from 'node:worker_threads';
import { processorMsOfThread } from '../../util/work/work-time.ts';
import { engineCode } from './engine-code.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './protocol.ts';

/** The engine's data is WebAssembly memory. The heap of its thread only holds short-lived messages. */
const YOUNG_GENERATION_MB = 16;

/** What the engine answered to one batch. */
export interface Answer {
  bytes: Uint8Array;
  /** The time in which the engine ran the batch, without the time in which the batch or the answer waited for a thread. */
  ms: number;
}

export interface EngineThread {
  /** Runs one batch. Batches run in the order of the calls. @throws Error when the thread has ended. */
  run(bytes: Uint8Array): Promise<Answer>;
  /** Returns the processor time of the thread since it is ready, also after its end. Undefined on systems other than Linux. */
  processorMs(): number | undefined;
  /** Flushes and ends the thread. */
  close(): Promise<void>;
  /** Ends the thread at once, like a kill, and rejects waiting requests with `reason`. */
  kill(reason: Error): Promise<void>;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/**
 * Starts the worker and waits until the engine answers. Calls `onLost` when the worker ends unexpectedly.
 *
 * @throws Error with the engine's reason when it does not start.
 */
export async function openEngineThread(dataDir: string, onLost: (reason: Error) => void): Promise<EngineThread> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), {
    workerData: { dataDir, code: await engineCode() } satisfies WorkerOptions,
    // The worker must not inherit options of the process (--input-type, --test).
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const waiting = new Map<number, Waiting>();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let lastId = 0;
  let folder: string | undefined;
  let startMs = 0;
  let usedMs: number | undefined;
  let gone: Error | undefined;

  const end = (reason: Error): void => {
    gone ??= reason;
    ready.reject(gone);
    for (const request of waiting.values()) request.reject(gone);
    waiting.clear();
  };
  const lose = (reason: Error): void => {
    if (gone) return;
    end(reason);
    onLost(reason);
  };
  worker.on('error', (error) => lose(new Error('the embedded database stopped', { cause: error })));
  worker.on('exit', (code) => lose(new Error(`the embedded database has ended (${code})`)));
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') {
      folder = message.folder;
      startMs = processorMsOfThread(folder) ?? 0;
      return ready.resolve();
    }
    if (message.kind === 'refused') return end(new Error(`the embedded database did not start: ${message.message}`));
    waiting.get(message.id)?.resolve(message);
    waiting.delete(message.id);
  });

  const request = (build: (id: number) => ToWorker, transfer: ArrayBuffer[] = []): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      worker.postMessage(build(id), transfer);
    });
  const processorMs = (): number | undefined => {
    // Another thread may get the folder of a thread that has ended.
    const ms = gone ? undefined : processorMsOfThread(folder);
    if (ms !== undefined) usedMs = ms - startMs;
    return usedMs;
  };
  const kill = async (reason: Error): Promise<void> => {
    processorMs();
    end(reason);
    await worker.terminate();
  };
  try {
    await ready.promise;
  } catch (error) {
    await kill(error as Error);
    throw error;
  }
  return {
    run(pooled) {
      // A Buffer is a view of a shared pool, and posting a view would copy the whole pool.
      const bytes = new Uint8Array(pooled);
      return request((id) => ({ kind: 'run', id, bytes }), [bytes.buffer]);
    },
    processorMs,
    async close() {
      await request((id) => ({ kind: 'close', id }));
      await kill(new Error('the embedded database is closed'));
    },
    kill,
  };
}

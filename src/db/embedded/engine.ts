/** The main thread's end of the database worker: one request is one batch of protocol bytes. */
import { Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker, WorkerOptions } from './protocol.ts';

/** The engine's data is WebAssembly memory; its thread's own heap only sees short-lived messages. */
const YOUNG_GENERATION_MB = 16;

export interface Engine {
  /** Runs one batch; batches run in the order of the calls. @throws Error when the engine is gone. */
  run(bytes: Uint8Array): Promise<Uint8Array>;
  /** Flushes and ends the worker. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/** Starts the worker and waits until the engine answers. @throws Error with the engine's reason when it does not start. */
export async function openEngine(options: WorkerOptions): Promise<Engine> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), {
    workerData: options,
    // Options of the process (--input-type, --test) are none of the worker's.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let gone: Error | undefined;

  const fail = (error: Error): void => {
    gone ??= error;
    for (const request of waiting.values()) request.reject(gone);
    waiting.clear();
  };
  const request = (build: (id: number) => ToWorker, transfer: ArrayBuffer[] = []): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      worker.postMessage(build(id), transfer);
    });

  const ready = new Promise<void>((resolve, reject) => {
    worker.on('error', (error) => {
      fail(new Error('the embedded database stopped', { cause: error }));
      reject(error);
    });
    worker.on('exit', (code) => {
      fail(new Error(`the embedded database has ended (${code})`));
      reject(gone);
    });
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') return resolve();
      if (message.kind === 'refused')
        return reject(new Error(`the embedded database did not start: ${message.message}`));
      const request = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.kind === 'reply') request?.resolve(message.bytes);
      else request?.reject(new Error(`the embedded database failed: ${message.message}`));
    });
  });

  try {
    await ready;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    run(pooled) {
      // A Buffer is a view of a shared pool, and posting a view would copy the whole pool.
      const bytes = new Uint8Array(pooled);
      return request((id) => ({ kind: 'run', id, bytes }), [bytes.buffer]);
    },
    async close() {
      await request((id) => ({ kind: 'close', id }));
      gone ??= new Error('the embedded database is closed');
      await worker.terminate();
    },
  };
}

/** Controls the thread of one local model. The thread starts with the first text, and again after it ended. */
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { processorMsOfThread } from '../../util/work/work-time.ts';
import type { EmbeddingUse } from '../models.ts';
import type { LocalModel } from './model.ts';
import type { FromModel, ModelText, ToModel } from './protocol.ts';

/** Maximum heap of the thread, for vocabularies and texts. The model itself lives in the memory of WebAssembly. */
const HEAP_MB_MAX = 1_024;

export interface ThreadedModel<Text extends ModelText> {
  /** Returns one vector per text. Throws ServiceError `upstream_failed`, or the signal's reason when it aborts. */
  embed(texts: readonly Text[], use: EmbeddingUse, signal: AbortSignal): Promise<Float32Array[]>;
  /** Returns the processor time of the thread, 0 before its start. Undefined on systems other than Linux. */
  processorMs(): number | undefined;
  close(): Promise<void>;
}

interface Request {
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
}

/** Returns the model. Its thread starts with the first text. */
export function openModelThread<Text extends ModelText = string>(model: LocalModel): ThreadedModel<Text> {
  let current: Worker | undefined;
  const requests = new Map<number, Request>();
  let lastId = 0;
  let started: { folder: string | undefined } | undefined;

  const begin = (): Worker => {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), {
      workerData: model,
      // The worker must not inherit options of the process such as --input-type and --test.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    const failed = (how: string, cause?: unknown): ServiceError =>
      new ServiceError('upstream_failed', `The ${model.isPairModel ? 'entailment' : 'embedding'} model ${how}.`, {
        cause,
      });
    const end = (error: ServiceError): void => {
      if (current !== worker) return;
      current = undefined;
      started = undefined;
      for (const { reject } of requests.values()) reject(error);
      requests.clear();
    };
    worker.on('error', (error) => end(failed('ended', error)));
    worker.on('exit', (code) => end(failed(`ended (${code})`)));
    worker.on('message', (message: FromModel) => {
      if (message.kind === 'started') {
        started = message;
        return;
      }
      if (message.kind === 'refused') {
        end(failed('cannot be loaded', new Error(message.message)));
        return void worker.terminate();
      }
      const request = requests.get(message.id);
      requests.delete(message.id);
      if (message.kind === 'vectors') request?.resolve(message.vectors);
      else request?.reject(failed('failed', new Error(message.message)));
    });
    return worker;
  };

  return {
    async embed(texts, use, signal) {
      signal.throwIfAborted();
      if (texts.length === 0) return [];
      current ??= begin();
      const worker = current;
      const id = ++lastId;
      const send = (message: ToModel): void => worker.postMessage(message);
      const answer = Promise.withResolvers<Float32Array[]>();
      requests.set(id, answer);
      const leave = (): void => {
        requests.delete(id);
        answer.reject(signal.reason);
        send({ kind: 'forget', id });
      };
      signal.addEventListener('abort', leave, { once: true });
      // The thread keeps the process alive only while somebody waits for vectors.
      worker.ref();
      send({ kind: 'run', id, texts: [...texts], use });
      try {
        return await answer.promise;
      } finally {
        signal.removeEventListener('abort', leave);
        if (requests.size === 0) worker.unref();
      }
    },
    processorMs: () => (started ? processorMsOfThread(started.folder) : 0),
    async close() {
      if (!current) return;
      // Not `terminate`: while the native runtime computes, that aborts the whole process.
      const worker = current;
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.ref();
      worker.postMessage({ kind: 'end' } satisfies ToModel);
      await ended;
    },
  };
}

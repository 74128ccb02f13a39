/** Messages between the main thread and the database worker. */
import type { EngineCode } from './engine-code.ts';

export interface WorkerOptions {
  /** Absolute path of the data directory. */
  dataDir: string;
  code: EngineCode;
}

export type ToWorker = { kind: 'run'; id: number; bytes: Uint8Array } | { kind: 'close'; id: number };

export type FromWorker =
  /** `folder` is the folder of the thread in /proc if there is one. */
  | { kind: 'ready'; folder: string | undefined }
  /** The engine did not start. */
  | { kind: 'refused'; message: string }
  /** `ms` is the time in which the engine ran the request. */
  | { kind: 'reply'; id: number; bytes: Uint8Array; ms: number };

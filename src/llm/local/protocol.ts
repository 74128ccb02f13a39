/** The messages between the main thread and the thread of a local model. */
import type { EmbeddingUse, SentencePair } from '../models.ts';

/** A text to embed, or a pair to judge. */
export type ModelText = string | SentencePair;

export type ToModel =
  | { kind: 'run'; id: number; texts: readonly ModelText[]; use: EmbeddingUse }
  /** Nobody waits for the vectors any more. */
  | { kind: 'forget'; id: number }
  /** The thread drops all requests, and ends after the part that runs. */
  | { kind: 'end' };

export type FromModel =
  /** The first message. `folder` is the folder of the thread in /proc if there is one. */
  | { kind: 'started'; folder: string | undefined }
  /** The model cannot be loaded; the thread ends. */
  | { kind: 'refused'; message: string }
  | { kind: 'vectors'; id: number; vectors: Float32Array[] }
  | { kind: 'failed'; id: number; message: string };

/** Parses, chunks and analyzes files in watched child processes (see process-pool.ts). */
import type { ProcessOutcome, ProcessRequest } from './parsed.ts';

export interface FileProcessor {
  /** Never rejects for a bad file: failures come back as outcomes. Rejects only with the signal's reason. */
  process(request: ProcessRequest, signal: AbortSignal): Promise<ProcessOutcome>;
  /** Ends all child processes. */
  close(): Promise<void>;
}

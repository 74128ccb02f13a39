/** Parses, chunks and analyzes files in watched child processes (see process-pool.ts). */
import type { MemberSink } from '../detect/members.ts';
import type { ProcessOutcome, ProcessRequest } from '../parsed.ts';

export interface FileProcessor {
  /**
   * Never rejects for a bad file: failures come back as outcomes. Rejects only with the signal's reason.
   *
   * Files inside go to `members` before; again from the first, when the file is tried again.
   */
  process(request: ProcessRequest, signal: AbortSignal, members?: MemberSink): Promise<ProcessOutcome>;
  /** Ends all child processes. */
  close(): Promise<void>;
}

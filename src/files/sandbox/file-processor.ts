/** Parses, chunks and analyzes files in watched child processes (see process-pool.ts). */
import type { MemberSink } from '../detect/members.ts';
import type { ProcessOutcome, ProcessRequest } from '../parsed.ts';

export interface FileProcessor {
  /**
   * Processes one file. A bad file gives an outcome with a failure. The promise rejects only with the signal's reason.
   *
   * `members` receives the files inside before the outcome. After a retry, `members` receives them again from the first.
   */
  process(request: ProcessRequest, signal: AbortSignal, members?: MemberSink): Promise<ProcessOutcome>;
  /** Ends all child processes. */
  close(): Promise<void>;
}

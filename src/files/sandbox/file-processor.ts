/** Parses, chunks and analyzes files in watched child processes (see process-pool.ts). */
import type { Whose } from '../../util/pool.ts';
import type { MemberSink } from '../detect/members.ts';
import type { ProcessOutcome, ProcessRequest } from '../parsed.ts';
import type { ToolAnswer } from '../tools.ts';

/** Returns the bytes of the file at a path of the source group, or a failure whose message is the end of a sentence. */
export type IncludeReader = (path: string) => Promise<ToolAnswer>;

export interface FileProcessor {
  /**
   * Processes one file. A bad file gives an outcome with a failure. The promise rejects only with the signal's reason.
   *
   * `members` receives the files inside before the outcome. After a retry, `members` receives them again from the first.
   * `include` gives the files that the file includes. Owners share the processes: the file of an owner with none being processed
   * does not wait for all files of another. Within an owner, its parts share them in the same way.
   */
  process(
    request: ProcessRequest,
    signal: AbortSignal,
    members?: MemberSink,
    whose?: Whose,
    include?: IncludeReader,
  ): Promise<ProcessOutcome>;
  /** Ends all child processes. */
  close(): Promise<void>;
}

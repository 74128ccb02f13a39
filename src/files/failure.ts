/** Errors that stop the processing of one file. The child process throws them and sends their `failure` to the pool. */
import type { FileFailure } from '../corpus/values.ts';

export class FileError extends Error {
  readonly failure: FileFailure;

  constructor(failure: FileFailure) {
    super(failure.message);
    this.name = 'FileError';
    this.failure = failure;
  }
}

/** Returns an error for a fault in the bytes themselves. The file is not retried. */
export function badFile(stage: FileFailure['stage'], title: string, message: string): FileError {
  return new FileError({ stage, title, message, retryable: false });
}

/** Returns an error for an intact file without words that a search could find. */
export function emptyFile(stage: FileFailure['stage'], title: string, message: string): FileError {
  return new FileError({ stage, title, message, retryable: false, isEmpty: true });
}

/** Returns an error for a file that exceeds a limit of the service. */
export function overLimit(message: string, stage: FileFailure['stage'] = 'parse'): FileError {
  return badFile(stage, 'File is over a limit', message);
}

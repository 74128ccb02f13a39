/** What stops one file: thrown inside the child process, handed on as a FileFailure. */
import type { FileFailure } from '../corpus/values.ts';

export class FileError extends Error {
  readonly failure: FileFailure;

  constructor(failure: FileFailure) {
    super(failure.message);
    this.name = 'FileError';
    this.failure = failure;
  }
}

/** The bytes are at fault: trying again cannot help. */
export function badFile(stage: FileFailure['stage'], title: string, message: string): FileError {
  return new FileError({ stage, title, message, retryable: false });
}

/** The file is as it should be, but holds nothing that could be found. */
export function emptyFile(stage: FileFailure['stage'], title: string, message: string): FileError {
  return new FileError({ stage, title, message, retryable: false, isEmpty: true });
}

/** A limit that protects the service was passed. */
export function overLimit(message: string, stage: FileFailure['stage'] = 'parse'): FileError {
  return badFile(stage, 'File is over a limit', message);
}

/** What went wrong at an origin, for people. */
import { OriginError, type OriginProblem } from '../../connectors/connector.ts';
import type { FileFailure } from '../../corpus/values.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { FileError } from '../../files/failure.ts';

/** Undefined for what is not the origin's fault: a full disk, a bug. */
export function originProblem(error: unknown): OriginProblem | undefined {
  if (error instanceof OriginError) return error.problem;
  const message = error instanceof ServiceError ? UPSTREAM[error.code] : undefined;
  return message === undefined ? undefined : { title: 'The origin could not be read', message, retryable: true };
}

/** Not the error's own words, which may name an address of the operator's network: they are in the log. */
const UPSTREAM: { readonly [code in ErrorCode]?: string } = {
  upstream_failed: 'It could not be reached, or what it answered cannot be used. Run the source again later.',
  upstream_timeout: 'It did not answer in time. Run the source again later.',
  invalid_request: 'An address of the origin cannot be asked.',
};

/** Why one item could not be fetched; undefined as for `originProblem`. */
export function fetchFailure(error: unknown): FileFailure | undefined {
  if (error instanceof FileError) return error.failure;
  const problem = originProblem(error);
  return problem && { stage: 'fetch', ...problem };
}

/** The connector is at fault: one item must not stop the others. */
export const UNEXPECTED: FileFailure = {
  stage: 'fetch',
  title: 'The file could not be fetched',
  message: 'An internal error occurred. The log of the service says more.',
  retryable: true,
};

export const BROKEN_OFF: OriginProblem = {
  title: 'The origin could not be listed to its end',
  message: 'The listing broke off. Nothing was deleted. Run the source again.',
  retryable: true,
};

export const NOTHING_LISTED: OriginProblem = {
  title: 'The origin listed nothing',
  message:
    'Files are stored from earlier runs and the origin named none of them. Nothing was deleted. Check the address and the rights of the credential; if the origin is really empty, delete the source.',
  retryable: true,
};

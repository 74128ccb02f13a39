/** Descriptions, for people, of errors at an origin. */
import { OriginError, type OriginProblem } from '../../connectors/connector.ts';
import type { FileFailure } from '../../corpus/values.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { FileError } from '../../files/failure.ts';

/**
 * Returns the description of an error of the origin. Returns undefined for errors that are not the origin's fault, such
 * as a full disk or a bug.
 */
export function originProblem(error: unknown): OriginProblem | undefined {
  if (error instanceof OriginError) return error.problem;
  const message = error instanceof ServiceError ? UPSTREAM[error.code] : undefined;
  return message === undefined ? undefined : { title: 'The origin could not be read', message, retryable: true };
}

/**
 * These texts replace the error's own message, which may name an address of the operator's network. The log has the
 * error's message.
 */
const UPSTREAM: { readonly [code in ErrorCode]?: string } = {
  upstream_failed: 'The origin could not be reached, or its answer could not be used. Run the source again later.',
  upstream_timeout: 'The origin did not answer in time. Run the source again later.',
  invalid_request: 'The service may not send requests to an address of the origin.',
};

/** Returns why one item could not be fetched. Returns undefined in the same cases as `originProblem`. */
export function fetchFailure(error: unknown): FileFailure | undefined {
  if (error instanceof FileError) return error.failure;
  const problem = originProblem(error);
  return problem && { stage: 'fetch', ...problem };
}

/** The failure of one item when the connector has a bug: the other items are still fetched. */
export const UNEXPECTED: FileFailure = {
  stage: 'fetch',
  title: 'The file could not be fetched',
  message: 'An internal error occurred. The log of the service says more.',
  retryable: true,
};

export const BROKEN_OFF: OriginProblem = {
  title: 'The origin could not be listed to its end',
  message: 'The listing stopped before its end. Nothing was deleted. Run the source again.',
  retryable: true,
};

export const NOTHING_LISTED: OriginProblem = {
  title: 'The origin listed nothing',
  message:
    'Files are stored from earlier runs, but the origin listed none of them. Nothing was deleted. ' +
    'Check the address and the rights of the credential; if the origin is really empty, delete the source.',
  retryable: true,
};

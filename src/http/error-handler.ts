/** Turns every failure into an answer: `{"error":{"message","type","pointer"?}}`. No other code writes error answers. */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withoutApiKeys } from '../access/api-key.ts';
import { ERROR_CODES, type ErrorCode, ServiceError } from '../errors.ts';
import { newId } from '../util/ids.ts';

const OVERLOAD_RETRY_SECONDS = 5;
const INTERNAL_MESSAGE = 'Something went wrong on our side. The request id identifies this failure in the log.';

/** Returns the JSON text of an error answer. API keys in the message are masked. */
export function errorBody({ message, type, pointer }: ServiceError): string {
  const place = pointer === undefined ? {} : { pointer: withoutApiKeys(pointer) };
  return JSON.stringify({ error: { message: withoutApiKeys(message), type, ...place } });
}

/** Returns the error that the caller sees for anything thrown. An unexpected error gets one constant message. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number') {
    return frameworkError(code, statusCode, error);
  }
  return new ServiceError('internal', INTERNAL_MESSAGE, { cause: error });
}

/** Sends the error answer, and logs the cause that the caller does not see. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyOf: (failure: ServiceError) => string = errorBody,
): FastifyReply {
  if (reply.raw.destroyed) {
    request.log.info('client left before the answer');
    return reply.hijack();
  }
  const failure = toServiceError(error);
  if (failure.status >= 500) request.log.error({ err: failure.cause ?? failure, code: failure.code }, 'request failed');
  if (reply.raw.headersSent) {
    // Part of the answer was already sent. Only a broken connection tells the client that the answer is incomplete.
    reply.raw.destroy();
    return reply;
  }
  const retryAfter =
    failure.retryAfterSeconds ??
    (failure.code === 'overloaded' || failure.code === 'rate_limited' ? OVERLOAD_RETRY_SECONDS : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfter))));
  return reply.code(failure.status).type('application/json; charset=utf-8').send(bodyOf(failure));
}

/** Answers requests that Node refuses before Fastify sees them. Node's own answers would have no body. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = CLIENT_ERROR_CODES[error.code ?? ''] ?? 'invalid_request';
  const failure = new ServiceError(code, CLIENT_ERROR_MESSAGES[code] ?? 'The request is not valid HTTP.');
  const body = errorBody(failure);
  const requestId = newId();
  socket.end(
    `HTTP/1.1 ${failure.status} ${REASONS[failure.status] ?? 'Bad Request'}\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${requestId}\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n${body}`,
  );
}

const CLIENT_ERROR_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const CLIENT_ERROR_MESSAGES: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'The request headers are too large.',
  too_large: 'The chunk extensions of the request are too large.',
  request_timeout: 'The request did not arrive in time.',
};

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

function frameworkError(code: string, status: number, cause: unknown): ServiceError {
  const found = (Object.keys(ERROR_CODES) as ErrorCode[]).find((name) => ERROR_CODES[name][0] === status);
  if (found === undefined || status >= 500) return new ServiceError('internal', INTERNAL_MESSAGE, { cause });
  return new ServiceError(found, FRAMEWORK_MESSAGES[code] ?? 'The request cannot be processed.', { cause });
}

const FRAMEWORK_MESSAGES: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The content type is not supported here.',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The request body is too large.',
  FST_ERR_BAD_URL: 'The path is not valid.',
};

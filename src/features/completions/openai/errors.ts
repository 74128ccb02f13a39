/** Errors in the shape of the OpenAI API: our error with `param` and `code`. */
import { withoutApiKeys } from '../../../access/api-key.ts';
import type { ErrorCode, ServiceError } from '../../../errors.ts';

/** Codes on which programs for the OpenAI API decide. */
const CODES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'invalid_api_key',
  not_found: 'model_not_found',
  rate_limited: 'rate_limit_exceeded',
};

/** Returns the body of an error. */
export function openAiError(failure: ServiceError): { error: object } {
  const message = withoutApiKeys(failure.message);
  const pointer = failure.pointer === undefined ? null : withoutApiKeys(failure.pointer);
  const param = pointer?.slice(1).replaceAll('/', '.') ?? null;
  return { error: { message, type: failure.type, param, code: CODES[failure.code] ?? null } };
}

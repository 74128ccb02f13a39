/** Errors in the shape of the OpenAI API: our error with `param` and `code`. */
import { withoutApiKeys } from '../../../access/api-key.ts';
import { type ErrorCode, type ServiceError, unknownAddress } from '../../../errors.ts';

/** Codes on which programs for the OpenAI API decide. */
const CODES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'invalid_api_key',
  not_found: 'model_not_found',
  rate_limited: 'rate_limit_exceeded',
};

/** For programs that use other parts of the API: nothing else would tell what to change. */
const UNKNOWN_ADDRESS =
  'Not found: below /v1 there are only POST /responses, POST /chat/completions and GET /models. Responses and conversations cannot be ' +
  'read here, and there are no completions or embeddings.';

export function openAiError(failure: ServiceError): { error: object } {
  // An unknown model has a message that names it.
  const isAddress = failure.message === unknownAddress().message;
  const message = isAddress ? UNKNOWN_ADDRESS : withoutApiKeys(failure.message);
  const pointer = failure.pointer === undefined ? null : withoutApiKeys(failure.pointer);
  const param = pointer?.slice(1).replaceAll('/', '.') ?? null;
  const code = isAddress ? null : (CODES[failure.code] ?? null);
  return { error: { message, type: failure.type, param, code } };
}

/** Explains to the operator what is wrong with a configured model. */
import { ServiceError } from '../errors.ts';
import { statusOf, systemCodeOf } from './chat/provider-errors.ts';

const QUOTED_UNITS_MAX = 200;
const TLS_CODE = /CERT|SELF_SIGNED|UNABLE_TO|TLS|SSL|^EPROTO$/;

export interface ConfiguredModel {
  /** The part of the setting names after the first underscore. */
  kind: 'CHAT' | 'EMBEDDING' | 'RERANK' | 'ENTAILMENT' | 'PRESIDIO';
  /** The provider's name of the model. */
  model: string;
  /** Null for the provider's own address. */
  baseUrl: string | null;
}

/** Returns one or two sentences: what happened, and which setting to check. */
export function inPlainWords(error: unknown, { kind, model, baseUrl }: ConfiguredModel): string {
  const variables = `PINAKES_${kind}`;
  const addressSetting = kind === 'PRESIDIO' ? 'PINAKES_PRESIDIO_URL' : `${variables}_BASE_URL`;
  const address = baseUrl ?? "the provider's own address";
  const cause = error instanceof ServiceError ? error.cause : error;
  const message = error instanceof Error ? error.message : String(error);
  if (isTimeout(error)) {
    if (model.startsWith('local:'))
      return 'no answer of the model in time: a large model takes a while to load, or chunks keep it busy';
    return `no answer from ${address} in time: is it the right address (${addressSetting}), and can it load the model?`;
  }
  const status = statusOf(cause);
  const system = systemCodeOf(cause);
  const providerMessage = messageOf(cause);
  if (status === 401 || status === 403 || (status === 400 && /api.?key/i.test(providerMessage))) {
    return `the key is refused (status ${status}): check ${variables}_API_KEY${quoted(providerMessage)}`;
  }
  if ((status === 404 || status === 400 || status === 422) && /model/i.test(providerMessage)) {
    return `the model ${JSON.stringify(model)} is not there (status ${status}): check ${variables}_MODEL${quoted(providerMessage)}`;
  }
  if (status === 404 || status === 405) {
    return `nothing of this kind at ${address} (status ${status}): check the path of ${addressSetting}, for example /v1`;
  }
  if (status === 429) return `too many requests, or no credit left (status 429)${quoted(providerMessage)}`;
  if (status !== undefined && (status < 200 || status > 299))
    return `${address} answers with status ${status}${quoted(providerMessage)}`;
  if (system === 'ENOTFOUND' || system === 'EAI_AGAIN')
    return `the host of ${address} has no address: check ${addressSetting}`;
  if (system === 'ECONNREFUSED') return `nothing listens at ${address}: is it running, is the port right?`;
  if (system !== undefined && TLS_CODE.test(system))
    return `no secure connection to ${address} (${system}): does it speak https, and is its certificate valid?`;
  if (status === undefined && system !== undefined) return `${address} cannot be reached (${system})`;
  if (status !== undefined || /unreadable|without an end mark|not JSON/.test(message)) {
    return `${address} answers, but not as such a model does: check ${addressSetting}, for example its path /v1`;
  }
  return cause === error ? message : `${message.replace(/\.$/, '')}${quoted(providerMessage)}`;
}

function isTimeout(error: unknown): boolean {
  return error instanceof ServiceError
    ? error.code === 'upstream_timeout'
    : error instanceof Error && error.name === 'TimeoutError';
}

/** Returns the message of the provider, truncated. */
function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/\s+/g, ' ').slice(0, QUOTED_UNITS_MAX) : '';
}

function quoted(message: string): string {
  return message === '' ? '' : `; it says ${JSON.stringify(message)}`;
}

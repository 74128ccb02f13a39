/** The redaction policy of the tenant, and trials of drafts. */
import type { Operations, RedactionRule } from '../../../src/client/api.ts';
import { PinakesError, pinakes } from './api.ts';

export type Rule = RedactionRule;
export type Action = Rule['action'];
export type Step = Rule['apply_at'][number];
export type Entity = Extract<Rule, { kind: 'entity' }>['entities'][number];
export type Trial = Operations['testRedactionPolicy']['response'];
export type StoredPolicy = Operations['getRedactionPolicy']['response'];

/** What is edited: the stored policy without its version and times. */
export interface Draft {
  enabled: boolean;
  rules: readonly Rule[];
}

export const REDACTION = 'redaction';
export const KINDS = ['entity', 'regex', 'dictionary'] as const;
export const ACTIONS = ['mask', 'hash', 'drop', 'block'] as const satisfies readonly Action[];
export const STEPS = ['ingest', 'retrieval', 'llm_input', 'output'] as const satisfies readonly Step[];
export const ENTITIES = [
  'email',
  'phone',
  'credit_card',
  'iban',
  'ip_address',
  'credential_url',
  'api_key',
  'date_of_birth',
  'us_ssn',
  'uk_nino',
  'de_tax_id',
  'fr_nir',
  'jp_my_number',
  'kr_rrn',
  'es_dni',
  'it_codice_fiscale',
  'nl_bsn',
  'person',
  'location',
  'organization',
  'nrp',
] as const satisfies readonly Entity[];

/** Returns the policy of the tenant; null if there is none. */
export async function readPolicy(signal: AbortSignal): Promise<StoredPolicy | null> {
  try {
    return await pinakes.getRedactionPolicy({}, { signal });
  } catch (error) {
    if (error instanceof PinakesError && error.status === 404) return null;
    throw error;
  }
}

export function tryDraft(text: string, draft: Draft, step: Step | null, signal: AbortSignal): Promise<Trial> {
  const policy = { enabled: draft.enabled, rules: [...draft.rules] };
  return pinakes.testRedactionPolicy({ body: { text, policy, ...(step && { apply_at: step }) } }, { signal });
}

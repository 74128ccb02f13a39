/** Maps each entity to its finder. */
import type { Finder } from '../redaction-session.ts';
import { apiKey } from './api-key.ts';
import { credentialUrl } from './credential-url.ts';
import { creditCard } from './credit-card.ts';
import { dateOfBirth } from './date-of-birth.ts';
import { email } from './email.ts';
import { iban } from './iban.ts';
import { ipAddress } from './ip-address.ts';
import { deTaxId, esDni, frNir, itCodiceFiscale, jpMyNumber, krRrn, nlBsn, ukNino, usSsn } from './national-ids.ts';
import { phone } from './phone.ts';

export const DETECTORS = {
  email,
  phone,
  credit_card: creditCard,
  iban,
  ip_address: ipAddress,
  credential_url: credentialUrl,
  api_key: apiKey,
  date_of_birth: dateOfBirth,
  us_ssn: usSsn,
  uk_nino: ukNino,
  de_tax_id: deTaxId,
  fr_nir: frNir,
  jp_my_number: jpMyNumber,
  kr_rrn: krRrn,
  es_dni: esDni,
  it_codice_fiscale: itCodiceFiscale,
  nl_bsn: nlBsn,
} satisfies Record<string, Finder>;
export type Entity = keyof typeof DETECTORS;

/** The entities that may need a word beside the value. */
export const NEEDS_WORDS: ReadonlySet<string> = new Set<Entity>([
  'phone',
  'api_key',
  'date_of_birth',
  'us_ssn',
  'jp_my_number',
  'kr_rrn',
  'nl_bsn',
]);

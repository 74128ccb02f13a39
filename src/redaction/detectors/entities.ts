/** The entities that entity rules can find. */
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
] as const;
export type Entity = (typeof ENTITIES)[number];

/** Entities that no pattern can find. An analyzer of names finds them (names.ts), if one is configured. */
export const NAMES = ['person', 'location', 'organization', 'nrp'] as const;
export type NameEntity = (typeof NAMES)[number];

export function isName(entity: Entity | NameEntity): entity is NameEntity {
  return (NAMES as readonly string[]).includes(entity);
}

/**
 * Metadata that is set through the API: the rules of a patch. The same for sources and source groups, for one and for many,
 * so each kind of failure has one constant text. Pure.
 */
import { invalidRequest, ServiceError } from '../errors.ts';
import { codePointLength } from '../util/code-points.ts';

export const METADATA_PATCH_RECORDS_MAX = 40;
export const METADATA_RECORDS_MAX = 20;
/** Code points. */
export const METADATA_KEY_LENGTH_MAX = 256;
/** Code points. */
export const METADATA_VALUE_LENGTH_MAX = 4096;

/** Records set through the API: key -> value. */
export type ApiMetadata = Readonly<Record<string, string>>;

export interface PatchRecord {
  key: string;
  /** Null deletes the key. */
  val: string | null;
}

/** What a patch can do wrong, in the order in which it is looked for. */
export const METADATA_ERRORS = {
  patchTooLarge: `A metadata patch has at most ${METADATA_PATCH_RECORDS_MAX} records.`,
  key: `A metadata key has 1 to ${METADATA_KEY_LENGTH_MAX} characters.`,
  value: `A metadata value has at most ${METADATA_VALUE_LENGTH_MAX} characters.`,
  duplicateKey: 'A metadata patch names each key once.',
  full: `At most ${METADATA_RECORDS_MAX} metadata records may remain after a patch.`,
} as const;

/** What can be judged by the patch alone. @throws ServiceError invalid_request with a text of METADATA_ERRORS. */
export function checkPatch(patch: readonly PatchRecord[]): void {
  if (patch.length > METADATA_PATCH_RECORDS_MAX) throw invalidRequest(METADATA_ERRORS.patchTooLarge);
  for (const { key, val } of patch) {
    if (key === '' || isLonger(key, METADATA_KEY_LENGTH_MAX)) throw invalidRequest(METADATA_ERRORS.key);
    if (val !== null && isLonger(val, METADATA_VALUE_LENGTH_MAX)) throw invalidRequest(METADATA_ERRORS.value);
  }
  if (new Set(patch.map((record) => record.key)).size < patch.length) {
    throw invalidRequest(METADATA_ERRORS.duplicateKey);
  }
}

/** `current` with the patch merged in by key. @throws ServiceError metadata_full. */
export function mergeMetadata(current: ApiMetadata, patch: readonly PatchRecord[]): ApiMetadata {
  const merged = new Map(Object.entries(current));
  for (const { key, val } of patch) {
    if (val === null) merged.delete(key);
    else merged.set(key, val);
  }
  if (merged.size > METADATA_RECORDS_MAX) throw new ServiceError('metadata_full', METADATA_ERRORS.full);
  return Object.fromEntries(merged);
}

/** As returned: sorted by key. */
export function apiRecords(metadata: ApiMetadata): { key: string; val: string; type: string }[] {
  return Object.entries(metadata)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, val]) => ({ key, val, type: 'string' }));
}

function isLonger(text: string, max: number): boolean {
  return text.length > 2 * max || (text.length > max && codePointLength(text) > max);
}

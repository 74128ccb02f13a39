/**
 * Rules of patches to metadata that the API sets. The rules are the same for sources and source groups, for one and for many, so
 * each kind of error has one constant message.
 */
import { pointerOf, ServiceError } from '../errors.ts';
import { codePointLength } from '../util/code-points.ts';
import { ownValue } from '../util/own-value.ts';

export const METADATA_PATCH_RECORDS_MAX = 40;
const METADATA_RECORDS_MAX = 20;
/** In code points. */
export const METADATA_KEY_LENGTH_MAX = 256;
/** In code points. */
export const METADATA_VALUE_LENGTH_MAX = 4096;

/** Metadata set through the API: values by key. */
export type ApiMetadata = Readonly<Record<string, string>>;

export interface PatchRecord {
  key: string;
  /** Null deletes the key. */
  val: string | null;
}

/** Errors of a patch, in the order in which they are checked. */
export const METADATA_ERRORS = {
  patchTooLarge: `A metadata patch has at most ${METADATA_PATCH_RECORDS_MAX} records.`,
  key: `A metadata key has 1 to ${METADATA_KEY_LENGTH_MAX} characters.`,
  value: `A metadata value has at most ${METADATA_VALUE_LENGTH_MAX} characters.`,
  duplicateKey: 'A metadata patch names each key once.',
  full: `At most ${METADATA_RECORDS_MAX} metadata records may remain after a patch.`,
} as const;

/**
 * Checks a patch without the metadata that it changes.
 *
 * @throws ServiceError invalid_request with a text of METADATA_ERRORS.
 */
export function checkPatch(patch: readonly PatchRecord[]): void {
  if (patch.length > METADATA_PATCH_RECORDS_MAX) throw refused('patchTooLarge');
  for (const [i, { key, val }] of patch.entries()) {
    if (key === '' || isLonger(key, METADATA_KEY_LENGTH_MAX)) throw refused('key', i, 'key');
    if (val !== null && isLonger(val, METADATA_VALUE_LENGTH_MAX)) throw refused('value', i, 'val');
  }
  const keys = new Set<string>();
  for (const [i, { key }] of patch.entries()) {
    if (keys.has(key)) throw refused('duplicateKey', i, 'key');
    keys.add(key);
  }
}

/** The pointer is the place in the body of a request about one object. Answers to batches have only the message. */
function refused(problem: keyof typeof METADATA_ERRORS, ...at: readonly PropertyKey[]): ServiceError {
  const pointer = pointerOf(['metadata', 'records', ...at]);
  return new ServiceError('invalid_request', METADATA_ERRORS[problem], { pointer });
}

/**
 * Returns `current` with the patch merged in by key.
 *
 * @throws ServiceError metadata_full.
 */
export function mergeMetadata(current: ApiMetadata, patch: readonly PatchRecord[]): ApiMetadata {
  const merged = new Map(Object.entries(current));
  for (const { key, val } of patch) {
    if (val === null) merged.delete(key);
    else merged.set(key, val);
  }
  if (merged.size > METADATA_RECORDS_MAX) throw new ServiceError('metadata_full', METADATA_ERRORS.full);
  return Object.fromEntries(merged);
}

/** Returns the keys whose value was added, replaced or deleted, in sorted order. */
export function changedKeys(before: ApiMetadata, after: ApiMetadata): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => ownValue(before, key) !== ownValue(after, key)).sort();
}

/** Returns the metadata for the API, sorted by key. */
export function apiRecords(metadata: ApiMetadata): { key: string; val: string; type: string }[] {
  return Object.entries(metadata)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, val]) => ({ key, val, type: 'string' }));
}

function isLonger(text: string, max: number): boolean {
  return text.length > 2 * max || (text.length > max && codePointLength(text) > max);
}

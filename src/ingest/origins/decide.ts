/** Decides what a run does with an item of an origin, from the row that is stored for the item. Pure. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { StagedBlob } from '../../blobs/blob-store.ts';
import type { OriginItem } from '../../connectors/connector.ts';
import type { Opaque } from '../../corpus/origin.ts';
import type { StoredItem } from '../../corpus/origin-store.ts';
import type { FileFailure, TypedMetadata } from '../../corpus/values.ts';
import { withoutInvisible } from '../../files/detect/member-name.ts';

/** UTF-16 units of a name, or of a reason for a file that is skipped; longer ones are truncated. */
const NAME_LENGTH_MAX = 1_000;
const METADATA_KEY_LENGTH_MAX = 256;
/**
 * UTF-16 units. A longer id is truncated and gets a hash that keeps it unique, because an index entry must fit a page.
 */
const ORIGIN_ID_LENGTH_MAX = 600;

/** An item of a listing, with the result of its fetch if a fetch was necessary. */
export type Received =
  | { kind: 'fetched'; item: OriginItem; bytes: StagedBlob; state: Opaque | null }
  /** The stored bytes are current. `item` is null when the connector reported nothing else about the item. */
  | { kind: 'same'; originId: string; item: OriginItem | null }
  | { kind: 'skipped'; originId: string; name: string; reason: string }
  | { kind: 'failed'; originId: string; name: string; failure: FileFailure }
  /** The item changed while an earlier version of it waits to be processed by the same run: the next run reads it again. */
  | { kind: 'later'; originId: string }
  | { kind: 'gone'; originId: string };

/**
 * - `add`: the item becomes a new source.
 * - `restart`: its source was never served and gets other bytes.
 * - `update`: its source gets a new version, which is processed while the old version is served.
 * - `wait`: the same bytes already wait to be processed.
 * - `revert`: the served version is the newest again.
 * - `change`: the facts about the source change, its bytes do not.
 * - `none`: nothing changes.
 * - `lost`: its source was deleted a moment ago, and the run has no bytes for a new source.
 */
export type Step = 'add' | 'restart' | 'update' | 'wait' | 'revert' | 'change' | 'none' | 'lost';

/** Returns whether the item's bytes must be fetched. Equal revisions mean equal bytes. */
export function needsFetch(item: OriginItem, stored: StoredItem | undefined): boolean {
  return stored === undefined || item.revision === null || item.revision !== stored.revision;
}

export function decide(
  received: Extract<Received, { kind: 'fetched' | 'same' }>,
  stored: StoredItem | undefined,
): Step {
  if (!stored) return received.kind === 'fetched' ? 'add' : 'lost';
  const { item } = received;
  if (received.kind === 'fetched') {
    const { hash } = received.bytes;
    if (stored.status !== 'ready') return hash === stored.blobHash ? 'wait' : 'restart';
    if (hash === stored.updateHash) return 'wait';
    if (hash !== stored.blobHash) return 'update';
    if (stored.updateHash !== null) return 'revert';
  } else if (stored.status !== 'ready' || stored.updateHash !== null) {
    return 'wait';
  }
  if (!item) return 'none';
  // The ending decides which parser reads the file.
  if (endingOf(item.name) !== endingOf(stored.name)) return 'update';
  // Searches find a file by its name and its folders.
  if (item.metadata['path']?.val !== stored.metadata['path']?.val) return 'update';
  return isChanged(item, stored) ? 'change' : 'none';
}

function isChanged(item: OriginItem, stored: StoredItem): boolean {
  return (
    item.name !== stored.name ||
    item.url !== stored.url ||
    (item.modifiedAt !== null && item.modifiedAt.getTime() !== stored.contentAt.getTime()) ||
    !isDeepStrictEqual(item.metadata, stored.metadata)
  );
}

/**
 * Returns the ending of a file name, with its dot and in lower case. The ending decides which parser reads the file.
 */
export function endingOf(name: string): string {
  return /\.[^./\\]*$/.exec(name)?.[0].toLowerCase() ?? '';
}

/** Returns the id in the form that the database stores. */
export function storedId(originId: string): string {
  const text = cleanText(originId);
  if (text.length <= ORIGIN_ID_LENGTH_MAX) return text;
  const digest = createHash('sha256').update(text).digest('hex');
  return `${text.slice(0, ORIGIN_ID_LENGTH_MAX - digest.length).toWellFormed()}${digest}`;
}

/**
 * Returns the item with texts that the database accepts. `locator` stays unchanged because only the connector reads it.
 */
export function cleanItem(item: OriginItem): OriginItem {
  return {
    ...item,
    originId: storedId(item.originId),
    name: cleanName(item.name),
    url: item.url === null ? null : cleanText(item.url),
    revision: item.revision === null ? null : cleanText(item.revision),
    metadata: cleanMetadata(item.metadata),
  };
}

export function cleanName(name: string): string {
  return withoutInvisible(name).slice(0, NAME_LENGTH_MAX).toWellFormed() || 'unnamed';
}

/** Returns the reason of a connector in the form that the database stores. */
export function cleanReason(reason: string): string {
  return cleanText(reason).slice(0, NAME_LENGTH_MAX).toWellFormed();
}

function cleanMetadata(metadata: TypedMetadata): TypedMetadata {
  const entries = Object.entries(metadata).map(([key, { val, type }]) => [
    cleanText(key).slice(0, METADATA_KEY_LENGTH_MAX).toWellFormed(),
    // Readers see a path as they see a name.
    { val: key === 'path' ? withoutInvisible(val) : cleanText(val), type },
  ]);
  return Object.fromEntries(entries);
}

/** Returns JSON that the database accepts. */
export function cleanState(state: Opaque): Opaque {
  return JSON.parse(JSON.stringify(state), (_key, value) => (typeof value === 'string' ? cleanText(value) : value));
}

/** Returns well-formed text without U+0000, which the database does not store. */
function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '');
}

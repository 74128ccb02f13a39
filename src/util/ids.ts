/** Ids: UUIDv7 (RFC 9562 §5.7), lower case, hyphenated. */
import { createHash, randomFillSync } from 'node:crypto';

const ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const ID_BYTES = 16;
const RANDOM_POOL_BYTES = 256 * ID_BYTES;

let lastMs = 0;
let sequence = 0;

/** Returns a new id. Ids of one process sort by the time of their creation, because rand_a counts within a millisecond. */
export function newId(now: number = Date.now()): string {
  const bytes = randomBytes();
  if (now > lastMs) {
    lastMs = now;
    sequence = bytes.readUInt16BE(6) & 0x7ff;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      lastMs += 1;
      sequence = 0;
    }
  }
  bytes.writeUInt16BE(sequence, 6);
  return formatV7(lastMs, bytes);
}

/**
 * Returns the same id for the same inputs, so that a job that runs twice writes the same rows.
 *
 * @param ms the time part of the id.
 */
export function derivedId(ms: number, ...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return formatV7(ms, digest.subarray(0, ID_BYTES));
}

/** Returns whether a value is an id in lower case and hyphenated. An id in any other spelling is unknown. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID_PATTERN.test(value);
}

/** Returns whether a text is a UUID in lower or upper case, as a list cursor may be. */
export function isUuid(value: string): boolean {
  return ID_PATTERN.test(value.toLowerCase());
}

/** Random bytes for many ids, because one large request to the system is faster than many small ones. */
const randomPool = Buffer.alloc(RANDOM_POOL_BYTES);
let usedBytes = RANDOM_POOL_BYTES;

function randomBytes(): Buffer {
  if (usedBytes === RANDOM_POOL_BYTES) {
    randomFillSync(randomPool);
    usedBytes = 0;
  }
  usedBytes += ID_BYTES;
  return randomPool.subarray(usedBytes - ID_BYTES, usedBytes);
}

function formatV7(ms: number, random: Buffer): string {
  const bytes = Buffer.from(random);
  bytes.writeUIntBE(ms, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Ids: UUIDv7 (RFC 9562 §5.7), lower case, hyphenated. */
import { createHash, randomFillSync } from 'node:crypto';

const ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const ID_BYTES = 16;
const RANDOM_BYTES_READY = 256 * ID_BYTES;

let lastMs = 0;
let sequence = 0;

/** A new id. Ids made by one process sort by creation: rand_a counts within a millisecond. */
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

/** The same id for the same inputs: a job that runs twice writes the same rows. `ms` gives the time part. */
export function derivedId(ms: number, ...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return formatV7(ms, digest.subarray(0, ID_BYTES));
}

/** True for our spelling of an id only; any other spelling is an unknown id. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID_PATTERN.test(value);
}

/** True for any spelling of any UUID: what a list cursor may be. */
export function isUuid(value: string): boolean {
  return ID_PATTERN.test(value.toLowerCase());
}

/** Of the system many are asked for at once. */
const ready = Buffer.alloc(RANDOM_BYTES_READY);
let taken = RANDOM_BYTES_READY;

function randomBytes(): Buffer {
  if (taken === RANDOM_BYTES_READY) {
    randomFillSync(ready);
    taken = 0;
  }
  taken += ID_BYTES;
  return ready.subarray(taken - ID_BYTES, taken);
}

function formatV7(ms: number, random: Buffer): string {
  const bytes = Buffer.from(random);
  bytes.writeUIntBE(ms, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

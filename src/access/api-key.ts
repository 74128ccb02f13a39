/**
 * API keys: `pk_<12 id><43 secret><6 checksum>`, base62. Stored are the id and the SHA-256 of the whole key; 43 characters
 * carry 256 bits, so a plain hash is enough. The checksum lets scanners and typing errors be told from real keys.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const PATTERN = /^pk_[0-9A-Za-z]{61}$/;

export interface GeneratedApiKey {
  /** The whole key: shown once, never stored. */
  key: string;
  publicId: string;
  hash: Buffer;
}

/** A new random key. */
export function generateApiKey(): GeneratedApiKey {
  const stem = `pk_${randomText(ID_LENGTH)}${randomText(SECRET_LENGTH)}`;
  return readApiKey(stem + checksum(stem))!;
}

/** Undefined when the text cannot be a key of ours: wrong shape or checksum. */
export function readApiKey(key: string): GeneratedApiKey | undefined {
  if (!PATTERN.test(key)) return undefined;
  const stem = key.slice(0, -CHECKSUM_LENGTH);
  if (checksum(stem) !== key.slice(-CHECKSUM_LENGTH)) return undefined;
  return { key, publicId: key.slice(3, 3 + ID_LENGTH), hash: hash('sha256', key, 'buffer') };
}

/** For logs and error messages, which repeat what a caller sent: someone may take a key for an id. */
export function withoutApiKeys(text: string): string {
  return text.replaceAll(/pk_[0-9A-Za-z]{20,}/g, 'pk_…');
}

function checksum(stem: string): string {
  let rest = crc32(stem);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Uniform: bytes that would favour the first letters are thrown away. */
function randomText(length: number): string {
  let result = '';
  while (result.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && result.length < length) result += ALPHABET[byte % 62];
    }
  }
  return result;
}

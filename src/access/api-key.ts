/**
 * API keys: `pk_<12 id><43 secret><6 checksum>`, base62. The database stores the id and the SHA-256 of the whole key. 43 characters
 * carry 256 bits, so a plain hash is enough. The checksum tells real keys from typing errors, also for secret scanners.
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

/** Returns a new random key. */
export function generateApiKey(): GeneratedApiKey {
  const stem = `pk_${randomText(ID_LENGTH)}${randomText(SECRET_LENGTH)}`;
  return readApiKey(stem + checksum(stem))!;
}

/** Returns the parts of the key; undefined if the text has the wrong shape or checksum. */
export function readApiKey(key: string): GeneratedApiKey | undefined {
  if (!PATTERN.test(key)) return undefined;
  const stem = key.slice(0, -CHECKSUM_LENGTH);
  if (checksum(stem) !== key.slice(-CHECKSUM_LENGTH)) return undefined;
  return { key, publicId: key.slice(3, 3 + ID_LENGTH), hash: hash('sha256', key, 'buffer') };
}

/** Masks API keys in a text. Logs and error messages repeat what a caller sent, and a caller may send a key instead of an id. */
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

/** Returns random letters with equal probability: bytes that would favour the first letters are dropped. */
function randomText(length: number): string {
  let result = '';
  while (result.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && result.length < length) result += ALPHABET[byte % 62];
    }
  }
  return result;
}

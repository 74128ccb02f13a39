/**
 * Envelope encryption of secrets with AES-256-GCM: a random data key for each value, wrapped by the master key.
 *
 * Both sealed forms are `version (1) | nonce (12) | tag (16) | ciphertext`. Both authenticate the ids of tenant and secret, so that a
 * row that is moved to another tenant or secret does not open.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 9;
const HEX = /^[0-9a-fA-F]{64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** A key-encryption key. `KeyObject` keeps the bytes out of logs and inspections. */
export interface MasterKey {
  /** A fingerprint, which identifies the key and reveals nothing about its bytes. */
  id: string;
  key: KeyObject;
}

/** The stored form of a secret's value. */
export interface SealedValue {
  sealed: Buffer;
  wrappedKey: Buffer;
  /** The id of the master key that wraps the data key. */
  keyId: string;
}

/** The owner of a value. It is authenticated, and not stored in the sealed form. */
export interface SealedFor {
  tenantId: string;
  secretId: string;
}

/** The value does not open: wrong key, wrong owner, or changed bytes. The error never says which. */
export class SealBroken extends Error {
  constructor() {
    super('a stored secret does not open with this master key');
    this.name = 'SealBroken';
  }
}

/** Returns the master key; undefined when the text is not 32 bytes in base64 (also base64url) or hex. */
export function readMasterKey(text: string): MasterKey | undefined {
  if (!HEX.test(text) && !BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, HEX.test(text) ? 'hex' : 'base64');
  const id = createHash('sha256').update('pinakes master key id\0').update(bytes).digest();
  const key = { id: id.subarray(0, KEY_ID_BYTES).toString('base64url'), key: createSecretKey(bytes) };
  bytes.fill(0);
  return key;
}

/** Returns the text form of a new random master key. */
export function generateMasterKeyText(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

export function sealValue(masterKey: MasterKey, owner: SealedFor, value: string): SealedValue {
  const dataKey = randomBytes(KEY_BYTES);
  try {
    return {
      sealed: encrypt(createSecretKey(dataKey), Buffer.from(value, 'utf8'), associated('value', owner)),
      wrappedKey: encrypt(masterKey.key, dataKey, associated('data key', owner)),
      keyId: masterKey.id,
    };
  } finally {
    dataKey.fill(0);
  }
}

/** @throws SealBroken */
export function openValue(masterKey: MasterKey, owner: SealedFor, stored: SealedValue): string {
  const dataKey = decrypt(masterKey.key, stored.wrappedKey, associated('data key', owner));
  try {
    return decrypt(createSecretKey(dataKey), stored.sealed, associated('value', owner)).toString('utf8');
  } finally {
    dataKey.fill(0);
  }
}

/** Returns the data key wrapped with another master key. The value itself is not opened. @throws SealBroken */
export function rewrapKey(from: MasterKey, to: MasterKey, owner: SealedFor, wrappedKey: Buffer): Buffer {
  const dataKey = decrypt(from.key, wrappedKey, associated('data key', owner));
  try {
    return encrypt(to.key, dataKey, associated('data key', owner));
  } finally {
    dataKey.fill(0);
  }
}

/** Returns the authenticated data. JSON, so that no two owners have the same bytes. */
function associated(what: 'value' | 'data key', { tenantId, secretId }: SealedFor): Buffer {
  return Buffer.from(JSON.stringify(['pinakes', VERSION, what, tenantId, secretId]));
}

function encrypt(key: KeyObject, plain: Buffer, aad: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(aad);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: KeyObject, sealed: Buffer, aad: Buffer): Buffer {
  const head = 1 + NONCE_BYTES + TAG_BYTES;
  if (sealed.length < head || sealed[0] !== VERSION) throw new SealBroken();
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(aad)
    .setAuthTag(sealed.subarray(1 + NONCE_BYTES, head));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(head)), decipher.final()]);
  } catch {
    throw new SealBroken();
  }
}

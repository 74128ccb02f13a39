/**
 * Reads master keys from the environment or from the file `<data dir>/master.key` (mode 0600). Keys are not cached: secrets are
 * opened rarely, and a rotation by another process must be seen at once.
 *
 * During a rotation `master.key.next` holds the new key. The database says which of the two keys is in use.
 */
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { makeFolder } from '../util/folders.ts';
import { ConfigError } from '../util/settings/settings-reader.ts';
import { generateMasterKeyText, type MasterKey, readMasterKey } from './seal.ts';

export const MASTER_KEY_FILE = 'master.key';
const NEXT_SUFFIX = '.next';

export type KeySettings = Pick<Config, 'masterKey' | 'previousMasterKey' | 'dataDir'>;

export interface Keyring {
  /** Where `primary` comes from. */
  origin: 'environment' | 'file';
  /** The configured key; undefined while there is no key file. */
  primary: MasterKey | undefined;
  /** The key of an unfinished rotation. */
  next: MasterKey | undefined;
  /** All available keys, by id. */
  keys: ReadonlyMap<string, MasterKey>;
}

/** Returns all available keys. @throws ConfigError for a key file that holds no key. */
export async function loadKeyring(settings: KeySettings): Promise<Keyring> {
  const { masterKey, previousMasterKey, dataDir } = settings;
  // The order matters: a rotation renames `master.key.next` to `master.key`, so one of the two reads finds the new key.
  const next = await readKeyFile(nextFile(dataDir));
  const stored = await readKeyFile(keyFile(dataDir));
  const given = masterKey === null ? undefined : readMasterKey(masterKey);
  const previous = previousMasterKey === null ? undefined : readMasterKey(previousMasterKey);
  const all = [given, previous, stored, next].filter((key) => key !== undefined);
  return {
    origin: masterKey === null ? 'file' : 'environment',
    primary: masterKey === null ? stored : given,
    next,
    keys: new Map(all.map((key) => [key.id, key])),
  };
}

/** Creates the key file if it is missing. Concurrent calls, also of other processes, create one key. */
export async function ensureKeyFile(dataDir: string): Promise<void> {
  const temporary = `${keyFile(dataDir)}.${randomUUID()}`;
  if (await readKeyFile(keyFile(dataDir))) return;
  makeFolder(dataDir);
  await writeDurably(temporary, generateMasterKeyText());
  try {
    // Unlike a rename, a link never replaces the key of another process.
    await link(temporary, keyFile(dataDir));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(temporary);
  }
  await syncDirectory(dataDir);
}

/** Writes a new key to `master.key.next`. */
export async function writeNextKey(dataDir: string): Promise<MasterKey> {
  const text = generateMasterKeyText();
  await rm(nextFile(dataDir), { force: true });
  await writeDurably(nextFile(dataDir), text);
  await syncDirectory(dataDir);
  return readMasterKey(text)!;
}

/** Replaces the key file by `master.key.next`. The old key is lost. */
export async function promoteNextKey(dataDir: string): Promise<void> {
  try {
    await rename(nextFile(dataDir), keyFile(dataDir));
  } catch (error) {
    // Another process that started meanwhile has renamed the file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await syncDirectory(dataDir);
}

/** Deletes the key of a rotation that was rolled back. */
export async function dropNextKey(dataDir: string): Promise<void> {
  await rm(nextFile(dataDir), { force: true });
}

export function keyFile(dataDir: string): string {
  return join(dataDir, MASTER_KEY_FILE);
}

function nextFile(dataDir: string): string {
  return keyFile(dataDir) + NEXT_SUFFIX;
}

async function readKeyFile(file: string): Promise<MasterKey | undefined> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = readMasterKey(text);
  // A crash during `writeNextKey` leaves a file without a key. Nothing is sealed with that key.
  if (!key && file.endsWith(NEXT_SUFFIX)) return undefined;
  if (!key) {
    throw new ConfigError(
      'PINAKES_MASTER_KEY',
      `is not set, and ${file} holds no key (32 bytes in base64): restore it from a backup`,
      '"$(cat backup/master.key)"',
    );
  }
  return key;
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.chmod(0o600); // `open` ignores the mode when the file exists
    await handle.writeFile(`${text}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

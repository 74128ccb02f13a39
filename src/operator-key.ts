/**
 * The key of the admin socket: a file that only the service's user can read. The service writes a new one at each start. A
 * program that gets hold of the socket alone cannot use it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const ADMIN_SOCKET = 'admin.sock';
const KEY_FILE = 'operator.key';
const KEY_BYTES = 32;

/** Returns the path of the key in a data directory. */
export function operatorKeyFile(dataDir: string): string {
  return join(dataDir, KEY_FILE);
}

export async function writeOperatorKey(dataDir: string): Promise<string> {
  const key = randomBytes(KEY_BYTES).toString('base64url');
  const file = operatorKeyFile(dataDir);
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${key}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600); // the mode above is ignored if the file existed
  await rename(temporary, file);
  return key;
}

/** Returns the key. @throws the error of the file system; ENOENT when there is no key. */
export async function readOperatorKey(dataDir: string): Promise<string> {
  return (await readFile(operatorKeyFile(dataDir), 'utf8')).trim();
}

/** Returns the header with which a request shows the key. */
export function operatorAuthorization(key: string): string {
  return `Bearer ${key}`;
}

/** Returns whether a request has the key. The comparison takes the same time for every wrong key. */
export function hasOperatorKey(header: string | undefined, key: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return header !== undefined && timingSafeEqual(hash(header), hash(operatorAuthorization(key)));
}

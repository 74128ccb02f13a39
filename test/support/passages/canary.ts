/**
 * API keys and secrets that tests use are looked for where they must not be, at the end of every test file: in the files of its
 * database and its blobs, in its logs, in the error bodies that it saw.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readApiKey } from '../../../src/access/api-key.ts';

/** Secrets that tests store begin with this. */
export const SECRET_CANARY = 'canary-secret-';
const KEY_START = 'pk_';
const KEY_LENGTH = 64;

/** @throws Error that says where a canary is; not which, since that would write it into another log. */
export function assertNoCanary(where: string, content: Buffer | string): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (bytes.includes(SECRET_CANARY)) throw new Error(`a secret that a test stored is in ${where}`);
  for (let at = bytes.indexOf(KEY_START); at !== -1; at = bytes.indexOf(KEY_START, at + 1)) {
    if (readApiKey(bytes.toString('latin1', at, at + KEY_LENGTH)))
      throw new Error(`an API key that a test used is in ${where}`);
  }
}

/** Looks into the files of the folder that were written since `from`. */
export function assertNoCanaryInFiles(folder: string, from: Date): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && statSync(path).mtime >= from) assertNoCanary(path, readFileSync(path));
  }
}

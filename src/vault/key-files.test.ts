import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureKeyFile, MASTER_KEY_FILE } from './key-files.ts';

test('concurrent requests for the key file get the same key, which stays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinakes-keys-'));
  try {
    const read = () => readFileSync(join(folder, MASTER_KEY_FILE), 'utf8');
    const seen = await Promise.all(Array.from({ length: 20 }, () => ensureKeyFile(folder).then(read)));
    assert.deepEqual([...new Set(seen)], [read()]);
    assert.deepEqual(readdirSync(folder), [MASTER_KEY_FILE]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileType } from '../detect/file-types.ts';
import { parseFile } from './parse-file.ts';

test('a type with the name of an inherited member is read as text', async () => {
  const bytes = new TextEncoder().encode('A heron waits.');
  const request = { name: 'a.constructor', size: bytes.length, chunkMetadataKeys: [] };
  for (const type of ['constructor', 'toString']) {
    const { fileType, text } = await parseFile(type as FileType, bytes, request);
    assert.deepEqual([fileType, text.trim()], [type, 'A heron waits.']);
  }
});

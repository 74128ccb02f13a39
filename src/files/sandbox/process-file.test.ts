import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processFile } from './process-file.ts';

test('the chunks of a note have the words of its name and its aliases', async () => {
  const bytes = new TextEncoder().encode('---\naliases: [Bluebird]\n---\n# Goals\n\nReach the first customers.\n');
  const outcome = await processFile({ name: 'Project Falcon.md', size: bytes.length, chunkMetadataKeys: [] }, bytes);
  assert.ok(outcome.ok);
  const terms = outcome.file.chunks[0]!.terms.split(' ');
  for (const term of ['falcon', 'bluebird']) assert.ok(terms.includes(term), term);
});

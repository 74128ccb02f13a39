import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addNeighbours, type NeighbourRow, type ReadRow, toHit, UNRANKED, withPlace } from './hits.ts';

test('where a policy may hide chunks of a source, the place of a chunk and its lines are hidden', () => {
  const chunk = { chunkIndex: 3, startOffset: 10, endOffset: 20, startLine: 2, endLine: 4 };
  assert.deepEqual(withPlace(chunk, { policy: null }), chunk);
  const hidden = withPlace(chunk, { policy: { chunk: {} } as never });
  assert.deepEqual(new Set(Object.values(hidden)), new Set([null]));
});

test('a hit and its neighbours have no other columns of their rows', async () => {
  const place = { chunkIndex: 3, startOffset: 10, endOffset: 20, startLine: 2, endLine: 4 };
  const row = {
    ...{ ...place, id: 'c', sourceId: 's', sourceGroupId: 'g', sourceGroupName: 'Group', generation: 1 },
    ...{ sourceType: 'file', fileType: 'txt', name: 'a.txt', path: null, url: null, content: 'text', context: null },
    ...{ pages: null, headingPath: [], originMetadata: {}, apiMetadata: {}, chunkMetadata: {}, tags: [] },
    ...{ contentAt: new Date(0), language: 'en', redactedBy: 'rules', terms: 'hidden', secret: 'hidden' },
  } satisfies ReadRow & { secret: string };
  const hit = await toHit(row, UNRANKED, null);
  assert.ok(hit);
  const expected = { ...row, ...UNRANKED, metadata: {} };
  const inner = ['originMetadata', 'apiMetadata', 'redactedBy', 'terms', 'secret'] as const;
  for (const name of inner) delete (expected as Record<string, unknown>)[name];
  assert.deepEqual<object>(hit, expected);
  const neighbour = { id: 'd', content: 'text', ...place };
  const read = { ...neighbour, context: 'Sheet', headingPath: ['Head'], redactedBy: 'rules', hitId: 'c' };
  const rows: NeighbourRow[] = [
    { ...read, isBefore: true },
    { ...read, id: 'e', isBefore: false },
  ];
  await addNeighbours([hit], rows, null);
  assert.deepEqual(hit.neighbours, { before: [neighbour], after: [{ ...neighbour, id: 'e' }] });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceRow } from './sources.ts';

test('after an error, a second deletion goes on with the sources that are left', async (t) => {
  Object.assign(globalThis, { location: { origin: 'http://127.0.0.1' } });
  const { deleteSources } = await import('./sources.ts');
  const stored = new Set(['a', 'b']);
  let isFailing = true;
  t.mock.method(globalThis, 'fetch', async (input: RequestInfo | URL) => {
    const id = new URL(String(input)).pathname.split('/').at(-1)!;
    if (id === 'b' && isFailing) return Response.json({ error: { type: 'api_error', message: 'm' } }, { status: 400 });
    if (stored.delete(id)) return new Response(null, { status: 204 });
    return Response.json({ error: { type: 'not_found_error', message: 'm' } }, { status: 404 });
  });
  const rows = ['a', 'b'].map((id) => ({ id }) as SourceRow);
  await assert.rejects(deleteSources(rows));
  assert.deepEqual([...stored], ['b']);
  isFailing = false;
  await deleteSources(rows);
  assert.equal(stored.size, 0);
});

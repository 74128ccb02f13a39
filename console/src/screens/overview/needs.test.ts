import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Need } from './needs.ts';

const NOW = Math.floor(Date.now() / 1000);
const GROUPS_PER_PAGE = 100;
const RUN = { end_time: NOW, creation_time: NOW, statistics: { skipped: 2 } };

function loadParts() {
  Object.assign(globalThis, { location: { origin: 'http://127.0.0.1' } });
  return import('./needs.ts');
}

describe('parts of what needs somebody', () => {
  test('only the keys, of which there may be 100 pages, are not read each minute', async () => {
    const { partsFor, REFRESH_MS } = await loadParts();
    const rare = partsFor(() => true, true).filter(({ refreshMs }) => refreshMs > REFRESH_MS);
    assert.deepEqual(
      rare.map(({ id }) => id),
      ['keys'],
    );
  });

  /** Returns the lines of a part, for a service that answers with `answer`. */
  async function readPart(t: TestContext, part: string, answer: (url: URL) => unknown): Promise<Need[]> {
    const { partsFor } = await loadParts();
    t.mock.method(globalThis, 'fetch', async (input: RequestInfo | URL) => {
      const body = answer(new URL(String(input)));
      return body === undefined
        ? Response.json({ error: { type: 'not_found_error', message: 'm' } }, { status: 404 })
        : Response.json(body);
    });
    const { read } = partsFor(() => true, true).find(({ id }) => id === part)!;
    return read(new AbortController().signal);
  }

  test('an origin that failed is shown behind 100 newer uploads that failed, the newest origin first', async (t) => {
    const group = (id: string, source_type: string, time: number) => ({
      id,
      source_type,
      name: id,
      error: null,
      creation_time: time,
    });
    const groups = [
      ...Array.from({ length: GROUPS_PER_PAGE }, (_, at) => group(`upload ${at}`, 'local_file', NOW)),
      ...['web', 'drive', 'web', 'repo', 'database'].map((type, at) => group(`origin ${at}`, type, NOW - at)),
    ];
    const needs = await readPart(t, 'origins', ({ searchParams }) => {
      const type = searchParams.get('source_type');
      const matches = groups.filter(({ source_type }) => type === null || type === source_type);
      return { source_groups: matches.slice(0, Number(searchParams.get('limit'))) };
    });
    assert.deepEqual(
      needs.map(({ id }) => id),
      ['origin 0', 'origin 1', 'origin 2', 'origins'],
    );
    assert.equal(needs.at(-1)!.text, 'origin 3, origin 4');
  });

  test('a group that was deleted after its run was listed hides no other line', async (t) => {
    const runs = ['deleted', 'kept'].map((id) => ({ ...RUN, id: `run of ${id}`, source_group_id: id }));
    const needs = await readPart(t, 'runs', ({ pathname, searchParams }) => {
      if (pathname.endsWith('/runs')) return { runs: searchParams.has('status') ? [] : runs };
      return pathname.endsWith('/kept') ? { name: 'Kept' } : undefined;
    });
    assert.deepEqual(
      needs.map(({ id }) => id),
      ['run of kept'],
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OriginItem } from '../../connectors/connector.ts';
import type { StoredItem } from '../../corpus/origin-store.ts';
import { cleanItem, cleanState, decide, needsFetch, type Received, type Step, storedId } from './decide.ts';

const at = new Date('2026-01-01T00:00:00Z');
const item: OriginItem = {
  originId: 'a',
  name: 'a.txt',
  url: 'https://origin.example/a',
  revision: '1',
  modifiedAt: at,
  metadata: { path: { val: '/a', type: 'string' } },
  locator: {},
};
const stored: StoredItem = {
  originId: 'a',
  sourceId: 's',
  name: 'a.txt',
  url: item.url,
  contentAt: at,
  status: 'ready',
  revision: '1',
  state: null,
  metadata: { path: { type: 'string', val: '/a' } },
  blobHash: 'old',
  fileSize: 1,
  updateHash: null,
};

const fetched = (hash: string, changes: Partial<OriginItem> = {}): Received => ({
  kind: 'fetched',
  item: { ...item, ...changes },
  bytes: { tenantId: 't', hash, size: 1, handle: '' },
  state: null,
});
const same = (changes: Partial<OriginItem> = {}): Received => ({
  kind: 'same',
  originId: 'a',
  item: { ...item, ...changes },
});

const CASES: [string, Received, Partial<StoredItem> | undefined, Step][] = [
  ['nothing is stored', fetched('old'), undefined, 'add'],
  ['the source was deleted meanwhile', same(), undefined, 'lost'],
  ['nothing changed', same(), {}, 'none'],
  ['another revision with equal bytes', fetched('old', { revision: '2' }), {}, 'none'],
  ['other bytes', fetched('new'), {}, 'update'],
  ['other bytes that already wait to be processed', fetched('new'), { updateHash: 'new' }, 'wait'],
  ['other bytes while a different version waits', fetched('newest'), { updateHash: 'new' }, 'update'],
  ['the served bytes while a different version waits', fetched('old'), { updateHash: 'new' }, 'revert'],
  ['an unchanged item whose new version failed before', same(), { updateHash: 'new' }, 'wait'],
  ['other bytes for a source that was never served', fetched('new'), { status: 'failed' }, 'restart'],
  ['equal bytes for a source that was never served', fetched('old'), { status: 'pending' }, 'wait'],
  ['an unchanged item whose source was never served', same(), { status: 'failed' }, 'wait'],
  ['another name', same({ name: 'b.txt' }), {}, 'change'],
  ['a name with another ending', same({ name: 'a.md' }), {}, 'update'],
  ['a name with the same ending in capitals', same({ name: 'a.TXT' }), {}, 'change'],
  ['another address', same({ url: null }), {}, 'change'],
  ['another modification time', same({ modifiedAt: new Date(0) }), {}, 'change'],
  ['no modification time', same({ modifiedAt: null }), {}, 'none'],
  ['other metadata', same({ metadata: { ...item.metadata, owner: { val: 'Ada', type: 'string' } } }), {}, 'change'],
  ['another folder', same({ metadata: { path: { val: '/b/a', type: 'string' } } }), {}, 'update'],
  ['an unchanged item without details', { kind: 'same', originId: 'a', item: null }, {}, 'none'],
];

for (const [what, received, before, step] of CASES) {
  test(`the step for ${what} is "${step}"`, () => {
    const found = decide(
      received as Extract<Received, { kind: 'fetched' | 'same' }>,
      before && { ...stored, ...before },
    );
    assert.equal(found, step);
  });
}

test('names and paths lose what could make them look like others', () => {
  const name = 'bill-\u202efdp.exe\r\n';
  const clean = cleanItem({ ...item, name, metadata: { path: { val: `a/${name}`, type: 'string' } } });
  assert.deepEqual([clean.name, clean.metadata['path']?.val], ['bill-fdp.exe', 'a/bill-fdp.exe']);
});

test('an item is fetched unless its revision equals the stored revision', () => {
  assert.equal(needsFetch(item, stored), false);
  assert.equal(needsFetch(item, undefined), true);
  assert.equal(needsFetch({ ...item, revision: '2' }, stored), true);
  assert.equal(needsFetch({ ...item, revision: null }, { ...stored, revision: null }), true);
});

test('ids, names, metadata and state lose characters that the database refuses', () => {
  const odd = {
    ...item,
    name: '\u0000',
    url: 'x\u0000',
    metadata: { 'k\u0000': { val: '\ud800', type: 'string' as const } },
  };
  const clean = cleanItem(odd);
  assert.deepEqual([clean.name, clean.url, clean.metadata], ['unnamed', 'x', { k: { val: '\ufffd', type: 'string' } }]);
  assert.deepEqual(cleanState({ a: ['\u0000b', 1, null] }), { a: ['b', 1, null] });
  const long = 'x'.repeat(5_000);
  assert.ok(storedId(long).length <= 600);
  assert.notEqual(storedId(long), storedId(`${long}y`));
  assert.equal(storedId('short'), 'short');
});

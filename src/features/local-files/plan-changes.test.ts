import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredFile } from '../../corpus/source-lookup.ts';
import { type ChangeRequest, countChanges, isEmptyPlan, planChanges, type SentFile } from './plan-changes.ts';

const at = new Date(0);

function sent(path: string, hash: string): SentFile {
  return { path, name: path.split('/').at(-1)!, hash, size: 1, contentAt: at };
}

function stored(path: string, blobHash: string, change: Partial<StoredFile> = {}): StoredFile {
  const name = path.split('/').at(-1)!;
  return {
    sourceId: `${path}=${blobHash}`,
    path,
    name,
    status: 'ready',
    fileSize: 1,
    blobHash,
    updateHash: null,
    waits: false,
    ...change,
  };
}

function plan(before: readonly StoredFile[], request: Partial<ChangeRequest>) {
  const made = planChanges({ mode: 'merge', files: [], moves: [], ...request }, before);
  const ids = (list: readonly { sourceId: string }[]): string[] => list.map((one) => one.sourceId);
  return {
    added: made.added.map((file) => file.path),
    restarted: ids(made.restarted),
    updated: ids(made.updated),
    reread: ids(made.reread),
    reverted: made.reverted,
    renamed: made.renamed.map(({ sourceId, path }) => `${sourceId} -> ${path}`),
    deleted: made.deleted,
    counts: countChanges(made),
    isEmpty: isEmptyPlan(made),
  };
}

/** Returns the parts of the plan that are not empty. */
function steps(before: readonly StoredFile[], request: Partial<ChangeRequest>): Record<string, unknown> {
  const { counts: _counts, isEmpty: _isEmpty, ...made } = plan(before, request);
  return Object.fromEntries(Object.entries(made).filter(([, list]) => list.length > 0));
}

test('a file with a new path is added, one with the same bytes is unchanged, one with other bytes is a new version', () => {
  const before = [stored('a', '1'), stored('b', '2')];
  const made = plan(before, { files: [sent('a', '1'), sent('b', '3'), sent('c', '2')] });
  assert.deepEqual(made.updated, ['b=2']);
  assert.deepEqual(made.added, ['c'], 'merge takes no file for a moved one');
  assert.deepEqual(made.counts, { added: 1, updated: 1, moved: 0, unchanged: 1 });
  assert.equal(plan(before, { files: [sent('a', '1')] }).isEmpty, true);
});

test('a sent file is compared with the newest stored bytes, even if they were not read yet', () => {
  const failed = stored('a', '1', { updateHash: '2' });
  assert.deepEqual(plan([failed], { files: [sent('a', '2')] }).counts.unchanged, 1);
  assert.deepEqual(steps([failed], { files: [sent('a', '1')] }), { reverted: ['a=1'] });
  assert.deepEqual(steps([failed], { files: [sent('a', '3')] }), { updated: ['a=1'] });
  const unread = stored('b', '1', { status: 'failed' });
  assert.deepEqual(plan([unread], { files: [sent('b', '1')] }).counts.unchanged, 1);
  assert.deepEqual(steps([unread], { files: [sent('b', '2')] }), { restarted: ['b=1'] });
});

test('a file that a canceled run left unread is read, although its bytes are the same', () => {
  const before = [
    stored('a', '1', { status: 'pending', waits: true }),
    stored('b', '1', { updateHash: '2', waits: true }),
  ];
  const made = plan(before, { files: [sent('a', '1'), sent('b', '2')] });
  assert.deepEqual(made.counts, { added: 1, updated: 1, moved: 0, unchanged: 0 });
  assert.equal(made.isEmpty, false);
});

test('mirror deletes files that were not sent, and treats a file with the same bytes at a new path as moved', () => {
  const before = [stored('a', '1'), stored('b', '2'), stored('c', '2'), stored('d', '3')];
  const files = [sent('a', '1'), sent('e', '2'), sent('f', '2'), sent('g', '2'), sent('h', '9')];
  assert.deepEqual(steps(before, { mode: 'mirror', files }), {
    added: ['g', 'h'],
    renamed: ['b=2 -> e', 'c=2 -> f'],
    reread: ['b=2', 'c=2'],
    deleted: ['d=3'],
  });
});

test('a moved file keeps its source; it is read again if its name or folder changes, and may get other bytes', () => {
  const before = [stored('a.md', '1'), stored('b.md', '2'), stored('c.md', '3'), stored('x/e.md', '6')];
  const moves = [
    { from: 'a.md', to: 'x/b.md' },
    { from: 'b.md', to: 'b.txt' },
    { from: 'c.md', to: 'd.txt' },
    { from: 'x/e.md', to: 'y/e.md' },
  ];
  assert.deepEqual(steps(before, { moves, files: [sent('d.txt', '4'), sent('c.md', '5')] }), {
    added: ['c.md'],
    updated: ['c.md=3'],
    reread: ['a.md=1', 'b.md=2', 'x/e.md=6'],
    renamed: ['a.md=1 -> x/b.md', 'b.md=2 -> b.txt', 'c.md=3 -> d.txt', 'x/e.md=6 -> y/e.md'],
  });
});

test('two files may swap their paths; a move to a path in use or from an unknown path is a conflict', () => {
  const before = [stored('a', '1'), stored('b', '2')];
  const swap = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ];
  assert.deepEqual(steps(before, { moves: swap }), { renamed: ['a=1 -> b', 'b=2 -> a'], reread: ['a=1', 'b=2'] });
  assert.throws(
    () => planChanges({ mode: 'merge', files: [], moves: [{ from: 'a', to: 'b' }] }, before),
    /another file with the path "b"/,
  );
  assert.throws(
    () => planChanges({ mode: 'merge', files: [], moves: [{ from: 'z', to: 'y' }] }, before),
    /no file .* "z"/,
  );
});

test('a sent file replaces all stored files that have its path', () => {
  const before = [stored('a', '1'), stored('a', '2'), stored('a', '3')];
  assert.deepEqual(steps(before, { files: [sent('a', '2')] }), { deleted: ['a=1', 'a=3'] });
  assert.deepEqual(steps(before, { files: [sent('a', '4')] }), { updated: ['a=1'], deleted: ['a=2', 'a=3'] });
});

test('mirror deletes a file that is moved to a path that was not sent', () => {
  const made = plan([stored('a.md', '1')], {
    mode: 'mirror',
    moves: [{ from: 'a.md', to: 'b.txt' }],
    files: [sent('c', '2')],
  });
  assert.deepEqual([made.added, made.deleted, made.renamed, made.reread], [['c'], ['a.md=1'], [], []]);
  assert.equal(made.counts.moved, 0);
});

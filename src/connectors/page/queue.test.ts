import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from './nodes.ts';
import { Queue } from './queue.ts';

/** Nodes by their ids, and a data source whose rows come in three lists. */
const TREE: Record<string, string[]> = {
  root: ['a', 'b', 'c'],
  a: ['a1', 'a2'],
  b: ['b1', 'rows 1', 'b3'],
  'rows 1': ['r1', 'r2', 'rows 2'],
  'rows 2': ['r3', 'r4', 'rows 3'],
  'rows 3': ['r5'],
  r4: ['below'],
};
const ORDER = 'root a a1 a2 b b1 rows-1 r1 r2 rows-2 r3 r4 below rows-3 r5 b3 c'.split(' ');

function nodeOf(name: string): Node {
  if (!name.startsWith('rows')) return { kind: 'database', id: name, title: name, path: [] };
  return { kind: 'rows', id: 'rows', title: 'Rows', path: [], cursor: name.slice('rows '.length) };
}

const nameOf = (node: Node) => (node.kind === 'rows' ? `rows ${node.cursor}` : node.id);

/** Walks the tree until this many nodes were visited. */
function walk(place: readonly string[], visitsMax: number, tree = TREE): { visited: string[]; place: string[] } {
  const queue = new Queue(place);
  const visited: string[] = [];
  queue.add([nodeOf('root')]);
  for (let node = queue.next(); node !== undefined; node = queue.next()) {
    visited.push(nameOf(node).replace(' ', '-'));
    queue.add((tree[nameOf(node)] ?? []).map(nodeOf));
    if (visited.length === visitsMax) break;
  }
  return { visited, place: queue.place() ?? [] };
}

test('a walk that goes on visits what is left and the nodes around it, wherever it was cut off', () => {
  assert.deepEqual(walk([], 100).visited, ORDER);
  for (let cut = 1; cut < ORDER.length; cut += 1) {
    const { place } = walk([], cut);
    const { visited } = walk(place, 100);
    const left = ORDER.slice(cut);
    assert.deepEqual(visited.slice(-left.length), left);
    assert.equal(visited.length, left.length + place.length - 1, ORDER[cut]);
  }
});

test('a walk that goes on visits everything around a place that is not there any more', () => {
  const { place } = walk([], ORDER.indexOf('r4'));
  const moved = { ...TREE, root: ['a', 'c'], c: ['b'] };
  const around = ['root', 'a', 'a1', 'a2', 'c', 'b'];
  assert.deepEqual(walk(place, 100, moved).visited, [...around, 'rows-1', 'rows-2', ...ORDER.slice(11, -1)]);
});

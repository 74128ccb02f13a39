import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestFirst, type Candidate } from '../engine.ts';
import { select } from './distinct.ts';

const texts = new Map<string, { hash: string }>();
const candidate = (id: string, sourceId: string, hash: string, score = 1): Candidate => {
  texts.set(id, { hash });
  return { id, sourceId, score };
};
const ids = (candidates: readonly Candidate[]): string => candidates.map(({ id }) => id).join('');

test('of candidates with equal content only the best is selected', () => {
  const candidates = [candidate('a', 's', 'x'), candidate('b', 't', 'x'), candidate('c', 't', 'y')];
  assert.equal(ids(select(candidates, undefined, texts)), 'ac');
  assert.equal(ids(select(candidates, undefined, new Map())), 'abc', 'nothing has been read');
});

test('a source has at most its maximum of candidates, and copies do not count', () => {
  const candidates = [
    candidate('a', 's', '1'),
    candidate('b', 't', '1'),
    candidate('c', 's', '2'),
    candidate('d', 't', '3'),
    candidate('e', 't', '4'),
  ];
  assert.equal(ids(select(candidates, 1, texts)), 'ad');
  assert.equal(ids(select(candidates, 2, texts)), 'acde');
  assert.equal(ids(select(candidates, 2, texts, 3)), 'acd');
});

test('candidates are ordered by score, then by id; candidates with the last score keep their order', () => {
  const candidates = [
    candidate('d', 's', '1', 1),
    candidate('c', 's', '2', 2),
    candidate('b', 's', '3', 2),
    candidate('a', 's', '4', 1),
  ];
  assert.equal(ids(bestFirst(candidates)), 'bcad');
  assert.equal(ids(bestFirst(candidates, 1)), 'bcda');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadRow } from '../reading/hits.ts';
import { type ChunkTerms, orderByProximity, PROXIMITY_MAX, termsForOrder } from './proximity.ts';
import type { RankedCandidate } from './rank.ts';

function candidate(id: string, score: number): RankedCandidate {
  return { id, sourceId: 's', score, scores: { lexical: score, semantic: null, rerank: null } };
}

function chunk(text: string, heading = ''): ChunkTerms {
  const words = (line: string) => line.split(' ').filter(Boolean);
  return {
    terms: words(text),
    titles: new Set(words(heading)),
    heading: new Set(words(heading)),
    file: new Set(),
    definesNothing: false,
  };
}

function order(query: string, chunks: Record<string, ChunkTerms>, scores: Record<string, number>): string[] {
  const candidates = Object.keys(chunks).map((id) => candidate(id, scores[id]!));
  return orderByProximity(candidates, new Set(query.split(' ')), (id) => chunks[id]).map(({ id }) => id);
}

const filler = (words: number): string => Array.from({ length: words }, (_, i) => `w${i}`).join(' ');

test('a chunk with the words of the query together comes before a chunk with the words far apart', () => {
  const chunks = {
    apart: chunk(`lock ${filler(80)} wait ${filler(80)} seconds`),
    together: chunk(`${filler(80)} lock wait seconds ${filler(80)}`),
  };
  assert.deepEqual(order('lock wait seconds', chunks, { apart: 10, together: 9 }), ['together', 'apart']);
  const noScore = order('lock wait seconds', chunks, { apart: 10, together: 1 });
  assert.deepEqual(noScore, ['apart', 'together'], 'a far better BM25 score still wins');
});

test('in a hybrid search, a chunk with the meaning of the query stays before a less similar one with a few of its words', () => {
  const found = (id: string, score: number, semantic: number | null): RankedCandidate => ({
    ...candidate(id, score),
    scores: { lexical: score, semantic, rerank: null },
  });
  const candidates = [found('meaning', 1, 0.9), found('words', 0.9, 0.3), found('unseen', 0.5, null)];
  const texts: Record<string, ChunkTerms> = {
    meaning: chunk('ferry'),
    words: chunk(`lock ${filler(80)} wait`),
    unseen: chunk('wait'),
  };
  const ids = (weight: number) =>
    orderByProximity(candidates, new Set(['lock', 'wait']), (id) => texts[id], weight).map(({ id }) => id);
  assert.deepEqual(ids(0), ['words', 'meaning', 'unseen']);
  assert.deepEqual(ids(0.6), ['meaning', 'words', 'unseen']);
  texts['words'] = chunk('lock wait');
  assert.deepEqual(ids(0.6), ['words', 'meaning', 'unseen'], 'all words together still win');
});

test('a chunk of the file that the query names comes before one with the same words', () => {
  const chunks = {
    other: chunk('tee command writes'),
    named: { ...chunk('tee command writes'), file: new Set(['tee']) },
    long: { ...chunk('tee command writes'), file: new Set(['tee', 'guide']) },
  };
  assert.deepEqual(order('tee command', chunks, { other: 10, named: 9, long: 8 }), ['named', 'other', 'long']);
  assert.deepEqual(order('tee command', chunks, { other: 10, named: 7, long: 6 }), ['other', 'named', 'long']);
});

test('code comes before its test and its declaration, unless the query asks for tests', () => {
  const chunks = {
    test: { ...chunk('test unknown level'), definesNothing: true },
    code: chunk('unknown level'),
  };
  assert.deepEqual(order('unknown level', chunks, { test: 10, code: 9 }), ['code', 'test']);
  assert.deepEqual(order('test unknown level', chunks, { test: 10, code: 9 }), ['test', 'code']);
});

test('a heading with only words of the query comes before a heading with many other words', () => {
  const chunks = {
    other: chunk('lock wait seconds', 'history of all options since the first version'),
    own: chunk('lock wait seconds', 'lock wait'),
  };
  assert.deepEqual(order('lock wait', chunks, { other: 10, own: 9.9 }), ['own', 'other']);
});

test('scores stay with the ranks, so they still descend', () => {
  const chunks: Record<string, ChunkTerms> = {
    a: chunk(`lock ${filler(80)} wait`),
    b: chunk('lock wait'),
  };
  const moved = orderByProximity(
    [candidate('a', 5), candidate('b', 4.9)],
    new Set(['lock', 'wait']),
    (id) => chunks[id],
  );
  assert.deepEqual(
    moved.map(({ id, score, scores }) => [id, score, scores.lexical]),
    [
      ['b', 5, 4.9],
      ['a', 4.9, 5],
    ],
  );
});

test('only the first candidates are reordered, and candidates without a text keep their score', () => {
  const ids = Array.from({ length: PROXIMITY_MAX + 2 }, (_, i) => `c${i}`);
  const candidates = ids.map((id, i) => candidate(id, 100 - i));
  const moved = orderByProximity(candidates, new Set(['lock']), (id) =>
    id === `c${PROXIMITY_MAX + 1}` ? chunk('lock', 'lock') : id === 'c3' ? chunk('lock', 'lock') : undefined,
  );
  assert.equal(moved[0]!.id, 'c3');
  assert.deepEqual(
    moved.slice(PROXIMITY_MAX).map(({ id }) => id),
    ids.slice(PROXIMITY_MAX),
  );
});

test('a query whose words no candidate contains changes no order', () => {
  assert.deepEqual(order('absent', { a: chunk('lock'), b: chunk('absen') }, { a: 2, b: 1 }), ['a', 'b']);
  assert.deepEqual(
    orderByProximity([], new Set(['a']), () => undefined),
    [],
  );
});

const ROW = { name: 'a.html', headingPath: ['Concept Index'], language: 'en', originMetadata: {} };

test('the entries of an index do not count as words that stand together', () => {
  const rowOf = (content: string): ReadRow => ({ ...ROW, content, terms: 'queue runner' }) as ReadRow;
  const entries = Array.from({ length: 9 }, (_, i) => `- queue ${i} — Log files [Log level]`).join('\n');
  assert.deepEqual(termsForOrder(rowOf(entries))!.terms, []);
  assert.deepEqual(termsForOrder(rowOf('The queue runner starts here.'))!.terms, ['queue', 'runner']);
  assert.ok(termsForOrder(rowOf(entries))!.heading.has('concept'));
  const code = { ...rowOf('// one .... 1\n// two .... 2\n// three .... 3'), fileType: 'code' };
  assert.deepEqual(termsForOrder(code)!.terms, ['queue', 'runner']);
});

test('the name of a file is read without its extension, and a file of code has none', () => {
  const named = (name: string, fileType = 'txt') =>
    [...termsForOrder({ ...ROW, name, fileType, content: 'x', terms: 'x' } as ReadRow)!.file].join(' ');
  assert.deepEqual(
    ['tee.1.gz', 'tee.1.GZ', 'tee.1', 'tee.html', 'tee'].map((name) => named(name)),
    ['tee', 'tee', 'tee', 'tee', 'tee'],
  );
  assert.equal(named('tee.js', 'code'), '');
  assert.equal(named('install guide.pdf'), named('install guide'));
});

test('a file is one of tests or declarations by its name or by its folders', () => {
  const definesNothing = (name: string, path: string | null, fileType = 'code'): boolean =>
    termsForOrder({ ...ROW, name, path, fileType, content: 'x', terms: 'x' } as ReadRow)!.definesNothing;
  for (const [name, path] of [
    ['a_test.go', null],
    ['a.d.ts', 'src/a.d.ts'],
    ['a.js', 'test/lib/a.js'],
  ] as const)
    assert.ok(definesNothing(name, path), name);
  for (const [name, path] of [
    ['pod_spec.go', null],
    ['a.js', 'latest/a.js'],
  ] as const)
    assert.ok(!definesNothing(name, path), name);
  assert.ok(!definesNothing('guide.md', 'test/guide.md', 'md'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReadRow, termsForOrder, withPlace } from './hits.ts';

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

test('where a policy may hide chunks of a source, the place of a chunk and its lines are hidden', () => {
  const chunk = { chunkIndex: 3, startOffset: 10, endOffset: 20, startLine: 2, endLine: 4 };
  assert.deepEqual(withPlace(chunk, { policy: null }), chunk);
  const hidden = withPlace(chunk, { policy: { chunk: {} } as never });
  assert.deepEqual(new Set(Object.values(hidden)), new Set([null]));
});

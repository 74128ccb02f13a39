import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definedNames, definesLine } from './defines-line.ts';

test('the line lists each definition once, without the heading of the chunk', () => {
  const line = definesLine(['MAX', 'Foo<A, B>', 'exports.MAX', 'path'], 'path');
  assert.equal(line, 'Defines: MAX, Foo');
  assert.deepEqual(definedNames(line!), ['MAX', 'Foo']);
  assert.equal(definesLine(['path'], 'path'), undefined);
  assert.equal(definesLine(['~'], 'path'), undefined);
});

test('a long list is cut', () => {
  const names = Array.from({ length: 200 }, (_, i) => `NAME_${i}`);
  assert.equal(definedNames(definesLine(names, undefined)!).length, 50);
});

test('a context without the line has no names', () => {
  assert.deepEqual([definedNames(null), definedNames('Links: a <b>')], [[], []]);
});

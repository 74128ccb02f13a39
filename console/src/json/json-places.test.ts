import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonProblem, lineOf, placeOf, readJson } from './json-places.ts';

const POLICY = `{
  "operator": "or",
  "filters": [
    { "target": "tag", "value": "pub\\u0041lic", "n": [1.5e3, -0, true, null] },
    { "a/b~c": {} }
  ]
}`;

test('values are read as JSON.parse reads them, each with its place', () => {
  const read = readJson(POLICY);
  assert.deepEqual(read.value, JSON.parse(POLICY));
  for (const [pointer, text] of [
    ['/operator', '"or"'],
    ['/filters/0/target', '"tag"'],
    ['/filters/0/n/0', '1.5e3'],
    ['/filters/1/a~1b~0c', '{}'],
  ] as const) {
    const { start, end } = read.places.get(pointer) ?? { start: 0, end: 0 };
    assert.equal(POLICY.slice(start, end), text);
  }
});

test('a missing member has the place of the value around it', () => {
  const read = readJson(POLICY);
  assert.deepEqual(placeOf(read, '/filters/1/operator'), read.places.get('/filters/1'));
  assert.deepEqual(placeOf(read, '/nothing'), read.places.get(''));
});

test('what is not JSON is refused where JSON.parse would refuse it', () => {
  const wrong: readonly (readonly [string, number])[] = [
    ['', 0],
    ['{', 1],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['[01]', 2],
    ['tru', 0],
    ['"a\nb"', 0],
    ['{} x', 3],
    ['['.repeat(300), 201],
  ];
  for (const [text, at] of wrong) {
    assert.throws(() => JSON.parse(text), text);
    assert.throws(
      () => readJson(text),
      (error) => error instanceof JsonProblem && error.at === at,
      text,
    );
  }
});

test('a member named __proto__ is an ordinary member', () => {
  assert.deepEqual(Object.keys(readJson('{"__proto__": 1}').value as object), ['__proto__']);
});

test('a member that is there twice is refused at its second place, as the service refuses it', () => {
  const text = '{"a": 1, "b": {"a": 2}, "\\u0061": 3}';
  assert.throws(
    () => readJson(text),
    (error) => error instanceof JsonProblem && error.at === text.indexOf('"\\u0061"') && error.member === 'a',
  );
});

test('lines are counted', () => {
  assert.equal(lineOf(POLICY, 0), 0);
  assert.equal(lineOf(POLICY, POLICY.indexOf('tag')), 3);
});

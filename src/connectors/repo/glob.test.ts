import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ignore from 'ignore';
import { compileGlob, compilePathFilters, GLOB_UNITS_MAX } from './glob.ts';

/** Pattern, paths that match, paths that do not match: the rules of gitignore's manual. */
const TABLE: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  ['*.md', ['a.md', 'docs/a.md', 'docs/.md'], ['a.mdx', 'md']],
  ['docs', ['docs', 'docs/a.md', 'a/docs/b'], ['docs2', 'adocs']],
  ['docs/', ['docs/a.md', 'a/docs/b'], ['docs', 'a/docs']],
  ['/docs', ['docs', 'docs/a'], ['a/docs']],
  ['docs/*.md', ['docs/a.md'], ['docs/b/a.md', 'x/docs/a.md']],
  ['docs/*', ['docs/a.md', 'docs/b/a.md'], ['docs', 'x/docs/a']],
  ['**/docs', ['docs', 'a/docs', 'a/b/docs/c'], ['adocs']],
  ['docs/**', ['docs/a', 'docs/a/b'], ['docs', 'x/docs/a']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b', 'a/x/b/c'], ['a/xb', 'x/a/b']],
  ['**', ['a', 'a/b'], []],
  ['**/*.ts', ['a.ts', 'x/y/a.ts'], ['a.tsx']],
  ['a?c', ['abc', 'aéc', 'a😀c'], ['ac', 'abbc']],
  ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
  ['[!a-c]x', ['dx'], ['ax']],
  ['[^a]x', ['bx'], ['ax']],
  ['[]-]x', [']x', '-x'], ['ax']],
  ['[[:digit:]]*', ['1', '9a'], ['a9']],
  ['a**b', ['ab', 'axxb'], ['a/b']],
  ['\\!a', ['!a'], ['a']],
  ['\\#a', ['#a'], ['a']],
  ['a\\*', ['a*'], ['ab']],
  ['a ', ['a'], ['a ']],
  ['a\\ ', ['a '], ['a']],
  ['[a', [], ['a', '[a']],
  ['#a', [], ['#a', 'a']],
  ['', [], ['a']],
  ['/', [], ['a']],
];

for (const [pattern, yes, no] of TABLE) {
  test(`the pattern ${JSON.stringify(pattern)} matches the same paths as in gitignore`, () => {
    const matches = (path: string) => compileGlob(pattern)?.matches(path) ?? false;
    assert.deepEqual(
      yes.filter((path) => !matches(path)),
      [],
    );
    assert.deepEqual(no.filter(matches), []);
  });
}

test('matchesItself does not match paths below a matching folder', () => {
  const glob = compileGlob('docs')!;
  assert.ok(glob.matchesItself('docs') && glob.matchesItself('a/docs'));
  assert.ok(!glob.matchesItself('docs/a.md'));
  assert.ok(compileGlob('docs/**')!.matchesItself('docs/a.md'));
  assert.ok(!compileGlob('docs/')!.matchesItself('docs'));
});

describe('path filters', () => {
  const included = (filters: string[], paths: string[]) => paths.filter(compilePathFilters(filters));
  const paths = ['README.md', 'docs/a.md', 'docs/secret/b.md', 'src/c.ts'];

  test('an empty list of path filters includes every path', () => assert.deepEqual(included([], paths), paths));
  test('path filters include every path that one of them matches', () =>
    assert.deepEqual(included(['docs/', '*.ts'], paths), paths.slice(1)));
  test('a later negation excludes paths, also below an included folder', () => {
    assert.deepEqual(included(['docs/', '!docs/secret/'], paths), ['docs/a.md']);
    assert.deepEqual(included(['docs/', '!docs/secret/', '*b.md'], paths), ['docs/a.md', 'docs/secret/b.md']);
  });
  test('path filters with negations only include all other paths', () => {
    assert.deepEqual(included(['!docs/'], paths), ['README.md', 'src/c.ts']);
  });
  test('comments and blank lines do not count as path filters', () =>
    assert.deepEqual(included(['# all', ''], paths), paths));
});

test('patterns match the same paths as in the npm package "ignore"', () => {
  const parts = ['a', 'b', 'ab', '*', '**', 'a*', '*b', 'a?', '[ab]', '[!a]'];
  const steps = ['a', 'b', 'ab', 'ba', 'abc'];
  const pick = (from: readonly string[], seed: number) => from[seed % from.length]!;
  const differing: string[] = [];
  for (let seed = 0; seed < 20_000; seed += 1) {
    const numbers = Array.from({ length: 8 }, (_, i) => Math.floor(seed / 3 ** i) + i * seed);
    const body = numbers.slice(0, 1 + (seed % 3)).map((number) => pick(parts, number));
    const pattern = `${seed % 5 === 0 ? '/' : ''}${body.join('/')}${seed % 7 === 0 ? '/' : ''}`;
    const path = numbers
      .slice(4, 5 + (seed % 4))
      .map((number) => pick(steps, number))
      .join('/');
    const expected = ignore().add(pattern).ignores(path);
    if ((compileGlob(pattern)?.matches(path) ?? false) !== expected) differing.push(`${pattern} ${path} ${expected}`);
  }
  assert.deepEqual(differing, []);
});

test('the longest allowed pattern is matched in little time', () => {
  // Backtracking over every star would take practically for ever.
  const pattern = `${'a*'.repeat(GLOB_UNITS_MAX / 2 - 1)}b`;
  const path = Array.from({ length: 20 }, () => 'a'.repeat(200)).join('/');
  const filter = compilePathFilters([pattern, `**/${'*/'.repeat(100)}${'a*'.repeat(100)}b`]);
  assert.equal(filter(path), false);
  assert.equal(compileGlob('a'.repeat(GLOB_UNITS_MAX + 1)), undefined);
});

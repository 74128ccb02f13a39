/** The size of what the browser loads. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const BUILT = join(import.meta.dirname, '..', '..', 'dist', 'console');
const ENTRY_BYTES_MAX = 160_000;
const ROUTE_BYTES_MAX = 40_000;
/** Maximum of the screen of policies with its editor, which is loaded after the screen. */
const EDITOR_BYTES_MAX = 110_000;

const size = (name: string): number =>
  statSync(join(BUILT, 'assets', `${name}.gz`), { throwIfNoEntry: false })?.size ??
  statSync(join(BUILT, 'assets', name)).size;
const textOf = (name: string): string => readFileSync(join(BUILT, 'assets', name), 'utf8');

/** Returns the scripts that a script loads before it runs, with itself. */
function closure(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, imported] of textOf(name).matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
    closure(imported!, seen);
  return seen;
}

/** Returns the scripts that a script loads when they are needed. */
const laterOf = (name: string): string[] =>
  [...textOf(name).matchAll(/\bimport\(\s*["'`]\.\/([\w.-]+\.js)/g)].map(([, imported]) => imported!);

const initial = new Set<string>();
for (const [, script] of readFileSync(join(BUILT, 'index.html'), 'utf8').matchAll(
  /src="\/console\/assets\/([\w.-]+\.js)"/g,
))
  closure(script!, initial);

test('the entry has at most 160 kB, each route 40 kB more, and policies with their editor 110 kB more, compressed', (t) => {
  const sum = (names: Iterable<string>): number => [...names].reduce((all, name) => all + size(name), 0);
  const first = sum(initial);
  t.diagnostic(`entry: ${(first / 1000).toFixed(1)} kB`);
  assert.ok(first <= ENTRY_BYTES_MAX, `the entry has ${first} bytes`);
  // What the entry loads later: the screens, and what it needs for a part of them.
  const later = [...initial].flatMap(laterOf);
  assert.ok(later.length > 20, `${later.length} screens`);
  for (const route of new Set(later)) {
    const more = sum(closure(route).difference(initial));
    t.diagnostic(`${route}: ${(more / 1000).toFixed(1)} kB`);
    assert.ok(more <= ROUTE_BYTES_MAX, `${route} has ${more} bytes`);
  }
  const policies = closure(later.find((name) => name.startsWith('policies-'))!);
  const parts = [...policies.difference(initial)].flatMap(laterOf);
  assert.ok(parts.length > 0, 'the editor of policies is loaded later');
  const withEditor = sum(parts.reduce((all, part) => closure(part, all), policies).difference(initial));
  t.diagnostic(`policies with the editor: ${(withEditor / 1000).toFixed(1)} kB`);
  assert.ok(withEditor <= EDITOR_BYTES_MAX, `policies with the editor have ${withEditor} bytes`);
});

test('the scripts name no other host', () => {
  const found = globSync(join(BUILT, 'assets', '*.js')).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/https?:\/\/[\w.-]+/g)].map(([url]) => url),
  );
  // Names of XML, and the pages that React and other libraries name in their errors.
  const allowed = /^https?:\/\/(?:www\.w3\.org|react\.dev|base-ui\.com|tanstack\.com|localhost)$/;
  assert.deepEqual(
    [...new Set(found)].filter((url) => !allowed.test(url)),
    [],
  );
});

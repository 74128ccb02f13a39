import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRandom } from '../../../test/support/random.ts';
import { anyOf, type BoundedTerm, operand, reaching } from './threshold-query.ts';

/** Returns whether a chunk with these terms matches, evaluated like PostgreSQL. */
function matches(query: string, terms: ReadonlySet<string>): boolean {
  const expression = query
    .replace(/'(\w+)'/g, (_, term: string) => String(terms.has(term)))
    .replaceAll('|', '||')
    .replaceAll('&', '&&');
  return new Function(`return ${expression}`)() as boolean;
}

test('every chunk that can reach the score matches the query', (t) => {
  const random = openRandom();
  t.diagnostic(`seed ${random.seed}`);
  let spared = 0;
  for (let i = 0; i < 400; i += 1) {
    const terms: BoundedTerm[] = Array.from({ length: random.integer(1, 14) }, (_, n) => ({
      term: `t${n}`,
      bound: random.next() * 10,
    })).toSorted((a, b) => b.bound - a.bound);
    const total = terms.reduce((sum, { bound }) => sum + bound, 0);
    const score = total * random.next() * 1.1;
    const query = reaching(terms, score);
    for (let j = 0; j < 20; j += 1) {
      const chosen = terms.filter(() => random.next() < 0.4);
      const possible = chosen.reduce((sum, { bound }) => sum + bound, 0);
      const found = query !== undefined && matches(query, new Set(chosen.map(({ term }) => term)));
      if (chosen.length > 0 && possible >= score) assert.ok(found, `${query} misses ${JSON.stringify(chosen)}`);
      else if (!found) spared += 1;
    }
  }
  assert.ok(spared > 1_000, `only ${spared} chunks were spared`);
});

test('terms that reach the score only together are joined by and', () => {
  const terms = [
    { term: 'heron', bound: 5 },
    { term: 'pike', bound: 3 },
    { term: 'oak', bound: 1 },
  ];
  assert.equal(reaching(terms, 4), "'heron'|'pike'&('oak')");
  assert.equal(reaching(terms, 6), "'heron'&('pike'|'oak')");
  assert.equal(reaching(terms, 9.5), undefined);
  assert.equal(reaching(terms, 0.5), "'heron'|'pike'|'oak'");
});

test('with very many terms, the query lists single terms', () => {
  const terms = Array.from({ length: 64 }, (_, i) => ({ term: `t${i}`, bound: 1 }));
  assert.equal(reaching(terms, 40), anyOf(terms.slice(0, 25)));
});

test('quotes and backslashes in a term are escaped', () => {
  assert.equal(operand("it's"), "'it''s'");
  assert.equal(operand('back\\slash'), "'back\\\\slash'");
  assert.equal(
    anyOf([
      { term: 'a', bound: 1 },
      { term: "'", bound: 1 },
    ]),
    "'a'|''''",
  );
});

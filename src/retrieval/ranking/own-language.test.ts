import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWN_LANGUAGE_MAX, ownLanguageFirst } from './own-language.ts';
import type { RankedCandidate } from './rank.ts';

const candidate = (id: string, score: number): RankedCandidate => ({
  ...{ id, sourceId: id, score, scores: { lexical: score, semantic: null, rerank: null } },
});
const source = (language: string | null, declared?: string) => ({
  language,
  originMetadata: declared === undefined ? {} : { language: { val: declared, type: 'string' as const } },
});
type Sources = Record<string, ReturnType<typeof source>>;

/** Returns the order of sources whose scores are 100, 99, 98 and so on. */
function order(asked: string[], sources: Sources): string {
  const candidates = Object.keys(sources).map((id, place) => candidate(id, 100 - place));
  const ranked = ownLanguageFirst(candidates, asked, new Map(Object.entries(sources)));
  assert.deepEqual(
    ranked.map(({ score }) => score),
    candidates.map(({ score }) => score),
    'scores stay with the ranks',
  );
  return ranked.map(({ id }) => id).join('');
}

test('a text in the language of the query comes before a nearly equal one in another language', () => {
  assert.equal(order(['fr'], { a: source('en'), b: source('ja'), c: source('fr') }), 'cab');
  assert.equal(order(['es', 'pt'], { a: source('en'), b: source('pt'), c: source('es') }), 'bca');
});

test('a text of unknown language is in no other language', () => {
  assert.equal(order(['fr'], { a: source(null), b: source('fr') }), 'ab');
});

test('a query that does not tell its language leaves the order', () => {
  assert.equal(order([], { a: source('en'), b: source('fr') }), 'ab');
});

test('a page that was not translated is in the language that it declares, too', () => {
  assert.equal(order(['en'], { a: source('en', 'ja-JP'), b: source('en', 'en'), c: source('en') }), 'bca');
});

test('templates that declare English for pages in any language do not count', () => {
  assert.equal(order(['de'], { a: source('de', 'en'), b: source('de') }), 'ab');
});

test('a declaration that is no code of a language does not count', () => {
  assert.equal(order(['de'], { a: source('de', 'free'), b: source('de') }), 'ab');
});

test('a far better text in another language stays first', () => {
  const ranked = ownLanguageFirst(
    [candidate('a', 10), candidate('b', 8)],
    ['fr'],
    new Map([
      ['a', source('en')],
      ['b', source('fr')],
    ]),
  );
  assert.deepEqual(
    ranked.map(({ id }) => id),
    ['a', 'b'],
  );
});

test('later candidates keep their places, so that every page has one order', () => {
  const ids = Array.from({ length: OWN_LANGUAGE_MAX + 2 }, (_, i) => `${i}`);
  const candidates = ids.map((id, place) => candidate(id, 1_000 - place));
  const rows = new Map(ids.map((id, place) => [id, source(place < OWN_LANGUAGE_MAX - 1 ? 'en' : 'fr')]));
  rows.set(String(OWN_LANGUAGE_MAX), source('en'));
  const ranked = ownLanguageFirst(candidates, ['fr'], rows).map(({ id }) => id);
  assert.equal(ranked[0], String(OWN_LANGUAGE_MAX - 1));
  assert.deepEqual(ranked.slice(OWN_LANGUAGE_MAX), ids.slice(OWN_LANGUAGE_MAX));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FUSION_WEIGHT_DEFAULT } from '../../config.ts';
import { calibrate, formatCalibration, type Judged } from './calibrate.ts';

const QUERIES = 40;

/** Returns a query with one relevant entry, at the given ranks of the two rankings of ten entries. */
function judged(lexicalPlace: number, semanticPlace: number): Judged {
  const list = (place: number, prefix: string, best: number) =>
    Array.from({ length: 10 }, (_, i) => {
      const id = i === place ? 'right' : `${prefix}${i}`;
      return { id, score: best * (1 - i / 10), entry: id };
    });
  const query = { id: 'q', text: 'q', judgements: new Map([['right', 1]]) };
  return { query, lexical: list(lexicalPlace, 'l', 10), semantic: list(semanticPlace, 's', 1) };
}

const many = (lexicalPlace: number, semanticPlace: number): Judged[] =>
  Array.from({ length: QUERIES }, () => judged(lexicalPlace, semanticPlace));

test('a model that finds nothing gets a low weight, and a model that finds everything gets a high weight', () => {
  const weak = calibrate('x', many(0, 9));
  const strong = calibrate('x', many(9, 0));
  assert.ok(weak.weight < FUSION_WEIGHT_DEFAULT || weak.hybrid === weak.hybridByDefault);
  assert.equal(weak.hybrid, 1);
  assert.equal(strong.hybrid, 1);
  assert.equal(strong.semantic, 1);
  assert.ok(strong.lexical < 0.3);
});

test('two rankings that miss different entries are better together', () => {
  const found = calibrate('x', many(1, 1));
  assert.equal(found.hybrid, 1);
  assert.ok(Math.abs(found.gain - (1 - 1 / Math.log2(3))) < 1e-9);
  assert.match(formatCalibration(found), /hybrid nDCG@10\s+1\.0000 \(\+0\.3691 over the better of both\)/);
});

test('the weight is found with the odd queries, and measured with the even queries', () => {
  const mixed = many(0, 9).map((one, i) => (i % 2 === 0 ? one : judged(9, 0)));
  const found = calibrate('x', mixed);
  assert.equal(found.semantic, 1);
  assert.ok(found.lexical < 0.3);
  assert.ok(found.weight < FUSION_WEIGHT_DEFAULT, 'the odd queries ask for a low weight');
});

test('among weights that are equally good, the weight nearest to the default is chosen', () => {
  assert.equal(calibrate('x', many(0, 0)).weight, FUSION_WEIGHT_DEFAULT);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRandom } from '../../../test/support/random.ts';
import { FUSION_METHODS } from '../../config.ts';
import { FUSED_DEPTH, type Fused, fuse, type Ranked, similarityShares } from './fuse.ts';

const RUNS = 200;
const random = openRandom();

const list = (ids: string, top = ids.length): Ranked[] => [...ids].map((id, i) => ({ id, score: top - i }));
const order = (fused: readonly { id: string }[]): string => fused.map(({ id }) => id).join('');

/** Returns two random lists that share candidates. Some are longer than the depth, and some scores are equal. */
function randomLists() {
  const half = (scale: number): Ranked[] => {
    const scores = new Map<string, number>();
    for (let left = random.integer(0, FUSED_DEPTH * 2); left > 0; left -= 1) {
      scores.set(`c${random.integer(0, FUSED_DEPTH * 3)}`, random.integer(0, 60) / scale);
    }
    return [...scores]
      .map(([id, score]) => ({ id, score }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  };
  return { lexical: half(1), semantic: half(60), weight: random.integer(1, 9) / 10, seed: random.seed };
}

test('the fused score is the sum of both scores, words scaled to the best of the list and similarities to 1', () => {
  const lexical = [
    { id: 'a', score: 30 },
    { id: 'b', score: 20 },
    { id: 'c', score: 10 },
  ];
  const semantic = [
    { id: 'b', score: 0.8 },
    { id: 'd', score: 0.7 },
    { id: 'a', score: 0.5 },
  ];
  assert.deepEqual(fuse(lexical, semantic, { method: 'weighted', weight: 0.5 }).map(rounded), [
    { id: 'b', score: 0.633333, lexical: 20, semantic: 0.8 },
    { id: 'a', score: 0.5, lexical: 30, semantic: 0.5 },
    { id: 'd', score: 0.2, lexical: null, semantic: 0.7 },
    { id: 'c', score: 0.166667, lexical: 10, semantic: null },
  ]);
});

test('a list without any near candidate says little against the words, and flat scores of words against near candidates', () => {
  const lexical = [
    { id: 'a', score: 30 },
    { id: 'b', score: 20 },
    { id: 'c', score: 10 },
  ];
  const far = [
    { id: 'b', score: 0.3 },
    { id: 'd', score: 0.2 },
  ];
  const settings = { method: 'weighted', weight: 0.5 } as const;
  assert.equal(order(fuse(lexical, far, settings)), 'abcd');
  const near = far.map((one) => ({ ...one, score: one.score * 3 }));
  assert.equal(order(fuse(lexical, near, settings)), 'bacd');
  const flat = Array.from({ length: FUSED_DEPTH }, (_, i) => ({ id: `w${i}`, score: 30 - i / 10 }));
  assert.equal(fuse(flat, [...near, { id: 'e', score: 0.2 }], settings)[0]!.id, 'b');
});

const rounded = ({ id, score, lexical, semantic }: Fused) => ({
  id,
  score: Number(score.toFixed(6)),
  lexical,
  semantic,
});

test('reciprocal rank fusion ignores the differences between scores', () => {
  const near = fuse(list('abc'), list('cad'), { method: 'rrf', weight: 0.5 });
  const far = fuse(list('abc', 1000), list('cad', 3), { method: 'rrf', weight: 0.5 });
  assert.equal(order(near), 'acbd');
  assert.deepEqual(
    near.map(({ score }) => score),
    far.map(({ score }) => score),
  );
});

test('fusion loses and repeats no candidate, and scores descend within 0..1', () => {
  for (let run = 0; run < RUNS; run += 1) {
    const { lexical, semantic, weight, seed } = randomLists();
    for (const method of FUSION_METHODS) {
      const fused = fuse(lexical, semantic, { method, weight });
      const expected = new Set([...lexical, ...semantic].map(({ id }) => id));
      assert.equal(fused.length, expected.size, `seed ${seed}`);
      for (const { id, from } of fused)
        assert.equal(from, lexical.find((one) => one.id === id) ?? semantic.find((one) => one.id === id));
      assert.deepEqual(new Set(fused.map(({ id }) => id)), expected, `seed ${seed}`);
      fused.forEach(({ score }, i) => {
        assert.ok(score >= 0 && score <= 1.000001, `seed ${seed}`);
        assert.ok(i === 0 || score <= fused[i - 1]!.score, `seed ${seed}`);
      });
    }
  }
});

test('weight 0 gives the lexical order, weight 1 the semantic one; the other list follows', () => {
  for (let run = 0; run < RUNS; run += 1) {
    const { lexical, semantic, seed } = randomLists();
    for (const method of FUSION_METHODS) {
      const ids = (ranked: readonly { id: string }[]): string[] => ranked.map(({ id }) => id);
      const first = fuse(lexical, semantic, { method, weight: 0 });
      const second = fuse(lexical, semantic, { method, weight: 1 });
      const both = (list: readonly Ranked[], other: readonly Ranked[]): string[] => [
        ...new Set(ids([...list, ...other])),
      ];
      assert.deepEqual(ids(first), both(lexical, semantic), `seed ${seed}`);
      assert.deepEqual(ids(second), both(semantic, lexical), `seed ${seed}`);
    }
  }
});

test('a candidate gets no score from a list that lacks it', () => {
  for (let run = 0; run < RUNS; run += 1) {
    const { lexical, semantic, weight, seed } = randomLists();
    const settings = { method: 'weighted', weight } as const;
    const alone = new Map(fuse(lexical, [], settings).map(({ id, score }) => [id, score]));
    for (const { id, score, semantic: similarity } of fuse(lexical, semantic, settings)) {
      if (similarity === null) assert.equal(score, alone.get(id), `seed ${seed}`);
      else assert.ok(score >= (alone.get(id) ?? 0), `seed ${seed}`);
    }
  }
});

test('longer lists add candidates at the end and do not change the order before', () => {
  for (let run = 0; run < RUNS; run += 1) {
    const { lexical, semantic, weight, seed } = randomLists();
    for (const method of FUSION_METHODS) {
      const settings = { method, weight };
      const short = fuse(lexical.slice(0, FUSED_DEPTH), semantic.slice(0, FUSED_DEPTH), settings);
      const long = fuse(lexical, semantic, settings);
      assert.equal(
        long
          .slice(0, short.length)
          .map(({ id }) => id)
          .join(),
        short.map(({ id }) => id).join(),
        `seed ${seed}`,
      );
    }
  }
});

test('a model that puts all similarities nearer to 1, by one factor, gives the same shares', () => {
  const wide = [0.7, 0.5, 0.3, 0.1];
  const narrow = wide.map((similarity) => 1 - 0.3 * (1 - similarity));
  const shares = (similarities: readonly number[]) => similarityShares(similarities).map((share) => share.toFixed(9));
  assert.deepEqual(shares(narrow), shares(wide));
});

test('similarities of more than 1, from rounding, have a share of at most 1', () => {
  const shares = similarityShares([1.0000001, 1]);
  assert.deepEqual(shares, [1, 0]);
});

test('candidates of a list with equal scores all get the best score', () => {
  const settings = { method: 'weighted', weight: 0.5 } as const;
  assert.equal(fuse([{ id: 'a', score: 7 }], [], settings)[0]!.score, 0.5);
  const equal = ['b', 'a'].map((id) => ({ id, score: 3 }));
  assert.deepEqual(
    fuse(equal, [], settings).map(({ id, score }) => [id, score]),
    [
      ['b', 0.5],
      ['a', 0.5],
    ],
  );
});

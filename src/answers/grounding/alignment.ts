/** Lays one sequence of words beside another. Pure. */
import { isSameNumber } from './numbers.ts';
import type { Token } from './wording.ts';

/** Places of the two sequences that say the same, ascending in both. */
export interface Pair {
  left: number;
  right: number;
}

/** Pairs that follow one another within sentences of the quote. */
export type Stretch = readonly Pair[];

const CONTENT_SCORE = 3;
const FACT_SCORE = 4;
const FUNCTION_SCORE = 1;
/** For what follows on in both: words that go together are found together. */
const NEIGHBOUR_SCORE = 2;

/** The pairs in which most is said alike, runs before scattered words. */
export function align(left: readonly Token[], right: readonly Token[]): Pair[] {
  const width = right.length + 1;
  // Best score of the beginnings up to here; and of those that end in a pair here, 0 where there is none.
  const best = new Int32Array((left.length + 1) * width);
  const paired = new Int32Array(best.length);
  for (let i = 1; i <= left.length; i++) {
    for (let j = 1; j <= right.length; j++) {
      const at = i * width + j;
      const score = scoreOf(left[i - 1]!, right[j - 1]!);
      if (score > 0) {
        const diagonal = at - width - 1;
        const run = paired[diagonal]!;
        paired[at] = score + Math.max(best[diagonal]!, run > 0 ? run + NEIGHBOUR_SCORE : 0);
      }
      best[at] = Math.max(paired[at]!, best[at - 1]!, best[at - width]!);
    }
  }
  return pairsOf(best, paired, left, right);
}

function pairsOf(best: Int32Array, paired: Int32Array, left: readonly Token[], right: readonly Token[]): Pair[] {
  const width = right.length + 1;
  const pairs: Pair[] = [];
  let i = left.length;
  let j = right.length;
  let inRun = false;
  while (i > 0 && j > 0) {
    const at = i * width + j;
    // A pair is taken before the search goes on: of words that are there several times, those next to what follows.
    if (inRun || (paired[at]! > 0 && paired[at] === best[at])) {
      pairs.push({ left: i - 1, right: j - 1 });
      const run = paired[at - width - 1]!;
      const score = scoreOf(left[i - 1]!, right[j - 1]!);
      inRun = run > 0 && paired[at] === score + run + NEIGHBOUR_SCORE;
      i--;
      j--;
    } else if (best[at] === best[at - 1]) j--;
    else i--;
  }
  return closed(pairs.reverse(), left, right);
}

/** Of a word that is there twice on one side, the one is paired that leaves the other beside what only the other side has. */
function closed(pairs: readonly Pair[], left: readonly Token[], right: readonly Token[]): Pair[] {
  return pairs.map((pair, i) => {
    const before = pairs[i - 1] ?? { left: -1, right: -1 };
    const after = pairs[i + 1] ?? { left: left.length, right: right.length };
    const [stepLeft, stepRight] = [after.left - pair.left, after.right - pair.right];
    if (stepLeft === 1 && stepRight > 1 && isTwice(left, pair.left, before.left))
      return { ...pair, left: pair.left - 1 };
    if (stepRight === 1 && stepLeft > 1 && isTwice(right, pair.right, before.right))
      return { ...pair, right: pair.right - 1 };
    return pair;
  });
}

function isTwice(tokens: readonly Token[], at: number, before: number): boolean {
  return at - 1 > before && tokens[at - 1]!.key === tokens[at]!.key;
}

/** The pairs, parted where the quote goes on in another sentence. */
export function stretchesOf(quote: readonly Token[], pairs: readonly Pair[]): Stretch[] {
  const stretches: Pair[][] = [];
  let last = -1;
  for (const pair of pairs) {
    if (last < 0 || quote.slice(last + 1, pair.right).some(({ isEnd }) => isEnd)) stretches.push([]);
    stretches.at(-1)!.push(pair);
    last = pair.right;
  }
  return stretches;
}

function scoreOf(left: Token, right: Token): number {
  if (left.readings !== null || right.readings !== null) {
    const isSame = left.readings !== null && right.readings !== null && isSameNumber(left.readings, right.readings);
    return isSame ? FACT_SCORE : 0;
  }
  if (left.key !== right.key) return 0;
  if (left.isName || left.modifier !== undefined) return FACT_SCORE;
  return left.isContent ? CONTENT_SCORE : FUNCTION_SCORE;
}

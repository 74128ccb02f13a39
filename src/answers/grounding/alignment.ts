/** Aligns two sequences of words. */
import { isSameNumber } from './numbers.ts';
import type { Token } from './wording.ts';

/** An index of the left and one of the right sequence whose tokens say the same. Pairs ascend in both sequences. */
export interface Pair {
  left: number;
  right: number;
}

/** Consecutive pairs within one sentence of the quote. */
export type Stretch = readonly Pair[];

const CONTENT_SCORE = 3;
const FACT_SCORE = 4;
const FUNCTION_SCORE = 1;
/** Added for a pair that directly follows another pair in both sequences. Runs of words are preferred. */
const NEIGHBOUR_SCORE = 2;

/** Returns the pairs with the highest total score. Runs of words score higher than scattered words. */
export function align(left: readonly Token[], right: readonly Token[]): Pair[] {
  const width = right.length + 1;
  // `best` has the best score of the two beginnings up to here. `paired` has the best score that ends in a pair here, or 0.
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
    // A pair is preferred to a skipped word. Of a repeated word, the occurrence next to the following pair is chosen.
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
  return withGapsClosed(pairs.reverse(), left, right);
}

/**
 * Moves a pair by one when its word stands twice in a row on one side. Then the unpaired occurrence lies in the same gap as the
 * unpaired words of the other side.
 */
function withGapsClosed(pairs: readonly Pair[], left: readonly Token[], right: readonly Token[]): Pair[] {
  return pairs.map((pair, i) => {
    const before = pairs[i - 1] ?? { left: -1, right: -1 };
    const after = pairs[i + 1] ?? { left: left.length, right: right.length };
    const [stepLeft, stepRight] = [after.left - pair.left, after.right - pair.right];
    if (stepLeft === 1 && stepRight > 1 && isRepeated(left, pair.left, before.left))
      return { ...pair, left: pair.left - 1 };
    if (stepRight === 1 && stepLeft > 1 && isRepeated(right, pair.right, before.right))
      return { ...pair, right: pair.right - 1 };
    return pair;
  });
}

function isRepeated(tokens: readonly Token[], at: number, before: number): boolean {
  return at - 1 > before && tokens[at - 1]!.key === tokens[at]!.key;
}

/** Splits the pairs where the quote continues in another sentence. */
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

/**
 * Estimates model tokens by script and length of runs, in one pass and without a vocabulary.
 *
 * A real tokenizer takes about 100 times as long and is quadratic on hostile input. Chunk sizes need only an estimate. The
 * costs were calibrated against o200k_base on prose. Every character costs something. A limit on the estimate is therefore
 * also a limit on the length.
 */

const BLANK = 0;
const BREAK = 1;
const LETTER = 2;
const DIGIT = 3;
const MARK = 4;
const OTHER = 5;

const BLANK_COST = 0.02;
const BREAK_COST = 0.35;
const WORD_UNITS = 7;
const PUNCTUATION_COST = 0.55;

/** Cost per UTF-16 unit outside ASCII, by range. `below` is the end of a range; the ranges ascend. */
const RANGES: readonly (readonly [below: number, cost: number])[] = [
  [0x00c0, 0.7],
  [0x0250, 0.45],
  [0x0300, 0.9],
  [0x0370, 0.6],
  [0x0400, 0.45],
  [0x0530, 0.35],
  [0x0590, 0.5],
  [0x0600, 0.43],
  [0x0700, 0.38],
  [0x0900, 0.8],
  [0x0e00, 0.36],
  [0x0e80, 0.44],
  [0x1100, 0.6],
  [0x1200, 0.9],
  [0x2000, 0.6],
  [0x3000, 0.8],
  [0x3040, 0.8],
  [0x3100, 0.8],
  [0x3400, 0.8],
  [0x4e00, 1.5],
  [0xa000, 0.88],
  [0xac00, 0.9],
  [0xd800, 0.82],
  [0xe000, 0.9],
  [0x10000, 0.9],
];

/** Returns the estimated tokens of `text[start, end)`: at least 1 unless the range is empty. Linear. */
export function estimateTokens(text: string, start = 0, end = text.length): number {
  let cost = 0;
  let last = -1;
  let run = 0;
  for (let i = start; i < end; i += 1) {
    const unit = text.charCodeAt(i);
    const kind = kindOf(unit);
    if (kind === OTHER) {
      cost += costOf(unit);
      run = 0;
    } else {
      run = kind === last ? run + 1 : 1;
      cost += stepCost(kind, run);
    }
    last = kind;
  }
  return end > start ? Math.max(1, Math.ceil(cost)) : 0;
}

function kindOf(unit: number): number {
  if (unit >= 0x80) return OTHER;
  if (unit === 0x0a) return BREAK;
  if (unit <= 0x20) return BLANK;
  if (unit >= 0x30 && unit <= 0x39) return DIGIT;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a ? LETTER : MARK;
}

/** Returns the cost of the `run`-th unit of a run of one kind. */
function stepCost(kind: number, run: number): number {
  if (kind === LETTER) return run === 1 ? 1 : run > WORD_UNITS ? 0.22 : 0.03;
  if (kind === DIGIT) return run % 3 === 1 ? 1 : 0.01;
  if (kind === MARK) return PUNCTUATION_COST;
  return kind === BREAK ? BREAK_COST : BLANK_COST;
}

function costOf(unit: number): number {
  let low = 0;
  let high = RANGES.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (unit < RANGES[middle]![0]) high = middle;
    else low = middle + 1;
  }
  return RANGES[low]![1];
}

/** Reproducible randomness: a test prints its seed, and the same seed gives the same decisions. */

export interface Random {
  readonly seed: number;
  /** Returns a number from 0 (included) to 1 (not included). */
  next(): number;
  /** Returns a whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  /** Returns lower-case letters. */
  word(length: number): string;
}

/**
 * The seed of a test run. It is always the same, so that a test that fails once fails again, unless PINAKES_TEST_SEED
 * sets another seed.
 */
export const TEST_SEED = Number(process.env['PINAKES_TEST_SEED'] ?? 1);

/** Returns another seed each time, for long checks and measurements. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

/** Opens a generator (mulberry32). */
export function openRandom(seed: number = TEST_SEED): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    seed,
    next,
    integer,
    pick: (items) => items[integer(0, items.length - 1)]!,
    word: (length) => Array.from({ length }, () => String.fromCharCode(97 + integer(0, 25))).join(''),
  };
}

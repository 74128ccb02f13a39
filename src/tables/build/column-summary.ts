/** Collects what a table says about the values of a column: distinct values, smallest, largest, examples. Pure. */
import type { CellValue } from './convert.ts';

const EXACT_DISTINCT_MAX = 1_000;
const EXAMPLES_MAX = 5;
/** 2^11 registers estimate the number of distinct values within about 2.3 %. */
const REGISTER_BITS = 11;
const REGISTERS = 2 ** REGISTER_BITS;

export class ColumnSummary {
  nulls = 0;
  failures = 0;
  readonly failureExamples: string[] = [];
  min: CellValue = null;
  max: CellValue = null;
  private readonly seen = new Set<CellValue>();
  private registers: Uint8Array | undefined;

  add(value: CellValue): void {
    if (value === null) {
      this.nulls += 1;
      return;
    }
    if (this.min === null || value < this.min) this.min = value;
    if (this.max === null || value > this.max) this.max = value;
    if (this.registers) this.count(value);
    else if (this.seen.size < EXACT_DISTINCT_MAX) this.seen.add(value);
    else if (!this.seen.has(value)) {
      this.registers = new Uint8Array(REGISTERS);
      for (const earlier of this.seen) this.count(earlier);
      this.count(value);
    }
  }

  /** Counts a cell that is not empty and does not convert. */
  fail(cell: string): void {
    this.nulls += 1;
    this.failures += 1;
    if (this.failureExamples.length < EXAMPLES_MAX) this.failureExamples.push(cell);
  }

  get examples(): CellValue[] {
    return [...this.seen].slice(0, EXAMPLES_MAX);
  }

  /** Exact up to EXACT_DISTINCT_MAX, then an estimate (HyperLogLog). */
  get distinct(): number {
    if (!this.registers) return this.seen.size;
    let sum = 0;
    for (const register of this.registers) sum += 2 ** -register;
    return Math.round(((0.7213 / (1 + 1.079 / REGISTERS)) * REGISTERS ** 2) / sum);
  }

  private count(value: CellValue): void {
    const hash = hashOf(typeof value === 'string' ? value : String(value));
    const register = hash >>> (32 - REGISTER_BITS);
    const rank = Math.min(Math.clz32(hash << REGISTER_BITS), 32 - REGISTER_BITS) + 1;
    if (rank > this.registers![register]!) this.registers![register] = rank;
  }
}

/** Returns 32 well mixed bits (FNV-1a with the finish of MurmurHash3). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

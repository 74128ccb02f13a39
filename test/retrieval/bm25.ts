import { BM25_B, BM25_K1 } from '../../src/corpus/tenant-store.ts';

/** Returns the textbook BM25 score of every row, without zeros. A repeated term counts repeatedly. */
export function reference(
  rows: readonly { id: string; terms: readonly string[] }[],
  terms: readonly string[],
): Map<string, number> {
  const mean = rows.reduce((sum, row) => sum + row.terms.length, 0) / rows.length;
  const containing = new Map(terms.map((term) => [term, rows.filter((row) => row.terms.includes(term)).length]));
  const scores = rows.map((row) => {
    const damping = BM25_K1 * (1 - BM25_B + (BM25_B * row.terms.length) / mean);
    const parts = terms.map((term) => {
      const count = row.terms.filter((one) => one === term).length;
      const rarity = Math.log(1 + (rows.length - containing.get(term)! + 0.5) / (containing.get(term)! + 0.5));
      return (rarity * count * (BM25_K1 + 1)) / (count + damping);
    });
    return [row.id, parts.reduce((sum, part) => sum + part, 0)] as const;
  });
  return new Map(scores.filter(([, score]) => score > 0));
}

export const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(a, b);

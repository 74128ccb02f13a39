/**
 * Scores extracted tables by pairs of neighbouring cells, as in the table competition of ICDAR 2013 (Göbel et al.). A pair is a
 * cell and the next cell with content to its right or below it. The position of a cell in the table does not count.
 */

/** Rows of cells. A cell that spans several rows or columns is repeated in each of them. */
export type Grid = readonly (readonly string[])[];

export interface PairCount {
  /** Expected pairs, found pairs, and pairs that are in both. */
  truth: number;
  found: number;
  both: number;
}

export function countPairs(truth: readonly Grid[], found: readonly Grid[]): PairCount {
  const expected = pairsOf(truth);
  const seen = pairsOf(found);
  let both = 0;
  for (const [pair, count] of expected) both += Math.min(count, seen.get(pair) ?? 0);
  return { truth: sum(expected), found: sum(seen), both };
}

/** Returns F1; 1 when no pair was expected and none was found. */
export function pairF1({ truth, found, both }: PairCount): number {
  return truth + found === 0 ? 1 : (2 * both) / (truth + found);
}

/** Returns the cells of a Markdown table. */
export function gridOfMarkdown(text: string): Grid {
  const rows = text.split('\n').filter((line) => !/^\|(\s*:?-+:?\s*\|)+$/.test(line));
  return rows.map((row) =>
    row
      .replace(/^\s*\|/, '')
      .replace(/\|\s*$/, '')
      .split(/(?<!\\)\|/),
  );
}

/** Scores all tables of a file together, so a table that was cut in two loses only the pairs at the cut. */
function pairsOf(grids: readonly Grid[]): Map<string, number> {
  const pairs = new Map<string, number>();
  for (const grid of grids) {
    const rows = grid.map((row) => row.map(comparable));
    const width = Math.max(0, ...rows.map((row) => row.length));
    const columns = Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? ''));
    for (const row of rows) countNeighbours(row, '→', pairs);
    for (const column of columns) countNeighbours(column, '↓', pairs);
  }
  return pairs;
}

function countNeighbours(cells: readonly string[], direction: string, pairs: Map<string, number>): void {
  const filled = cells.filter((cell) => cell !== '');
  for (const [index, cell] of filled.slice(1).entries()) {
    // The same cell is repeated in each row or column that it spans.
    if (cell === filled[index]) continue;
    const pair = `${filled[index]}${direction}${cell}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
}

/** Keeps letters and digits, and other signs only in cells that have nothing else. */
function comparable(cell: string): string {
  const plain = cell
    .replace(/<[^<>]*>/g, '')
    .replace(/\]\([^()]*\)/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s/g, '');
  return plain.replace(/[\p{P}\p{S}\p{Cf}]/gu, '') || plain;
}

function sum(counts: Map<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/**
 * Builds grids of cells from ruled lines: nearly identical lines are joined, crossing lines form one grid, and cells without a
 * line between them are merged. This is the lattice method of A. Nurminen, "Algorithmic extraction of data in tables in PDF
 * documents" (Tampere 2013), known from Tabula and pdfplumber. Pure.
 */

/** A horizontal line at height `at`, or a vertical line at distance `at`. Points, upwards and to the right. */
export interface Rule {
  at: number;
  from: number;
  to: number;
}

export interface Grid {
  /** Edges of columns from the left, and of rows from the top. */
  xs: number[];
  ys: number[];
  /** By row × columns + column: the first of the cells that are merged with this one. */
  first: Int32Array;
}

/** Maximum points between two lines that count as one, and between parts of one line. */
const SNAP_POINTS = 3;
/** Shorter lines are ignored. */
const RULE_POINTS_MIN = 6;
/** Maximum lines after joining; a page with more is a drawing or graph paper. */
const RULES_MAX = 500;
const GRID_CELLS_MAX = 20_000;
/** Points by which lines must extend beyond the outermost crossing lines when the sides of a table are open. */
const OPEN_POINTS_MIN = 12;
/** Minimum share of a cell's side that a line must cover. */
const EDGE_SHARE = 0.6;

/** Joins lines that coincide, overlap or nearly touch. */
export function joinRules(rules: readonly Rule[]): Rule[] {
  const joined: Rule[] = [];
  const sorted = rules.toSorted((a, b) => a.at - b.at);
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (to < sorted.length && sorted[to]!.at - sorted[from]!.at <= SNAP_POINTS) to += 1;
    const level = sorted.slice(from, to).sort((a, b) => a.from - b.from);
    const at = (sorted[from]!.at + sorted[to - 1]!.at) / 2;
    let open: Rule | undefined;
    for (const rule of level) {
      if (open && rule.from <= open.to + SNAP_POINTS) open.to = Math.max(open.to, rule.to);
      else {
        open = { at, from: rule.from, to: rule.to };
        joined.push(open);
      }
    }
    from = to;
  }
  return joined.filter((rule) => rule.to - rule.from >= RULE_POINTS_MIN);
}

/** Grids of at least two rows or columns, the smallest first; `loose` are the horizontal lines that cross no vertical one. */
export function gridsOf(horizontal: readonly Rule[], vertical: readonly Rule[]): { grids: Grid[]; loose: Rule[] } {
  const [across, down] = [joinRules(horizontal), joinRules(vertical)];
  if (across.length > RULES_MAX || down.length > RULES_MAX) return { grids: [], loose: [] };
  const parent = Array.from({ length: across.length + down.length }, (_, index) => index);
  const root = (index: number): number => {
    let at = index;
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!;
    return at;
  };
  for (const [i, rule] of across.entries()) {
    for (const [j, other] of down.entries()) {
      if (crosses(rule, other)) parent[root(i)] = root(across.length + j);
    }
  }
  const crossed = new Set(down.map((_, j) => root(across.length + j)));
  const groups = Map.groupBy(
    across.filter((_, i) => crossed.has(root(i))),
    (rule) => root(across.indexOf(rule)),
  );
  const grids = [...groups].flatMap(([group, rows]) => {
    const columns = down.filter((_, j) => root(across.length + j) === group);
    return gridOf(rows, columns) ?? [];
  });
  const size = ({ xs, ys }: Grid) => (xs.at(-1)! - xs[0]!) * (ys[0]! - ys.at(-1)!);
  return {
    grids: grids.sort((a, b) => size(a) - size(b)),
    loose: across.filter((_, i) => !crossed.has(root(i))),
  };
}

function crosses(rule: Rule, other: Rule): boolean {
  return (
    other.at >= rule.from - SNAP_POINTS &&
    other.at <= rule.to + SNAP_POINTS &&
    rule.at >= other.from - SNAP_POINTS &&
    rule.at <= other.to + SNAP_POINTS
  );
}

function gridOf(across: readonly Rule[], down: readonly Rule[]): Grid | undefined {
  const xs = withOpenEnds(places(down), across);
  const ys = withOpenEnds(places(across), down).reverse();
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  if (columns < 1 || rows < 1 || columns * rows < 2 || columns * rows > GRID_CELLS_MAX) return undefined;
  const [xsAt, ysAt] = [linesBy(down), linesBy(across)];
  /** Return whether a line lies on the left or upper side of a cell. */
  const isLeft = (row: number, column: number) => covers(xsAt.get(xs[column]!), ys[row + 1]!, ys[row]!);
  const isAbove = (row: number, column: number) => covers(ysAt.get(ys[row]!), xs[column]!, xs[column + 1]!);
  return { xs, ys, first: firstCells(rows, columns, isLeft, isAbove) };
}

function places(rules: readonly Rule[]): number[] {
  return [...new Set(rules.map(({ at }) => at))].sort((a, b) => a - b);
}

function linesBy(rules: readonly Rule[]): Map<number, Rule[]> {
  return Map.groupBy(rules, ({ at }) => at);
}

/** Adds the open sides of a table, which end where the crossing lines end. */
function withOpenEnds(places: readonly number[], across: readonly Rule[]): number[] {
  const ends = [...places];
  const [from, to] = [agreed(across.map((rule) => rule.from)), agreed(across.map((rule) => rule.to))];
  if (ends.length > 0 && from !== undefined && from < ends[0]! - OPEN_POINTS_MIN) ends.unshift(from);
  if (ends.length > 0 && to !== undefined && to > ends.at(-1)! + OPEN_POINTS_MIN) ends.push(to);
  return ends;
}

/** Returns the value on which most of at least two values agree, or undefined. */
function agreed(values: readonly number[]): number | undefined {
  if (values.length < 2) return undefined;
  const middle = values.toSorted((a, b) => a - b)[values.length >> 1]!;
  const near = values.filter((value) => Math.abs(value - middle) <= SNAP_POINTS).length;
  return near >= 2 && near * 2 > values.length ? middle : undefined;
}

function covers(rules: readonly Rule[] | undefined, from: number, to: number): boolean {
  const covered = (rules ?? []).reduce(
    (sum, rule) => sum + Math.max(0, Math.min(rule.to, to) - Math.max(rule.from, from)),
    0,
  );
  return covered >= (to - from) * EDGE_SHARE;
}

/** Merges cells without a line between them if together they form a rectangle. */
function firstCells(
  rows: number,
  columns: number,
  isLeft: (row: number, column: number) => boolean,
  isAbove: (row: number, column: number) => boolean,
): Int32Array {
  const first = Int32Array.from({ length: rows * columns }, (_, cell) => cell);
  const root = (cell: number): number => {
    let at = cell;
    while (first[at] !== at) at = first[at] = first[first[at]!]!;
    return at;
  };
  const join = (a: number, b: number) => {
    const [low, high] = [Math.min(root(a), root(b)), Math.max(root(a), root(b))];
    first[high] = low;
  };
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const cell = row * columns + column;
      if (column > 0 && !isLeft(row, column)) join(cell, cell - 1);
      if (row > 0 && !isAbove(row, column)) join(cell, cell - columns);
    }
  }
  const groups = Map.groupBy(first.keys(), root);
  for (const [cell, members] of groups) {
    const inRows = members.map((member) => Math.floor(member / columns));
    const inColumns = members.map((member) => member % columns);
    const height = Math.max(...inRows) - Math.min(...inRows) + 1;
    const width = Math.max(...inColumns) - Math.min(...inColumns) + 1;
    const whole = height * width === members.length;
    for (const member of members) first[member] = whole ? cell : member;
  }
  return first;
}

/**
 * Finds tables without lines between their columns: between horizontal rules, on coloured bands, or by aligned words alone.
 * Pure.
 */
import type { Area } from './area.ts';
import { cellTexts, type PlacedWord } from './tables/cells.ts';
import { alignedRows, placeLine } from './tables/columns.ts';
import { joinRules, type Rule } from './tables/rules.ts';
import { markUsed, type PageTable } from './tables/tables.ts';
import { type Glyphs, segmentsOf, type Word, type WordLine, wordLines, wordsOf } from './words.ts';

/** Points by which the ends of horizontal rules of one table may differ. */
const ENDS_POINTS = 6;
const RULE_POINTS_MIN = 60;
/** Maximum height of filled areas that count as rows; higher areas are pages. */
const BAND_POINTS_MAX = 200;
const FILLS_MAX = 3000;
const RULES_MAX = 300;
/** Maximum lines of words of a page; a page with more is not searched. */
const LINES_MAX = 400;
/** Maximum distance of lines of one table, in line heights. */
const LEADING_MAX = 2.2;
/** Maximum consecutive lines with a single value. */
const SINGLE_LINES_MAX = 2;
/** Minimum words of a line of running text. */
const PROSE_WORDS_MIN = 9;
/** Minimum gap between words of different columns when only the gap separates them, in line heights. */
const GAP_SHARE = 0.8;
/**
 * Extra space of a stretch compared with the others that separates two tables, in line heights: if it has a line with a single
 * value, and in any case.
 */
const EXTRA_SPACE_MAX = 1;
const EXTRA_SPACE_ALWAYS_MAX = 2;

/** The words between two horizontal rules, and the free space above and below them. */
interface Stretch {
  words: Word[];
  space: number;
}

/** Returns tables between horizontal rules and edges of filled areas. Marks their characters as used in `free`. */
export function bandTables(
  glyphs: Glyphs,
  loose: readonly Rule[],
  { horizontal, fills }: { horizontal: readonly Rule[]; fills: readonly Area[] },
  free: Uint8Array,
): PageTable[] {
  const bands = fills.length > FILLS_MAX ? [] : fills.filter(({ top, bottom }) => top - bottom <= BAND_POINTS_MAX);
  const edges = bands.flatMap(({ left, right, top, bottom }) => [
    { at: top, from: left, to: right },
    { at: bottom, from: left, to: right },
  ]);
  const rules = joinRules([...loose, ...edges]).filter(({ from, to }) => to - from >= RULE_POINTS_MIN);
  if (rules.length > RULES_MAX) return [];
  const drawn = [...horizontal, ...edges];
  const words = wordsOf(glyphs, (index) => (free[index] === 0 ? -1 : 0));
  const lines = wordLines(words).map((line) => segmentsOf(line, GAP_SHARE));
  return groupsOf(rules).flatMap((group) => {
    const left = words.filter(({ start }) => free[start] === 1);
    return tablesOfGroup(glyphs.text, left, lines, group, drawn, free);
  });
}

/** Groups horizontal rules with the same ends, from the top. */
function groupsOf(rules: readonly Rule[]): Rule[][] {
  const groups: Rule[][] = [];
  for (const rule of rules.toSorted((a, b) => b.at - a.at)) {
    const group = groups.find(
      ([first]) => Math.abs(first!.from - rule.from) <= ENDS_POINTS && Math.abs(first!.to - rule.to) <= ENDS_POINTS,
    );
    if (group) group.push(rule);
    else groups.push([rule]);
  }
  return groups.filter((group) => group.length > 2);
}

/** Returns positions inside a group where at least two drawn lines or areas end. */
function innerEdges(group: readonly Rule[], drawn: readonly Rule[]): number[] {
  const [{ from, to, at: top }, bottom] = [group[0]!, group.at(-1)!.at];
  const ends = drawn
    .filter(({ at }) => at <= top + ENDS_POINTS && at >= bottom - ENDS_POINTS)
    .flatMap((rule) => [rule.from, rule.to])
    .filter((x) => x > from + ENDS_POINTS && x < to - ENDS_POINTS)
    .sort((a, b) => a - b);
  const clusters: number[][] = [];
  for (const x of ends) {
    if (x - (clusters.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY) <= ENDS_POINTS) clusters.at(-1)!.push(x);
    else clusters.push([x]);
  }
  return clusters.filter((own) => own.length > 1).map((own) => own.reduce((sum, x) => sum + x, 0) / own.length);
}

function tablesOfGroup(
  text: string,
  words: readonly Word[],
  lines: readonly (readonly Word[][])[],
  group: readonly Rule[],
  drawn: readonly Rule[],
  free: Uint8Array,
): PageTable[] {
  const edges = innerEdges(group, drawn);
  const [from, to] = [group[0]!.from - ENDS_POINTS, group[0]!.to + ENDS_POINTS];
  const isWithin = ({ left, right }: Word) => (left + right) / 2 >= from && (left + right) / 2 <= to;
  const crossing = crossingWords(lines, isWithin);
  const own: Word[][] = Array.from({ length: group.length - 1 }, () => []);
  const outside: Word[] = [];
  for (const word of words.filter(isWithin)) {
    const y = (word.top + word.bottom) / 2;
    const above = group.findIndex(({ at }) => at < y);
    if (above > 0) own[above - 1]!.push(word);
    else outside.push(word);
  }
  const stretches = own.map((words, at) => ({ words, space: spaceOf(words, group[at]!.at, group[at + 1]!.at) }));
  const runs = runsBetween(stretches, (stretch) => stretch.words.some((word) => crossing.has(word)));
  return runs.flatMap(([start, end]) => {
    const tables: PageTable[] = [];
    for (let first = start; first < end - 1; ) {
      const last = longestTable(own.slice(0, end), first, text, edges);
      if (last === undefined) {
        first += 1;
        continue;
      }
      const near = [...outside, ...own.slice(0, first).flat(), ...own.slice(last + 1).flat()];
      const whole = near.filter((word) => !crossing.has(word));
      const table = cellTexts(text, withNeighbours(own.slice(first, last + 1), whole, text, edges), true);
      markUsed(table, free);
      tables.push(table);
      first = last + 1;
    }
    return tables;
  });
}

/** Returns words of lines that continue outside a table. `lines` has the words of each line in segments without large gaps. */
function crossingWords(lines: readonly (readonly Word[][])[], isWithin: (word: Word) => boolean): Set<Word> {
  const isCrossing = (segment: readonly Word[]) => segment.some(isWithin) && !segment.every(isWithin);
  return new Set(lines.filter((segments) => segments.some(isCrossing)).flat(2));
}

function spaceOf(words: readonly Word[], top: number, bottom: number): number {
  const highest = words.reduce((most, word) => Math.max(most, word.top), bottom);
  const lowest = words.reduce((least, word) => Math.min(least, word.bottom), top);
  return top - highest + lowest - bottom;
}

/** Returns runs of stretches that belong to one table, each as the index of its first stretch and the index after its last. */
function runsBetween(stretches: readonly Stretch[], isCrossing: (stretch: Stretch) => boolean): [number, number][] {
  const filled = stretches.filter(({ words }) => words.length > 0);
  const spaces = filled.map(({ space }) => space).sort((a, b) => a - b);
  const heights = filled.flatMap(({ words }) => words.map(({ top, bottom }) => top - bottom)).sort((a, b) => a - b);
  const usual = { space: spaces[(spaces.length - 1) >> 2] ?? 0, height: heights[heights.length >> 1] ?? 0 };
  const runs: [number, number][] = [];
  let first = 0;
  for (const [at, stretch] of stretches.entries()) {
    if (stretch.words.length === 0 || !(isCrossing(stretch) || isBetween(stretch, usual))) continue;
    runs.push([first, at]);
    first = at + 1;
  }
  return [...runs, [first, stretches.length]];
}

/** Returns whether a stretch is text between two tables, judged by its free space and its words. */
function isBetween({ words, space }: Stretch, usual: { space: number; height: number }): boolean {
  const extra = (space - usual.space) / usual.height;
  if (extra > EXTRA_SPACE_ALWAYS_MAX) return true;
  return extra > EXTRA_SPACE_MAX && wordLines(words).some((line) => segmentsOf(line, GAP_SHARE).length === 1);
}

/** Returns the last stretch of the longest table that starts at `first`, or undefined. */
function longestTable(
  stretches: readonly Word[][],
  first: number,
  text: string,
  edges: readonly number[],
): number | undefined {
  if (stretches[first]!.length === 0) return undefined;
  const holds = (last: number) => alignedRows(stretches.slice(first, last + 1), text, 'ruled', edges) !== undefined;
  let end = first;
  while (end < stretches.length && !isProse(stretches[end]!)) end += 1;
  for (end -= 1; end > first && stretches[end]!.length === 0; ) end -= 1;
  if (end > first && holds(end)) return end;
  let last: number | undefined;
  for (let next = first + 1; next < end && holds(next); next += 1) last = next;
  return last;
}

/** Returns whether a stretch has lines of running text: long and without a gap. */
function isProse(words: readonly Word[]): boolean {
  return (
    wordLines(words).filter((line) => line.words.length >= PROSE_WORDS_MIN && segmentsOf(line, GAP_SHARE).length === 1)
      .length > 1
  );
}

/**
 * Returns the words of a table, with the line above its first rule and the line below its last rule if they fit its columns.
 */
function withNeighbours(
  stretches: Word[][],
  near: readonly Word[],
  text: string,
  edges: readonly number[],
): PlacedWord[] {
  const { words, gaps } = alignedRows(stretches, text, 'ruled', edges)!;
  const [top, bottom] = [Math.max(...words.map((word) => word.top)), Math.min(...words.map((word) => word.bottom))];
  const lines = wordLines(near);
  const above = lines.findLast((line) => line.bottom >= top - 1);
  const below = lines.find((line) => line.top <= bottom + 1);
  const last = words.reduce((most, { row }) => Math.max(most, row), 0);
  return [
    ...(above && above.bottom - top <= above.top - above.bottom ? alignedWords(above, gaps, -1) : []),
    ...words,
    ...(below && bottom - below.top <= below.top - below.bottom ? alignedWords(below, gaps, last + 1) : []),
  ];
}

/** Returns the words of a line with values in most columns, or none if a word crosses a gap. */
function alignedWords(line: WordLine, gaps: readonly number[], row: number): PlacedWord[] {
  const isAcross = segmentsOf(line, GAP_SHARE).some((segment) =>
    gaps.some((gap) => segment[0]!.left < gap && segment.at(-1)!.right > gap),
  );
  const placed = placeLine(line, gaps);
  const filled = new Set(placed.map(({ column }) => column)).size;
  return isAcross || filled < 2 || filled * 2 <= gaps.length + 1 ? [] : placed.map((word) => ({ ...word, row }));
}

/** Returns tables that have no rules, only aligned words. Marks their characters as used in `free`. */
export function wordTables(glyphs: Glyphs, free: Uint8Array): PageTable[] {
  const words = wordsOf(glyphs, (index) => (free[index] === 0 ? -1 : 0));
  const lines = wordLines(words);
  if (lines.length > LINES_MAX) return [];
  return runsOf(lines).flatMap((run) => {
    const whole = tableOfLines(glyphs, run);
    // A line with a single value may be the title of the next table.
    const tables = whole ? [whole] : partsOf(run).flatMap((part) => tableOfLines(glyphs, part) ?? []);
    for (const table of tables) markUsed(table, free);
    return tables;
  });
}

function tableOfLines(glyphs: Glyphs, lines: readonly WordLine[]): PageTable | undefined {
  const found = alignedRows([lines.flatMap((line) => line.words)], glyphs.text, 'words');
  return found && cellTexts(glyphs.text, found.words, true);
}

/** Returns the parts of a run between lines with a single value, or none if there is no such line. */
function partsOf(run: readonly WordLine[]): WordLine[][] {
  const parts: WordLine[][] = [[]];
  for (const line of run) {
    if (segmentsOf(line, GAP_SHARE).length > 1) parts.at(-1)!.push(line);
    else parts.push([]);
  }
  return parts.length === 1 ? [] : parts.filter((part) => part.length > 2);
}

/** Returns runs of neighbouring lines with several values. */
function runsOf(lines: readonly WordLine[]): WordLine[][] {
  const runs: WordLine[][] = [];
  let run: WordLine[] = [];
  let singles = 0;
  const close = () => {
    const withoutSingles = singles > 0 ? run.slice(0, -singles) : run;
    if (withoutSingles.length > 2) runs.push(withoutSingles);
    run = [];
    singles = 0;
  };
  for (const line of lines) {
    const before = run.at(-1);
    if (before && before.bottom - line.bottom > LEADING_MAX * (line.top - line.bottom)) close();
    const isSeveral = segmentsOf(line, GAP_SHARE).length > 1;
    if (isSeveral) singles = 0;
    else singles += run.length > 0 ? 1 : 0;
    if (isSeveral || run.length > 0) run.push(line);
    if (singles > SINGLE_LINES_MAX || (singles > 0 && line.words.length >= PROSE_WORDS_MIN)) close();
  }
  close();
  return runs;
}

/** Tables without lines between their columns: between lines across, on bands of colour, or by their words alone. Pure. */
import { cellTexts, type PlacedWord } from './tables/cells.ts';
import { alignedRows, isContentsPage, placeLine } from './tables/columns.ts';
import { type Area, joinRules, type Rule } from './tables/rules.ts';
import { type PageTable, take } from './tables/tables.ts';
import { type Glyphs, segmentsOf, type Word, type WordLine, wordLines, wordsOf } from './words.ts';

/** Points by which the ends of lines across of one table differ. */
const ENDS_POINTS = 6;
const RULE_POINTS_MIN = 60;
/** Points up to which filled areas are rows, and not pages. */
const BAND_POINTS_MAX = 200;
const FILLS_MAX = 3000;
const RULES_MAX = 300;
/** Lines of words of a page that are looked at. */
const LINES_MAX = 400;
/** Distance of lines of one table, in heights of lines. */
const LEADING_MAX = 2.2;
/** Lines in a row that may have one value only. */
const SINGLE_LINES_MAX = 2;
/** Words of a line of running text. */
const PROSE_WORDS_MIN = 9;
/** Gap of words of different columns where nothing else shows them, in heights of lines. */
const GAP_SHARE = 0.8;
/** Room that a stretch has more than others, in heights of lines: beside a line with one value, and anywhere. */
const ROOM_MORE_MAX = 1;
const ROOM_FAR_MORE_MAX = 2;

/** The words between two lines across, and the room above and below them. */
interface Stretch {
  words: Word[];
  room: number;
}

/** Tables between lines across and edges of filled areas. */
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

/** Lines across with the same ends, from the top. */
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

/** Where at least two ends of what was drawn within a group lie, but for its own ends. */
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
  const torn = tornWords(lines, isWithin);
  const own: Word[][] = Array.from({ length: group.length - 1 }, () => []);
  const outside: Word[] = [];
  for (const word of words.filter(isWithin)) {
    const y = (word.top + word.bottom) / 2;
    const above = group.findIndex(({ at }) => at < y);
    if (above > 0) own[above - 1]!.push(word);
    else outside.push(word);
  }
  const stretches = own.map((words, at) => ({ words, room: roomOf(words, group[at]!.at, group[at + 1]!.at) }));
  const runs = runsBetween(stretches, (stretch) => stretch.words.some((word) => torn.has(word)));
  return runs.flatMap(([start, end]) => {
    const tables: PageTable[] = [];
    for (let first = start; first < end - 1; ) {
      const last = longestTable(own.slice(0, end), first, text, edges);
      if (last === undefined) {
        first += 1;
        continue;
      }
      const near = [...outside, ...own.slice(0, first).flat(), ...own.slice(last + 1).flat()];
      const whole = near.filter((word) => !torn.has(word));
      const table = cellTexts(text, withNeighbours(own.slice(first, last + 1), whole, text, edges), true);
      take(table, free);
      tables.push(table);
      first = last + 1;
    }
    return tables;
  });
}

/** Words of lines that go on beyond a table; `lines` are the words of lines that stand near each other. */
function tornWords(lines: readonly (readonly Word[][])[], isWithin: (word: Word) => boolean): Set<Word> {
  const isTorn = (segment: readonly Word[]) => segment.some(isWithin) && !segment.every(isWithin);
  return new Set(lines.filter((segments) => segments.some(isTorn)).flat(2));
}

function roomOf(words: readonly Word[], top: number, bottom: number): number {
  const highest = words.reduce((most, word) => Math.max(most, word.top), bottom);
  const lowest = words.reduce((least, word) => Math.min(least, word.bottom), top);
  return top - highest + lowest - bottom;
}

/** Runs of stretches that are of one table, each as its first stretch and the one behind its last. */
function runsBetween(stretches: readonly Stretch[], isTorn: (stretch: Stretch) => boolean): [number, number][] {
  const filled = stretches.filter(({ words }) => words.length > 0);
  const rooms = filled.map(({ room }) => room).sort((a, b) => a - b);
  const heights = filled.flatMap(({ words }) => words.map(({ top, bottom }) => top - bottom)).sort((a, b) => a - b);
  const usual = { room: rooms[(rooms.length - 1) >> 2] ?? 0, height: heights[heights.length >> 1] ?? 0 };
  const runs: [number, number][] = [];
  let first = 0;
  for (const [at, stretch] of stretches.entries()) {
    if (stretch.words.length === 0 || !(isTorn(stretch) || isBetween(stretch, usual))) continue;
    runs.push([first, at]);
    first = at + 1;
  }
  return [...runs, [first, stretches.length]];
}

/** Whether a stretch is what stands between two tables, by the room around it and what it holds. */
function isBetween({ words, room }: Stretch, usual: { room: number; height: number }): boolean {
  const more = (room - usual.room) / usual.height;
  if (more > ROOM_FAR_MORE_MAX) return true;
  return more > ROOM_MORE_MAX && wordLines(words).some((line) => segmentsOf(line, GAP_SHARE).length === 1);
}

/** The last stretch of the longest table that begins with one, or undefined. */
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

/** Whether a stretch has lines of running text: long, and without a gap. */
function isProse(words: readonly Word[]): boolean {
  return (
    wordLines(words).filter((line) => line.words.length >= PROSE_WORDS_MIN && segmentsOf(line, GAP_SHARE).length === 1)
      .length > 1
  );
}

/** A table with the line above its first rule and the one below its last, where they stand in its columns. */
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
    ...(above && above.bottom - top <= above.top - above.bottom ? fitting(above, gaps, -1) : []),
    ...words,
    ...(below && bottom - below.top <= below.top - below.bottom ? fitting(below, gaps, last + 1) : []),
  ];
}

/** The words of a line that has values in most columns, and none across a gap. */
function fitting(line: WordLine, gaps: readonly number[], row: number): PlacedWord[] {
  const isAcross = segmentsOf(line, GAP_SHARE).some((segment) =>
    gaps.some((gap) => segment[0]!.left < gap && segment.at(-1)!.right > gap),
  );
  const placed = placeLine(line, gaps);
  const filled = new Set(placed.map(({ column }) => column)).size;
  return isAcross || filled < 2 || filled * 2 <= gaps.length + 1 ? [] : placed.map((word) => ({ ...word, row }));
}

/** Tables that only their words show. */
export function wordTables(glyphs: Glyphs, free: Uint8Array): PageTable[] {
  const words = wordsOf(glyphs, (index) => (free[index] === 0 ? -1 : 0));
  const lines = wordLines(words);
  if (lines.length > LINES_MAX || isContentsPage(lines, glyphs.text)) return [];
  return runsOf(lines).flatMap((run) => {
    const whole = tableOfLines(glyphs, run);
    // A line with one value may be the title of the next table.
    const tables = whole ? [whole] : partsOf(run).flatMap((part) => tableOfLines(glyphs, part) ?? []);
    for (const table of tables) take(table, free);
    return tables;
  });
}

function tableOfLines(glyphs: Glyphs, lines: readonly WordLine[]): PageTable | undefined {
  const found = alignedRows([lines.flatMap((line) => line.words)], glyphs.text, 'words');
  return found && cellTexts(glyphs.text, found.words, true);
}

/** The parts of a run between lines with one value; none where there is no such line. */
function partsOf(run: readonly WordLine[]): WordLine[][] {
  const parts: WordLine[][] = [[]];
  for (const line of run) {
    if (segmentsOf(line, GAP_SHARE).length > 1) parts.at(-1)!.push(line);
    else parts.push([]);
  }
  return parts.length === 1 ? [] : parts.filter((part) => part.length > 2);
}

/** Runs of lines with several values, near each other. */
function runsOf(lines: readonly WordLine[]): WordLine[][] {
  const runs: WordLine[][] = [];
  let run: WordLine[] = [];
  let singles = 0;
  const close = () => {
    const kept = singles > 0 ? run.slice(0, -singles) : run;
    if (kept.length > 2) runs.push(kept);
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

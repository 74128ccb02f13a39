/**
 * Puts lines in Arabic and Hebrew script into the order in which they are read. pdfium reverses such lines by itself, but it also reverses
 * the letters of a ligature, the words of a Latin phrase and the parts of an address. Pure.
 */

/** The left and right edges of characters by index, NaN for a character without a box. */
export interface Edges {
  left: ArrayLike<number>;
  right: ArrayLike<number>;
}

const RIGHT_TO_LEFT = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}]/u;
const RTL_LETTER = /[[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}]&&\p{L}]/v;
const ARABIC = /\p{sc=Arab}/u;
const LTR_LETTER = /[\p{L}--[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}]]/v;
const DIGIT = /\p{Nd}/u;
const MARK = /\p{M}/u;
/** Marks that join two numbers to one: of time, date, decimals. */
const NUMBER_MARK = /^[.,:/٫٬]$/;
/** Marks that join two numbers, and that belong to a number, in Hebrew. In Arabic they stand apart. */
const HEBREW_NUMBER_MARK = /^[-+]$/;
const HEBREW_NUMBER_SIGN = /^[%$€₪°#]$/;
/** Alef and lam of one ligature in the wrong order. No letter joins to alef on its left. */
const LAM = 'ل';
const BRACKETS: readonly (readonly [open: string, close: string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['«', '»'],
];

/** Returns whether lines of a text need `readingOrder`. */
export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** A character with the marks behind it, or the letters of a ligature. */
interface Cluster {
  units: number[];
  left: number;
  right: number;
}

/** Longer lines keep their order, because the work grows with the square of the length. No page has such lines. */
const LINE_UNITS_MAX = 20_000;
/** Minimum gap between two columns, in mean widths of the letters of the line. */
const COLUMN_GAP_WIDTHS = 3;

/**
 * Returns the indices of the characters of a text in reading order, and the characters in that order. Characters stay in their line. Lines
 * with more words of other scripts keep their order.
 */
export function readingOrder(text: string, edges: Edges): { text: string; order: Int32Array } {
  const order = Int32Array.from({ length: text.length }, (_, unit) => unit);
  const characters = text.split('');
  let start = 0;
  for (const line of text.split('\n')) {
    const first = start + line.length - line.trimStart().length;
    const end = start + line.trimEnd().length;
    const own = count(line, RTL_LETTER);
    if (line.length <= LINE_UNITS_MAX && own > 0 && own >= count(line, LTR_LETTER)) {
      const units = orderOfLine(text, first, end, edges);
      const read = withBrackets(units.map((unit) => text[unit]!));
      for (const [i, unit] of units.entries()) {
        order[first + i] = unit;
        characters[first + i] = read[i]!;
      }
    }
    start += line.length + 1;
  }
  return { text: characters.join(''), order };
}

/** Returns how many words have a letter. */
function count(text: string, letter: RegExp): number {
  return text.split(/\s+/).filter((word) => letter.test(word)).length;
}

function orderOfLine(text: string, first: number, end: number, edges: Edges): number[] {
  const clusters = clustersOf(text, first, end, edges);
  // The letters of a turned line stand above one another.
  if (clusters.at(-1)!.right - clusters[0]!.left < widthOf(clusters) / 2)
    return clusters.flatMap(({ units }) => units).sort((a, b) => a - b);
  const isArabic = ARABIC.test(text.slice(first, end));
  const runs = columnsOf(clusters).flatMap((column) => {
    const isLeftToRight = !column.some(({ units }) => RTL_LETTER.test(text[units[0]!]!));
    return isLeftToRight ? [column] : runsOf(column, text, isArabic);
  });
  return runs.reverse().flatMap((run) => run.flatMap(({ units }) => units));
}

function runsOf(clusters: readonly Cluster[], text: string, isArabic: boolean): Cluster[][] {
  const runs: Cluster[][] = [];
  for (let i = 0; i < clusters.length; ) {
    const last = endOfRun(clusters, i, text, isArabic);
    runs.push(clusters.slice(i, last + 1));
    i = last + 1;
  }
  return runs;
}

/** Returns the width of all characters together. */
function widthOf(clusters: readonly Cluster[]): number {
  return clusters.reduce((sum, { left, right }) => sum + right - left, 0);
}

/** Returns the clusters from the left, in columns between wide gaps. A gap belongs to the column on its left. */
function columnsOf(clusters: readonly Cluster[]): Cluster[][] {
  const wide = (widthOf(clusters) / clusters.length) * COLUMN_GAP_WIDTHS;
  const columns: Cluster[][] = [];
  let edge = Number.NEGATIVE_INFINITY;
  for (const cluster of clusters) {
    if (cluster.left - edge > wide) columns.push([cluster]);
    else columns.at(-1)!.push(cluster);
    edge = Math.max(edge, cluster.right);
  }
  return columns;
}

/**
 * Returns the characters of a line from the left. Letters at one place are a ligature, whose letters pdfium has reversed. A blank that
 * pdfium has invented has no width and the place of another character, so such blanks go into the widest gaps.
 */
function clustersOf(text: string, first: number, end: number, { left, right }: Edges): Cluster[] {
  const clusters: Cluster[] = [];
  const invented: number[] = [];
  for (let unit = first; unit < end; unit += 1) {
    const cluster = clusters.at(-1);
    const isSame = cluster !== undefined && left[unit] === left[unit - 1] && right[unit] === right[unit - 1];
    const isLow = (text.charCodeAt(unit) & 0xfc00) === 0xdc00;
    if (cluster && (isLow || MARK.test(text[unit]!))) {
      cluster.units.push(unit);
    } else if (isSame && RTL_LETTER.test(text[unit]!) && RTL_LETTER.test(text[unit - 1]!)) {
      if (text[cluster.units[0]!] === LAM) cluster.units.push(unit);
      else cluster.units.unshift(unit);
    } else if (right[unit]! > left[unit]!) {
      clusters.push({ units: [unit], left: left[unit]!, right: right[unit]! });
    } else if (text[unit]!.trim() === '') {
      invented.push(unit);
    } else {
      // A character without a box follows the one before it.
      const at = cluster?.left ?? 0;
      clusters.push({ units: [unit], left: at, right: at });
    }
  }
  clusters.sort((a, b) => a.left + a.right - b.left - b.right);
  const gaps = clusters
    .slice(1)
    .map((cluster, i) => ({ at: i + 1, width: cluster.left - clusters[i]!.right }))
    .sort((a, b) => b.width - a.width)
    .slice(0, invented.length);
  for (const { at } of gaps.toSorted((a, b) => b.at - a.at)) {
    const place = clusters[at - 1]!.right;
    clusters.splice(at, 0, { units: [invented.pop()!], left: place, right: place });
  }
  clusters.unshift(...invented.map((unit) => ({ units: [unit], left: 0, right: 0 })));
  return clusters;
}

type Kind = 'letter' | 'digit' | 'other';

/** Returns the last cluster of the run that begins at `first` and is read from the left; `first` itself if it is read from the right. */
function endOfRun(clusters: readonly Cluster[], first: number, text: string, isArabic: boolean): number {
  const kindOf = (i: number): Kind => {
    const character = String.fromCodePoint(text.codePointAt(clusters[i]!.units[0]!)!);
    return LTR_LETTER.test(character) ? 'letter' : DIGIT.test(character) ? 'digit' : 'other';
  };
  const isSign = (i: number): boolean =>
    !isArabic && i < clusters.length && HEBREW_NUMBER_SIGN.test(text[clusters[i]!.units[0]!]!);
  let last = first;
  if (kindOf(first) === 'other' && !(isSign(first) && first + 1 < clusters.length && kindOf(first + 1) === 'digit')) {
    return first;
  }
  let hasLetter = kindOf(first) === 'letter';
  for (let next = first + 1; next < clusters.length; next += 1) {
    const kind = kindOf(next);
    if (kind === 'other') {
      if (RTL_LETTER.test(text[clusters[next]!.units[0]!]!)) break;
      continue;
    }
    const between = clusters.slice(last + 1, next).map(({ units }) => text[units[0]!]!);
    const joins =
      hasLetter ||
      kind === 'letter' ||
      between.length === 0 ||
      (between.length === 1 && (NUMBER_MARK.test(between[0]!) || (!isArabic && HEBREW_NUMBER_MARK.test(between[0]!))));
    if (!joins) break;
    hasLetter ||= kind === 'letter';
    last = next;
  }
  return kindOf(last) === 'digit' && isSign(last + 1) ? last + 1 : last;
}

/** Returns the characters of a line with two brackets of a kind as a pair. Writers and pdfium mirror them differently. */
function withBrackets(characters: string[]): string[] {
  for (const pair of BRACKETS) {
    const places = characters.flatMap((character, i) => (pair.includes(character) ? [i] : []));
    if (places.length === 2) for (const [i, place] of places.entries()) characters[place] = pair[i]!;
  }
  return characters;
}

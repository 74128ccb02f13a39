/** Finds the labels of form fields on a PDF page. Pure. */
import type { Area } from './area.ts';
import { type Glyphs, segmentsOf, type Word, wordLines, wordsOf } from './words.ts';

/** A field of a form; `value` is empty if nobody filled it. */
export interface FormField {
  name: string;
  value: string;
  /** Whether the field is a box to tick. Its label stands behind it. */
  isBox: boolean;
  area: Area;
}

/** The value of a field beside a character of its label; `unit` is -1 without a label. */
export interface PlacedValue {
  name: string;
  value: string;
  unit: number;
  isBefore: boolean;
}

/** Maximum words of a page whose labels are searched. */
const WORDS_MAX = 20_000;
/** Points between a label and its field: on the left, further on the left if nothing is above, beside a box, above or below. */
const NEAR_LEFT_MAX = 20;
const LEFT_MAX = 100;
const BESIDE_BOX_MAX = 25;
const ABOVE_MAX = 24;
const BELOW_MAX = 6;
/** Points by which the left edges of a field and the label above it may differ. */
const EDGES_MAX = 12;
/** Points by which a label may reach into its field. */
const INSIDE = { beside: 3, above: 9 };
/** A label ends at a wider gap, in line heights. */
const LABEL_GAP_SHARE = 0.9;
const OVERLAP_SHARE = 0.4;

/** Returns the values of filled fields, from the end of the text: values of one label come in the reverse order of their fields. */
export function placeFields(fields: readonly FormField[], glyphs: Glyphs): PlacedValue[] {
  const words = wordsOf(glyphs, () => 0);
  const labels = words.length > WORDS_MAX ? [] : wordLines(words).flatMap((line) => segmentsOf(line, LABEL_GAP_SHARE));
  const known = words.length > WORDS_MAX ? [] : words;
  const inRows = fields.toSorted((a, b) => b.area.top - a.area.top || a.area.left - b.area.left);
  const placed: (PlacedValue & { area: Area })[] = [];
  for (const { name, value, isBox, area } of inRows.filter((field) => field.value !== '')) {
    const isFree = (left: number, right: number) =>
      !fields.some((other) => other.area !== area && isBeside(other.area, area) && isWithin(other.area, left, right));
    const before = placed
      .filter((other) => isBeside(other.area, area) && other.area.right <= area.left + 1)
      .reduce<(typeof placed)[number] | undefined>((a, b) => (a && a.area.right > b.area.right ? a : b), undefined);
    const label = isBox ? labelOfBox(area, known, isFree) : labelOfField(area, known, labels, isFree, before);
    const { unit, isBefore } = label ?? { unit: -1, isBefore: false };
    placed.push({ name, value, area, unit, isBefore });
  }
  return placed.reverse().toSorted((a, b) => b.unit - a.unit);
}

type Label = Pick<PlacedValue, 'unit' | 'isBefore'>;
/** Tells whether no other field stands between two edges. */
type IsFree = (left: number, right: number) => boolean;

function labelOfBox(area: Area, words: readonly Word[], isFree: IsFree): Label | undefined {
  const right = nearest(words, (word) => gapBeside(area, word, word.left - area.right, BESIDE_BOX_MAX));
  const left = nearest(words, (word) => gapBeside(area, word, area.left - word.right, BESIDE_BOX_MAX));
  const isRight = right !== undefined && isFree(area.right, right.word.left) && !(left && left.gap * 2 < right.gap);
  if (isRight) return { unit: right.word.start, isBefore: true };
  return left && isFree(left.word.right, area.left) ? { unit: left.word.end, isBefore: false } : undefined;
}

function labelOfField(
  area: Area,
  words: readonly Word[],
  labels: readonly (readonly Word[])[],
  isFree: IsFree,
  before: Label | undefined,
): Label | undefined {
  const found = nearest(words, (word) => gapBeside(area, word, area.left - word.right, LEFT_MAX));
  const left = found && isFree(found.word.right, area.left) ? found : undefined;
  const above = nearestLabel(area, labels, ABOVE_MAX, (word) => word.bottom - area.top);
  if (left && (left.gap <= NEAR_LEFT_MAX || !above?.isAligned)) return { unit: left.word.end, isBefore: false };
  const label =
    (above?.isAligned ? above : (before ?? above)) ??
    nearestLabel(area, labels, BELOW_MAX, (word) => area.bottom - word.top);
  return label && { unit: label.unit, isBefore: false };
}

/** Returns the last character of the label that is nearest above or below a field, and whether both begin at one edge. */
function nearestLabel(
  area: Area,
  labels: readonly (readonly Word[])[],
  max: number,
  distance: (word: Word) => number,
): { unit: number; isAligned: boolean } | undefined {
  let best: { rank: number; label: readonly Word[] } | undefined;
  for (const label of labels) {
    const [first, last] = [label[0]!, label.at(-1)!];
    const gap = distance(first);
    if (gap < -INSIDE.above || gap > max || first.left > area.right || last.right < area.left) continue;
    const rank = Math.max(0, gap) + Math.abs(first.left - area.left) / 10;
    if (!best || rank < best.rank) best = { rank, label };
  }
  if (!best) return undefined;
  const isAligned = Math.abs(best.label[0]!.left - area.left) <= EDGES_MAX;
  return { unit: Math.max(...best.label.map(({ end }) => end)), isAligned };
}

function nearest(words: readonly Word[], gapOf: (word: Word) => number): { word: Word; gap: number } | undefined {
  let best: { word: Word; gap: number } | undefined;
  for (const word of words) {
    const gap = gapOf(word);
    if (gap < (best?.gap ?? Number.POSITIVE_INFINITY)) best = { word, gap };
  }
  return best;
}

/** Returns the gap between a field and a word in its row; infinite if the word is not there. */
function gapBeside(area: Area, word: Word, gap: number, max: number): number {
  return gap >= -INSIDE.beside && gap <= max && isBeside(area, word) ? Math.max(0, gap) : Number.POSITIVE_INFINITY;
}

function isBeside(a: Area, b: Area): boolean {
  const shared = Math.min(a.top, b.top) - Math.max(a.bottom, b.bottom);
  return shared >= OVERLAP_SHARE * Math.min(a.top - a.bottom, b.top - b.bottom);
}

function isWithin({ left, right }: Area, from: number, to: number): boolean {
  return (left + right) / 2 > from && (left + right) / 2 < to;
}

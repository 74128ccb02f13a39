/**
 * Readings of the text of a page, in which redaction rules look for what must be covered. The page breaks lines, and a rule may not
 * recognise a name that is broken. Pure.
 */
import type { TextRange } from '../../files/page-task.ts';
import { openOffsets } from '../../util/code-points.ts';

/** Text before and behind the page that a match may begin or end in, in UTF-16 units. */
const NEIGHBOUR_UNITS = 4_000;

/** A text with the unit of the page that each of its units comes from; -1 for units of another page. */
export interface Reading {
  text: string;
  from: number[];
  /** The last unit of the page that each unit stands for, where it stands for several. */
  until?: number[];
}

/** pdfium writes these marks for a hyphen at the end of a line. */
const HYPHENS = new Set(['-', '\u00ad', '\u2010', '\u0002', '\ufffe']);

/** How a reading writes the end of a line. */
type LineEnd = 'kept' | 'blank' | 'nothing' | 'joined';

/** Letters that stand twice: a page that fills a letter and draws its outline has it twice in its text. */
const DOUBLED = /(?:([^\s])\1){3}/u;
/** Groups of digits in a line with Arabic letters, which an eye reads from the right to the left, but a page may have from the left. */
const ARABIC = /\p{Script=Arabic}/u;
const NUMBER_GROUPS = /(?<!\p{Nd})\p{Nd}+(?:[-+ \u2010-\u2013]\p{Nd}+)+/gu;

/** Returns the readings of a page between its neighbours. The same text is there once. */
export function readingsOf(before: string, page: string, after: string): Reading[] {
  const head = before.slice(-NEIGHBOUR_UNITS);
  const tail = after.slice(0, NEIGHBOUR_UNITS);
  const whole = `${head}\n${page}\n${tail}`;
  const first = head.length + 1;
  const readings: Reading[] = [];
  const add = (reading: Reading): void => {
    if (!readings.some(({ text }) => text === reading.text)) readings.push(reading);
  };
  for (const lineEnd of ['kept', 'blank', 'nothing', 'joined'] as const) {
    const reading = read(whole, lineEnd, (unit) => {
      const at = unit - first;
      return at >= 0 && at < page.length ? at : -1;
    });
    add(reading);
    if (DOUBLED.test(reading.text)) add(withoutDoubles(reading));
    if (ARABIC.test(reading.text)) add(withTurnedGroups(reading));
  }
  return readings;
}

/** Returns a reading in which each letter that stands twice is there once. A unit stands for both. */
function withoutDoubles({ text, from }: Reading): Reading {
  let single = '';
  const places: number[] = [];
  const until: number[] = [];
  for (let unit = 0; unit < text.length; unit += 1) {
    single += text[unit]!;
    places.push(from[unit]!);
    if (text[unit] === text[unit + 1]) unit += 1;
    until.push(from[unit]!);
  }
  return { text: single, from: places, until };
}

/** Returns a reading in which the groups of digits of each number stand in the other order. */
function withTurnedGroups({ text, from }: Reading): Reading {
  let turned = text;
  const places = [...from];
  for (const { 0: number, index } of text.matchAll(NUMBER_GROUPS)) {
    const parts = number.split(/([^\p{Nd}])/u);
    let at = index + number.length;
    let to = index;
    for (const part of parts.toReversed()) {
      at -= part.length;
      for (let unit = 0; unit < part.length; unit += 1) places[to + unit] = from[at + unit]!;
      to += part.length;
    }
    turned = turned.slice(0, index) + parts.toReversed().join('') + turned.slice(index + number.length);
  }
  return { text: turned, from: places };
}

function read(whole: string, lineEnd: LineEnd, placeOf: (unit: number) => number): Reading {
  let text = '';
  const from: number[] = [];
  const add = (character: string, unit: number): void => {
    text += character;
    from.push(placeOf(unit));
  };
  for (let unit = 0; unit < whole.length; unit += 1) {
    const character = whole[unit]!;
    if (character !== '\r' && character !== '\n') {
      const isBlank = /\s/.test(character);
      if (isBlank && lineEnd !== 'kept' && /\s$/.test(text)) continue;
      add(character, unit);
      continue;
    }
    if (character === '\r' && whole[unit + 1] === '\n') continue;
    if (lineEnd === 'kept') add('\n', unit);
    else if (lineEnd === 'joined' && HYPHENS.has(text.at(-1) ?? '')) {
      text = text.slice(0, -1);
      from.pop();
    } else if (lineEnd !== 'nothing' && !/\s$/.test(text)) add(' ', unit);
  }
  return { text, from };
}

/** Returns the range of the page that a match in a reading covers. Offsets are code points. Undefined if it is on other pages only. */
export function toPage({ text, from, until }: Reading, match: { start: number; end: number }): TextRange | undefined {
  const { unitsAt } = openOffsets(text);
  const [start, end] = [unitsAt(match.start), unitsAt(match.end)];
  const places = [...from.slice(start, end), ...(until?.slice(start, end) ?? [])].filter((place) => place >= 0);
  if (places.length === 0) return undefined;
  return { start: Math.min(...places), end: Math.max(...places) + 1 };
}

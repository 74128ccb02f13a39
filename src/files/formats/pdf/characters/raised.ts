/**
 * Marks raised letters and digits (files/formats/raised-text.ts). pdfium often ends the line before and after small raised or lowered
 * characters; these line ends are removed. Pure.
 */
import { CARRIER_UNITS, raisedText } from '../../raised-text.ts';

/** The place of a character: its font size, base line, and edges from the left; NaN if unknown. */
export interface Place {
  size: number;
  base: number;
  left: number;
  right: number;
}

export interface Places {
  /** Returns the text object of a character. Characters of one object have one size and one base line. */
  objectOf(unit: number): number;
  placeOf(unit: number): Place;
  /** Tells whether pdfium added a character. */
  isAdded(unit: number): boolean;
}

/** Maximum size of a raised or lowered character as a share of the size before it. */
const SIZE_SHARE_MAX = 0.87;
/** Distances from the base line, and to the character before, as shares of its size. The raised A of the name LaTeX overlaps the L. */
const LIFT = { min: 0.12, max: 0.8 };
const DROP = { min: 0.08, max: 0.5 };
const GAP = { min: -0.15, max: 0.3 };
/** Characters on one base line differ by less. */
const LEVEL_SHARE_MAX = 0.06;
/** A wider gap behind a raised character separates words. */
const BLANK_SHARE_MIN = 0.15;

/** What can carry a raised character. */
const CARRIER = /[\p{L}\p{M}\p{N}\p{Pe}\p{Pf}.,;:!?…%°"'’*∗|′]/u;
interface Script {
  carrier: Place;
  carrierUnit: number;
  start: number;
  isRaised: boolean;
}

/** Returns the characters of a text with marks at raised ones; undefined if there are none. Time is linear in the text. */
export function withRaisedMarks(text: string, places: Places): string[] | undefined {
  const characters = text.split('');
  let isChanged = false;
  let script: Script | undefined;
  let [before, object] = [-1, 0];
  for (let unit = 0; unit < text.length; unit += 1) {
    if (isBlank(text, unit)) continue;
    const own = places.objectOf(unit);
    if (own !== object && before >= 0 && own !== 0) step(unit);
    object = own;
    before = unit;
  }
  if (script) close(script, before);
  return isChanged ? characters : undefined;

  /** Looks at a character that begins a text object. */
  function step(unit: number): void {
    const isApart = hasOwnBlank(before + 1, unit);
    if (!script && (isApart || !CARRIER.test(text[before]!))) return;
    const [last, here] = [places.placeOf(before), places.placeOf(unit)];
    const gap = here.left - last.right;
    const { carrier, carrierUnit } = script ?? { carrier: last, carrierUnit: before };
    const isRaised = isApart ? undefined : scriptOf(carrier, here, gap);
    const isLevel = Math.abs(here.base - carrier.base) < LEVEL_SHARE_MAX * carrier.size;
    const goesOn = isRaised !== undefined || (script && isLevel && gap > GAP.min * carrier.size && !isApart);
    if (goesOn && text.slice(before + 1, unit).includes('\n'))
      replaceBlanks(before + 1, unit, gap < BLANK_SHARE_MIN * carrier.size ? '' : ' ');
    if (script && isRaised === script.isRaised) return;
    if (script) close(script, before, unit);
    script = isRaised === undefined ? undefined : { carrier, carrierUnit, start: unit, isRaised };
  }

  /** Marks raised characters up to `end`. `next` is the character behind them. */
  function close({ carrier, carrierUnit, start, isRaised }: Script, end: number, next?: number): void {
    if (!isRaised) return;
    const before = text.slice(Math.max(0, carrierUnit + 1 - CARRIER_UNITS), carrierUnit + 1);
    const raised = characters.slice(start, end + 1).join('');
    const lowered = smallBehind(carrier, next);
    const after = characters.slice(end + 1, end + 1 + (lowered === '' ? CARRIER_UNITS : 1)).join('');
    const marked = raisedText(before, raised, after, lowered);
    if (marked === undefined) return;
    replaceBlanks(carrierUnit + 1, end + 1, '');
    characters[start] = marked;
    isChanged = true;
  }

  /** Returns the small character behind the next one; empty if that character is not small. */
  function smallBehind(carrier: Place, next: number | undefined): string {
    if (next === undefined || next + 1 >= text.length || isBlank(text, next + 1)) return '';
    return places.placeOf(next + 1).size <= SIZE_SHARE_MAX * carrier.size ? text[next + 1]! : '';
  }

  function hasOwnBlank(from: number, to: number): boolean {
    for (let unit = from; unit < to; unit += 1) if (!places.isAdded(unit)) return true;
    return false;
  }

  function replaceBlanks(from: number, to: number, by: string): void {
    for (let unit = from; unit < to; unit += 1) characters[unit] = unit === from ? by : '';
    isChanged ||= from < to;
  }
}

/** Returns whether a character is raised (true) or lowered (false) behind a carrier; undefined if it is neither. */
function scriptOf(carrier: Place, { size, base }: Place, gap: number): boolean | undefined {
  if (!(size <= carrier.size * SIZE_SHARE_MAX && gap >= GAP.min * carrier.size && gap <= GAP.max * carrier.size))
    return undefined;
  const lift = (base - carrier.base) / carrier.size;
  if (lift >= LIFT.min && lift <= LIFT.max) return true;
  return -lift >= DROP.min && -lift <= DROP.max ? false : undefined;
}

function isBlank(text: string, unit: number): boolean {
  return text.charCodeAt(unit) <= 0x20;
}

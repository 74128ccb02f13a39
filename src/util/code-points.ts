/**
 * Returns the length of a text in code points, which is the unit of all lengths of the interface. A surrogate without its partner
 * counts as one code point.
 */
export function codePointLength(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) pairs += 1;
  }
  return text.length - pairs;
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

export function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** Returns the first units of a text, without half a surrogate pair at the end; none for a negative number. */
export function truncated(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text : text.slice(0, Math.max(0, unitsMax)).replace(/[\ud800-\udbff]$/, '');
}

/** Returns the text; a text of more code points is cut and ends with an ellipsis. */
export function shortened(text: string, codePointsMax: number): string {
  const points = [...text];
  return points.length <= codePointsMax ? text : `${points.slice(0, codePointsMax - 1).join('')}…`;
}

/** Returns the text in one line: blanks and line breaks become one blank. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns functions that convert UTF-16 offsets of a text to code points and back. An offset near the last one costs little. */
export function openOffsets(text: string) {
  let units = 0;
  let points = 0;
  const widthAt = (at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  return {
    pointsAt(target: number): number {
      for (; units > target; points -= 1) units -= widthAt(units - 2);
      for (; units < target; points += 1) units += widthAt(units);
      return points;
    },
    unitsAt(target: number): number {
      for (; points > target; points -= 1) units -= widthAt(units - 2);
      for (; points < target && units < text.length; points += 1) units += widthAt(units);
      return units;
    },
  };
}
export type Offsets = ReturnType<typeof openOffsets>;

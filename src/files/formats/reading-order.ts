/** Sorts the shapes of a slide into the order in which people read them. */

/** A place measured from the upper left corner, in any unit. */
export interface Place {
  top: number;
  left: number;
  height: number;
}

/** Returns the shapes from top to bottom, and from left to right within a row. A shape without a place stays after its neighbour. */
export function readingOrder<T>(shapes: readonly T[], placeOf: (shape: T) => Place | undefined): T[] {
  const placed: { place: Place; shapes: T[] }[] = [];
  const first: T[] = [];
  for (const shape of shapes) {
    const place = placeOf(shape);
    if (place) placed.push({ place, shapes: [shape] });
    else (placed.at(-1)?.shapes ?? first).push(shape);
  }
  placed.sort((a, b) => a.place.top - b.place.top);
  const rows: (typeof placed)[] = [];
  for (const item of placed) {
    const row = rows.at(-1);
    if (row && isBeside(row[0]!.place, item.place)) row.push(item);
    else rows.push([item]);
  }
  for (const row of rows) row.sort((a, b) => a.place.left - b.place.left);
  return [...first, ...rows.flat().flatMap((item) => item.shapes)];
}

/** True if `b`, which begins lower, overlaps the upper half of `a`. */
function isBeside(a: Place, b: Place): boolean {
  return b.top < a.top + Math.min(a.height, Math.max(b.height, 1)) / 2;
}

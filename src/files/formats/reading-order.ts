/** The order in which people read what stands on a slide. */

/** In any unit, from the upper left corner. */
export interface Place {
  top: number;
  left: number;
  height: number;
}

/** From top to bottom; what stands beside each other from left to right; what has no place stays behind its neighbour. */
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

/** `b`, which begins lower, overlaps the upper half of `a`. */
function isBeside(a: Place, b: Place): boolean {
  return b.top < a.top + Math.min(a.height, Math.max(b.height, 1)) / 2;
}

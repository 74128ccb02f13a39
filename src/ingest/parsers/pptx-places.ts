/** Where the shapes of a slide stand, and the order in which people read them. */
import { attribute, childAt, findElements, type XmlElement } from './xml-tree.ts';

interface Place {
  top: number;
  left: number;
  height: number;
}

/** The place that a layout gives a placeholder. */
export type PlaceOf = (shape: XmlElement) => Place | undefined;

/** Places of placeholders in a layout and its master; the first that has one counts. */
export function placesOf(sources: readonly XmlElement[]): PlaceOf {
  const places = new Map<string, Place>();
  for (const source of sources) {
    for (const shape of findElements(source, 'sp')) {
      const place = ownPlace(shape);
      for (const key of placeholderKeys(shape)) if (place && !places.has(key)) places.set(key, place);
    }
  }
  return (shape) => {
    for (const key of placeholderKeys(shape)) {
      const place = places.get(key);
      if (place) return place;
    }
    return undefined;
  };
}

/** From top to bottom; what stands beside each other from left to right; what has no place stays behind its neighbour. */
export function readingOrder(shapes: readonly XmlElement[], layout: PlaceOf): XmlElement[] {
  const placed: { place: Place; shapes: XmlElement[] }[] = [];
  const first: XmlElement[] = [];
  for (const shape of shapes) {
    const place = ownPlace(shape) ?? layout(shape);
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

function ownPlace(shape: XmlElement): Place | undefined {
  const transform = childAt(shape, 'spPr', 'xfrm') ?? childAt(shape, 'xfrm');
  const offset = childAt(transform, 'off');
  const extent = childAt(transform, 'ext');
  if (!offset) return undefined;
  return {
    top: Number(attribute(offset, 'y')) || 0,
    left: Number(attribute(offset, 'x')) || 0,
    height: extent ? Number(attribute(extent, 'cy')) || 0 : 0,
  };
}

/** A placeholder is found by its index, else by its type. */
function placeholderKeys(shape: XmlElement): string[] {
  const holder = findElements(shape, 'ph')[0];
  if (!holder) return [];
  const index = attribute(holder, 'idx');
  const type = attribute(holder, 'type') || 'body';
  return [...(index === '' ? [] : [`index ${index}`]), `type ${type === 'ctrTitle' ? 'title' : type}`];
}

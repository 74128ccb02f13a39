/** Finds the places of the shapes of a slide. */
import type { Place } from '../../reading-order.ts';
import { attribute, childAt, findElements, type XmlElement } from '../../xml/tree.ts';

/** Returns the place of a shape: its own, or that of its placeholder in the layout. */
export type PlaceOf = (shape: XmlElement) => Place | undefined;

/** Returns a function for the places of shapes. `sources` are the layout and its master; the first place found counts. */
export function placesOf(sources: readonly XmlElement[]): PlaceOf {
  const places = new Map<string, Place>();
  for (const source of sources) {
    for (const shape of findElements(source, 'sp')) {
      const place = ownPlace(shape);
      for (const key of placeholderKeys(shape)) if (place && !places.has(key)) places.set(key, place);
    }
  }
  return (shape) => {
    const own = ownPlace(shape);
    if (own || shape.name === 'grpSp') return own;
    for (const key of placeholderKeys(shape)) {
      const place = places.get(key);
      if (place) return place;
    }
    return undefined;
  };
}

function ownPlace(shape: XmlElement): Place | undefined {
  const transform = childAt(shape, 'spPr', 'xfrm') ?? childAt(shape, 'grpSpPr', 'xfrm') ?? childAt(shape, 'xfrm');
  const offset = childAt(transform, 'off');
  const extent = childAt(transform, 'ext');
  if (!offset) return undefined;
  return {
    top: Number(attribute(offset, 'y')) || 0,
    left: Number(attribute(offset, 'x')) || 0,
    height: extent ? Number(attribute(extent, 'cy')) || 0 : 0,
  };
}

/** Returns the keys under which a placeholder is found: its index, then its type. */
function placeholderKeys(shape: XmlElement): string[] {
  const holder = findElements(shape, 'ph')[0];
  if (!holder) return [];
  const index = attribute(holder, 'idx');
  const type = attribute(holder, 'type') || 'body';
  return [...(index === '' ? [] : [`index ${index}`]), `type ${type === 'ctrTitle' ? 'title' : type}`];
}

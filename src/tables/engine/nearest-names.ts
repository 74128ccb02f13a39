/** Suggests names that a caller may have meant. */
import { editDistance } from '../../util/edit-distance.ts';

const NEAREST_MAX = 3;
const NAME_UNITS_COMPARED = 64;

/** Returns a sentence with the three nearest names, with a blank before it; empty if there are no names. */
export function nearestNames(name: string, names: readonly string[]): string {
  const nearest = [...new Set(names)]
    .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || (a.one < b.one ? -1 : 1))
    .slice(0, NEAREST_MAX)
    .map(({ one }) => one);
  return nearest.length === 0 ? '' : ` The nearest names are: ${nearest.join(', ')}.`;
}

/** Returns the edit distance of two texts, and less for a text that contains the other. */
function distanceOf(a: string, b: string): number {
  const [left, right] = [a.slice(0, NAME_UNITS_COMPARED), b.slice(0, NAME_UNITS_COMPARED)];
  const distance = editDistance(left, right);
  const isPart = left !== '' && right !== '' && (left.includes(right) || right.includes(left));
  return isPart ? distance / 4 : distance;
}

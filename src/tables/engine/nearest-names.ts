/** Suggests names that a caller may have meant. */

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
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const changed = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  const isPart = left !== '' && right !== '' && (left.includes(right) || right.includes(left));
  return isPart ? row.at(-1)! / 4 : row.at(-1)!;
}

/** Finds the name that somebody meant who mistyped it. */

/** Maximum number of differing characters of a typing error. */
const DISTANCE_MAX = 6;
/** Maximum length of names to compare. The time of a comparison grows with the product of both lengths. */
const NAME_LENGTH_MAX = 80;

/** Returns the nearest name, of equally near ones the first; undefined if none is near. */
export function nearestOf(text: string, names: Iterable<string>): string | undefined {
  if (text.length > NAME_LENGTH_MAX) return undefined;
  let nearest: string | undefined;
  let least = Math.min(DISTANCE_MAX, Math.floor(text.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(text, name);
    if (distance < least) [nearest, least] = [name, distance];
  }
  return nearest;
}

/** Returns the fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`: optimal string alignment. */
export function editDistance(a: string, b: string): number {
  let [above, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(replaced, row![j]! + 1, next[j - 1]! + 1, isSwap ? above![j - 2]! + 1 : replaced));
    }
    [above, row] = [row, next];
  }
  return row![b.length]!;
}

/** Finds variables of an environment that look like settings of this program but are none. */
import type { Environment } from './settings-reader.ts';

const PREFIX = 'PINAKES_';
/** The prefix of variables that only tests and check scripts read. */
const TEST_PREFIX = `${PREFIX}TEST_`;
/** Maximum number of differing characters of a typing error. */
const DISTANCE_MAX = 6;
/** Maximum length of names to compare. The time of a comparison grows with the product of both lengths. */
const NAME_LENGTH_MAX = 80;

export interface UnknownSetting {
  name: string;
  /** The known name that the operator probably meant. */
  nearest: string | undefined;
}

/** Returns the unknown settings of an environment, sorted by name. */
export function findUnknown(env: Environment, known: ReadonlySet<string>): UnknownSetting[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX) && !known.has(name))
    .sort()
    .map((name) => ({ name, nearest: nearestOf(name, known) }));
}

function nearestOf(name: string, known: ReadonlySet<string>): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  const unprefixed = name.slice(PREFIX.length);
  const distanceMax = Math.min(DISTANCE_MAX, Math.floor(unprefixed.length / 2));
  let nearest: string | undefined;
  let least = distanceMax + 1;
  for (const candidate of known) {
    if (!candidate.startsWith(PREFIX)) continue;
    const distance = editDistance(unprefixed, candidate.slice(PREFIX.length));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** Returns the fewest insertions, deletions and replacements that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

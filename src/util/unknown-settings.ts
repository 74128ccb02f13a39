/** Names in an environment that look like settings of this program and are none. Pure. */
import type { Environment } from './settings-reader.ts';

const PREFIX = 'PINAKES_';
/** For the test suite and the check scripts only. */
const TEST_PREFIX = `${PREFIX}TEST_`;
/** More differing characters than this make another name, not a typing error. */
const DISTANCE_MAX = 6;
/** Longer names are not compared: the comparison takes the product of both lengths. */
const NAME_LENGTH_MAX = 80;

export interface UnknownSetting {
  name: string;
  /** The known name that was probably meant. */
  nearest: string | undefined;
}

export function findUnknown(env: Environment, known: ReadonlySet<string>): UnknownSetting[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX) && !known.has(name))
    .sort()
    .map((name) => ({ name, nearest: nearestOf(name, known) }));
}

function nearestOf(name: string, known: ReadonlySet<string>): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  const own = name.slice(PREFIX.length);
  const most = Math.min(DISTANCE_MAX, Math.floor(own.length / 2));
  let nearest: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    if (!candidate.startsWith(PREFIX)) continue;
    const distance = editDistance(own, candidate.slice(PREFIX.length));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** Insertions, deletions and replacements that turn `a` into `b`. */
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

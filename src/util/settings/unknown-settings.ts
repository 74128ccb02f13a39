/** Finds variables of an environment that look like settings of this program but are none. */
import { nearestOf } from '../edit-distance.ts';
import type { Environment } from './settings-reader.ts';

const PREFIX = 'PINAKES_';
/** The prefix of variables that only tests and check scripts read. */
const TEST_PREFIX = `${PREFIX}TEST_`;

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
    .map((name) => ({ name, nearest: nearestSetting(name, known) }));
}

function nearestSetting(name: string, known: ReadonlySet<string>): string | undefined {
  const names = [...known].filter((one) => one.startsWith(PREFIX)).map((one) => one.slice(PREFIX.length));
  const nearest = nearestOf(name.slice(PREFIX.length), names);
  return nearest === undefined ? undefined : PREFIX + nearest;
}

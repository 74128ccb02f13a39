/** Names under which connections know statements of which the plan does not depend on their values (sql.ts: keepPlan). */

/** In the memory of each connection; the others are planned each time. */
const KEPT_MAX = 100;

export interface ServerPlans {
  /** Undefined: there are too many. */
  nameOf(text: string): string | undefined;
  /** What the connection knows: whoever sends a name for the first time, and has its answer, adds it. */
  knownTo(connection: object): Set<string>;
}

export function openServerPlans(): ServerPlans {
  const names = new Map<string, string>();
  const known = new WeakMap<object, Set<string>>();
  return {
    nameOf(text) {
      if (!names.has(text) && names.size < KEPT_MAX) names.set(text, `kept_${names.size + 1}`);
      return names.get(text);
    },
    knownTo(connection) {
      const own = known.get(connection) ?? new Set();
      known.set(connection, own);
      return own;
    },
  };
}

/** Names of prepared statements on the connections of the pool (sql.ts: keepPlan). */

/** Most prepared statements, which take memory of each connection. Further statements are planned each time. */
const KEPT_MAX = 100;

export interface ServerPlans {
  /** Returns the name for a statement; undefined when there are too many names. */
  nameOf(text: string): string | undefined;
  /** Returns the names that the connection has prepared. The caller adds a name after the server has confirmed it. */
  preparedOn(connection: object): Set<string>;
}

export function openServerPlans(): ServerPlans {
  const names = new Map<string, string>();
  const prepared = new WeakMap<object, Set<string>>();
  return {
    nameOf(text) {
      if (!names.has(text) && names.size < KEPT_MAX) names.set(text, `kept_${names.size + 1}`);
      return names.get(text);
    },
    preparedOn(connection) {
      const ofConnection = prepared.get(connection) ?? new Set();
      prepared.set(connection, ofConnection);
      return ofConnection;
    },
  };
}

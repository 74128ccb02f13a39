/** Names for prepared statements whose plan does not depend on their values (sql.ts: keepPlan). */

/** Maximum prepared statements. Each connection keeps them in its memory; further statements are planned each time. */
const PREPARED_MAX = 100;

/** Returns a function that returns the name of a statement; undefined when there are too many. */
export function openStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    if (!names.has(text) && names.size < PREPARED_MAX) names.set(text, `kept_${names.size + 1}`);
    return names.get(text);
  };
}

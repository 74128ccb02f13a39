/** The names that columns have in rows: SQL writes `source_group_id`, the program reads `sourceGroupId`. */

/** The same as `camelCase`, of types. */
export type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** Returns `column` in camelCase. A name without an underscore between two parts stays as it is. */
export function camelCase(column: string): string {
  return column.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const cached = new Map<string, readonly string[]>();
const CACHED_LISTS_MAX = 500;

/** Returns the names in camelCase, in the same order. The answer for each list of columns is cached. */
export function camelCaseAll(columns: readonly string[]): readonly string[] {
  const key = columns.join();
  let names = cached.get(key);
  if (!names) {
    if (cached.size >= CACHED_LISTS_MAX) cached.clear();
    names = columns.map(camelCase);
    cached.set(key, names);
  }
  return names;
}

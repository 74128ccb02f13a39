/** Returns the value of a name from outside in a table. Inherited names such as `constructor` have no value. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

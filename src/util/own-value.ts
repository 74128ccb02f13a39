/** What a table says of a name that somebody else wrote: `constructor` and the like are no names of the table. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

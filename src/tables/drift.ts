/** Compares the columns of two versions of a table. Pure. */
import type { TableColumn } from './table.ts';

export interface SchemaChange {
  added: string[];
  removed: string[];
  retyped: string[];
}

/** Returns the names in SQL of the columns that differ, or undefined if the columns have the same names and types. */
export function schemaChange(before: readonly TableColumn[], after: readonly TableColumn[]): SchemaChange | undefined {
  const old = new Map(before.map((column) => [column.sqlName, column.type]));
  const now = new Map(after.map((column) => [column.sqlName, column.type]));
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const retyped = [...now].flatMap(([name, type]) => (old.has(name) && old.get(name) !== type ? [name] : []));
  return added.length + removed.length + retyped.length === 0 ? undefined : { added, removed, retyped };
}

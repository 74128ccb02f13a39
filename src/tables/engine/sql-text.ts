/** Names and texts in SQL of DuckDB. */

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

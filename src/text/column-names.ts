/** The name of a column below several rows of headers is the path of its header cells, such as `Person / SSN`. Pure. */

const SEPARATOR = ' / ';

/** Returns the names of the columns. Cells need not be trimmed. A cell that spans several rows counts once. */
export function columnPaths(rows: readonly (readonly string[])[]): string[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: width }, (_, column) => {
    let path = '';
    for (const row of rows) {
      const name = row[column]?.trim() ?? '';
      if (name !== '' && !endsWithName(path, name)) path += path === '' ? name : SEPARATOR + name;
    }
    return path;
  });
}

/** Returns whether a path is this name, or ends with it. */
export function endsWithName(path: string, name: string): boolean {
  return path === name || path.endsWith(SEPARATOR + name);
}

export function pathParts(path: string): string[] {
  return path.split(SEPARATOR);
}

export function pathOf(parts: readonly string[]): string {
  return parts.join(SEPARATOR);
}

/** Returns whether a row has an empty cell, or a cell like its neighbour: names of the columns may stand in the next row. */
export function hasGaps(row: readonly string[]): boolean {
  return row.some((cell, column) => cell.trim() === '' || cell.trim() === row[column + 1]?.trim());
}

/** Returns the first row with each name also in the empty cells beside it that have a name below them. */
export function withoutGaps(first: readonly string[], second: readonly string[]): string[] {
  let above = '';
  return Array.from({ length: Math.max(first.length, second.length) }, (_, column) => {
    const name = first[column]?.trim() ?? '';
    const isNamedBelow = (second[column]?.trim() ?? '') !== '';
    if (name !== '' || !isNamedBelow) above = isNamedBelow ? name : '';
    return above || name;
  });
}

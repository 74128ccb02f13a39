/** The names of columns in a sheet. Pure. */

/** Returns the letters of a column, which counts from 0. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

/** Returns the index of a column, from 0. */
export function columnIndex(letters: string): number {
  let index = 0;
  for (let at = 0; at < letters.length; at += 1) index = index * 26 + letters.charCodeAt(at) - 64;
  return index - 1;
}

/** Names the cells and rows of a sheet whose names are missing or have blanks around `=`: the reader of workbooks fails there. Linear. */

const UNNAMED = /<(?:\w{1,40}:)?c(?=[\s/>])(?![^<>]*\sr=["'])[^<>]*>/;
const ROW_OR_CELL = /<((?:\w{1,40}:)?(row|c))(?=[\s/>])([^<>]*)/g;
const NAME = /\sr\s*=\s*(["'])([A-Z]{0,3})(\d{1,7})\1/;
/** Matches the attribute of a name, whatever the name is. */
const NAMED = /\sr\s*=\s*/;

/** True if a cell in this source has no name that the reader of workbooks finds. */
export function hasUnnamedCells(xml: string): boolean {
  return UNNAMED.test(xml);
}

/** Returns the source of a sheet with a name for each cell. A cell without a name stands right of the cell before it. */
export function withCellNames(xml: string): string {
  let row = 0;
  let column = 0;
  return xml.replace(ROW_OR_CELL, (_tag, open: string, kind: string, attributes: string) => {
    const name = NAME.exec(attributes);
    const named = NAMED.test(attributes) ? `<${open}${attributes.replace(NAMED, ' r=')}` : '';
    if (kind === 'row') {
      row = name ? Number(name[3]) : row + 1;
      column = 0;
      return named || `<${open} r="${row}"${attributes}`;
    }
    column = name ? columnIndex(name[2]!) + 1 : column + 1;
    return named || `<${open} r="${columnLetters(column - 1)}${row}"${attributes}`;
  });
}

/** Returns the letters of a column, which counts from 0. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

/** Returns the index of a column, from 0. */
export function columnIndex(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

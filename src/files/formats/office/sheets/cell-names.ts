/** Names the cells and rows of a sheet that have no name, which the reader of workbooks does not accept. Linear. */

const UNNAMED = /<(?:\w{1,40}:)?c(?=[\s/>])(?![^<>]*\sr=")[^<>]*>/;
const ROW_OR_CELL = /<((?:\w{1,40}:)?(row|c))(?=[\s/>])([^<>]*)/g;

/** True if a cell in this source has no name. */
export function hasUnnamedCells(xml: string): boolean {
  return UNNAMED.test(xml);
}

/** Returns the source of a sheet with a name for each cell. A cell without a name stands right of the cell before it. */
export function withCellNames(xml: string): string {
  let row = 0;
  let column = 0;
  return xml.replace(ROW_OR_CELL, (tag, open: string, kind: string, attributes: string) => {
    const name = /\sr="([A-Z]{0,3})(\d{1,7})"/.exec(attributes);
    if (kind === 'row') {
      row = name ? Number(name[2]) : row + 1;
      column = 0;
      return name ? tag : `<${open} r="${row}"${attributes}`;
    }
    column = name ? columnIndex(name[1]!) + 1 : column + 1;
    return name ? tag : `<${open} r="${columnLetters(column - 1)}${row}"${attributes}`;
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

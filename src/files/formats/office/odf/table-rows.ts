/** The rows of tables in OpenDocument files. */
import { HEADER_ROWS_MAX, type HeaderSigns } from '../../../columns/header.ts';
import { attribute, childElements, textOf, type XmlElement } from '../../xml/tree.ts';

/** Maximum number of blanks of one element, and of columns and rows that one cell spans. */
const REPEAT_MAX = 100;

/** Returns the rows of a table, also inside groups and headers. */
export function rowElements(table: XmlElement): XmlElement[] {
  return childElements(table).flatMap((child) => {
    if (child.name === 'table-row') return [child];
    return /^table-(header-rows|rows|row-group)$/.test(child.name) ? rowElements(child) : [];
  });
}

export function repeats(element: XmlElement, name: string): number {
  return Math.min(Math.max(Number(attribute(element, name)) || 1, 1), REPEAT_MAX);
}

/** Returns what a table says of its header. */
export function headerSigns(table: XmlElement): HeaderSigns {
  const isFilled = (row: XmlElement) => textOf(row).trim() !== '';
  const heads = childElements(table, 'table-header-rows').flatMap(rowElements).filter(isFilled);
  const isSpanned = (row: XmlElement) =>
    childElements(row, 'table-cell').some((cell) => repeats(cell, 'table:number-columns-spanned') > 1);
  return { rows: heads.length, spans: rowElements(table).filter(isFilled).slice(0, HEADER_ROWS_MAX).map(isSpanned) };
}

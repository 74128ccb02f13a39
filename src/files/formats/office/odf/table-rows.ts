/** The rows of tables in OpenDocument files. */
import { attribute, childElements, type XmlElement } from '../../xml/tree.ts';

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

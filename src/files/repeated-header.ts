/** The header of a table as the further parts of the table repeat it. */
import { pathOf, pathParts } from '../text/column-names.ts';
import { HEADER_ROWS_MAX } from './columns/header.ts';

/** UTF-16 units of the header of a table with very many columns. The last columns are left out. */
const WIDE_UNITS_MAX = 4000;
/** UTF-16 units of each part of a name in a header that is too long: the first of these numbers that is small enough, or the last. */
const NAME_UNITS = [100, 50, 24] as const;
/** UTF-16 units of each part of a name where columns would be left out otherwise. */
const NARROW_UNITS = 12;

/**
 * Returns a header of about `unitsMax` UTF-16 units. A long header keeps the last words of each name, and of each part of a name that
 * is a path, because rules of redaction read them beside the cells of the column.
 */
export function repeatedHeader(header: string, unitsMax: number): string {
  if (header.length <= unitsMax) return header;
  if (!header.startsWith('|')) return header.slice(0, unitsMax).toWellFormed();
  const names = header
    .replace(/^\|\s*|\s*\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((name) => name.trim());
  const withParts = (units: number): string => `| ${names.map((name) => shortPath(name, units)).join(' | ')} |`;
  let text = '';
  for (const units of NAME_UNITS) {
    text = withParts(units);
    if (text.length <= unitsMax) return text;
  }
  if (text.length > WIDE_UNITS_MAX) text = withParts(NARROW_UNITS);
  return text.length <= WIDE_UNITS_MAX ? text : text.slice(0, text.lastIndexOf(' | ', WIDE_UNITS_MAX - 3) + 2);
}

function shortPath(name: string, units: number): string {
  const parts = pathParts(name).slice(-HEADER_ROWS_MAX);
  return pathOf(parts.map((part) => lastWords(part, units)));
}

/** Returns the last words of a name, or the end of its last word if this word is longer. */
function lastWords(name: string, units: number): string {
  if (name.length <= units) return name;
  const end = name.slice(-units);
  // Half an escaped bar would end the cell.
  return end
    .slice(end.indexOf(' ') + 1)
    .replace(/^\|/, '')
    .toWellFormed();
}

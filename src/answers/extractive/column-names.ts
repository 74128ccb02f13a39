/** Writes the names of columns beside the cells of a row that is quoted: a reader of the answer does not see the head of the table. */
import type { Label } from '../../llm/models.ts';
import type { Place } from './heads.ts';

/** Fewer columns need no names: the first cell names what the second one says. */
const COLUMNS_MIN = 3;
const NAME_UNITS_MAX = 60;
/** UTF-16 units of the names in one row. A row of many short cells would be hidden behind its names. */
const NAMES_UNITS_MAX = 600;
const BAR = /(?<!\\)\|/;
const OUTER_BARS = /^\||(?<!\\)\|$/g;
const RULE = /^[\s|:+=-]+$/;

/** Returns the names of the columns of the row at a place; undefined for the head itself, and for a row of a table without one. */
export function columnNames({ content, context }: { content: string; context: string | null }, start: number) {
  const before = content.slice(0, start);
  const tableStart = before.lastIndexOf('\n\n') + 1;
  const [head = '', rule = '', row] = before.slice(tableStart).trimStart().split('\n', 3);
  const above = tableStart === 0 ? context?.split('\n').find((line) => line.startsWith('| ')) : undefined;
  const line = RULE.test(rule) && row !== undefined ? head : above;
  const names = line?.trim().replace(OUTER_BARS, '').split(BAR).map(plainCell);
  return names && names.length >= COLUMNS_MIN ? names : undefined;
}

/** Returns a row, or a piece of one, as readers see it: without bars at its ends and without empty cells. `labels` are names in it. */
export function shownRow(content: string, { start, end }: Place, names: readonly string[] | undefined) {
  const lineStart = content.lastIndexOf('\n', start - 1) + 1;
  const above = content.slice(lineStart, start);
  const line = content.slice(lineStart, end);
  // Markdown may leave out the bars at both ends. Columns between tabs have no names.
  const first = above.split(BAR).length - (/^\s*\|/.test(line) ? 2 : 1);
  const named = BAR.test(line) ? names : undefined;
  const labels: Label[] = [];
  let units = NAMES_UNITS_MAX;
  let text = '';
  for (const [i, raw] of content.slice(start, end).split(BAR).entries()) {
    const cell = raw.trim();
    if (cell === '') continue;
    if (text !== '') text += ' | ';
    const name = named?.[first + i] ?? '';
    // The piece of a cell that is cut has the name before its first part.
    const isCut = i === 0 && above.trim() !== '' && !/\|\s*$/.test(above);
    if (name !== '' && name !== cell && name.length <= Math.min(NAME_UNITS_MAX, units) && !isCut) {
      units -= name.length;
      labels.push({ start: text.length, end: text.length + name.length + 2 });
      text += `${name}: `;
    }
    text += cell;
  }
  return { text: text || content.slice(start, end), labels };
}

function plainCell(raw: string): string {
  return raw.replaceAll('\\|', '|').trim();
}

/** Reads the cells of a cited row from its text, apart from the code that builds tables, and compares them with values of a result. */

export interface CitedColumn {
  sqlName: string;
  header: string;
  type: string;
}

/** Returns the text of each cell by the name in SQL of its column. */
export function citedCells(text: string, columns: readonly CitedColumn[]): Map<string, string> {
  if (text.startsWith('|')) {
    const cells = text
      .replace(/^\| ?/, '')
      .replace(/ ?\|$/, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.replaceAll('\\|', '|').trim());
    return new Map(columns.map(({ sqlName }, i) => [sqlName, cells[i] ?? '']));
  }
  const members = new Map<string, string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(': ');
    if (at !== -1) members.set(line.slice(0, at), line.slice(at + 2).trim());
  }
  return new Map(columns.map(({ sqlName, header }) => [sqlName, members.get(header) ?? '']));
}

/** Returns the number that a person reads in a cell, or undefined. */
export function numberIn(cell: string): number | undefined {
  const isNegative = /^\(.*\)$/.test(cell) || /^[^\d.]*[-−–]\s?[\d.$€£]/.test(cell);
  const digits = cell.replace(/e([+-]?\d+)$/i, '').replace(/[^\d.]/g, '');
  const exponent = /\d[eE]([+-]?\d+)$/.exec(cell)?.[1] ?? '0';
  if (!/\d/.test(digits)) return undefined;
  return (isNegative ? -1 : 1) * Number(`${digits}e${exponent}`);
}

/** Returns whether the result's value is what the cell says. */
export function cellSays(cell: string, value: unknown, type: string): boolean {
  // Words for "no value", and cells that do not have the type of their column.
  if (value === null) return cell === '' || (type !== 'text' && !says(cell, type));
  switch (type) {
    case 'integer':
    case 'decimal':
    case 'double':
      return numberIn(cell) === Number(value);
    case 'boolean':
      return /^(?:yes|true|y|1|wahr|ja)$/i.test(cell) === value;
    case 'date':
      return dayOf(cell) === value;
    case 'datetime':
      return cell.replaceAll('/', '-').replace('T', ' ').startsWith(String(value).replace('T', ' ').slice(0, 16));
    case 'time':
      return minutesOf(cell) === String(value).slice(0, 5);
    default:
      return cell === String(value).replace(/\s+/g, ' ').trim();
  }
}

function says(cell: string, type: string): boolean {
  return /^(?:integer|decimal|double)$/.test(type) && /^[-−]?\d[\d,]*(?:\.\d+)?$/.test(cell);
}

/** Returns a day as ISO 8601. Days in words only, and days in numbers with the year first. */
function dayOf(cell: string): string | undefined {
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(cell);
  if (iso) return cell;
  const text = cell.replace(/(\d)(?:st|nd|rd|th)/, '$1').replace(/^\p{L}+, /u, '');
  const at = Date.parse(`${text} UTC`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);
}

function minutesOf(cell: string): string {
  const [, hour = '', minute = '', half = ''] = /^(\d{1,2}):(\d\d)(?::\d\d)?(?:\s?([ap]))?/i.exec(cell) ?? [];
  const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(hours).padStart(2, '0')}:${minute}`;
}

/**
 * Makes sheets as people make them: titles, several tables, merged cells, headers of two rows, totals, notes, units, and numbers and dates
 * of several countries. Each cell says what it means, so that a test can check what a table makes of the cell.
 */
import type { XlsxValue } from '../files/make-files.ts';
import type { Random } from '../random.ts';

export interface MessyCell {
  /** The cell as a CSV file has it. */
  text: string;
  /** The cell as a workbook has it. */
  stored: XlsxValue;
  /** The value that a typed column has; undefined if only the text is right. */
  means?: number | string | boolean;
}

export interface Range {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface MessyTable {
  top: number;
  left: number;
  /** Rows of titles above the header, in the first cell or in all. */
  titles: number;
  headers: 1 | 2;
  /** Rows of data below the header. */
  count: number;
  hasTotal: boolean;
  /** Rows of footnotes right below the table. */
  notes: number;
  kinds: string[];
}

export interface MessySheet {
  grid: MessyCell[][];
  merged: Range[];
  tables: MessyTable[];
}

const NONE: MessyCell = { text: '', stored: null };
const said = (text: string): MessyCell => ({ text, stored: text === '' ? null : text });

interface Country {
  group: string;
  mark: '.' | ',';
  dates: readonly ((y: number, m: number, d: number) => string)[];
  currency: (amount: string) => string;
}

const two = (n: number): string => String(n).padStart(2, '0');
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const MONATE = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');
const COUNTRIES: Record<string, Country> = {
  us: {
    group: ',',
    mark: '.',
    dates: [(y, m, d) => `${m}/${d}/${y}`, (y, m, d) => `${MONTHS[m - 1]} ${d}, ${y}`],
    currency: (amount) => `$${amount}`,
  },
  gb: {
    group: ',',
    mark: '.',
    dates: [(y, m, d) => `${two(d)}/${two(m)}/${y}`, (y, m, d) => `${d} ${MONTHS[m - 1]!.slice(0, 3)} ${y}`],
    currency: (amount) => `£${amount}`,
  },
  de: {
    group: '.',
    mark: ',',
    dates: [(y, m, d) => `${two(d)}.${two(m)}.${y}`, (y, m, d) => `${d}. ${MONATE[m - 1]} ${y}`],
    currency: (amount) => `${amount} €`,
  },
  fr: { group: '\u202f', mark: ',', dates: [(y, m, d) => `${two(d)}/${two(m)}/${y}`], currency: (a) => `${a}\u00a0€` },
  ch: { group: '’', mark: '.', dates: [(y, m, d) => `${d}.${m}.${y}`], currency: (amount) => `CHF ${amount}` },
  jp: { group: ',', mark: '.', dates: [(y, m, d) => `${y}年${m}月${d}日`], currency: (amount) => `¥${amount}` },
  iso: { group: '', mark: '.', dates: [(y, m, d) => `${y}-${two(m)}-${two(d)}`], currency: (a) => `EUR ${a}` },
};
const COUNTRY_NAMES = Object.keys(COUNTRIES);

const HEADERS = [
  ...[
    'Region',
    'Amount',
    'Quantity',
    'Ordered on',
    'Share',
    'Name of "item"',
    'Notes | remarks',
    'Preis (EUR)',
    'Größe',
  ],
  ...['Weight (kg)', 'Date', 'Order no.', 'sum', 'SUM', 'Postal code', 'Phone', 'Ist aktiv?', 'élève', '% of total'],
  ...[
    'المنطقة',
    'الكمية',
    'ภูมิภาค',
    'จำนวน',
    '地区',
    '数量',
    '価格',
    'цена',
    'Σύνολο',
    '가격',
    '備考\n(2024)',
    'id',
    'select',
  ],
];
const WORDS = [
  ...[
    'North',
    'south-west',
    'O’Brien',
    'He said "no"',
    'a | b',
    'back\\slash',
    'two\nlines',
    'semi; colon',
    'comma, here',
  ],
  ...[
    'tab\there',
    'Straße',
    'القاهرة',
    'กรุงเทพมหานคร',
    '北京市',
    'naïve café',
    '=SUM(A1)',
    "it's",
    '#1',
    '100 % wool',
    'x',
  ],
  ...[
    'see note 3',
    '\\|',
    'ends with \\',
    '*bold*',
    '<b>tag</b>',
    '&amp;',
    '😀 smile',
    '- dash',
    '12 Monkeys',
    'Chapter 7',
  ],
];

function formatted(value: number, decimals: number, { group, mark }: Country): string {
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  return `${value < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : mark + fraction}`;
}

type Make = (row: number) => MessyCell;
/** Makes the cells of one column. A workbook has numbers as numbers, or as texts in the country's form. */
type Kind = (random: Random, country: Country) => Make;

const numeric =
  (decimals: number, from: number, to: number, shape: (text: string) => string = (text) => text): Kind =>
  (random, country) => {
    const isText = random.next() < 0.4;
    return (row) => {
      // 1.234 alone can be read in two ways, 1.234.567 cannot.
      const isProof = row === 0 && to > 1_000_000;
      const means = isProof ? to - 1 : Number((from + random.next() * (to - from)).toFixed(decimals));
      const text = shape(formatted(means, decimals, country));
      return { text, stored: isText ? text : means, means };
    };
  };

const KINDS: Record<string, Kind> = {
  label: (random) => () => said(random.pick(WORDS)),
  code: (random) => () => said(`${random.word(3).toUpperCase()}-${random.integer(1, 99)}`),
  serial: () => (row) => ({ text: String(row + 1), stored: row + 1, means: row + 1 }),
  integer: numeric(0, -2_000_000, 2_000_000),
  small: numeric(0, 0, 900),
  decimal: numeric(2, -90_000, 90_000),
  currency: (random, country) => {
    const make = numeric(2, 1, 90_000, country.currency)(random, country);
    return (row) => make(row);
  },
  percent: (random, country) => {
    const isText = random.next() < 0.3;
    return () => {
      const means = random.integer(-999, 1999) / 10;
      const text = `${formatted(means, 1, country)}${country.mark === ',' ? ' ' : ''}%`;
      return { text, stored: isText ? text : { percent: means }, means };
    };
  },
  parentheses: (random, country) => (row) => {
    const means = row === 0 ? -1_234_567 : random.integer(-50_000, 50_000);
    const text = formatted(Math.abs(means), 0, country);
    return { text: means < 0 ? `(${text})` : text, stored: means, means };
  },
  unit: (random, country) => () => {
    const means = random.integer(1, 9_999) / 10;
    return { ...said(`${formatted(means, 1, country)} kg`), means };
  },
  zip: (random) => () => said(`0${random.integer(1_000, 9_999)}`),
  phone: (random) => () => said(`+49 30 ${random.integer(100_000, 999_999)}`),
  long: (random) => () => said(`4${random.integer(10 ** 14, 10 ** 15 - 1)}${random.integer(10, 99)}`),
  date: (random, country) => {
    const write = random.pick(country.dates);
    const isText = random.next() < 0.5;
    return () => {
      const [y, m, d] = [random.integer(1950, 2030), random.integer(1, 12), random.integer(1, 28)];
      const means = `${y}-${two(m)}-${two(d)}`;
      return { text: write(y, m, d), stored: isText ? write(y, m, d) : new Date(`${means}T00:00:00Z`), means };
    };
  },
  datetime: (random) => () => {
    const day = `${random.integer(1990, 2030)}-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}`;
    const time = `${two(random.integer(0, 23))}:${two(random.integer(0, 59))}:${two(random.integer(1, 59))}`;
    return { text: `${day} ${time}`, stored: new Date(`${day}T${time}Z`), means: `${day}T${time}` };
  },
  time: (random) => () => {
    const means = `${two(random.integer(0, 23))}:${two(random.integer(0, 59))}`;
    return { ...said(means), means: `${means}:00` };
  },
  boolean: (random) => {
    const isText = random.next() < 0.5;
    return () => {
      const means = random.next() < 0.5;
      return { text: means ? 'yes' : 'no', stored: isText ? (means ? 'yes' : 'no') : means, means };
    };
  },
  sparse: (random, country) => {
    const make = numeric(1, 0, 5_000)(random, country);
    return (row) => (random.next() < 0.3 ? said(random.pick(['', '-', 'n/a', '–', '?'])) : make(row));
  },
  mixed: (random) => () => said(random.next() < 0.5 ? String(random.integer(1, 99)) : random.pick(WORDS)),
};
const KIND_NAMES = Object.keys(KINDS);
/** Kinds whose columns a total may sum up. */
const SUMMED = new Set(['integer', 'small', 'decimal', 'currency']);

/** Returns a sheet with up to `tablesMax` tables. */
export function makeMessySheet(random: Random, tablesMax: number): MessySheet {
  const sheet: MessySheet = { grid: [], merged: [], tables: [] };
  const country = COUNTRIES[random.pick(COUNTRY_NAMES)]!;
  const left = random.next() < 0.3 ? random.integer(1, 3) : 0;
  let top = random.next() < 0.3 ? random.integer(1, 4) : 0;
  const tables = random.integer(1, tablesMax);
  for (let i = 0; i < tables; i += 1) {
    const table = addTable(sheet, random, country, top, left);
    const bottom = sheet.grid.length;
    // The next table stands beside the last one or below.
    if (i + 1 < tables && random.next() < 0.4) {
      addTable(sheet, random, country, top, left + table.kinds.length + random.integer(1, 2));
      i += 1;
    }
    top = Math.max(bottom, sheet.grid.length) + random.integer(1, 3);
    if (random.next() < 0.2) put(sheet, top, left, said(`Source: ${random.word(6)} ${random.word(4)}`));
    top = sheet.grid.length + random.integer(1, 2);
  }
  return sheet;
}

function put({ grid }: MessySheet, row: number, column: number, cell: MessyCell): void {
  while (grid.length <= row) grid.push([]);
  const cells = grid[row]!;
  while (cells.length <= column) cells.push(NONE);
  cells[column] = cell;
}

function addTable(sheet: MessySheet, random: Random, country: Country, top: number, left: number): MessyTable {
  // The first column names the row, so that a title or a note can be told from data.
  const kinds = [random.pick(['label', 'code', 'serial']), 'small'];
  const width = random.integer(2, 7);
  while (kinds.length < width) kinds.push(random.pick(KIND_NAMES));
  const headers = width >= 3 && random.next() < 0.25 ? 2 : 1;
  const titles = random.next() < 0.3 ? 1 : 0;
  const count = random.integer(3, 14);
  const hasTotal = kinds.some((kind) => SUMMED.has(kind)) && kinds[0] !== 'serial' && random.next() < 0.25;
  const notes = random.next() < 0.15 ? 1 : 0;
  const table: MessyTable = { top, left, titles, headers, count, hasTotal, notes, kinds };
  let row = top;
  if (titles > 0) {
    put(sheet, row, left, said(`Table ${random.integer(1, 9)}: ${random.word(5)} of ${random.word(6)}`));
    if (random.next() < 0.5) sheet.merged.push({ top: row, left, bottom: row, right: left + width - 1 });
    row += 1;
  }
  row = addHeader(sheet, random, table, row);
  const columns = kinds.map((kind) => KINDS[kind]!(random, country));
  const sums = kinds.map(() => 0);
  for (let i = 0; i < count; i += 1, row += 1) {
    for (const [c, make] of columns.entries()) {
      const cell = make(i);
      if (typeof cell.means === 'number') sums[c]! += cell.means;
      put(sheet, row, left + c, cell);
    }
  }
  if (kinds[0] === 'label' && random.next() < 0.3) mergeLabels(sheet, random, table, row - count);
  if (hasTotal) {
    const total = random.pick(['Total', 'Gesamt', 'Summe:', '合計']);
    put(sheet, row, left, said(total));
    for (const [c, kind] of kinds.entries()) {
      if (c === 0 || !SUMMED.has(kind)) continue;
      const decimals = kind === 'integer' || kind === 'small' ? 0 : 2;
      const means = Number(sums[c]!.toFixed(decimals));
      const text = formatted(means, decimals, country);
      put(sheet, row, left + c, { text, stored: means, means });
    }
    row += 1;
  }
  for (let i = 0; i < notes; i += 1, row += 1)
    put(sheet, row, left, said(`* ${random.word(7)} figures, ${random.word(4)} data`));
  sheet.tables.push(table);
  return table;
}

/** Writes the header at `row`. Returns the row below. */
function addHeader(sheet: MessySheet, random: Random, { left, kinds, headers }: MessyTable, row: number): number {
  const names = kinds.map(() => random.pick(HEADERS));
  if (headers === 1) {
    for (const [c, name] of names.entries()) put(sheet, row, left + c, said(name));
    return row + 1;
  }
  // A merged cell stands above the last columns; the others are one cell of two rows, or empty above.
  const from = random.integer(1, kinds.length - 2);
  const tall = random.next() < 0.5;
  for (const [c, name] of names.entries()) {
    if (c < from) {
      put(sheet, row, left + c, tall ? said(name) : NONE);
      put(sheet, row + 1, left + c, tall ? NONE : said(name));
      if (tall) sheet.merged.push({ top: row, left: left + c, bottom: row + 1, right: left + c });
    } else {
      put(sheet, row, left + c, c === from ? said(`Group ${random.word(3)}`) : NONE);
      put(sheet, row + 1, left + c, said(name));
    }
  }
  sheet.merged.push({ top: row, left: left + from, bottom: row, right: left + kinds.length - 1 });
  return row + 2;
}

/** Merges neighbours in the first column, as a label for several rows. */
function mergeLabels(sheet: MessySheet, random: Random, { left, count }: MessyTable, first: number): void {
  const from = random.integer(0, count - 2);
  const to = random.integer(from + 1, count - 1);
  for (let i = from + 1; i <= to; i += 1) put(sheet, first + i, left, NONE);
  sheet.merged.push({ top: first + from, left, bottom: first + to, right: left });
}

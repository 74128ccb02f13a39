/** Generates printed tables with known cells in all usual forms, and pages that only look like tables. */
import type { Grid } from './table-score.ts';

export type Rules = 'ruled' | 'horizontal' | 'banded' | 'plain';

export interface Cell {
  text: string;
  columns?: number;
  rows?: number;
}

export interface TableSpec {
  rules: Rules;
  /** Number of header rows. */
  heads: number;
  rows: readonly (readonly Cell[])[];
  /** Font size in points. */
  size?: number;
  rightToLeft?: boolean;
}

export type Part = { prose: string } | { table: TableSpec };

export interface PageSpec {
  name: string;
  /** Why this form is hard. */
  group: string;
  /** Columns of the page's text. */
  columns: 1 | 2;
  landscape?: boolean;
  /** False when the text uses a script for which TeX needs further fonts. */
  latin: boolean;
  parts: readonly Part[];
}

const PROSE = [
  'The figures below were collected by the regional offices and checked against the ledgers of the previous year. Where an office had not closed its books in time, the figure of the month before was used and is marked in the notes.',
  'Readers who compare them with earlier reports should note that the method changed in the second quarter: deliveries are counted on the day of arrival, not on the day of the order. The difference is small for most goods, but it is visible in the winter months.',
  'A summary for each department follows in the next section, together with the questions that the committee asked in its last meeting and the answers that were given to it in writing.',
];

const cells = (text: string): Cell[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => ({ text: cell.trim() })));

const PRODUCTS = cells(`
Product | Colour | Price | In stock
Desk lamp | white | 24.90 | 118
Office chair | dark grey | 189.00 | 7
Bookshelf | oak | 79.50 | 32
Paper tray | black | 6.20 | 1,040
Filing cabinet | light grey | 212.00 | 3
Whiteboard | white | 58.75 | 21`);

const METRICS = cells(`
Year | Revenue | Costs | Result | Margin
2019 | 1,204.5 | 998.1 | 206.4 | 17.1 %
2020 | 1,118.2 | 1,021.7 | 96.5 | 8.6 %
2021 | 1,395.0 | 1,102.3 | 292.7 | 21.0 %
2022 | 1,502.8 | 1,240.0 | 262.8 | 17.5 %
2023 | 1,611.3 | 1,299.9 | 311.4 | 19.3 %`);

const CHINESE = cells(`
产品 | 颜色 | 价格 | 库存
台灯 | 白色 | 24.90 | 118
办公椅 | 深灰色 | 189.00 | 7
书架 | 橡木 | 79.50 | 32
文件柜 | 浅灰色 | 212.00 | 3`);

const ARABIC = cells(`
المنتج | اللون | السعر | المخزون
مصباح | أبيض | 24.90 | 118
كرسي | رمادي | 189.00 | 7
رف كتب | بني | 79.50 | 32`);

const THAI = cells(`
สินค้า | สี | ราคา | จำนวน
โคมไฟ | ขาว | 24.90 | 118
เก้าอี้ | เทาเข้ม | 189.00 | 7
ชั้นหนังสือ | น้ำตาล | 79.50 | 32`);

const WRAPPED = cells(`
Step | What is done | Who does it | Time
Request | The department writes what it needs, why it needs it, and by when, and sends the form to the office that keeps the list. | Head of the department or a deputy | 1 day
Check | The office compares the request with the budget and asks for a second offer if the sum is above the limit of the year. | Office of purchases | up to 5 days
Order | The order is sent with the number of the contract; the supplier confirms the date in writing. | Office of purchases | 2 days
Receipt | Goods are counted, compared with the order, and entered in the books on the same day. | Warehouse, together with the department that ordered the goods | 1 day`);

const SPARSE = cells(`
Room | Monday | Tuesday | Wednesday | Thursday
A 101 | Algebra | | Physics |
A 102 | | Chemistry | | Biology
B 201 | History | | |
B 202 | | | Latin | Greek
C 300 | Drawing | Music | | Drama`);

const KEYS = cells(`
Serial number | KX-2290-71
Year built | 2018
Weight | 41 kg
Voltage | 230 V
Service interval | 12 months
Location | Hall 4, row 7`);

const MERGED: Cell[][] = [
  [
    { text: 'Region', rows: 2 },
    { text: 'First half', columns: 2 },
    { text: 'Second half', columns: 2 },
  ],
  [{ text: 'Spring' }, { text: 'Summer' }, { text: 'Autumn' }, { text: 'Winter' }],
  ...cells(`
North | 410 | 388 | 295 | 512
South | 630 | 701 | 544 | 498
East | 128 | 133 | 167 | 190
West | 980 | 1,012 | 877 | 904`),
];

const WIDE = [
  ['Station', 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  ...['Harbour', 'Airport', 'Old town', 'Hill top', 'River side'].map((name, row) => [
    name,
    ...Array.from({ length: 12 }, (_, month) => ((row * 37 + month * 53) / 10 + 2).toFixed(1)),
  ]),
].map((row) => row.map((text) => ({ text })));

const LONG = [
  ['No.', 'Name', 'Department', 'Telephone'],
  ...Array.from({ length: 70 }, (_, row) => [
    String(row + 1),
    `${['Anna', 'Boris', 'Chiara', 'David', 'Emil'][row % 5]} ${['Keller', 'Lopez', 'Maier', 'Novak', 'Olsen', 'Peters', 'Quist'][row % 7]}`,
    ['Accounts', 'Sales', 'Warehouse', 'Research', 'Press office', 'Legal'][row % 6]!,
    `${200 + ((row * 17) % 61)}-${1000 + row * 91}`,
  ]),
].map((row) => row.map((text) => ({ text })));

const RULES: readonly Rules[] = ['ruled', 'horizontal', 'banded', 'plain'];

/** Returns every form of content with every form of rules. */
export function tablePages(): PageSpec[] {
  return RULES.flatMap((rules) => {
    const table = (rows: Cell[][], more: Partial<TableSpec> = {}): Part => ({
      table: { rules, heads: 1, rows, ...more },
    });
    const page = (name: string, parts: Part[], more: Partial<PageSpec> = {}): PageSpec => ({
      ...{ name: `${name}-${rules}`, group: name, columns: 1, latin: true, parts },
      ...more,
    });
    const among = (part: Part): Part[] => [prose(0), part, prose(1)];
    return [
      page('words', among(table(PRODUCTS))),
      page('numbers', among(table(METRICS))),
      page('chinese', among(table(CHINESE)), { latin: false }),
      page('arabic', among(table(ARABIC, { rightToLeft: true })), { latin: false }),
      page('thai', among(table(THAI)), { latin: false }),
      page('wrapped', among(table(WRAPPED))),
      page('empty-cells', among(table(SPARSE))),
      page('two-columns', among(table(KEYS, { heads: 0 }))),
      page('merged', among(table(MERGED, { heads: 2 }))),
      page('wide', among(table(WIDE, { size: 8 })), { landscape: true }),
      page('two-pages', among(table(LONG))),
      page('two-tables', [prose(0), table(PRODUCTS), prose(1), table(METRICS), prose(2)]),
      page('in-a-column', [prose(0), prose(1), table(METRICS, { size: 8 }), prose(2), prose(0), prose(1), prose(2)], {
        columns: 2,
      }),
    ];
  });
}

function prose(index: number): Part {
  return { prose: PROSE[index]! };
}

/** Returns the cells that a parser should find. */
export function gridsOf(page: PageSpec): Grid[] {
  return page.parts.flatMap((part) => ('table' in part ? [gridOf(part.table)] : []));
}

function gridOf({ rows }: TableSpec): Grid {
  const grid: string[][] = rows.map(() => []);
  for (const [at, row] of rows.entries()) {
    for (const { text, columns = 1, rows: height = 1 } of row) {
      let column = 0;
      while (grid[at]![column] !== undefined) column += 1;
      for (let down = 0; down < height; down += 1)
        for (let right = 0; right < columns; right += 1) grid[at + down]![column + right] = text;
    }
  }
  return grid;
}

/** Returns HTML pages without a table. */
export function pagesWithoutTables(): { name: string; html: string }[] {
  const paragraphs = [...PROSE, ...PROSE, ...PROSE].map((text) => `<p>${text}</p>`).join('');
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('');
  const chapters = ['Purpose of the report', 'Method', 'Deliveries', 'Notes on single offices', 'Outlook'];
  const pages: Record<string, string> = {
    'two-columns': `<div style="columns:2;text-align:justify">${paragraphs}${paragraphs}</div>`,
    'three-columns': `<div style="columns:3;font-size:9pt">${paragraphs}${paragraphs}</div>`,
    contents: `<h1>Contents</h1>${lines(20, (i) => `<div style="display:flex"><span>${i + 1}&nbsp; ${chapters[i % 5]}</span><span style="flex:1;overflow:hidden;white-space:nowrap"> ${'. '.repeat(80)}</span><span>${i * 7 + 3}</span></div>`)}`,
    'contents-without-dots': `<h1>Contents</h1>${lines(20, (i) => `<div style="display:flex;justify-content:space-between"><span>${i + 1}&nbsp; ${chapters[i % 5]}</span><span>${i * 7 + 3}</span></div>`)}`,
    lists: `<ul>${lines(8, (i) => `<li>${chapters[i % 5]}<ul><li>${PROSE[i % 3]!.slice(0, 80)}</li><li>${chapters[(i + 1) % 5]}</li></ul></li>`)}</ul><ol>${lines(12, (i) => `<li>${chapters[i % 5]}</li>`)}</ol>`,
    code: `<pre>${lines(12, (i) => `function   step${i}(a, b) {\n    const sum   = a + b;      // both\n    const rest  = a - b;      // what is left\n    return sum * rest;\n}\n`)}</pre>`,
    letter: `<div style="display:flex;justify-content:space-between"><div>Keller &amp; Sons<br>14 Mill Road<br>Oldtown 4410</div><div>Phone 200-1091<br>Fax 200-1092<br>office@example.com</div></div><div style="text-align:right">3 March 2023</div>${paragraphs}<div style="display:flex;justify-content:space-between"><div>Anna Keller<br>Director</div><div>Boris Lopez<br>Secretary</div></div>`,
    references: `<h1>References</h1>${lines(18, (i) => `<p style="padding-left:3em;text-indent:-3em">[${i + 1}]&nbsp;&nbsp;&nbsp; A. Keller, B. Lopez and C. Maier. ${PROSE[i % 3]!.slice(0, 90)}. Journal of Deliveries ${i + 3}(2), ${2000 + i}.</p>`)}`,
    definitions: `<dl>${lines(8, (i) => `<dt>${chapters[i % 5]}</dt><dd>${PROSE[i % 3]!.slice(0, 160)}</dd>`)}</dl>`,
    poem: lines(
      8,
      (i) =>
        `<p>The lamp is lit,<br>the ledger closed,<br>and ${chapters[i % 5]!.toLowerCase()}<br>sleeps in its row.</p>`,
    ),
    boxes: lines(4, (i) => `<div style="border:1px solid;padding:8px;margin:8px">${PROSE[i % 3]}</div>`),
    talk: lines(
      12,
      (i) =>
        `<div style="display:flex"><b style="width:8em">${['KELLER', 'LOPEZ'][i % 2]}:</b><span>${PROSE[i % 3]!.slice(0, 140)}</span></div>`,
    ),
    figures: `<div style="display:flex;gap:2em">${lines(2, (i) => `<div style="flex:1"><svg width="260" height="180">${lines(6, (k) => `<line x1="30" x2="250" y1="${20 + k * 25}" y2="${20 + k * 25}" stroke="#ccc"/><text x="0" y="${24 + k * 25}" font-size="10">${(6 - k) * 20}</text><text x="${40 + k * 36}" y="165" font-size="10">${2015 + k}</text><rect x="${40 + k * 36}" y="${60 + k * 8}" width="20" height="${85 - k * 8}" fill="#88a"/>`)}</svg><p>Figure ${i + 1}: ${chapters[i]}.</p></div>`)}</div>${paragraphs}`,
  };
  return Object.entries(pages).map(([name, body]) => ({ name, html: htmlPage(body) }));
}

/** Returns one HTML page for print. */
export function htmlPage(body: string, style = ''): string {
  return `<!doctype html><meta charset="utf-8"><style>body{font:10.5pt 'Noto Serif',serif}p{text-align:justify}${style}</style>${body}`;
}

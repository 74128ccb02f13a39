/** Tables of PDFs as Markdown, at their places among the lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePdf } from '../../src/files/formats/pdf/pdf.ts';
import { makePdf, type PdfOptions, pdfOf } from '../support/files/make-files.ts';

interface Drawing {
  /** Left edges of the columns, and the right edge of the last column. */
  xs: readonly number[];
  /** Top edges of the rows, and the bottom edge of the last row. */
  ys: readonly number[];
}

const GRID: Drawing = { xs: [72, 200, 300, 400], ys: [700, 680, 660, 640] };
const ROWS = [
  ['Region', 'Units', 'Price'],
  ['North', '14', '2.50'],
  ['South', '9', '3.75'],
];
const TABLE = '| Region | Units | Price |\n| --- | --- | --- |\n| North | 14 | 2.50 |\n| South | 9 | 3.75 |';

const line = (x: number, y: number, toX: number, toY: number) => `${x} ${y} m ${toX} ${toY} l S`;
const word = (x: number, y: number, text: string) => `BT /F1 10 Tf ${x} ${y} Td (${text}) Tj ET`;
const across = ({ xs, ys }: Drawing, which = ys.map((_, row) => row)) =>
  which.map((row) => line(xs[0]!, ys[row]!, xs.at(-1)!, ys[row]!)).join('\n');
const down = ({ xs, ys }: Drawing) => xs.map((x) => line(x, ys[0]!, x, ys.at(-1)!)).join('\n');
const cells = ({ xs, ys }: Drawing, rows: readonly (readonly string[])[]) =>
  rows.flatMap((row, r) => row.map((text, c) => (text === '' ? '' : word(xs[c]! + 4, ys[r]! - 14, text)))).join('\n');

async function read(drawing: string, options: Partial<PdfOptions> = {}) {
  const parsed = await parsePdf(makePdf({ pages: [['Before the table.']], drawing, ...options }), {});
  const tables = parsed.blocks.filter(({ kind }) => kind === 'table');
  return { ...parsed, tables: tables.map(({ start, end }) => parsed.text.slice(start, end)) };
}

test('a ruled table is written at its place between the other lines', async () => {
  const behind = word(72, 600, 'Behind the table.');
  const { text, tables, blocks } = await read([across(GRID), down(GRID), cells(GRID, ROWS), behind].join('\n'));
  assert.deepEqual(tables, [TABLE]);
  assert.equal(text, `Before the table.\n\n${TABLE}\n\nBehind the table.`);
  assert.deepEqual(
    blocks.map(({ kind, pages, tableHeader }) => [kind, pages, tableHeader]),
    [
      ['paragraph', [1, 1], undefined],
      ['table', [1, 1], '| Region | Units | Price |'],
      ['paragraph', [1, 1], undefined],
    ],
  );
});

test('a table may have thin rectangles as lines, and merged cells', async () => {
  const { xs, ys } = GRID;
  const bars = ys.map((y) => `72 ${y} 328 0.7 re f`);
  // There is no line between the second and the third column of the first row.
  const posts = xs.map((x, column) => `${x} ${ys.at(-1)!} 0.7 ${column === 2 ? 40 : 60} re f`);
  const rows = [['Region', 'Sales in 2024', ''], ...ROWS.slice(1)];
  const { tables } = await read([...bars, ...posts, cells(GRID, rows)].join('\n'));
  assert.deepEqual(tables, [
    '| Region | Sales in 2024 |  |\n| --- | --- | --- |\n| North | 14 | 2.50 |\n| South | 9 | 3.75 |',
  ]);
});

test('lines of a table cell are joined, and bars in it are escaped', async () => {
  const rows = [ROWS[0]!, ['North|East', '14', '2.50'], ROWS[2]!];
  const tall = { xs: GRID.xs, ys: [700, 680, 640, 620] };
  const more = word(76, 652, 'and West');
  const { tables } = await read([across(tall), down(tall), cells(tall, rows), more].join('\n'));
  assert.match(tables[0]!, /^\| North\\\|East and West \| 14 \| 2\.50 \|$/m);
});

test('rows of a ruled table without lines between them are separated', async () => {
  const { tables } = await read([across(GRID, [0, 1, 3]), down(GRID), cells(GRID, ROWS)].join('\n'));
  assert.deepEqual(tables, [TABLE]);
});

test('a table that is turned with its page is read', async () => {
  const turned = `q 0 1 -1 0 842 0 cm\n${across(GRID)}\n${down(GRID)}\n${cells(GRID, ROWS)}\nQ`;
  const { tables } = await read(turned, { pages: [[]] });
  assert.deepEqual(tables, [TABLE]);
});

test('links and form values inside a table belong to the table', async () => {
  const drawing = [across(GRID), down(GRID), cells(GRID, ROWS)].join('\n');
  const link =
    '<< /Type /Annot /Subtype /Link /Rect [76 664 104 676] /A << /S /URI /URI (https://example.org/north) >> >>';
  const field = '<< /Type /Annot /Subtype /Widget /FT /Tx /T (note) /V (estimated) /Rect [330 642 390 658] >>';
  const { blocks, text, tables } = await read(drawing, { annotations: [link], fields: [field] });
  const [{ url, at } = { url: '', at: 0 }] = blocks.find(({ kind }) => kind === 'table')!.links ?? [];
  assert.deepEqual([url, text.slice(at, at + 5)], ['https://example.org/north', 'North']);
  assert.match(tables[0]!, /\| South \| 9 \| 3\.75 estimated \|/);
});

test('frames, boxes, lines through words and drawings are not read as tables', async () => {
  const frame = { xs: [60, 560], ys: [820, 40] };
  const prose = ['A line of text that stands in a frame.', 'And one more line of it.'].map((text, at) =>
    word(72, 700 - at * 14, text),
  );
  const struck = [
    across(GRID),
    down(GRID),
    ...[0, 1, 2].map((row) => word(72, 684 - row * 20, 'A sentence that does not heed the lines at all')),
  ];
  const underlined = [
    across(GRID),
    down(GRID),
    ...[0, 1, 2].flatMap((row) =>
      ['RED', 'BLUE', 'PINK'].map((text, c) => word(GRID.xs[c]! + 8, GRID.ys[row]! - 23.5, text)),
    ),
  ];
  const columnsInCells = [
    across(GRID, [0, 3]),
    across({ xs: GRID.xs, ys: [670] }),
    down({ xs: [72, 300, 400], ys: GRID.ys }),
    ...[690, 678, 650].flatMap((y) => ['Name', 'Ann', 'City'].map((text, c) => word(76 + c * 80, y, text))),
    word(310, 690, 'Left'),
    word(310, 650, 'Right'),
  ];
  const paper = {
    xs: Array.from({ length: 40 }, (_, i) => 72 + i * 10),
    ys: Array.from({ length: 40 }, (_, i) => 700 - i * 10),
  };
  for (const drawing of [
    [across(frame), down(frame), ...prose],
    struck,
    underlined,
    columnsInCells,
    [across(paper), down(paper), word(76, 500, 'A graph')],
  ]) {
    assert.deepEqual((await read(drawing.join('\n'))).tables, []);
  }
});

test('on a page with very many lines or objects only text is read', async () => {
  const table = [across(GRID), down(GRID), cells(GRID, ROWS.slice(0, 2))].join('\n');
  assert.equal((await read(table)).tables.length, 1);
  const crowd = [`${line(20, 20, 500, 20)}\n`.repeat(9000), `${word(20, 20, ' ')}\n`.repeat(21_000)];
  const small = Array.from(
    { length: 70 },
    (_, i) => `BT /F1 1 Tf 20 ${20 + i * 3} Td (${'words '.repeat(150)}) Tj ET\n`,
  );
  for (const many of [...crowd, small.join('')]) {
    const { tables, text } = await read(many + table);
    assert.deepEqual(tables, []);
    assert.match(text, /Region Units Price/);
  }
});

test('columns between horizontal rules or on coloured bands are found by their words', async () => {
  const bars = across(GRID, [0, 1, 3]);
  const bands = [0, 2].map((row) => `0.9 g 72 ${GRID.ys[row + 1]} 328 20 re f 0 g`);
  for (const drawing of [bars, ...[bands.join('\n')]])
    assert.deepEqual((await read(`${drawing}\n${cells(GRID, ROWS)}`)).tables, [TABLE]);
});

test('aligned words with a column of numbers are a table without any line', async () => {
  const { tables, text } = await read(`${cells(GRID, ROWS)}\n${word(72, 600, 'Behind the table.')}`);
  assert.deepEqual(tables, [TABLE]);
  assert.match(text, /^Before the table\.\n\n\|.*\|\n\nBehind the table\.$/s);
});

test('columns of prose, contents, lists, formulas and code are not read as tables', async () => {
  const halves = { xs: [72, 320, 560], ys: [700, 686, 672, 658, 644, 630] };
  const prose = [
    'The keeper wrote fourteen letters to the',
    'harbour office in the winter of 1874, and',
    'none of them was answered before',
    'the spring came.',
  ];
  const pairs = {
    prose: prose.map((left, at) => [left, prose[(at + 1) % 4]!]),
    contents: [
      ['Introduction', '1'],
      ['Methods', '4'],
      ['Results', '9'],
      ['Discussion', '17'],
    ],
    shortContents: [
      ['Birds', '3'],
      ['Fish', '17'],
      ['Plants', '42'],
    ],
    names: [
      ['Ann', 'Bo'],
      ['Cy', 'Di'],
      ['Ed', 'Flo'],
      ['Gus', 'Hal'],
    ],
    marks: [
      ['a)', '14'],
      ['b)', '9'],
      ['c)', '11'],
      ['d)', '7'],
    ],
    list: [
      ['1.', 'First point'],
      ['2.', 'Second point'],
      ['3.', 'Third point'],
      ['4.', 'Last point'],
    ],
    formula: [
      ['a = 1', '2'],
      ['b = 3', '4'],
      ['c = 5', '6'],
      ['d = 7', '8'],
    ],
    code: [
      ['let a = 1;', '2'],
      ['let b = 2;', '3'],
      ['let c = 3;', '4'],
      ['let d = 4;', '1'],
    ],
  };
  for (const [name, rows] of Object.entries(pairs))
    assert.deepEqual((await read(cells(halves, rows))).tables, [], name);
});

/** A page with a tagged table; an empty cell has no content. */
function taggedPdf(rows: readonly (readonly string[])[], spans: Record<string, string> = {}): Uint8Array {
  const [table, content]: [string[], string[]] = [[], []];
  const owners: number[] = [];
  const objects: string[] = ['', '', '', '', '', '', ''];
  const add = (body: string) => objects.push(body);
  for (const [r, row] of rows.entries()) {
    const tr = objects.length + row.length + 1;
    const kids = row.map((text, c) => {
      const cell = add(
        `<< /Type /StructElem /S /TD /P ${tr} 0 R /Pg 3 0 R ${spans[text] ?? ''} ${text === '' ? '' : `/K ${content.length}`} >>`,
      );
      // Neither order nor position of the words match the table.
      if (text !== '') owners.push(cell);
      if (text !== '')
        content.push(
          `/TD << /MCID ${content.length} >> BDC\n${word(72 + 31 * ((r * 7 + c * 5) % 11), 700 - 20 * r - 6 * c, text)}\nEMC`,
        );
      return `${cell} 0 R`;
    });
    table.push(`${add(`<< /Type /StructElem /S /TR /P 7 0 R /K [${kids.join(' ')}] >>`)} 0 R`);
  }
  const stream = `${word(72, 770, 'Before the table.')}\n${content.join('\n')}`;
  const root = '<< /Type /StructTreeRoot /K [7 0 R] /ParentTree << /Nums [0 [';
  objects.splice(
    0,
    7,
    '<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 6 0 R /MarkInfo << /Marked true >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /StructParents 0 /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    `${root}${owners.map((owner) => `${owner} 0 R`).join(' ')}]] >> >>`,
    `<< /Type /StructElem /S /Table /P 6 0 R /K [${table.join(' ')}] >>`,
  );
  return pdfOf(objects);
}

test('tagged tables are read without lines and without word order', async () => {
  const rows = [
    ['Region', 'Sales', 'Note'],
    ['Units', 'Price', ''],
    ['North', '14', '', 'new'],
    ['South', '', '3.75', ''],
  ];
  const spans = {
    Region: '/A << /O /Table /RowSpan 2 >>',
    Sales: '/A << /O /Table /ColSpan 2 >>',
  };
  const { text, blocks } = await parsePdf(taggedPdf(rows, spans), {});
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'table').map(({ start, end }) => text.slice(start, end)),
    [
      '| Region | Sales / Units | Sales / Price | Note |\n| --- | --- | --- | --- |\n| North | 14 |  | new |\n| South |  | 3.75 |  |',
    ],
  );
});

test('a table tag around a whole page is ignored', async () => {
  const sentence = 'The keeper of the lighthouse wrote fourteen letters. '.repeat(20).trim();
  const { blocks } = await parsePdf(
    taggedPdf([
      ['Menu', 'Top'],
      ['Home', sentence],
    ]),
    {},
  );
  assert.deepEqual(
    blocks.filter(({ kind }) => kind === 'table'),
    [],
  );
});

test('tables of equal width with prose between them stay separate', async () => {
  const lower = { xs: GRID.xs, ys: GRID.ys.map((y) => y - 140) };
  const prose = [
    'All sums of this list are in thousands and',
    'none of them was checked by the office of',
    'the town, so that they may change later.',
  ];
  const lines = [620, 606, 592].map((y, at) => word(76, y, prose[at]!));
  const drawing = [across(GRID, [0, 1, 3]), cells(GRID, ROWS), ...lines, across(lower, [0, 1, 3]), cells(lower, ROWS)];
  const { tables, text } = await read(drawing.join('\n'));
  assert.deepEqual(tables, [TABLE, TABLE]);
  assert.match(text, /\|\n\nAll sums of this list.*later\.\n\n\|/s);
});

test('values at half height between two lines belong to the row of these lines', async () => {
  const rows = [700, 664, 628].flatMap((y, row) => [
    word(76, y - 6, ['Order', 'Check', 'Store'][row]!),
    word(180, y, 'A sentence on what is'),
    word(180, y - 12, 'done here by the office'),
    word(330, y - 6, `${row + 1} days`),
  ]);
  const head = { xs: [72, 176, 326, 400], ys: [736, 718, 610] };
  const { tables } = await read([across(head, [0, 1, 2]), cells(head, [['Step', 'What', 'Time']]), ...rows].join('\n'));
  assert.match(tables[0]!, /\n\| Order \| A sentence on what is done here by the office \| 1 days \|\n\| Check \|/);
});

test('coloured areas of single cells separate columns, however close the words are', async () => {
  const boxes = GRID.ys
    .slice(0, 3)
    .flatMap((_, row) =>
      GRID.xs.slice(0, 3).map((x, column) => `0.9 g ${x} ${GRID.ys[row + 1]} ${GRID.xs[column + 1]! - x} 20 re f 0 g`),
    );
  const words = ROWS.flatMap(([a, b, c], row) => {
    const y = GRID.ys[row]! - 14;
    return [word(76, y, a!), word(row === 0 ? 202 : 285, y, b!), word(302, y, c!)];
  });
  assert.deepEqual((await read([...boxes, ...words].join('\n'))).tables, [TABLE]);
});

test('a table that repeats on each page is a running header', async () => {
  const head = (page: number) =>
    [
      across(GRID),
      down(GRID),
      cells(GRID, [
        ['Works Ltd', 'Handbook', `Page ${page}`],
        ['Edition', 'A', 'Valid'],
      ]),
    ].join('\n');
  const pages = [1, 2, 3].map(
    (page) => `${head(page)}\n${word(72, 500, `Text of the page ${'abc'[page - 1]} alone.`)}`,
  );
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`);
  const objects = pages.flatMap((stream, at) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ]);
  const bytes = pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count 3 >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...objects,
  ]);
  const { text } = await parsePdf(bytes, {});
  assert.equal(text, 'Text of the page a alone.\n\nText of the page b alone.\n\nText of the page c alone.');
});

/** Tests of whole files, from bytes to chunks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { chunkMismatches } from '../support/files/chunk-invariants.ts';
import { makeDocx, makePdf, makeXlsx } from '../support/files/make-files.ts';
import { failureOf, readBytes } from '../support/files/process-bytes.ts';

test('a Word file gives headings, lists, tables and its properties', async () => {
  const bytes = makeDocx({
    title: 'Handbook',
    author: 'Ann',
    blocks: [
      { heading: 'Leave' },
      { paragraph: 'Everybody has 25 days of leave & more.' },
      { heading: 'Requests', level: 2 },
      { list: ['Ask early', 'Ask in writing'] },
      {
        table: [
          ['Team', 'Contact'],
          ['Sales', 'Bo'],
        ],
      },
    ],
  });
  const file = await readBytes('x.docx', bytes);
  assert.equal(
    file.text,
    '# Leave\n\nEverybody has 25 days of leave & more.\n\n## Requests\n\n- Ask early\n- Ask in writing\n\n| Team | Contact |\n| --- | --- |\n| Sales | Bo |',
  );
  assert.equal(file.fileType, 'docx');
  assert.equal(file.metadata['title']?.val, 'Handbook');
  assert.equal(file.metadata['author']?.val, 'Ann');
  assert.deepEqual(file.metadata['created'], { val: '2024-01-02T03:04:05Z', type: 'datetime' });
  assert.equal(file.language, 'en');
  assert.deepEqual(file.chunks[0]!.headingPath, ['Leave']);
  assert.match(file.chunks[0]!.terms, /handbook/);
});

test('an Excel file gives a section per sheet and a chunk per record', async () => {
  const bytes = makeXlsx({
    sheets: [
      {
        name: 'Prices',
        rows: [
          ['Item', 'Price', 'Since'],
          ['Tea', 2.5, new Date('2024-05-06T00:00:00Z')],
          ['Coffee', 3, null],
        ],
      },
      { name: 'Empty', rows: [] },
      { name: 'Notes', rows: [['Only words here'], [], ['More words']] },
    ],
  });
  const file = await readBytes('x.xlsx', bytes, [{ key: 'Price', type: 'float' }]);
  assert.equal(
    file.text,
    '## Prices\n\n| Item | Price | Since |\n| --- | --- | --- |\n| Tea | 2.5 | 2024-05-06 |\n| Coffee | 3 |  |\n\n## Notes\n\nOnly words here\n\nMore words',
  );
  assert.deepEqual(
    file.chunks.map((chunk) => [chunk.headingPath[0], chunk.content.split('\n')[0], chunk.metadata['Price']?.val]),
    [
      ['Prices', '| Tea | 2.5 | 2024-05-06 |', '2.5'],
      ['Prices', '| Coffee | 3 |  |', '3'],
      ['Notes', '## Notes', undefined],
    ],
  );
  assert.equal(file.chunks[0]!.context, '| Item | Price | Since |');
});

test('the first row of a sheet without header is a row, also beside another table', async () => {
  const people = [
    ['Wolfram', 'Vienna', 11],
    ['Xaver', 'Graz', 12],
  ];
  const alone = await readBytes('x.xlsx', makeXlsx({ sheets: [{ name: 'S', rows: people }] }));
  assert.equal(alone.text, '## S\n\n| Wolfram | Vienna | 11 |\n| Xaver | Graz | 12 |');
  assert.deepEqual(
    alone.chunks.map(({ content, context }) => [content, context]),
    [
      ['| Wolfram | Vienna | 11 |', null],
      ['| Xaver | Graz | 12 |', null],
    ],
  );
  const many = Array.from({ length: 200 }, (_, i) => [`Person ${i}`, 'Vienna', i]);
  const beside = await readBytes(
    'x.xlsx',
    makeXlsx({ sheets: [{ name: 'S', rows: [...many, [], ['a', 'b'], [1, 2]] }] }),
  );
  assert.ok(beside.chunks.every(({ context }) => context === null));
});

test('tables side by side in a sheet become separate tables', async () => {
  const rows = [
    ['a', 'b', null, 'x', 'y'],
    [1, 2, null, 8, 9],
  ];
  const file = await readBytes('x.xlsx', makeXlsx({ sheets: [{ name: 'S', rows }] }));
  assert.match(file.text, /\| a \| b \|\n.*\n\| 1 \| 2 \|\n\n\| x \| y \|\n.*\n\| 8 \| 9 \|/);
});

test('formulas without a stored value are counted in a warning', async () => {
  const parts = unzipSync(makeXlsx({ sheets: [{ name: 'S', rows: [['Item', 'Total']] }] }));
  const part = 'xl/worksheets/sheet1.xml';
  const row = (cells: string) => `<row r="2"><c r="A2"><v>7</v></c>${cells}</row></sheetData>`;
  const warningsOf = async (cells: string) => {
    const xml = new TextDecoder().decode(parts[part]).replace('</sheetData>', row(cells));
    return (await readBytes('x.xlsx', zipSync({ ...parts, [part]: strToU8(xml) }))).warnings;
  };
  assert.deepEqual(await warningsOf('<c r="B2"><f>A2</f><v>7</v></c><c r="C2" t="str"><f>""</f><v></v></c>'), []);
  const [warning] = await warningsOf(
    '<c r="B2"><f>A2</f></c><c r="C2" s="1"><f t="shared" si="0"/><v></v></c><c r="D2"><f ca="1">NOW()</f><v/></c>',
  );
  assert.match(warning!, /^3 cells with formulas have no stored value/);
});

test('a workbook is read with merged cells and comments, without hidden sheets', async () => {
  const parts = unzipSync(
    makeXlsx({
      sheets: [
        {
          name: 'S',
          rows: [
            ['Group', 'n'],
            ['left', 1],
            [null, 2],
          ],
        },
        { name: 'H', rows: [['secret']] },
      ],
    }),
  );
  const text = (part: string) => new TextDecoder().decode(parts[part]);
  const put = (part: string, value: string) => {
    parts[part] = strToU8(value);
  };
  put(
    'xl/worksheets/sheet1.xml',
    text('xl/worksheets/sheet1.xml').replace(
      '</sheetData>',
      '</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
    ),
  );
  put('xl/workbook.xml', text('xl/workbook.xml').replace('name="H"', 'name="H" state="hidden"'));
  put(
    'xl/worksheets/_rels/sheet1.xml.rels',
    '<Relationships><Relationship Id="r1" Target="../comments1.xml"/></Relationships>',
  );
  put(
    'xl/comments1.xml',
    '<comments><authors><author>Bo</author></authors><commentList><comment ref="B2" authorId="0"><text><t>check &lt;this&gt;</t></text></comment></commentList></comments>',
  );
  const file = await readBytes('x.xlsx', zipSync(parts));
  assert.match(file.text, /\| left \| 1 \|\n\| left \| 2 \|/);
  assert.match(file.text, /\[author: Bo, cell: B2\]: check <this>/);
  assert.doesNotMatch(file.text, /secret/);
  assert.deepEqual(file.warnings, ['1 hidden sheet was left out.']);
});

test('a PDF gives pages, headings and properties', async () => {
  const pages = [
    ['# Annual report', 'The company grew by 12 percent in the year 2023, as planned.'],
    ['The second page is about the plans for the coming year.'],
  ];
  const file = await readBytes('x.pdf', makePdf({ title: 'Report', author: 'Ann', pages }));
  assert.equal(
    file.text,
    '# Annual report\n\nThe company grew by 12 percent in the year 2023, as planned.\n\nThe second page is about the plans for the coming year.',
  );
  assert.deepEqual(file.chunks[0]!.pages, [1, 2]);
  assert.deepEqual(file.chunks[0]!.headingPath, ['Annual report']);
  assert.equal(file.metadata['title']?.val, 'Report');
  assert.equal(file.metadata['created']?.val, '2024-01-02T03:04:05Z');
});

test('a PDF without text fails with that reason', async () => {
  const failure = await failureOf('x.pdf', makePdf({ pages: [[]] }));
  assert.deepEqual([failure.stage, failure.title, failure.retryable], ['parse', 'Nothing to read in this file', false]);
  assert.match(failure.message, /no text layer/);
});

for (const [what, name, source] of [
  ['a text of white space', 'a.txt', ' \n\t\n'],
  ['a page of a picture without a description', 'a.html', '<html><body><img src="a.png"></body></html>'],
  ['Markdown of a comment', 'a.md', '<!-- to do -->\n'],
  ['code of empty lines', '__init__.py', '\n\n'],
] as const) {
  test(`${what} fails because it has no words`, async () => {
    const failure = await failureOf(name, source);
    assert.deepEqual([failure.stage, failure.title], ['parse', 'Nothing to read in this file']);
    assert.match(failure.message, /no words/);
  });
}

test('a file of 0 bytes fails as empty, whatever its name is', async () => {
  for (const name of ['a.txt', 'a.pdf', '__init__.py', 'README']) {
    const { stage, title, message } = await failureOf(name, '');
    assert.deepEqual([stage, title, message], ['detect', 'Empty file', 'The file is empty (0 bytes).']);
  }
});

test('a table with a header and no rows is found by its header, with a warning', async () => {
  const file = await readBytes('a.csv', 'Name,Weight\n');
  assert.deepEqual(
    file.chunks.map(({ content }) => content),
    ['| Name | Weight |\n| --- | --- |'],
  );
  assert.deepEqual(file.warnings, ['The table has a header and no rows.']);
});

test('a single file in a gzip archive is read under its own name', async () => {
  const file = await readBytes('list.csv.gz', gzipSync('Name,Weight\nheron,2\n'));
  assert.equal(file.fileType, 'csv');
  assert.equal(file.chunks[0]!.context, '| Name | Weight |');
});

test('every chunk of a PDF lists the pages of its words', async () => {
  const pages = Array.from({ length: 9 }, (_, page) => [
    'Annual report',
    ...(page % 4 === 0 ? [`# Part ${'ABC'[page / 4]}`] : []),
    ...Array.from({ length: page % 3 === 2 ? 90 : 12 }, (_, line) => `Line ${line} of leaf${page + 1} goes on and on.`),
  ]);
  const { chunks } = await readBytes('x.pdf', makePdf({ pages }));
  const expected = chunks.map(({ content }) => [...new Set(content.match(/(?<=leaf)\d/g))].map(Number));
  assert.deepEqual(
    chunks.map((chunk) => chunk.pages),
    expected,
  );
  assert.ok(expected.some((list) => list.length > 1) && expected.length > 6);
});

test('a page is decoded with the encoding that it declares', async () => {
  const bytes = Buffer.from(
    '<html><head><meta charset="windows-1252"></head><body><p>\xe9t\xe9</p></body></html>',
    'latin1',
  );
  assert.equal((await readBytes('x.html', bytes)).text, 'été');
});

test('program code, YAML and XML files have file types of their own', async () => {
  assert.equal((await readBytes('a.py', 'def f():\n    return 1\n')).fileType, 'code');
  assert.equal((await readBytes('a.yml', 'a: 1\n')).fileType, 'yaml');
  assert.equal((await readBytes('a.xml', '<a>1</a>')).fileType, 'xml');
});

test('the terms of a chunk include title, headings and table header besides its content', async () => {
  const file = await readBytes('a.md', '---\ntitle: Zebrafish atlas\n---\n\n# Anatomy\n\n## Fins\n\nThey grow back.\n');
  assert.match(file.chunks[0]!.terms, /zebrafish/);
  assert.match(file.chunks[0]!.terms, /fin/);
  const csv = await readBytes('a.csv', 'Colour,Weight\nblue,3\n');
  assert.match(csv.chunks[0]!.terms, /weight/);
  assert.doesNotMatch(csv.chunks[0]!.content, /Weight/);
});

test('all chunks have the title of the file as terms, or else its name; with a title, the first chunk has the name, too', async () => {
  const paragraphs = '<p>Nothing but words, and many of them in a row.</p>'.repeat(200);
  const [first, second] = (await readBytes('quarterly.html', paragraphs)).chunks;
  assert.match(first!.terms, /quarterly/);
  assert.match(second!.terms, /quarterly/);
  const [titled, later] = (await readBytes('quarterly.html', `<title>Report</title>${paragraphs}`)).chunks;
  assert.match(titled!.terms, /quarterly/);
  assert.doesNotMatch(later!.terms, /quarterly/);
  for (const { terms } of [titled!, later!]) assert.match(terms, /report/);
});

test('the offsets of chunks of every format give exactly their content', async () => {
  const paragraph = 'Emoji 😀 and 日本語 and e\u0301, all in one sentence. '.repeat(40);
  const files = [
    ['a.txt', paragraph],
    ['a.md', `# 😀\n\n${paragraph}\n\n${`| 😀 | b |\n|---|---|\n${'| 1 | 😀 |\n'.repeat(300)}`}`],
    ['a.html', `<h1>😀</h1><p>${paragraph}</p><ul><li>😀</li></ul>`],
    ['a.csv', `n,😀\n${'1,😀\n'.repeat(50)}`],
    ['a.jsonl', '{"a":"😀"}\n'.repeat(20)],
    ['a.docx', makeDocx({ blocks: [{ heading: '😀' }, { paragraph }] })],
    [
      'a.xlsx',
      makeXlsx({
        sheets: [
          {
            name: '😀',
            rows: [
              ['a', 'b'],
              ['😀', paragraph],
            ],
          },
        ],
      }),
    ],
    ['a.pdf', makePdf({ pages: [['# Title', 'Words.'], ['More words.']] })],
  ] as const;
  for (const [name, bytes] of files) {
    const file = await readBytes(name, bytes);
    assert.ok(file.chunks.length > 0, name);
    assert.equal(chunkMismatches(file.text, file.chunks), 0, name);
    assert.equal(file.textLength, Array.from(file.text).length, name);
    assert.deepEqual(
      file.chunks.map((chunk) => chunk.ordinal),
      file.chunks.map((_, index) => index),
      name,
    );
  }
});

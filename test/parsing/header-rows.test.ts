/** Tables with several rows of headers: each reader makes one header of them, so chunks, tables and rules know all names of a column. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { redactChunk } from '../../src/redaction/apply-redaction.ts';
import { compileRedactor } from '../../src/redaction/redact.ts';
import { makeDocx, makeXlsx } from '../support/files/make-files.ts';
import { makeOds } from '../support/files/make-ods.ts';
import { readBytes } from '../support/files/process-bytes.ts';

const PEOPLE = Array.from({ length: 120 }, (_, i) => [`P${i}`, `Ann ${i} of the long list`, `${536904399 + i}`]);
const FIRST = ['Id', 'Person', 'Person'];
const SECOND = ['Id', 'Name', 'SSN'];
const HEADER = '| Id | Person / Name | Person / SSN |';

const policy = {
  version: 1,
  enabled: true,
  rules: [{ name: 'id', kind: 'entity', entities: ['us_ssn'], action: 'mask', apply_at: ['retrieval'] } as const],
};
const redactor = compileRedactor(policy as never, new Uint8Array(32));

const htmlRows = (tag: string) =>
  `<tr><${tag} rowspan="2">Id</${tag}><${tag} colspan="2">Person</${tag}></tr><tr><${tag}>Name</${tag}><${tag}>SSN</${tag}></tr>`;
const htmlBody = PEOPLE.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
const html = (head: string, body = htmlBody) =>
  `<html><body><h1>Staff</h1><p>All people of the house, with their numbers.</p><table>${head}${body}</table></body></html>`;

function docx(isHead: boolean): Uint8Array {
  const parts = unzipSync(makeDocx({ blocks: [] }));
  const cell = (text: string, properties = '') =>
    `<w:tc><w:tcPr>${properties}</w:tcPr><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
  const row = (cells: string, isRepeated = false) =>
    `<w:tr>${isRepeated ? '<w:trPr><w:tblHeader/></w:trPr>' : ''}${cells}</w:tr>`;
  const rows = [
    row(cell('Id', '<w:vMerge w:val="restart"/>') + cell('Person', '<w:gridSpan w:val="2"/>'), isHead),
    row(cell('', '<w:vMerge/>') + cell('Name') + cell('SSN'), isHead),
    ...PEOPLE.map((cells) => row(cells.map((text) => cell(text)).join(''))),
  ];
  const xml = strFromU8(parts['word/document.xml']!);
  parts['word/document.xml'] = strToU8(
    xml.replace('</w:body>', `<w:tbl>${rows.join('')}</w:tbl></w:body>`).replace('<w:body/>', '<w:body></w:body>'),
  );
  return zipSync(parts);
}

const odtCell = (text: string, attributes = '') =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
const odtRow = (cells: string) => `<table:table-row>${cells}</table:table-row>`;
const COVERED = '<table:covered-table-cell/>';
const mergedOdt =
  odtRow(
    odtCell('Person', 'table:number-columns-spanned="2"') + COVERED + odtCell('Id', 'table:number-rows-spanned="2"'),
  ) + odtRow(odtCell('Name') + odtCell('SSN') + COVERED);
const plainOdt =
  odtRow(['Id', 'Name', 'Town'].map((text) => odtCell(text)).join('')) +
  odtRow(['no', 'first', 'in Europe'].map((text) => odtCell(text)).join(''));

function odt(isHead: boolean, data = PEOPLE.map(([id, name, ssn]) => [name!, ssn!, id!]), head = mergedOdt): string {
  const body = data.map((cells) => odtRow(cells.map((text) => odtCell(text)).join(''))).join('');
  const names = ['office', 'table', 'text'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const rows = (isHead ? `<table:table-header-rows>${head}</table:table-header-rows>` : head) + body;
  return `<office:document ${names.join(' ')} office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>
    <table:table>${rows}</table:table></office:text></office:body></office:document>`;
}

const LONG_TITLE = 'All people of the house and of the garden, with their names and numbers';

const grid = (first: readonly string[], second: readonly string[]) => [first, second, ...PEOPLE];
const withNull = (rows: readonly (readonly string[])[]) => rows.map((row) => row.map((cell) => cell || null));
const lines = (rows: readonly (readonly string[])[], separator: string) =>
  rows.map((row) => row.join(separator)).join('\n');
const GAPS = grid(['Id', 'Person', ''], ['', 'Name', 'SSN']);
const MARKDOWN = [GAPS[0]!, ['---', '---', '---'], ...GAPS.slice(1)].map((row) => `| ${row.join(' | ')} |`).join('\n');

describe('the header of a column is the path of its header cells', () => {
  const files: [what: string, name: string, bytes: Uint8Array | string, header?: string][] = [
    ['rows in the head of an HTML table', 'a.html', html(`<thead>${htmlRows('td')}</thead>`)],
    ['rows of head cells', 'a.html', html(htmlRows('th'))],
    ['cells of an HTML table that span columns', 'a.html', html(htmlRows('td'))],
    ['header rows of a Word file', 'a.docx', docx(true)],
    ['merged cells of a Word file', 'a.docx', docx(false)],
    ['header rows of an OpenDocument text', 'a.fodt', odt(true), '| Person / Name | Person / SSN | Id |'],
    ['merged cells of an OpenDocument text', 'a.fodt', odt(false), '| Person / Name | Person / SSN | Id |'],
    [
      'merged cells of a workbook',
      'a.xlsx',
      makeXlsx({ sheets: [{ name: 'S', rows: grid(FIRST, SECOND), merged: ['A1:A2', 'B1:C1'] }] }),
    ],
    [
      'merged cells of an OpenDocument workbook',
      'a.ods',
      makeOds([
        {
          name: 'S',
          rows: withNull(GAPS),
          merged: [
            { top: 0, left: 0, bottom: 1, right: 0 },
            { top: 0, left: 1, bottom: 0, right: 2 },
          ],
        },
      ]),
    ],
    ['gaps in a workbook', 'a.xlsx', makeXlsx({ sheets: [{ name: 'S', rows: withNull(GAPS) }] })],
    ['gaps in a CSV file', 'a.csv', lines(GAPS, ',')],
    ['repeated names in a CSV file', 'a.csv', lines(grid(['Id', 'Person', 'Person'], ['', 'Name', 'SSN']), ',')],
    ['gaps in Markdown', 'a.md', `# Staff\n\n${MARKDOWN}`],
  ];
  for (const [what, name, bytes, header = HEADER] of files) {
    test(what, async () => {
      const { text, chunks, fileType } = await readBytes(name, bytes);
      const isOwnText = fileType === 'md';
      assert.equal(text.includes(`${header}\n| --- | --- | --- |\n| `), !isOwnText, text.slice(0, 300));
      assert.ok(chunks.length > 2);
      for (const chunk of chunks.slice(1)) assert.equal(chunk.context, header);
      for (const { content, context } of chunks) {
        const seen = await redactChunk(redactor, { content, context }, ['retrieval']);
        assert.match(content, /\b53690\d{4}\b/);
        assert.doesNotMatch(seen!.content, /\b53690\d{4}\b/);
      }
    });
  }
});

describe('in a table of texts, only what the file says makes a second row of headers', () => {
  const body = [
    ['A', 'Ann', 'Rome'],
    ['B', 'Bo', 'Oslo'],
  ];
  const cells = (row: readonly string[], tag = 'td') => row.map((text) => `<${tag}>${text}</${tag}>`).join('');
  const plain = (tag: string) =>
    [
      ['Id', 'Name', 'Town'],
      ['no', 'first', 'in Europe'],
    ].map((row) => `<tr>${cells(row, tag)}</tr>`);
  const htmlOf = (head: string) => html(head, body.map((row) => `<tr>${cells(row)}</tr>`).join(''));
  const paths = '| Id / no | Name / first | Town / in Europe |';
  const merged = { name: 'S', rows: [FIRST, ['Id', 'Name', 'Town'], ...body] };
  const person = '| Id | Person / Name | Person / Town |';
  const cases: [what: string, name: string, bytes: Uint8Array | string, header: string][] = [
    ['rows in a thead', 'a.html', htmlOf(`<thead>${plain('td').join('')}</thead>`), paths],
    ['rows of head cells', 'a.html', htmlOf(plain('th').join('')), paths],
    ['one row of head cells', 'a.html', htmlOf(`${plain('th')[0]}${plain('td')[1]}`), '| Id | Name | Town |'],
    ['cells that span columns', 'a.html', htmlOf(htmlRows('td')), HEADER],
    ['header rows of a text', 'a.fodt', odt(true, body, plainOdt), paths],
    ['merged cells of a workbook', 'a.xlsx', makeXlsx({ sheets: [{ ...merged, merged: ['B1:C1'] }] }), person],
    [
      'no merged cells in a workbook',
      'a.xlsx',
      makeXlsx({ sheets: [{ ...merged, rows: [FIRST, ['', 'Name', 'Town'], ...body] }] }),
      '| Id | Person | Person |',
    ],
    ['gaps in a CSV file', 'a.csv', 'Id,Person,\n,Name,Town\nA,Ann,Rome\nB,Bo,Oslo', '| Id | Person |  |'],
  ];
  for (const [what, name, bytes, header] of cases) {
    test(what, async () => {
      const { text } = await readBytes(name, bytes);
      assert.ok(text.includes(`${header}\n| --- | --- | --- |\n`), text);
    });
  }
});

test('cells that span columns and rows in JATS and DocBook stand above their columns', async () => {
  const prose = `<p>${'All people of the house are in this table, with their numbers. '.repeat(20)}</p>`;
  const body = '<tr><td>A</td><td>Ann</td><td>Rome</td></tr><tr><td>B</td><td>Bo</td><td>Oslo</td></tr>';
  const jats = `<article><body><sec><title>Staff</title>${prose}<table-wrap><table><thead>${htmlRows('th')}</thead>
    <tbody>${body}</tbody></table></table-wrap></sec></body></article>`;
  assert.ok((await readBytes('a.xml', jats)).text.includes(`${HEADER}\n| --- | --- | --- |\n| A | Ann | Rome |`));
  const head = `<row><entry morerows="1">Id</entry><entry namest="b" nameend="c">Person</entry></row>
    <row><entry>Name</entry><entry>SSN</entry></row>`;
  const rows = body.replaceAll('tr>', 'row>').replaceAll('td>', 'entry>');
  const columns = ['a', 'b', 'c'].map((name) => `<colspec colname="${name}"/>`).join('');
  const book = `<article><title>Staff</title>${prose.replaceAll('p>', 'para>')}<informaltable><tgroup cols="3">${columns}
    <thead>${head}</thead><tbody>${rows}</tbody></tgroup></informaltable></article>`;
  const { text } = await readBytes('a.xml', book);
  assert.ok(text.includes(`${HEADER}\n| --- | --- | --- |\n| A | Ann | Rome |`), text.slice(-300));
});

test('cells that span columns and rows in wikitext stand above their columns, and a long title is a paragraph', async () => {
  const wiki = `'''Staff''' is a [[list]].\n{| class="wikitable"\n! colspan=3 | ${LONG_TITLE}\n|-\n! rowspan="2" | Id\n! colspan=2 | Person
|-\n! Name !! SSN\n|-\n| A || Ann || Rome\n|-\n! B\n| Bo || Oslo\n|}\n`;
  const { text } = await readBytes('a.wiki', wiki);
  assert.ok(text.includes(`${LONG_TITLE}\n\n${HEADER}\n| --- | --- | --- |\n| A | Ann | Rome |\n| B | Bo |`), text);
});

test('three rows in the head of a table are three parts, and its long title is a paragraph', async () => {
  const head = `<thead><tr><th colspan="3">${LONG_TITLE}</th></tr><tr><th></th><th colspan="2">Person</th></tr>
    <tr><th>Id</th><th>Name</th><th>SSN</th></tr><tr><th></th><th></th><th>9 digits</th></tr></thead>`;
  const { text } = await readBytes('a.html', html(head));
  const header = '| Id | Person / Name | Person / SSN / 9 digits |';
  assert.ok(text.includes(`\n\n${LONG_TITLE}\n\n${header}\n| --- `), text.slice(0, 400));
});

test('a short title over all columns is a part of their names, and rules read it above each value', async () => {
  const head = '<tr><th colspan="2">SSN</th></tr><tr><th>present</th><th>former</th></tr>';
  const rows = PEOPLE.map(([, , ssn], i) => `<tr><td>${ssn}</td><td>${536905399 + i}</td></tr>`).join('');
  for (const table of [html(`<thead>${head}</thead>`, rows), html(head, rows)]) {
    const { chunks } = await readBytes('a.html', table);
    assert.ok(chunks.length > 2);
    for (const chunk of chunks.slice(1)) assert.equal(chunk.context, '| SSN / present | SSN / former |');
    for (const { content, context } of chunks) {
      const seen = await redactChunk(redactor, { content, context }, ['retrieval']);
      assert.doesNotMatch(seen!.content, /\b5369\d{5}\b/);
    }
  }
});

test('a head cell over all columns below the header is no name of a column', async () => {
  const head = '<tr><th>Id</th><th>Name</th></tr><tr><th colspan="2">Managers</th></tr>';
  const { text } = await readBytes(
    'a.html',
    html(head, '<tr><td>1</td><td>Ann</td></tr><tr><td>2</td><td>Bo</td></tr>'),
  );
  assert.match(text, /\| Id \| Name \|\n\| --- \| --- \|\n\| Managers \| {2}\|\n\| 1 \| Ann \|/);
});

test('the first head cell of a column is its header, not a title', async () => {
  const head = '<tr><th>SSN</th></tr><tr><th>9 digits</th></tr>';
  const { text } = await readBytes('a.html', html(head, '<tr><td>1</td></tr><tr><td>2</td></tr>'));
  assert.match(text, /\| SSN \|\n\| --- \|\n\| 9 digits \|\n\| 1 \|/);
});

test('a form whose answers span columns has no second row of headers', async () => {
  const form = `<tr><td>Name</td><td colspan="2">Ann Miller</td></tr><tr><td>Born</td><td>Rome</td><td>Italy</td></tr>
    <tr><td>Lives</td><td>Oslo</td><td>Norway</td></tr>`;
  const { text } = await readBytes('a.html', html(form, ''));
  assert.match(text, /\| Name \| Ann Miller \| Ann Miller \|\n\| --- \| --- \| --- \|\n\| Born \| Rome \| Italy \|/);
});

test('rules find the values below each path of a wide table', async () => {
  const groups = Array.from({ length: 16 }, (_, i) => i);
  const first = ['no', ...groups.flatMap((i) => [`Insured person ${i}`, `SSN`])];
  const second = ['', ...groups.flatMap(() => ['full name as in the passport', 'as of this financial year'])];
  const data = Array.from({ length: 40 }, (_, row) => [
    `${row}`,
    ...groups.flatMap((i) => [`Ann of the list ${i}`, `${536904399 + row * 16 + i}`]),
  ]);
  const head = [first, second].map((row) => `<tr>${row.map((cell) => `<th>${cell}</th>`).join('')}</tr>`).join('');
  const body = data.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  const { chunks } = await readBytes('a.html', html(`<thead>${head}</thead>`, body));
  assert.ok(chunks.length > 5);
  for (const { content, context } of chunks.slice(1)) {
    const seen = await redactChunk(redactor, { content, context }, ['retrieval']);
    assert.doesNotMatch(seen!.content, /\b53690\d{4}\b/);
  }
});

test('head cells outside of the head of a table may be data, or the name of a group of rows', async () => {
  const row = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((text) => `<${tag}>${text}</${tag}>`).join('')}</tr>`;
  const first = row('th', ['Rank', 'City']);
  const bold = [
    ['1', 'Tokyo'],
    ['2', 'Delhi'],
  ]
    .map((cells) => row('th', cells))
    .join('');
  const cities = [
    ['3', 'Cairo'],
    ['4', 'Lagos'],
  ]
    .map((cells) => row('td', cells))
    .join('');
  const group = row('th', ['Group 1', '']);
  const header = '\\| Rank \\| City \\|\n\\| --- \\| --- \\|\n';
  const { text } = await readBytes('a.html', html(first + bold, cities));
  assert.match(text, new RegExp(`${header}\\| 1 \\| Tokyo \\|\n\\| 2 \\|`));
  assert.match(
    (await readBytes('b.html', html(first + group, cities))).text,
    new RegExp(`${header}\\| Group 1 \\| {2}\\|`),
  );
  const named = row('th', ['', 'City']) + row('th', ['Rank', '']);
  assert.match((await readBytes('e.html', html(named, cities))).text, new RegExp(header));
  const inHead = await readBytes('c.html', html(`<thead>${first}${group}</thead>`, cities));
  assert.ok(inHead.text.includes('| Rank / Group 1 | City |'), inHead.text);
  const wiki =
    "'''Cities''' are a [[list]].\n{| class=\"wikitable\"\n! Rank !! City\n|-\n! 1 !! Tokyo\n|-\n| 2 || Delhi\n|-\n| 3 || Cairo\n|}\n";
  assert.match((await readBytes('a.wiki', wiki)).text, new RegExp(`${header}\\| 1 \\| Tokyo \\|`));
  const months = row('th', ['Town', 'Month', 'Month', 'Month']) + row('th', ['', '1', '2', '3']);
  const rain = row('td', ['Rome', '70', '60', '50']) + row('td', ['Oslo', '50', '40', '45']);
  assert.ok(
    (await readBytes('d.html', html(months, rain))).text.includes('| Town | Month / 1 | Month / 2 | Month / 3 |'),
  );
});

test('the only head row of a table is its header, also with one cell', async () => {
  const { text } = await readBytes('a.html', html('<thead><tr><th colspan="3">Staff</th></tr></thead>'));
  assert.match(text, /\n\n\| Staff \| {2}\| {2}\|\n\| --- \| --- \| --- \|\n\| P0 \|/);
});

test('a head cell beside one that spans rows is no name of a group', async () => {
  const head = '<tr><th rowspan="2">Id</th><th colspan="2">Person</th></tr><tr><th colspan="2">as written</th></tr>';
  const { text } = await readBytes('a.html', html(`<thead>${head}</thead>`));
  assert.ok(text.includes('| Id | Person / as written | Person / as written |\n| --- |'), text.slice(0, 300));
});

test('an empty header row of an OpenDocument text counts for nothing, and a covered cell repeats the cell on its left', async () => {
  const empty = odtRow([odtCell(''), odtCell(''), odtCell('')].join(''));
  assert.ok(
    (await readBytes('a.fodt', odt(true, undefined, empty + mergedOdt))).text.includes('| Person / SSN | Id |'),
  );
  const names = [
    ['Ann', 'Rome', 'A'],
    ['Bo', 'Oslo', 'B'],
  ];
  assert.ok((await readBytes('a.fodt', odt(false, names, empty + mergedOdt))).text.includes('| Person / SSN | Id |'));
  const spanned = odtRow(odtCell('A') + odtCell('Ann', 'table:number-columns-spanned="2"') + COVERED);
  const { text } = await readBytes('a.fodt', odt(true, [['B', 'Bo', 'Rome']], plainOdt + spanned));
  assert.ok(text.includes('| Id / no / A | Name / first / Ann | Town / in Europe / Ann |'), text);
});

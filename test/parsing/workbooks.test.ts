/** Tests of Excel workbooks as people and programs make them: cells at any places, formats, titles, damaged parts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { parseXlsx } from '../../src/files/formats/office/sheets/xlsx.ts';
import { makeXlsx } from '../support/files/make-files.ts';
import { readBytes } from '../support/files/process-bytes.ts';

const STYLES = ['', '00000', '0.0" kg"', '0;0;0;"no. "@'];

/** Returns a workbook whose only sheet has these rows as XML. Styles 1, 2 … have the formats of STYLES. */
function workbook(rows: string, after = ''): Uint8Array {
  const parts = unzipSync(makeXlsx({ sheets: [{ name: 'S', rows: [['x']] }] }));
  const codes = STYLES.map(
    (code, i) => `<numFmt numFmtId="${170 + i}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
  );
  const styles = STYLES.map((_, i) => `<xf numFmtId="${170 + i}"/>`);
  parts['xl/styles.xml'] = strToU8(
    `<styleSheet><numFmts>${codes.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
  );
  parts['xl/sharedStrings.xml'] = strToU8(
    '<sst><si><t>tea</t></si><si><r><t>green </t></r><r><t>tea_x000A_bio</t></r><rPh><t>reading</t></rPh></si><si><t/></si><si><t><![CDATA[a<b]]></t></si></sst>',
  );
  parts['xl/worksheets/sheet1.xml'] = strToU8(`<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`);
  return zipSync(parts);
}

/** Returns a row of cells with inline texts. */
const row = (index: number, ...cells: string[]) =>
  `<row r="${index}">${cells.map((text, i) => (text === '' ? '' : `<c r="${'ABCDEF'[i]}${index}" t="inlineStr"><is><t>${text}</t></is></c>`)).join('')}</row>`;

const textOf = async (rows: string, after = '') => (await readBytes('a.xlsx', workbook(rows, after))).text;

test('postal codes keep their zeros, amounts their unit, and shared texts their parts', async () => {
  const cells =
    '<row r="1"><c r="A1" s="1"><v>1067</v></c><c r="B1" s="2"><v>12.34</v></c><c r="C1" t="s" s="3"><v>0</v></c><c r="D1" t="s"><v>1</v></c></row>' +
    '<row r="2"><c r="A2" s="1"><v>80331</v></c><c r="B2" s="2"><v>7</v></c><c r="C2" t="s"><v>2</v></c><c r="D2" t="s"><v>3</v></c></row>';
  assert.equal(
    await textOf(cells),
    '## S\n\n| 01067 | 12.34 kg | no. tea | green tea bio |\n| 80331 | 7.0 kg |  | a<b |',
  );
});

test('cells at the far corners of many sheets need little memory and time', () => {
  const far = `${row(1, 'here')}<row r="1048576"><c r="XFD1048576" t="s"><v>0</v></c></row>`;
  const parts = unzipSync(workbook(far));
  const names = Array.from({ length: 200 }, (_, i) => `S${i}`);
  parts['xl/workbook.xml'] = strToU8(
    `<workbook xmlns:r="r"><sheets>${names.map((name) => `<sheet name="${name}" r:id="r1"/>`).join('')}</sheets></workbook>`,
  );
  parts['xl/_rels/workbook.xml.rels'] = strToU8(
    '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
  );
  const bytes = zipSync(parts);
  const before = process.resourceUsage().maxRSS;
  const { text, blocks } = parseXlsx(bytes, []);
  assert.equal(text.match(/here\n\ntea/g)?.length, 200);
  assert.equal(
    blocks.find((block) => block.region?.range === 'XFD1048576:XFD1048576')?.region?.firstSheetRow,
    1_048_576,
  );
  const grownMiB = (process.resourceUsage().maxRSS - before) / 1024;
  assert.ok(grownMiB < 200, `${grownMiB} MiB`);
});

test('a long diagonal of cells is read without the empty cells beside it', () => {
  const cells = Array.from({ length: 16_000 }, (_, i) => `<row><c r="${letters(i)}${i + 1}"><v>${i}</v></c></row>`);
  const { text, blocks } = parseXlsx(workbook(cells.join('')), []);
  assert.ok(text.length < 500_000, `${text.length} characters`);
  assert.match(text, /\b15999\b/);
  assert.equal(
    blocks.find((block) => block.region),
    undefined,
    'the cells do not stand at their places',
  );
});

function letters(index: number): string {
  return `${index < 26 ? '' : letters(Math.floor(index / 26) - 1)}${String.fromCharCode(65 + (index % 26))}`;
}

test('rows and cells that are out of order, twice there or without a style are read', async () => {
  const cells = `${row(2, 'b', '2')}${row(1, 'a', '1')}<row r="3"><c r="B3" s="99"><v>3</v></c><c r="A3" t="s"><v>0</v></c><c r="C3" t="s"><v>77</v></c><c r="D3" t="e"><v>#N/A</v></c><c r="XFE3"><v>9</v></c></row>`;
  const text = await textOf(cells);
  assert.match(text, /\| a \| 1 \|\n(?:\| --- \| --- \|\n)?\| b \| 2 \|\n\| tea \| 3 \|/);
  assert.doesNotMatch(text, /#N/, 'an error is no value');
});

test('titles above a header are paragraphs, and the header is the context of the rows', async () => {
  const rows = [row(1, 'Sales 2024'), row(2, 'item', 'amount'), row(3, 'tea', '5'), row(4, 'coffee', '7')].join('');
  const file = await readBytes('a.xlsx', workbook(rows));
  assert.equal(file.text, '## S\n\nSales 2024\n\n| item | amount |\n| --- | --- |\n| tea | 5 |\n| coffee | 7 |');
  assert.deepEqual(
    file.tables.map(({ sheet, range, firstSheetRow, caption }) => ({ sheet, range, firstSheetRow, caption })),
    [{ sheet: 'S', range: 'A2:B4', firstSheetRow: 2, caption: 'Sales 2024' }],
  );
});

test('a title in merged cells above an empty row is written once, and a row of equal numbers is a row', async () => {
  const merged = '<mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="A2:C2"/></mergeCells>';
  const rows = row(1, 'Payroll 2024') + row(2, 'of the town') + row(4, 'Name', 'Pay') + row(5, 'Ann', '12');
  assert.equal(
    await textOf(rows, merged),
    '## S\n\nPayroll 2024\nof the town\n\n| Name | Pay |\n| --- | --- |\n| Ann | 12 |',
  );
  assert.match(await textOf(row(1, '7', '7', '7') + row(3, 'a', 'b')), /\| 7 \| 7 \| 7 \|/);
});

test('a merged cell below the others has its text in all its rows', async () => {
  const rows = `${row(1, 'day', 'who')}${row(2, 'Monday', 'Ann')}${row(3, '', 'Bob')}`;
  const merged = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>';
  assert.match(await textOf(rows, merged), /\| Monday \| Ann \|\n\| Monday \| Bob \|/);
});

test('tables with names are tables of their own, also beside one another and above a note', async () => {
  const rows = `${row(1, 'tea', 'amount', 'land', 'code')}${row(2, 'green', '3', 'DE', '49')}${row(3, 'black', '5', 'AT', '43')}${row(4, 'Source: stock')}`;
  const parts = unzipSync(workbook(rows));
  parts['xl/worksheets/_rels/sheet1.xml.rels'] = strToU8(
    '<Relationships><Relationship Id="a" Target="../tables/table2.xml"/><Relationship Id="b" Target="../tables/table1.xml"/></Relationships>',
  );
  parts['xl/tables/table1.xml'] = strToU8('<table ref="A1:B3"/>');
  parts['xl/tables/table2.xml'] = strToU8('<table ref="C1:D3"/>');
  const file = await readBytes('a.xlsx', zipSync(parts));
  assert.equal(
    file.text,
    '## S\n\n| tea | amount |\n| --- | --- |\n| green | 3 |\n| black | 5 |\n\n| land | code |\n| --- | --- |\n| DE | 49 |\n| AT | 43 |\n\nSource: stock',
  );
  assert.deepEqual(
    file.tables.map(({ range }) => range),
    ['A1:B3', 'C1:D3'],
  );
});

test('a workbook without its main part fails as damaged', async () => {
  const { 'xl/workbook.xml': _gone, ...parts } = unzipSync(workbook(row(1, 'x')));
  assert.throws(() => parseXlsx(zipSync(parts), []), /no workbook/);
});

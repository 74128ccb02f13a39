/** Tests of Office files in one XML file: flat packages, flat OpenDocument, Word and Excel 2003. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { makeDocx } from '../support/files/make-files.ts';
import { failureOf, readBytes } from '../support/files/process-bytes.ts';

const SHEET = 'urn:schemas-microsoft-com:office:spreadsheet';

test('a flat package is read like the archive of its parts', async () => {
  const bytes = makeDocx({
    title: 'Birds',
    author: 'Ann',
    blocks: [{ heading: 'Herons' }, { list: ['one', 'two'] }, { table: [['a', 'b']] }],
  });
  const parts = Object.entries(unzipSync(bytes)).map(([name, part]) => {
    const xml = strFromU8(part).replace(/^<\?xml.*?\?>\s*/, '');
    return `<pkg:part pkg:name="/${name}" pkg:contentType="x"><pkg:xmlData>${xml}</pkg:xmlData></pkg:part>`;
  });
  const picture = '<pkg:part pkg:name="/word/media/a.png"><pkg:binaryData>AAAA</pkg:binaryData></pkg:part>';
  const flat = `<?xml version="1.0" standalone="yes"?>\n<?mso-application progid="Word.Document"?>\n<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">${parts.join('')}${picture}</pkg:package>`;
  const [whole, read] = [await readBytes('a.docx', bytes), await readBytes('a.xml', flat)];
  assert.match(whole.text, /^# Herons\n\n- one\n- two\n\na — b/);
  assert.deepEqual([read.fileType, read.text, read.metadata], [whole.fileType, whole.text, whole.metadata]);
});

test('Word 2003 XML needs LibreOffice', async () => {
  const xml = `<?xml version="1.0"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body/></w:wordDocument>`;
  const { title, message } = await failureOf('letter.xml', xml);
  assert.equal(title, 'Document needs LibreOffice');
  assert.match(message, /save the file as docx/);
});

test('Excel 2003 XML is read with cell indexes, merged cells, dates, times and comments', async () => {
  const cell = (type: string, value: string, more = '', inner = '') =>
    `<Cell${more}><Data ss:Type="${type}">${value}</Data>${inner}</Cell>`;
  const rows = [
    `<Row>${cell('String', 'bird')}${cell('String', 'count')}${cell('String', 'seen')}</Row>`,
    `<Row>${cell('String', 'heron &amp; egret', ' ss:MergeDown="1"')}${cell('Number', '3')}${cell('DateTime', '2024-05-01T00:00:00.000')}</Row>`,
    `<Row>${cell('DateTime', '1899-12-31T08:30:00.000', ' ss:Index="2"', '<Comment ss:Author="Ann"><Data>Counted twice.</Data></Comment>')}${cell('Boolean', '1')}</Row>`,
    `<Row ss:Index="900000">${cell('String', 'far below')}</Row>`,
  ];
  const hidden =
    '<Worksheet ss:Name="Old"><Table><Row><Cell><Data ss:Type="String">secret</Data></Cell></Row></Table><WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet>';
  const xml = `<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="${SHEET}" xmlns:ss="${SHEET}"><Worksheet ss:Name="Lake"><Table>${rows.join('')}</Table></Worksheet>${hidden}</Workbook>`;
  const { fileType, text } = await readBytes('export.xls', xml);
  assert.equal(fileType, 'xlsx');
  assert.equal(
    text,
    '## Lake\n\n| bird | count | seen |\n| --- | --- | --- |\n| heron & egret | 3 | 2024-05-01 |\n| heron & egret | 08:30:00 | true |\n\nfar below\n\n[author: Ann, cell: B3]: Counted twice.',
  );
});

test('Excel 2003 XML keeps names of sheets that Excel refuses, errors, comments with marks, and properties', async () => {
  const data = (type: string, value: string) => `<Data ss:Type="${type}">${value}</Data>`;
  const comment = '<B><Font html:Face="Tahoma">Bob:</Font></B><Font> 1 &lt; 2</Font>';
  const rows =
    `<Row><Cell>${data('String', 'a')}<Comment ss:Author="Bob"><ss:Data xmlns="http://www.w3.org/TR/REC-html40">${comment}</ss:Data></Comment></Cell>` +
    `<Cell>${data('String', 'b')}</Cell></Row><Row><Cell>${data('Number', '1')}</Cell><Cell>${data('Error', '#N/A')}</Cell></Row>`;
  const names = ['A very long sheet name that is longer than thirty-one signs', 'a/b'];
  const sheets = names.map((name) => `<Worksheet ss:Name="${name}"><Table>${rows}</Table></Worksheet>`).join('');
  const properties = '<DocumentProperties><Description>All birds</Description></DocumentProperties>';
  const { text, metadata } = await readBytes(
    'a.xml',
    `<?xml version="1.0"?><Workbook xmlns="${SHEET}" xmlns:ss="${SHEET}">${properties}${sheets}</Workbook>`,
  );
  const cells = '| a | b |\n| --- | --- |\n| 1 | #N/A |\n\n[author: Bob, cell: A1]: Bob: 1 < 2';
  assert.equal(text, names.map((name) => `## ${name}\n\n${cells}`).join('\n\n'));
  assert.equal(metadata.description?.val, 'All birds');
});

test('an Excel 2003 file that spreads its cells over too large a sheet is refused', async () => {
  const row = '<Row><Cell ss:Index="16000"><Data ss:Type="String">x</Data></Cell></Row>';
  const xml = `<?xml version="1.0"?><Workbook xmlns="${SHEET}" xmlns:ss="${SHEET}"><Worksheet ss:Name="S"><Table>${row.repeat(300)}</Table></Worksheet></Workbook>`;
  assert.match((await failureOf('a.xml', xml)).message, /more than 4000000 cells/);
});

test('a flat OpenDocument file is read as the kind that it declares', async () => {
  const names = ['office', 'table', 'text', 'draw', 'meta']
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(' ');
  const flat = (kind: string, body: string) =>
    `<?xml version="1.0"?><office:document ${names} office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:meta><meta:initial-creator>Ann</meta:initial-creator></office:meta><office:body>${body}</office:body></office:document>`;
  const text = await readBytes(
    'a.fodt',
    flat(
      'text',
      '<office:text><text:h text:outline-level="1">Herons</text:h><text:p>They nest.</text:p></office:text>',
    ),
  );
  assert.deepEqual([text.fileType, text.text, text.metadata['author']?.val], ['odt', '# Herons\n\nThey nest.', 'Ann']);
  const cells = ['bird', 'count'].map((value) => `<table:table-cell><text:p>${value}</text:p></table:table-cell>`);
  const sheet = await readBytes(
    'a.xml',
    flat(
      'spreadsheet',
      `<office:spreadsheet><table:table table:name="S"><table:table-row>${cells.join('')}</table:table-row></table:table></office:spreadsheet>`,
    ),
  );
  assert.equal(sheet.fileType, 'ods');
  assert.match(sheet.text, /## S\n\n\| bird \| count \|/);
});

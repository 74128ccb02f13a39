/** Tests of Office files in one XML file: flat packages, flat OpenDocument, Word and Excel 2003. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { makeDocx } from '../support/files/make-files.ts';
import { failureOf, readBytes } from '../support/files/process-bytes.ts';

const WORD = 'xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:wx="wx" xmlns:aml="aml"';
const SHEET = 'urn:schemas-microsoft-com:office:spreadsheet';
const paragraph = (text: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const mark = (kind: string, content: string) =>
  `<aml:annotation aml:id="1" w:type="Word.${kind}" aml:author="Bo"><aml:content>${content}</aml:content></aml:annotation>`;

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

test('Word 2003 XML is read with its headings, lists, tables, notes, comments and links, without deleted text', async () => {
  const list = (id: number) => `<w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="${id}"/></w:listPr>`;
  const level = (id: number, kind: number) =>
    `<w:listDef w:listDefId="${id}"><w:lvl w:ilvl="0"><w:nfc w:val="${kind}"/><w:lvlText w:val="%1."/></w:lvl></w:listDef>`;
  const cell = (text: string, merge = '') => `<w:tc><w:tcPr>${merge}</w:tcPr>${paragraph(text)}</w:tc>`;
  const body = [
    `<wx:sect><wx:sub-section>${paragraph('Herons', '<w:pStyle w:val="H1"/>')}`,
    `<w:p><w:r><w:t>They nest</w:t></w:r><w:r><w:footnote>${paragraph('In spring.')}</w:footnote></w:r>`,
    `${mark('Insertion', '<w:r><w:t> high.</w:t></w:r>')}${mark('Deletion', '<w:r><w:delText>low</w:delText></w:r>')}`,
    `<w:r>${mark('Comment', paragraph('Sure?'))}</w:r>`,
    '<w:hlink w:dest="https://example.org/nests"><w:r><w:t> More</w:t></w:r></w:hlink></w:p>',
    `${paragraph('bullet', list(1))}${paragraph('first', list(2))}`,
    `<w:tbl><w:tr>${cell('a', '<w:vmerge w:val="restart"/>')}${cell('b')}</w:tr><w:tr>${cell('', '<w:vmerge/>')}${cell('c')}</w:tr></w:tbl>`,
    '<w:p><w:r><w:pict><w:binData w:name="wordml://1.png">iVBORw0KGgo=</w:binData></w:pict></w:r></w:p>',
    '</wx:sub-section></wx:sect>',
  ];
  const lists = `${level(0, 23)}${level(1, 0)}<w:list w:ilfo="1"><w:ilst w:val="0"/></w:list><w:list w:ilfo="2"><w:ilst w:val="1"/></w:list>`;
  const styles = '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>';
  const xml = `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument ${WORD} xmlns:o="o"><o:DocumentProperties><o:Title>Birds</o:Title></o:DocumentProperties><w:lists>${lists}</w:lists><w:styles>${styles}</w:styles><w:body>${body.join('')}</w:body></w:wordDocument>`;
  const { fileType, text, chunks, metadata } = await readBytes('letter.xml', xml);
  assert.equal(fileType, 'docx');
  assert.match(
    text,
    /^# Herons\n\nThey nest\[\^1\] high\.\[\^2\] ?More\n\n\[\^1\]: In spring\.\n\n\[\^2\]: \[comment by Bo\] Sure\?/,
  );
  assert.match(text, /- bullet\n*1\. first\n\n\| a \| b \|\n\| --- \| --- \|\n\| a \| c \|$/);
  assert.match(chunks[0]!.context!, /More <https:\/\/example\.org\/nests>/);
  assert.equal(metadata['title']?.val, 'Birds');
});

const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
const comment = (content: string) => `<w:r>${mark('Comment', content)}</w:r>`;
const NESTED: readonly (readonly [what: string, body: string, text: string])[] = [
  [
    'a comment in inserted text',
    `<w:p>${mark('Insertion', `${run('Herons')}${comment(paragraph('Sure?'))}${run(' nest')}`)}${run(' high.')}</w:p>`,
    'Herons[^1] nest high.\n\n[^1]: [comment by Bo] Sure?',
  ],
  [
    'inserted text in a comment',
    `<w:p>${run('Herons')}${comment(`<w:p>${mark('Insertion', run('Are you'))}${run(' sure?')}</w:p>`)}${run(' nest.')}</w:p>`,
    'Herons[^1] nest.\n\n[^1]: [comment by Bo] Are you sure?',
  ],
  [
    'a comment in deleted text',
    `<w:p>${run('Herons')}${mark('Deletion', `<w:r><w:delText>never</w:delText></w:r>${comment(paragraph('Why?'))}`)}${run(' nest.')}</w:p>`,
    'Herons[^1] nest.\n\n[^1]: [comment by Bo] Why?',
  ],
  [
    'a comment in a footnote',
    `<w:p>${run('Herons nest.')}<w:r><w:footnote><w:p>${run('High')}${comment(paragraph('How high?'))}${mark('Insertion', run(' up.'))}</w:p></w:footnote></w:r></w:p>`,
    'Herons nest.[^1]\n\n[^1]: High [comment by Bo] How high? up.',
  ],
];
for (const [what, body, text] of NESTED) {
  test(`Word 2003 XML with ${what} keeps the comment`, async () => {
    const xml = `<?xml version="1.0"?><w:wordDocument ${WORD}><w:body>${body}${paragraph('The end.')}</w:body></w:wordDocument>`;
    assert.equal((await readBytes('a.xml', xml)).text, `${text}\n\nThe end.`);
  });
}

test('Excel 2003 XML is read with cell indexes, merged cells, dates, times and comments', async () => {
  const cell = (type: string, value: string, more = '', inner = '') =>
    `<Cell${more}><Data ss:Type="${type}">${value}</Data>${inner}</Cell>`;
  const rows = [
    `<Row>${cell('String', 'bird')}${cell('String', 'count')}${cell('String', 'seen')}</Row>`,
    `<Row>${cell('String', 'heron &amp; egret', ' ss:MergeDown="1"')}${cell('Number', '3')}${cell('DateTime', '2024-05-01T00:00:00.000')}</Row>`,
    `<Row>${cell('DateTime', '1899-12-31T08:30:00.000', ' ss:Index="2" ss:StyleID="t"', '<Comment ss:Author="Ann"><Data>Counted twice.</Data></Comment>')}${cell('Boolean', '1')}</Row>`,
    `<Row ss:Index="900">${cell('String', 'far below')}</Row>`,
  ];
  const styles = '<Styles><Style ss:ID="t"><NumberFormat ss:Format="h:mm;@"/></Style></Styles>';
  const hidden =
    '<Worksheet ss:Name="Old"><Table><Row><Cell><Data ss:Type="String">secret</Data></Cell></Row></Table><WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet>';
  const xml = `<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="${SHEET}" xmlns:ss="${SHEET}">${styles}<Worksheet ss:Name="Lake"><Table>${rows.join('')}</Table></Worksheet>${hidden}</Workbook>`;
  const { fileType, text } = await readBytes('export.xls', xml);
  assert.equal(fileType, 'xlsx');
  assert.equal(
    text,
    '## Lake\n\n| bird | count | seen |\n| --- | --- | --- |\n| heron & egret | 3 | 2024-05-01 |\n| heron & egret | 08:30 | true |\n\nfar below\n\n[author: Ann, cell: B3]: Counted twice.',
  );
});

test('an Excel 2003 file that spreads its cells over too large a sheet is refused', async () => {
  const row = '<Row><Cell ss:Index="16000"><Data ss:Type="String">x</Data></Cell></Row>';
  const xml = `<?xml version="1.0"?><Workbook xmlns="${SHEET}" xmlns:ss="${SHEET}"><Worksheet ss:Name="S"><Table>${row.repeat(1300)}</Table></Worksheet></Workbook>`;
  assert.match((await failureOf('a.xml', xml)).message, /up to 20000000 cells/);
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

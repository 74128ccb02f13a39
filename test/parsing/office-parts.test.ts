/** Tests of parts of Office files apart from the main text: shapes, diagrams, included files, sheets that are charts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { fixture } from '../support/files/fixtures.ts';
import { makeDocx, makePdf, makeXlsx } from '../support/files/make-files.ts';
import { failureOf, processBytes, readBytes } from '../support/files/process-bytes.ts';

const links = (...targets: string[]) =>
  `<Relationships>${targets.map((target, i) => `<Relationship Id="c${i}" Target="${target}"/>`).join('')}</Relationships>`;
const shape = (text: string) => `<xdr:sp><xdr:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`;
const DIAGRAM =
  '<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>First step</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt/></dgm:ptLst></dgm:dataModel>';

test('a workbook is read with the shapes and diagrams on its sheets, and with sheets that are charts', async () => {
  const parts = unzipSync(makeXlsx({ sheets: [{ name: 'S', rows: [] }] }));
  const change = (name: string, from: string, to: string) => {
    parts[name] = strToU8(new TextDecoder().decode(parts[name]).replace(from, to));
  };
  parts['xl/worksheets/_rels/sheet1.xml.rels'] = strToU8(links('../drawings/drawing1.xml'));
  parts['xl/drawings/drawing1.xml'] = strToU8(
    `<wsDr>${shape('Boxed')}<xdr:grpSp>${shape('Grouped')}</xdr:grpSp></wsDr>`,
  );
  parts['xl/drawings/_rels/drawing1.xml.rels'] = strToU8(links('../diagrams/data1.xml', '../diagrams/layout1.xml'));
  parts['xl/diagrams/data1.xml'] = strToU8(DIAGRAM);
  change('xl/workbook.xml', '</sheets>', '<sheet name="Chart1" sheetId="9" r:id="cs"/></sheets>');
  change(
    'xl/_rels/workbook.xml.rels',
    '</Rel',
    '<Relationship Id="cs" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartsheet" Target="chartsheets/sheet1.xml"/></Rel',
  );
  parts['xl/chartsheets/sheet1.xml'] = strToU8('<chartsheet/>');
  parts['xl/chartsheets/_rels/sheet1.xml.rels'] = strToU8(links('../drawings/drawing2.xml'));
  parts['xl/drawings/drawing2.xml'] = strToU8('<wsDr/>');
  parts['xl/drawings/_rels/drawing2.xml.rels'] = strToU8(links('../charts/chart1.xml'));
  parts['xl/charts/chart1.xml'] = strToU8(
    '<c:chartSpace><c:chart><c:plotArea><c:pieChart><c:ser><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>8</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:pieChart></c:plotArea></c:chart></c:chartSpace>',
  );
  const { text } = await readBytes('a.xlsx', zipSync(parts));
  assert.equal(text, '## S\n\nBoxed\n\nGrouped\n\n- First step\n\n## Chart1\n\nPie chart\n\n|  | 8 |\n| --- | --- |');
});

test('a Word file is read with its fields, text boxes, ovals and line ends, and each text box once', async () => {
  const parts = unzipSync(makeDocx({ blocks: [{ paragraph: 'HERE' }, { paragraph: 'after' }] }));
  const xml = new TextDecoder().decode(parts['word/document.xml']);
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
  const uri = (name: string) => `http://schemas.microsoft.com/office/word/2010/wordprocessing${name}`;
  const box = (text: string) => `<w:txbxContent><w:p>${run(text)}</w:p></w:txbxContent>`;
  const drawn = (inside: string) =>
    `<w:drawing><wp:anchor><wp:posOffset>77</wp:posOffset><a:graphic><a:graphicData uri="${uri('Group')}">${inside}</a:graphicData></a:graphic></wp:anchor></w:drawing>`;
  const picture =
    '<w:drawing><wp:inline><a:graphic><a:graphicData uri="picture"><pic:pic/></a:graphicData></a:graphic></wp:inline></w:drawing>';
  const shapes = `<wpg:wgp><wps:wsp><wps:txbx>${box('Grouped')}</wps:txbx></wps:wsp><wpg:grpSp><wps:wsp><wps:txbx>${box(`Inner</w:t>${picture}<w:t>`)}</wps:txbx></wps:wsp></wpg:grpSp></wpg:wgp>`;
  const both = `<mc:AlternateContent><mc:Choice Requires="wpg">${drawn(shapes)}</mc:Choice><mc:Fallback><w:pict><v:rect><v:textbox>${box('Grouped')}</v:textbox></v:rect></w:pict></mc:Fallback></mc:AlternateContent>`;
  const oval = `<w:pict><v:oval><v:textbox>${box('Round')}</v:textbox></v:oval></w:pict>`;
  const field = `<w:fldSimple w:instr="SEQ Figure">${run('7')}</w:fldSimple><w:fldSimple w:instr="SEQ"/><w:dir w:val="rtl">${run('b')}</w:dir>`;
  const namespaces = ['mc', 'a', 'pic', 'v', 'wp', 'wps', 'wpg'].map((name) => `xmlns:${name}="urn:${name}"`).join(' ');
  const known: Record<string, string> = {
    'urn:mc': 'http://schemas.openxmlformats.org/markup-compatibility/2006',
    'urn:v': 'urn:schemas-microsoft-com:vml',
    'urn:wp"': 'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
  };
  let head = namespaces;
  for (const [short, name] of Object.entries(known)) head = head.replace(short, name);
  parts['word/document.xml'] = strToU8(
    xml
      .replace('<w:document', `<w:document ${head}`)
      .replace('HERE', `Figure </w:t></w:r>${field}<w:r><w:t>a</w:t><w:cr/>${both}${oval}<w:t>c`),
  );
  const { text } = await readBytes('a.docx', zipSync(parts));
  assert.equal(text, 'Figure 7ba\nc\n\nGrouped\n\nInner\n\nRound\n\nafter');
});

test('headings, lists and table cells of a Word file have the numbers that Word shows', async () => {
  const parts = unzipSync(makeDocx({ blocks: [{ heading: 'Payment', level: 1 }, { paragraph: 'HERE' }] }));
  const xml = new TextDecoder().decode(parts['word/document.xml']);
  const item = (text: string) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="9"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const cell = (text: string) => `<w:tc>${text}</w:tc>`;
  const plain = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const row = `<w:tr>${cell(item('due'))}${cell(plain('30'))}</w:tr>`;
  parts['word/document.xml'] = strToU8(
    xml
      .replace(/(<w:pStyle [^<>]*>)/, '$1<w:numPr><w:ilvl w:val="0"/><w:numId w:val="9"/></w:numPr>')
      .replace(
        /<w:p>(?=(?:(?!<w:p>).)*HERE)/,
        `${item('in cash')}${plain('Then')}${item('by card')}<w:tbl>${row}</w:tbl>${item('split')}<w:tbl>${row}${row}</w:tbl><w:p>`,
      ),
  );
  parts['word/numbering.xml'] = strToU8(
    new TextDecoder()
      .decode(parts['word/numbering.xml'])
      .replace(
        /(<w:num )/,
        '<w:abstractNum w:abstractNumId="9"><w:lvl w:ilvl="0"><w:numFmt w:val="upperLetter"/><w:lvlText w:val="§ %1)"/></w:lvl></w:abstractNum><w:num w:numId="9"><w:abstractNumId w:val="9"/></w:num>$1',
      ),
  );
  const { text } = await readBytes('a.docx', zipSync(parts));
  assert.equal(
    text,
    '# § A) Payment\n\n* § B) in cash\n\nThen\n\n* § C) by card\n\n* § D) due\n\n30\n\n* § E) split\n\n| § F) due | 30 |\n| --- | --- |\n| § G) due | 30 |\n\nHERE',
  );
});

test('a Word file is read with its diagrams and with included pages and texts', async () => {
  const parts = unzipSync(
    makeDocx({ blocks: [{ paragraph: 'before' }, { paragraph: 'HERE' }, { paragraph: 'after' }] }),
  );
  const xml = new TextDecoder().decode(parts['word/document.xml']);
  const chunk = (id: string) => `</w:t></w:r></w:p><w:altChunk r:id="${id}"/><w:p><w:r><w:t>`;
  const diagram = '</w:t><w:drawing><wp:inline><dgm:relIds xmlns:dgm="d" r:dm="c0"/></wp:inline></w:drawing><w:t>';
  parts['word/document.xml'] = strToU8(xml.replace('HERE', `${diagram}${chunk('c1')}${chunk('c2')}${chunk('c3')}`));
  parts['word/_rels/document.xml.rels'] = strToU8(
    links('diagrams/data1.xml', 'chunk1.html', 'chunk2.mht', 'chunk3.txt'),
  );
  parts['word/diagrams/data1.xml'] = strToU8(DIAGRAM);
  parts['word/chunk1.html'] = strToU8(
    `<html><head><title>${'İ'.repeat(40)}</title><style>p{}</style></head><body class="x"><h2>Page</h2><table><tr><td>a</td><td>b</td></tr></table><ul><li pinakes-label = "# No">c</li></ul></body></html>${'<p>behind</p>'.repeat(3)}`,
  );
  parts['word/chunk2.mht'] = strToU8(
    'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<body><p>Caf=C3=A9</p></body>',
  );
  parts['word/chunk3.txt'] = strToU8('1 < 2\n\nnext');
  const { text } = await readBytes('a.docx', zipSync(parts));
  assert.equal(text, 'before\n\n- First step\n\n## Page\n\na — b\n\n- c\n\nCafé\n\n1 < 2\n\nnext\n\nafter');
});

test('a workbook whose rows and cells have no names is read by their order', async () => {
  const parts = unzipSync(
    makeXlsx({
      sheets: [
        {
          name: 'S',
          rows: [
            ['Name', 'Depth'],
            ['Ore', 7],
          ],
        },
      ],
    }),
  );
  const name = 'xl/worksheets/sheet1.xml';
  const xml = strFromU8(parts[name]!);
  for (const names of [/ r="[A-Z]?\d+"/g, / r="[BC]\d+"/g]) {
    parts[name] = strToU8(xml.replace(names, ''));
    assert.notEqual(strFromU8(parts[name]), xml);
    assert.match((await readBytes('a.xlsx', zipSync(parts))).text, /Name[\s\S]*Depth[\s\S]*Ore[\s\S]*7/);
  }
});

test('names of cells in a workbook may be in single quotes and have blanks around their sign', async () => {
  const parts = unzipSync(makeXlsx({ sheets: [{ name: 'S', rows: [['Name', 'Paid', 'Owed']] }] }));
  const sheet = 'xl/worksheets/sheet1.xml';
  const xml = strFromU8(parts[sheet]!);
  const row = `<row r='2'><c r='A2' t='inlineStr'><is><t>Ann</t></is></c><c r='C2'><v>50</v></c></row>`;
  const unnamed = `<row r='3'><c t='inlineStr'><is><t>Bob</t></is></c><c r = "C3"><v>70</v></c></row>`;
  for (const more of ['', unnamed]) {
    parts[sheet] = strToU8(xml.replace('</sheetData>', `${row}${more}</sheetData>`));
    const { text } = await readBytes('a.xlsx', zipSync(parts));
    assert.match(text, /Ann \|\s*\| 50/);
    if (more !== '') assert.match(text, /Bob \|\s*\| 70/);
  }
});

test('percent cells become percents in the text and numbers in declared metadata', async () => {
  const sheets = [
    {
      name: 'S',
      rows: [
        ['name', 'share', 'rate', 'note'],
        ['a', 0.125, 0.07, 5],
        ['b', 1, -0.333333333, 6],
      ],
    },
  ];
  const parts = unzipSync(makeXlsx({ sheets }));
  const styles = strFromU8(parts['xl/styles.xml']!)
    .replace(
      '<fonts',
      `<numFmts><numFmt numFmtId="170" formatCode="0.0&quot; &quot;%"/><numFmt numFmtId="171" formatCode="0&quot; %&quot;"/></numFmts><fonts`,
    )
    .replace('</cellXfs>', '<xf numFmtId="9"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs>');
  const cells = strFromU8(parts['xl/worksheets/sheet1.xml']!).replace(
    /<c r="([BCD])([23])"/g,
    (_cell, column: string, row: string) => `<c r="${column}${row}" s="${'BCD'.indexOf(column) + 4}"`,
  );
  const prefixed = (xml: string) =>
    xml.replace(/<(\/?)([a-zA-Z]+)(?=[\s>/])/g, '<$1x:$2').replace(/xmlns="/g, 'xmlns:x="');
  for (const write of [(xml: string) => xml, prefixed]) {
    const changed = { 'xl/styles.xml': strToU8(write(styles)), 'xl/worksheets/sheet1.xml': strToU8(write(cells)) };
    const { text, chunks } = await readBytes('a.xlsx', zipSync({ ...parts, ...changed }), [
      { key: 'share', type: 'float' },
    ]);
    assert.match(text, /\| a \| 12\.5% \| 7\.0 % \| 5 % \|\n\| b \| 100% \| -33\.3333333 % \| 6 % \|$/);
    assert.deepEqual(
      chunks.map(({ metadata }) => metadata['share']?.val),
      ['0.125', '1'],
    );
  }
});

test('times and lengths of time in a workbook are shown as such, in workbooks that count from 1900 and from 1904', async () => {
  const rows = [
    ['name', 'start', 'worked', 'day'],
    ['Ola', 8.5 / 24, 0.3125, 46_000.25],
    ['Kim', 17 / 24, 1.59375, 46_001.5],
  ];
  const parts = unzipSync(makeXlsx({ sheets: [{ name: 'S', rows }] }));
  const styles = strFromU8(parts['xl/styles.xml']!)
    .replace('<fonts', '<numFmts><numFmt numFmtId="170" formatCode="[h]:mm"/></numFmts><fonts')
    .replace('</cellXfs>', '<xf numFmtId="20"/><xf numFmtId="170"/><xf numFmtId="20"/></cellXfs>');
  const cells = strFromU8(parts['xl/worksheets/sheet1.xml']!).replace(
    /<c r="([BCD])([23])"/g,
    (_cell, column: string, row: string) => `<c r="${column}${row}" s="${'BCD'.indexOf(column) + 4}"`,
  );
  parts['xl/styles.xml'] = strToU8(styles);
  parts['xl/worksheets/sheet1.xml'] = strToU8(cells);
  const { text } = await readBytes('a.xlsx', zipSync(parts));
  assert.match(
    text,
    /\| Ola \| 08:30 \| 07:30 \| 2025-12-09 06:00:00 \|\n\| Kim \| 17:00 \| 38:15 \| 2025-12-10 12:00:00 \|$/,
  );
  const workbook = strFromU8(parts['xl/workbook.xml']!).replace('<sheets>', '<workbookPr date1904="1"/><sheets>');
  const old = await readBytes('a.xlsx', zipSync({ ...parts, 'xl/workbook.xml': strToU8(workbook) }));
  assert.match(old.text, /\| Kim \| 17:00 \| 38:15 \| 2029-12-11 12:00:00 \|$/);
});

test('headers and footers of a Word file are written once after its text, without page numbers', async () => {
  const parts = unzipSync(makeDocx({ blocks: [{ heading: 'Policy' }, { paragraph: 'Ask early.' }] }));
  const t = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const field = (code: string, result: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> ${code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${t(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const footer = `<w:p><w:pPr><w:tabs><w:tab w:val="right"/></w:tabs></w:pPr>${t('NW-HR-')}${t('017')}<w:r><w:tab/></w:r>${t('Page ')}${field('PAGE', '3')}${t(' of ')}<w:fldSimple w:instr="NUMPAGES">${t('9')}</w:fldSimple></w:p>`;
  const hidden = `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>`;
  parts['word/_rels/document.xml.rels'] = strToU8(
    strFromU8(parts['word/_rels/document.xml.rels'] ?? strToU8('<Relationships></Relationships>')).replace(
      '</Relationships>',
      `${['header1', 'footer1', 'footer2']
        .map((name) => `<Relationship Id="x${name}" Type="urn:x/${name.slice(0, 6)}" Target="${name}.xml"/>`)
        .join('')}</Relationships>`,
    ),
  );
  parts['word/header1.xml'] = strToU8(
    `<w:hdr><w:p><w:r><w:drawing><wp:inline><wp:docPr descr="A big logo"/><pic:pic/></wp:inline></w:drawing></w:r>${t('Printed on ')}${field('DATE', '5 May')}</w:p>${hidden}</w:hdr>`,
  );
  parts['word/footer1.xml'] = strToU8(`<w:ftr>${footer}</w:ftr>`);
  parts['word/footer2.xml'] = strToU8(`<w:ftr>${footer}<w:p>${field('PAGE', '4')}</w:p></w:ftr>`);
  parts['word/footer3.xml'] = strToU8(`<w:ftr><w:p>${t('not used')}</w:p></w:ftr>`);
  const { text, chunks } = await readBytes('a.docx', zipSync(parts));
  assert.equal(text, '# Policy\n\nAsk early.\n\nPrinted on 5 May\n\nNW-HR-017');
  assert.deepEqual(chunks.at(-1)!.headingPath, []);
});

test('files embedded in Word, Excel and PowerPoint files become files inside', async () => {
  const whole = {
    'a.docx': makeDocx({ blocks: [] }),
    'a.xlsx': makeXlsx({ sheets: [{ name: 'S', rows: [['x']] }] }),
    'a.pptx': fixture('slides.pptx'),
  };
  for (const [name, bytes] of Object.entries(whole)) {
    const folder = { 'a.docx': 'word', 'a.xlsx': 'xl', 'a.pptx': 'ppt' }[name];
    const parts = { ...unzipSync(bytes), [`${folder}/embeddings/figures.csv`]: strToU8('bird,count\nheron,3\n') };
    const members: string[] = [];
    const outcome = await processBytes(name, zipSync(parts), [], async (member) => void members.push(member.name));
    assert.ok(outcome.ok, name);
    assert.deepEqual(members, ['figures.csv'], name);
  }
});

test('an Office file with a picture that expands very far is read, because pictures are not unpacked', async () => {
  const picture = new Uint8Array(4 * 1024 * 1024);
  const word = unzipSync(makeDocx({ blocks: [{ paragraph: 'words' }] }));
  const file = await readBytes('a.docx', zipSync({ ...word, 'word/media/image1.emf': picture }));
  assert.equal(file.text, 'words');
  const sheet = unzipSync(makeXlsx({ sheets: [{ name: 'S', rows: [['alone']] }] }));
  assert.match((await readBytes('a.xlsx', zipSync({ ...sheet, 'xl/media/image1.emf': picture }))).text, /alone/);
});

test('a presentation without slides fails with that reason, not as damaged', async () => {
  const parts = unzipSync(fixture('slides.pptx'));
  const xml = new TextDecoder().decode(parts['ppt/presentation.xml']);
  parts['ppt/presentation.xml'] = strToU8(xml.replace(/<p:sldIdLst>.*<\/p:sldIdLst>/s, ''));
  const failure = await failureOf('a.pptx', zipSync(parts));
  assert.deepEqual(
    [failure.title, failure.message],
    ['Nothing to read in this file', 'The presentation has no slides.'],
  );
});

test('a PDF that begins with a byte order mark is read', async () => {
  const pdf = makePdf({ pages: [['Words.']] });
  const file = await readBytes('a.pdf', Uint8Array.from([0xef, 0xbb, 0xbf, ...pdf]));
  assert.equal(file.text, 'Words.');
});

test('text after an included page with unclosed elements in a Word file is read', async () => {
  const parts = unzipSync(makeDocx({ blocks: [{ paragraph: 'HERE' }, { paragraph: 'last' }] }));
  const xml = new TextDecoder().decode(parts['word/document.xml']);
  const chunk = '</w:t></w:r></w:p><w:altChunk r:id="c0"/><w:p><w:r><w:t>';
  parts['word/document.xml'] = strToU8(xml.replace('HERE', chunk));
  parts['word/_rels/document.xml.rels'] = strToU8(links('chunk.html'));
  for (const open of [
    '<script '.repeat(100_000),
    '<script>x',
    '<!-- x',
    '<textarea>x',
    '<div style="display:none">x',
    '<a href="x',
    '<table><tr><td>',
    '</div></p></html>',
  ]) {
    parts['word/chunk.html'] = strToU8(`<body><p>page</p><style>x</style><title>y</title><p>more</p>${open}`);
    assert.equal((await readBytes('a.docx', zipSync(parts))).text, 'page\n\nmore\n\nlast', open.slice(0, 30));
  }
  parts['word/chunk.html'] = strToU8(`<p>page</p>${'<div>'.repeat(300)}1 &lt; 2`);
  const deep = await readBytes('a.docx', zipSync(parts));
  assert.deepEqual([deep.text, deep.warnings], ['page\n\n1 < 2\n\nlast', []]);
});

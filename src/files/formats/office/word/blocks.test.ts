import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordHtml } from '../../../../../test/support/files/word-html.ts';

const HIDDEN = '<w:rPr><w:vanish/></w:rPr>';
const run = (text: string, properties = '') => `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (inside: string, properties = '') => `<w:p w:rsidR="1">${properties}${inside}</w:p>`;
const box = (inside: string) => `<w:pict><w:txbxContent>${inside}</w:txbxContent></w:pict>`;
const choices = (fallback: string, ...inside: string[]) =>
  `<mc:AlternateContent>${inside.map((each) => `<mc:Choice>${each}</mc:Choice>`).join('')}<mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
const drawn = (inside: string) => `<w:drawing><wp:anchor>${inside}</wp:anchor></w:drawing>`;
const wpsBox = (text: string) => drawn(`<wps:txbx><w:txbxContent>${paragraph(run(text))}</w:txbxContent></wps:txbx>`);
const field = (code: string, result: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText> ${code} </w:instrText><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const instructed = (code: string, inside: string, result: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText> ${code} </w:instrText></w:r>${inside}<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const cell = (text: string, properties = '') =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${text === '' ? '' : paragraph(run(text))}</w:tc>`;

const STYLES = `<w:styles>${[
  ['C', '<w:basedOn w:val="B"/>'],
  ['B', '<w:basedOn w:val="A"/>'],
  ['A', HIDDEN],
  ['D', '<w:basedOn w:val="A"/><w:rPr><w:vanish w:val="false"/></w:rPr>'],
  ['berschrift2', '<w:name w:val="heading 2"/>'],
  ['Q', '<w:name w:val="Quote"/>'],
  ['Q', '<w:name w:val="heading 1"/>'],
  ['Loop', '<w:basedOn w:val="Loop"/>'],
  ['Own', '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>'],
  ['Derived', '<w:basedOn w:val="Own"/>'],
  ['Contents', '<w:basedOn w:val="Own"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'],
  ['HTML', '<w:name w:val="HTML Preformatted"/>'],
  ['T', '<w:name w:val="Title"/>'],
]
  .map(([id, inside]) => `<w:style w:styleId="${id}">${inside}</w:style>`)
  .join('')}</w:styles>`;
const NUMBERING = `<w:numbering>${['bullet', 'decimal']
  .map((format, id) => {
    const level = `<w:numFmt w:val="${format}"/><w:lvlText w:val="%1"/></w:lvl>`;
    const levels = `<w:lvl w:ilvl="0">${level}<w:lvl w:ilvl="1">${level}`;
    return `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum><w:num w:numId="${id + 1}"><w:abstractNumId w:val="${id}"/></w:num>`;
  })
  .join('')}</w:numbering>`;
const item = (list: number, level: number, inside = run('x')) =>
  paragraph(inside, `<w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>`);
const formula = (text: string) => `<m:oMath><m:r><m:t>${text}</m:t></m:r></m:oMath>`;
const NOTE = '<w:r><w:footnoteReference w:id="1"/></w:r>';
const html = (xml: string) => wordHtml(xml, { styles: STYLES, numbering: NUMBERING, parts: { c1: '<p>chart</p>' } });
const inline = (xml: string) => html(paragraph(xml)).replace(/^<p>|<\/p>$/g, '');

const styled = (style: string, text = 'x') => paragraph(run(text), `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`);

const LINES: readonly (readonly [what: string, xml: string, shown: string])[] = [
  ['a hidden run', run('a') + run('b', HIDDEN) + run('c'), 'ac'],
  ['a run that is not hidden after all', run('a', '<w:rPr><w:vanish w:val="0"/></w:rPr>'), 'a'],
  ['a run that was hidden before a change', run('a', `<w:rPr><w:rPrChange>${HIDDEN}</w:rPrChange></w:rPr>`), 'a'],
  ['a hidden paragraph mark', `<w:pPr>${HIDDEN}</w:pPr>${run('a')}`, 'a'],
  ['a hidden character style', run('a', '<w:rPr><w:rStyle w:val="C"/></w:rPr>') + run('b'), 'b'],
  ['a style that shows what its base hides', run('a', '<w:rPr><w:rStyle w:val="D"/></w:rPr>'), 'a'],
  ['a text box in a hidden run', `<w:r>${HIDDEN}${box(paragraph(run('a')))}</w:r>${run('b')}`, 'b'],
  [
    'a field in hidden runs',
    field('HYPERLINK "https://a.example"', run('a')).replace('<w:r>', `<w:r>${HIDDEN}`),
    '<a href="https://a.example">a</a>',
  ],
  [
    'a word with a reading above it',
    '<w:r><w:ruby><w:rt><w:r><w:t>とう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東</w:t></w:r></w:rubyBase></w:ruby></w:r>',
    '東',
  ],
  [
    'deleted and inserted text',
    `<w:del>${run('a')}</w:del><w:ins>${run('b')}</w:ins><w:moveFrom>${run('c')}</w:moveFrom>`,
    'b',
  ],
  ['a section of raw text and a comment', '<w:r><w:t><![CDATA[a < b]]><!-- <w:t>c</w:t> --></w:t></w:r>', 'a &lt; b'],
  [
    'other prefixes, and other quotes',
    "<x:r><x:rPr><x:vertAlign  x:val = 'superscript'/></x:rPr><x:t>2</x:t></x:r>",
    '<sup>2</sup>',
  ],
  [
    'raised runs side by side',
    [
      run('1', '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'),
      run('2', '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'),
    ].join(''),
    '<sup>12</sup>',
  ],
  [
    'breaks and signs',
    '<w:r><w:t>a</w:t><w:br/><w:tab/><w:cr/><w:br w:type="page"/><w:noBreakHyphen/><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>',
    'a<br>\t<br>\u2011✓',
  ],
  [
    'a link with an address and a title',
    field('HYPERLINK "https://a.example/" \\l "b" \\o "Title"', run('a') + run('b')),
    '<a href="https://a.example/#b">ab</a>',
  ],
  ['fields in fields', field('IF', field('HYPERLINK \\l "x"', run('a')) + run('b')), '<a href="#x">a</a>b'],
  [
    'a simple field with a link',
    `<w:fldSimple w:instr="HYPERLINK https://a.example">${run('a')}</w:fldSimple>`,
    '<a href="https://a.example">a</a>',
  ],
  [
    'a check box',
    '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="1"/></w:checkBox></w:ffData></w:fldChar><w:fldChar w:fldCharType="end"/></w:r>',
    '☒',
  ],
  [
    'a check box of a control',
    `<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${run('☐')}</w:sdtContent></w:sdt>`,
    '☐',
  ],
  [
    'a field that never begins',
    `<w:r><w:fldChar w:fldCharType="separate"/><w:fldChar w:fldCharType="end"/></w:r>${run('a')}`,
    'a',
  ],
  [
    'a description',
    `<w:r>${drawn('<wp:docPr descr="A big plan"/><a:graphic><pic:pic/></a:graphic>')}</w:r>`,
    ' ![A big plan] ',
  ],
  [
    'a field in a link',
    field('HYPERLINK https://a.example', field('SEQ', run('a'))),
    '<a href="https://a.example">a</a>',
  ],
  ['a line end in the source', run('a\nb'), 'a b'],
  [
    'a sign of XML in a link',
    `<w:fldSimple w:instr='HYPERLINK https://a"b'>${run('a')}</w:fldSimple>`,
    '<a href="https://a&quot;b">a</a>',
  ],
  ['a described drawing without a picture', `<w:r>${drawn('<wp:docPr descr="A big box"/>')}</w:r>${run('a')}`, 'a'],
  [
    'a picture that is a link',
    `<w:r>${drawn('<wp:docPr title="A big plan"><a:hlinkClick r:id="web"/></wp:docPr><pic:pic/>')}</w:r>`,
    '<a href="https://b.example"> ![A big plan] </a>',
  ],
  [
    'a link with a place',
    `<w:hyperlink w:anchor="p" r:id="web">${run('a')}</w:hyperlink>`,
    '<a href="https://b.example#p">a</a>',
  ],
  [
    'shapes in a locked canvas',
    `<w:r>${drawn('<a:graphicData><lc:lockedCanvas><a:p><a:r><a:t>School</a:t></a:r><a:r><a:t> 14</a:t></a:r></a:p><a:p/><a:p><a:t>North</a:t></a:p></lc:lockedCanvas></a:graphicData>')}</w:r>`,
    ' School 14 North ',
  ],
  ['a formula in a style that hides it', `<w:pPr><w:pStyle w:val="A"/></w:pPr>${formula('a')}`, ''],
  ['a formula without text', `<m:oMath/>${run('a')}`, 'a'],
  ['a field in the instructions of another', instructed('IF', field('MERGEFIELD sex', run('m')), run('Mr')), 'Mr'],
  [
    'a note, a box and a picture in the instructions of a field',
    instructed(
      'IF',
      `${NOTE}<w:r>${box(paragraph(run('a')))}${drawn('<wp:docPr descr="A big plan"/><pic:pic/>')}</w:r>`,
      run('b'),
    ),
    'b',
  ],
  ['instructions outside a field', `<w:r><w:instrText>PAGE</w:instrText></w:r>${run('a')}`, 'a'],
  [
    'a hidden drawing',
    `<w:r>${drawn(`<wp:docPr descr="A big plan" hidden="1"/><pic:pic/><w:txbxContent>${paragraph(run('b'))}</w:txbxContent>`)}</w:r>${run('a')}`,
    'a',
  ],
  [
    'hidden shapes',
    `<w:r>${drawn(`<wps:wsp><wps:cNvPr hidden="true"/><w:txbxContent>${paragraph(run('b'))}</w:txbxContent></wps:wsp>`)}</w:r>` +
      `<w:r><w:pict><v:shape style="left:0; visibility:hidden"><w:txbxContent>${paragraph(run('b'))}</w:txbxContent></v:shape></w:pict></w:r>${run('a')}`,
    'a',
  ],
  ['an alternative without a box', `<w:r>${choices('<w:t>old</w:t>', '<w16se:symEx/>')}</w:r>`, 'old'],
  [
    'an alternative without an older form',
    '<w:r><mc:AlternateContent><mc:Choice><w:t>new</w:t></mc:Choice><mc:Choice>b</mc:Choice><mc:Choice><w:t>b</w:t></mc:Choice></mc:AlternateContent></w:r>',
    'new',
  ],
];
for (const [what, xml, shown] of LINES) {
  test(`of a line of a Word file with ${what}, the text is ${JSON.stringify(shown)}`, () =>
    assert.equal(inline(xml), shown));
}

const BLOCKS: readonly (readonly [what: string, xml: string, shown: string])[] = [
  [
    'headings, quotes and code',
    ['Heading1', 'berschrift2', 'Q', 'HTML', 'HTML'].map((id) => styled(id)).join(''),
    '<h1>x</h1><h2>x</h2><blockquote>x</blockquote><pre>x\nx</pre>',
  ],
  [
    'levels of an outline',
    styled('Derived') + styled('Contents') + paragraph(run('y'), '<w:pPr><w:outlineLvl w:val="7"/></w:pPr>'),
    '<h2>x</h2><p>x</p><h6>y</h6>',
  ],
  ['a style that hides its text', styled('C') + styled('D'), '<p>x</p>'],
  [
    'a field whose end was deleted',
    paragraph('<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>IF</w:instrText></w:r>') + paragraph(run('a')),
    '<p>a</p>',
  ],
  ['empty paragraphs', paragraph('') + paragraph(run(' ')) + paragraph(run('a')), '<p>a</p>'],
  [
    'a drop cap',
    paragraph(run('D'), '<w:pPr><w:framePr w:dropCap="drop"/></w:pPr>') + styled('Q', 'rop'),
    '<blockquote>Drop</blockquote>',
  ],
  [
    'a frame that is no drop cap',
    paragraph(run('D'), '<w:pPr><w:framePr w:dropCap="none"/></w:pPr>') + paragraph(run('a')),
    '<p>D</p><p>a</p>',
  ],
  [
    'a drop cap before a table',
    `${paragraph(run('D'), '<w:pPr><w:framePr w:dropCap="drop"/></w:pPr>')}<w:tbl/>`,
    '<p>D</p><table><tbody></tbody></table>',
  ],
  [
    'a box in a box',
    paragraph(`<w:r>${box(paragraph(`${run('b')}<w:r>${box(paragraph(run('c')))}</w:r>`))}<w:t>a</w:t></w:r>`),
    '<p>a</p><p>b</p><p>c</p>',
  ],
  [
    'a box with an older form',
    paragraph(`<w:r>${choices(box(paragraph(run('old'))), wpsBox('new'))}</w:r>`),
    '<p>new</p>',
  ],
  [
    'a box whose newer form is empty',
    paragraph(`<w:r>${choices(box(paragraph(run('old'))), drawn('<wps:txbx/>'))}</w:r>`),
    '<p>old</p>',
  ],
  ['an alternative around paragraphs', choices(paragraph(run('old')), ''), '<p>old</p>'],
  ['a style with the name of a member of objects', styled('constructor'), '<p>x</p>'],
  ['a style that is based on itself', styled('Loop'), '<p>x</p>'],
  [
    'lists in lists',
    item(1, 0) + item(1, 1) + item(2, 1) + item(1, 0),
    '<ul><li>x<ul><li>x</li></ul><ol><li pinakes-label="1">x</li></ol></li><li>x</li></ul>',
  ],
  [
    'an item of an inner level alone',
    item(1, 1) + item(2, 0),
    '<ul><li><ul><li>x</li></ul></li></ul><ol><li pinakes-label="1">x</li></ol>',
  ],
  [
    'code between items',
    item(1, 0) + styled('HTML') + item(1, 0),
    '<ul><li>x</li></ul><pre>x</pre><ul><li>x</li></ul>',
  ],
  ['an empty paragraph between items', item(1, 0) + paragraph('') + item(1, 0), '<ul><li>x</li><li>x</li></ul>'],
  ['a note in a paragraph', paragraph(run('a') + NOTE) + paragraph(run('b')), '<p>a[^1]</p><p>note</p><p>b</p>'],
  ['two references to a note', paragraph(NOTE + NOTE.replace('"1"', '"again"')), '<p>[^1][^1]</p><p>note</p>'],
  [
    'a chart with an older form',
    paragraph(`<w:r>${choices('<w:t>old</w:t>', drawn('<c:chart r:id="c1"/>'))}</w:r>`),
    '<p>chart</p>',
  ],
  ['a note in an item', item(1, 0, run('a') + NOTE) + item(1, 0), '<ul><li>a[^1]</li><li>x</li></ul><p>note</p>'],
  [
    'a note in an item before code',
    item(1, 0, run('a') + NOTE) + styled('HTML'),
    '<ul><li>a[^1]</li></ul><p>note</p><pre>x</pre>',
  ],
  [
    'a note in a cell',
    `<w:tbl>${row(`<w:tc>${paragraph(NOTE)}${paragraph(run('b'))}</w:tc>`)}</w:tbl>`,
    '<table><tbody><tr><td><p>[^1]</p><p>b</p></td></tr></tbody></table><p>note</p>',
  ],
  ['a chart', paragraph(`${run('a')}<w:r>${drawn('<c:chart r:id="c1"/>')}</w:r>`), '<p>a</p><p>chart</p>'],
  ['a diagram', paragraph(`<w:r>${drawn('<dgm:relIds r:lo="c2" r:dm="c1"/>')}</w:r>`), '<p>chart</p>'],
  ['an included file', `<w:altChunk r:id="c1"><w:altChunkPr/></w:altChunk>`, '<p>chart</p>'],
  [
    'a formula between paragraphs',
    `${paragraph(run('a'))}${formula('x')}${paragraph(run('b'))}`,
    '<p>a</p><p>$x$</p><p>b</p>',
  ],
  [
    'a drop cap before a formula',
    `${paragraph(run('D'), '<w:pPr><w:framePr w:dropCap="drop"/></w:pPr>')}${formula('x')}${paragraph(run('a'))}`,
    '<p>D</p><p>$x$</p><p>a</p>',
  ],
  [
    'a drop cap before an included file',
    `${paragraph(run('D'), '<w:pPr><w:framePr w:dropCap="drop"/></w:pPr>')}<w:altChunk r:id="c1"/>${paragraph(run('a'))}`,
    '<p>D</p><p>chart</p><p>a</p>',
  ],
  [
    'a drop cap before a control',
    `${paragraph(run('D'), '<w:pPr><w:framePr w:dropCap="drop"/></w:pPr>')}<w:sdt><w:sdtContent>${paragraph(run('rop'))}</w:sdtContent></w:sdt>`,
    '<p>Drop</p>',
  ],
  [
    'two references to a chart',
    paragraph(`${run('a')}<w:r>${drawn('<c:chart r:id="c1"/>')}${drawn('<c:chart r:id="c1"/>')}</w:r>`),
    '<p>a</p><p>chart</p>',
  ],
  ['numbered code', item(2, 0, run('a')).replace('<w:numPr>', '<w:pStyle w:val="HTML"/><w:numPr>'), '<pre>1 a</pre>'],
  ['a formula of its own', '<m:oMathPara><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></m:oMathPara>', '<p>$x$</p>'],
  [
    'controls around paragraphs and rows',
    `<w:sdt><w:sdtPr/><w:sdtContent>${paragraph(run('a'))}<w:tbl><w:sdt><w:sdtContent>${row(cell('b'))}</w:sdtContent></w:sdt></w:tbl></w:sdtContent></w:sdt>`,
    '<p>a</p><table><tbody><tr><td><p>b</p></td></tr></tbody></table>',
  ],
];
for (const [what, xml, shown] of BLOCKS) {
  test(`a Word file with ${what} is written as ${JSON.stringify(shown)}`, () => assert.equal(html(xml), shown));
}

test('cells of a Word file span the columns and rows that they are merged over, below the rows of the head', () => {
  const restart = '<w:gridSpan w:val="2"/><w:vMerge w:val="restart"/>';
  const goesOn = '<w:gridSpan w:val="2"/><w:vMerge/>';
  const head = row(cell('h'), cell('i'), cell('j')).replace('<w:tr>', '<w:tr><w:trPr><w:tblHeader/></w:trPr>');
  const lost = row(cell('lost')).replace('<w:tr>', '<w:tr><w:trPr><w:del/></w:trPr>');
  const table = `<w:tbl>${head}${row(cell('a', restart), cell('b'))}${lost}${row(cell('', goesOn), cell('c'))}</w:tbl>`;
  assert.equal(
    html(table),
    '<table><thead><tr><th><p>h</p></th><th><p>i</p></th><th><p>j</p></th></tr></thead><tbody>' +
      '<tr><td colspan="2" rowspan="2"><p>a</p></td><td><p>b</p></td></tr><tr><td><p>c</p></td></tr></tbody></table>',
  );
});

const merged = (text: string, value: string) => cell(text, `<w:vMerge w:val="${value}"/>`);
const changedRow = (properties: string, ...cells: string[]) =>
  row(...cells).replace('<w:tr>', `<w:tr><w:trPr>${properties}</w:trPr>`);
const TABLES: readonly (readonly [what: string, rows: string, shown: string])[] = [
  [
    'a row that begins behind other columns',
    changedRow('<w:gridBefore w:val="2"/>', cell('a'), merged('b', 'restart')) +
      row(cell('c'), cell('d'), cell('e'), merged('', '')),
    '<tr><td colspan="2"></td><td><p>a</p></td><td rowspan="2"><p>b</p></td></tr>' +
      '<tr><td><p>c</p></td><td><p>d</p></td><td><p>e</p></td></tr>',
  ],
  [
    'rows of one cell that begin behind a column',
    changedRow('<w:gridBefore w:val="1"/>', cell('a', '<w:gridSpan w:val="2"/>')) +
      changedRow('<w:gridBefore w:val="1"/>', cell('b')),
    '<tr><td colspan="2"><p>a</p></td></tr><tr><td></td><td><p>b</p></td></tr>',
  ],
  [
    'a merged cell whose first row was deleted',
    row(cell('a')) + changedRow('<w:del/>', merged('lost', 'restart')) + row(merged('b', '')) + row(merged('', '')),
    '<tr><td><p>a</p></td></tr><tr><td rowspan="2"><p>b</p></td></tr><tr></tr>',
  ],
  [
    'a cell that goes on below a cell that is not merged',
    row(merged('a', 'restart')) + row(cell('b')) + row(merged('c', '')),
    '<tr><td><p>a</p></td></tr><tr><td><p>b</p></td></tr><tr><td><p>c</p></td></tr>',
  ],
  [
    'a merged cell behind a wide one',
    row(cell('a', '<w:gridSpan w:val="2"/>'), merged('b', 'restart')) + row(cell('c'), cell('d'), merged('', '')),
    '<tr><td colspan="2"><p>a</p></td><td rowspan="2"><p>b</p></td></tr><tr><td><p>c</p></td><td><p>d</p></td></tr>',
  ],
  [
    'rows of an alternative',
    row(cell('a')) + choices('', row(cell('b'))),
    '<tr><td><p>a</p></td></tr><tr><td><p>b</p></td></tr>',
  ],
];
for (const [what, rows, shown] of TABLES) {
  test(`a table of a Word file with ${what} is written as ${JSON.stringify(shown)}`, () =>
    assert.equal(html(`<w:tbl>${rows}</w:tbl>`), `<table><tbody>${shown}</tbody></table>`));
}

test('a paragraph of a Word file may have very many notes', () => {
  const count = 200_000;
  assert.equal(html(paragraph(NOTE.repeat(count))).split('<p>note</p>').length, count + 1);
  const table = `<w:tbl>${row(`<w:tc>${paragraph(NOTE.repeat(count))}</w:tc>`)}</w:tbl>`;
  assert.equal(html(table).split('<p>note</p>').length, count + 1);
});

test('a Word file with markup that is never closed is read in linear time, or refused as too deep', () => {
  for (const piece of [
    '<w:p>',
    '<w:t>',
    '</w:r>',
    '<w:p/>',
    '<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr></w:p>',
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK </w:instrText></w:r></w:p>',
  ]) {
    try {
      html(piece.repeat(50_000));
    } catch (error) {
      assert.match(String(error), /too deeply/);
    }
  }
});

test('headings of a Word file stand below its title, unless the title is empty', () => {
  const blocks =
    styled('T', '') + styled('berschrift2', 'a') + styled('T', 'b') + styled('berschrift2', 'c') + styled('Own', 'd');
  assert.equal(html(blocks), '<h2>a</h2><h1>b</h1><h3>c</h3><h3>d</h3>');
});

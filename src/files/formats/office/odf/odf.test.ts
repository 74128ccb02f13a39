import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, type Zippable, zipSync } from 'fflate';
import type { ChunkMetadataKey } from '../../../../corpus/values.ts';
import { type OdfType, parseOdf } from './odf.ts';

function read(type: OdfType, body: string, extra: Record<string, string> = {}, keys: ChunkMetadataKey[] = []) {
  const files: Zippable = {
    'content.xml': strToU8(`<office:document-content>${body}</office:document-content>`),
    'META-INF/manifest.xml': strToU8('<manifest/>'),
  };
  for (const [name, text] of Object.entries(extra)) files[name] = strToU8(text);
  return parseOdf(zipSync(files), type, keys);
}

const text = (inside: string, styles = '') =>
  read('odt', `${styles}<office:body><office:text>${inside}</office:text></office:body>`).text;
const sheet = (inside: string, keys: ChunkMetadataKey[] = []) =>
  read(
    'ods',
    `<office:body><office:spreadsheet><table:table table:name="S">${inside}</table:table></office:spreadsheet></office:body>`,
    {},
    keys,
  );

test('blanks, tabs, line breaks and bookmarks in an OpenDocument paragraph are read', () => {
  assert.equal(
    text(
      '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>\n  d<text:bookmark-start text:name="x"/></text:p>',
    ),
    'a b c\nd',
  );
});

test('raised text of an OpenDocument paragraph is marked, and lowered text is not', () => {
  const style = (name: string, position: string) =>
    `<style:style style:name="${name}" style:family="text"><style:text-properties style:text-position="${position}"/></style:style>`;
  const span = (name: string, inside: string) => `<text:span text:style-name="${name}">${inside}</text:span>`;
  assert.equal(
    text(
      `<text:p>10${span('Up', '23')} m${span('High', '2')} of H${span('Low', '2')}O, the 1${span('Up', 'st')}, 2${span('Up', '1')}/${span('Low', '2')} cups, 19,${span('Up', '99')} €</text:p>`,
      style('Up', 'super 58%') + style('High', '33% 58%') + style('Low', 'sub 58%'),
    ),
    '10^23 m^2 of H2O, the 1st, 2 1/2 cups, 19,99 €',
  );
});

test('texts of shapes and of groups of shapes stand after their paragraph', () => {
  const named = '<svg:title>Name</svg:title><svg:desc>A blue box</svg:desc>';
  const rect = `<draw:rect>${named}<text:p>In a box</text:p></draw:rect>`;
  const circle = '<draw:ellipse><text:p>In a circle</text:p></draw:ellipse>';
  const frame = '<draw:frame><draw:text-box><text:p>In a frame</text:p></draw:text-box></draw:frame>';
  assert.deepEqual(
    text(
      `<text:p>Before ${rect}after.</text:p><text:p><draw:g>${circle}<draw:g>${frame}</draw:g></draw:g></text:p>`,
    ).split('\n\n'),
    ['Before after.', 'In a box', 'In a circle', 'In a frame'],
  );
});

test('the footer of the master slides follows the slides', () => {
  const page = (inside: string) =>
    `<style:master-page><draw:frame presentation:class="footer">${inside}</draw:frame></style:master-page>`;
  const footer = page('<draw:text-box><text:p>Confidential</text:p></draw:text-box>');
  const fields = page('<draw:text-box><text:p><presentation:footer/></text:p></draw:text-box>');
  const slide = '<draw:page><draw:frame><draw:text-box><text:p>Words</text:p></draw:text-box></draw:frame></draw:page>';
  const body = `<office:body><office:presentation>${slide}</office:presentation></office:body>`;
  const styles = { 'styles.xml': `<office:document-styles>${footer}${footer}${fields}</office:document-styles>` };
  assert.equal(read('odp', body, styles).text, 'Words\n\nConfidential');
});

test('deleted text, indexes and forms of an OpenDocument text are left out', () => {
  assert.equal(
    text(
      '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:table-of-content><text:p>Toc</text:p></text:table-of-content><text:p>kept</text:p>',
    ),
    'kept',
  );
});

test('an OpenDocument text box follows its paragraph, and a picture becomes its description', () => {
  assert.equal(
    text(
      '<text:p>a<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p><text:p>b<draw:frame><draw:image/><svg:desc>A red barn</svg:desc></draw:frame></text:p>',
    ),
    'a\n\nboxed\n\nb ![A red barn]',
  );
});

test('an OpenDocument comment names its author', () => {
  assert.equal(
    text('<text:p>a<office:annotation><dc:creator>Bo</dc:creator><text:p>why?</text:p></office:annotation></text:p>'),
    'a[^1]\n\n[^1]: [comment by Bo] why?',
  );
});

test('numbered OpenDocument lists have numbers, and nested lists follow their own style', () => {
  const style =
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>';
  const item = (inside: string) => `<text:list-item>${inside}</text:list-item>`;
  const list =
    item('<text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list>') +
    item('<text:p>c</text:p>');
  assert.equal(text(`<text:list text:style-name="L">${list}</text:list>`, style), '1. a\n  - b\n2. c');
});

test('items of an OpenDocument list below its headings have the labels that LibreOffice shows, and headings stand below the title', () => {
  const level = (at: number, before: string, after: string, format = '1') =>
    `<text:list-level-style-number text:level="${at}" style:num-format="${format}" style:num-prefix="${before}" style:num-suffix="${after}"/>`;
  const style = `<text:list-style style:name="L">${level(1, '§ ', '')}${level(2, '(', ')')}${level(3, '', ')', 'a')}</text:list-style>`;
  const list = (...items: string[]) =>
    `<text:list>${items.map((inside) => `<text:list-item>${inside}</text:list-item>`).join('')}</text:list>`;
  const part = (heading: string, inside: string) => `<text:h text:outline-level="1">${heading}</text:h>${inside}`;
  const clauses = list(
    part('Term', list('<text:p>a</text:p>', `<text:p>b</text:p>${list('<text:p>c</text:p>')}`)),
    part('Rent', list('<text:soft-page-break/><text:p>d</text:p>')),
  ).replace('<text:list>', '<text:list text:style-name="L">');
  assert.equal(
    text(
      `<text:p text:style-name="Title"/><text:h>Draft</text:h><text:p text:style-name="Title">Lease</text:p>${clauses}`,
      style,
    ),
    '# Draft\n\n# Lease\n\n## § 1 Term\n\n(1) a\n(2) b\n  a) c\n\n## § 2 Rent\n\n(1) d',
  );
});

test('a list with its own style inside an OpenDocument list begins anew', () => {
  const level = (at: number, format: string) =>
    `<text:list-level-style-number text:level="${at}" style:num-format="${format}" style:num-suffix=")"/>`;
  const style = `<text:list-style style:name="L">${level(1, '1')}</text:list-style><text:list-style style:name="M">${level(2, 'a')}</text:list-style>`;
  const item = (more: string) => `<text:list-item><text:p>x</text:p>${more}</text:list-item>`;
  const outer = item(`<text:list text:style-name="M">${item('')}</text:list>`).repeat(2);
  assert.equal(text(`<text:list text:style-name="L">${outer}</text:list>`, style), '1) x\n  a) x\n2) x\n  a) x');
});

test('labels of an OpenDocument list are marks of items: Roman numbers, numbers alone and those with a point inside', () => {
  const level = (at: number, more: string) => `<text:list-level-style-number text:level="${at}" ${more}/>`;
  const style = `<text:list-style style:name="L">${
    level(1, 'style:num-format="1" text:start-value="10"') +
    level(2, 'style:num-format="i" style:num-prefix="(" style:num-suffix=")"') +
    level(3, 'style:num-format="1" text:display-levels="3"')
  }</text:list-style>`;
  const item = (more = '') => `<text:list-item><text:p>x</text:p>${more}</text:list-item>`;
  const inner = `<text:list>${item()}${item(`<text:list>${item()}</text:list>`)}</text:list>`;
  assert.equal(
    text(`<text:list text:style-name="L">${item(inner)}</text:list>`, style),
    '10. x\n  (i) x\n  (ii) x\n    * 10.ii.1 x',
  );
});

test('a heading inside an OpenDocument list is a heading', () => {
  const list =
    '<text:list><text:list-item><text:h text:outline-level="2">Chapter</text:h></text:list-item></text:list>';
  assert.equal(text(list), '## Chapter');
});

test('an OpenDocument cell is repeated where it covers others, unless it is alone in its row', () => {
  const cell = (inside: string, spans = '') =>
    `<table:table-cell ${spans}><text:p>${inside}</text:p></table:table-cell>`;
  const [covered, two] = ['<table:covered-table-cell/>', 'table:number-columns-spanned="2"'];
  const rows = [
    cell('a', two) + covered + cell('b'),
    cell('1', 'table:number-rows-spanned="2"') + cell('2') + cell('3'),
    covered + cell('4') + cell('5'),
    cell('All', 'table:number-columns-spanned="3"') + covered + covered,
  ];
  const table = rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('');
  assert.equal(
    text(`<table:table>${table}</table:table>`),
    '| a | a | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 1 | 4 | 5 |\n| All |  |  |',
  );
});

test('an encrypted OpenDocument file is refused as encrypted', () => {
  const manifest = {
    'META-INF/manifest.xml': '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>',
  };
  assert.throws(() => read('odt', '', manifest), /password/);
});

test('an OpenDocument sheet is read with repeated and merged cells, stored values and comments, without its empty rest', () => {
  const cell = (inside: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${inside}</text:p></table:table-cell>`;
  const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`;
  const parsed = sheet(
    row(cell('Group') + cell('Day') + cell('Price')) +
      row(
        cell('left', 'table:number-rows-spanned="2"') +
          cell('5 May', 'office:value-type="date" office:date-value="2024-05-05"') +
          cell('2,50 €', 'office:value-type="float" office:value="2.5"'),
      ) +
      row(
        '<table:covered-table-cell/>' +
          cell('x', 'table:number-columns-repeated="2"').replace(
            '</table',
            '<office:annotation><text:p>odd</text:p></office:annotation></table',
          ) +
          '<table:table-cell table:number-columns-repeated="16000"/>',
        'table:number-rows-repeated="2"',
      ) +
      row('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1048000"'),
  );
  assert.deepEqual(parsed.text.split('\n'), [
    '## S',
    '',
    '| Group | Day | Price |',
    '| --- | --- | --- |',
    '| left | 2024-05-05 | 2.5 |',
    '| left | x | x |',
    '|  | x | x |',
    '',
    '[cell: B3]: odd',
  ]);
});

test('the links of an OpenDocument text are recorded with their own blocks', () => {
  const list =
    '<text:list><text:list-item><text:p>item <text:a xlink:href="https://a.example/i">one</text:a></text:p></text:list-item></text:list>';
  const { blocks } = read(
    'odt',
    `<office:body><office:text>${list}<text:p>see <text:a xlink:href="https://a.example/p">page</text:a>, <text:a xlink:href="#x">here</text:a></text:p></office:text></office:body>`,
  );
  assert.deepEqual(
    blocks.map(({ kind, links }) => [kind, ...(links ?? []).map(({ url }) => url)]),
    [
      ['list', 'https://a.example/i'],
      ['paragraph', 'https://a.example/p'],
    ],
  );
});

const OBJECT =
  '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/></draw:frame>';
const withObject = (type: OdfType, body: string, object: string) =>
  read(type, `<office:body>${body}</office:body>`, { 'Object 1/content.xml': object }).text;
const cells = (...texts: string[]) =>
  `<table:table-row>${texts.map((each) => `<table:table-cell><text:p>${each}</text:p></table:table-cell>`).join('')}</table:table-row>`;
const CHART = `<office:document-content><office:body><office:chart><chart:chart chart:class="chart:circle"><chart:title><text:p>Birds</text:p></chart:title><table:table table:name="local-table"><table:table-header-rows>${cells('', 'count')}</table:table-header-rows><table:table-rows>${cells('heron', '3')}</table:table-rows></table:table></chart:chart></office:chart></office:body></office:document-content>`;
const CHART_TEXT = 'Pie chart: Birds\n\n|  | count |\n| --- | --- |\n| heron | 3 |';

test('charts, sheets and formulas embedded in an OpenDocument text are read at their places', () => {
  const paragraph = `<office:text><text:p>before ${OBJECT}</text:p><text:p>after</text:p></office:text>`;
  assert.equal(withObject('odt', paragraph, CHART), `before\n\n${CHART_TEXT}\n\nafter`);
  const sheet = `<office:document-content><office:body><office:spreadsheet><table:table>${cells('a', 'b')}${cells('1', '2')}<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000"/></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;
  assert.equal(withObject('odt', paragraph, sheet), 'before\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nafter');
  const slide = `<office:presentation><draw:page>${OBJECT}</draw:page></office:presentation>`;
  assert.equal(withObject('odp', slide, CHART), CHART_TEXT);
  const table = `<office:spreadsheet><table:table table:name="S"><table:shapes>${OBJECT}</table:shapes>${cells('x')}</table:table></office:spreadsheet>`;
  assert.equal(withObject('ods', table, CHART), `## S\n\nx\n\n${CHART_TEXT}`);
  assert.equal(withObject('odt', paragraph, ''), 'before\n\nafter', 'an object that is not there');
});

const FORMULAS: readonly (readonly [mathml: string, text: string])[] = [
  ['<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>', 'E = mc^{2}'],
  ['<msup><mfrac><mi>a</mi><mi>b</mi></mfrac><mn>2</mn></msup>', '{\\frac{a}{b}}^{2}'],
  [
    '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>a</mi><mi>i</mi></msub>',
    '∑_{i = 1}^{n}a_{i}',
  ],
  [
    '<msqrt><mi>x</mi></msqrt><mroot><mi>y</mi><mn>3</mn></mroot><mover><mi>z</mi><mo>→</mo></mover>',
    '\\sqrt{x}\\sqrt[3]{y}\\vec{z}',
  ],
];
for (const [mathml, latex] of FORMULAS) {
  test(`a formula in an OpenDocument line is written as the LaTeX ${latex}`, () => {
    const object = `<math xmlns="m"><semantics><mrow>${mathml}</mrow><annotation encoding="StarMath 5.0">E = m c^2</annotation></semantics></math>`;
    const body = `<office:text><text:p>We know ${OBJECT}well.</text:p></office:text>`;
    assert.equal(withObject('odt', body, object), `We know $${latex}$ well.`);
  });
}

test('hidden sheets of an OpenDocument workbook are left out and counted', () => {
  const style = (name: string, display: string) =>
    `<style:style style:name="${name}" style:family="table"><style:table-properties table:display="${display}"/></style:style>`;
  const table = (name: string, look: string) =>
    `<table:table table:name="${name}" table:style-name="${look}">${cells(`${name} text`)}</table:table>`;
  const sheets = table('Open', 'ta1') + table('Salaries', 'ta2') + table('Notes', 'ta2');
  const { text, warnings } = read(
    'ods',
    `${style('ta1', 'true')}${style('ta2', 'false')}<office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body>`,
  );
  assert.equal(text, '## Open\n\nOpen text');
  assert.deepEqual(warnings, ['2 hidden sheets were left out.']);
  const object = `<office:document-content>${style('ta2', 'false')}<office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body></office:document-content>`;
  assert.equal(
    withObject('odt', `<office:text><text:p>a ${OBJECT}</text:p></office:text>`, object).includes('Salaries'),
    false,
  );
});

test('hidden slides of an OpenDocument presentation are left out, and the others keep their numbers', () => {
  const style =
    '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
  const page = (look: string, words: string) =>
    `<draw:page draw:style-name="${look}"><draw:frame><draw:text-box><text:p>${words}</text:p></draw:text-box></draw:frame></draw:page>`;
  const { text, blocks, warnings } = read(
    'odp',
    `${style}<office:body><office:presentation>${page('dp2', 'secret')}${page('dp1', 'open')}</office:presentation></office:body>`,
  );
  assert.equal(text, 'open');
  assert.deepEqual(blocks[0]!.pages, [2, 2]);
  assert.deepEqual(warnings, ['1 hidden slide was left out.']);
});

test('hidden text of an OpenDocument text is left out', () => {
  const style = (name: string, family: string, inside: string, parent = '') =>
    `<style:style style:name="${name}" style:family="${family}" style:parent-style-name="${parent}">${inside}</style:style>`;
  const none = '<style:text-properties text:display="none"/>';
  const shown = '<style:text-properties text:display="true"/>';
  const styles = `${style('T1', 'text', none)}${style('P1', 'paragraph', '', 'Quiet')}${style('Quiet', 'paragraph', none)}${style('P2', 'paragraph', shown, 'Quiet')}`;
  const p = (look: string, inside: string) => `<text:p text:style-name="${look}">${inside}</text:p>`;
  const section = `<text:section text:display="none">${p('', 'of a section')}</text:section>`;
  const body =
    p('P1', 'hidden') +
    p('T1', 'a <text:span text:style-name="T1">secret</text:span>b') +
    section +
    p('P2', 'shown again');
  assert.equal(text(body, styles), 'a b\n\nshown again');
});

test('times in an OpenDocument sheet have two digits for hours', () => {
  const time = (shown: string) =>
    `<table:table-cell office:value-type="time"><text:p>${shown}</text:p></table:table-cell>`;
  const row = (...shown: string[]) => `<table:table-row>${shown.map(time).join('')}</table:table-row>`;
  assert.match(sheet(row('8:30', '38:15') + row('17:00', '-8:05:10')).text, /08:30 \| 38:15[\s\S]*17:00 \| -08:05:10/);
});

test('headers and footers of an OpenDocument text are written once after its text, without page numbers', () => {
  const p = (inside: string) => `<text:p>${inside}</text:p>`;
  const page = `Page <text:page-number>1</text:page-number> of <text:page-count>9</text:page-count>`;
  const master = `<style:master-page><style:header>${p('Draft')}</style:header><style:header-left>${p('Draft')}</style:header-left><style:footer>${p(`NW-017<text:tab/>${page}`)}${p(page)}</style:footer><style:footer-first style:display="false">${p('old')}</style:footer-first></style:master-page>`;
  const { text } = read('odt', `<office:body><office:text>${p('Ask early.')}</office:text></office:body>`, {
    'styles.xml': `<office:document-styles>${master}</office:document-styles>`,
  });
  assert.equal(text, 'Ask early.\n\nDraft\n\nNW-017');
});

/** Tests of texts that pandoc and LibreOffice wrote in many formats: all formats give the same blocks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { chunkMismatches } from '../support/files/chunk-invariants.ts';
import { fixture } from '../support/files/fixtures.ts';
import { makeDocx, makeXlsx } from '../support/files/make-files.ts';
import { readBytes } from '../support/files/process-bytes.ts';
import { tokenF1 } from '../support/passages/token-f1.ts';

const HANDBOOK = [
  '# Leave',
  'Everybody has 25 days of leave & more by agreement.[^1]',
  '[^1]: Agreed with the works council in 2023.',
  '## Requests',
  '- Ask early\n- Ask in writing\n  - by mail\n  - by letter',
  '1. First the team\n2. Then the office',
  '## Contacts',
  '| Team | Contact | Phone |\n| --- | --- | --- |\n| Sales | Bo | 12 |\n| Lab | Cy | 34 |',
  'See the intranet for details.',
];

for (const name of ['handbook.docx', 'handbook.odt', 'office.odt', 'handbook.rtf', 'office.rtf']) {
  test(`${name} gives the headings, lists, tables and notes of the handbook`, async () => {
    const file = await readBytes(name, fixture(name));
    // The headings below a title are parts of what it names. This RTF file of pandoc has a title without a style.
    const hasTitle = name !== 'handbook.rtf';
    const blocks = hasTitle ? HANDBOOK.map((block) => block.replace(/^#/, '##')) : HANDBOOK;
    assert.deepEqual(file.text.split('\n\n').slice(-HANDBOOK.length), blocks);
    assert.deepEqual(file.chunks.at(-1)!.headingPath, [hasTitle ? 'Staff handbook' : 'Leave']);
  });
}

test('a Word file is read with its formulas, notes and comments', async () => {
  const file = await readBytes('notes.docx', fixture('notes.docx'));
  assert.deepEqual(file.text.split('\n\n'), [
    '# Energy',
    'The formula $E=mc^{2}$ is known[^1] to all.[^2]',
    '[^1]: Since 1905.',
    '[^2]: Nearly all.',
    '$x=\\frac{−b±\\sqrt{b^{2}−4ac}}{2a}$',
    'A that I[^3] doubt.',
    '[^3]: [comment by Bo] claim',
    '$∑_{i=1}^{n} a_{i}$',
  ]);
});

const CHART = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales &amp; more</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>
  <c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>2023</c:v></c:pt></c:strCache></c:strRef></c:tx>
  <c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat>
  <c:val><c:numRef><c:numCache><c:pt idx="1"><c:v>8</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
  </c:barChart></c:plotArea></c:chart></c:chartSpace>`;
const CHART_TEXT = 'Bar chart: Sales & more\n\n|  | 2023 |\n| --- | --- |\n| North |  |\n| South | 8 |';
const links = (...targets: string[]) =>
  `<Relationships>${targets.map((target, i) => `<Relationship Id="c${i}" Target="${target}"/>`).join('')}</Relationships>`;

test('a chart in a Word file becomes a table at its place', async () => {
  const parts = unzipSync(
    makeDocx({ blocks: [{ paragraph: 'before' }, { paragraph: 'CHART' }, { paragraph: 'after' }] }),
  );
  const text = (name: string) => new TextDecoder().decode(parts[name]);
  const drawing = '<w:drawing><wp:inline><c:chart xmlns:c="c" r:id="c0"/></wp:inline></w:drawing>';
  parts['word/document.xml'] = strToU8(
    text('word/document.xml').replace('<w:t xml:space="preserve">CHART</w:t>', drawing),
  );
  parts['word/_rels/document.xml.rels'] = strToU8(
    text('word/_rels/document.xml.rels').replace('</Rel', '<Relationship Id="c0" Target="charts/chart1.xml"/></Rel'),
  );
  parts['word/charts/chart1.xml'] = strToU8(CHART);
  const file = await readBytes('a.docx', zipSync(parts));
  assert.equal(file.text, `before\n\n${CHART_TEXT}\n\nafter`);
});

test('a chart in a workbook becomes a table after its sheet', async () => {
  const parts = unzipSync(makeXlsx({ sheets: [{ name: 'S', rows: [['alone']] }] }));
  parts['xl/worksheets/_rels/sheet1.xml.rels'] = strToU8(links('../drawings/drawing1.xml'));
  parts['xl/drawings/_rels/drawing1.xml.rels'] = strToU8(links('../charts/chart1.xml'));
  parts['xl/drawings/drawing1.xml'] = strToU8('<wsDr/>');
  parts['xl/charts/chart1.xml'] = strToU8(CHART);
  const file = await readBytes('a.xlsx', zipSync(parts));
  assert.equal(file.text, `## S\n\nalone\n\n${CHART_TEXT}`);
});

for (const name of ['office.xlsx', 'office.ods']) {
  test(`${name} gives a chunk for each record, with its metadata`, async () => {
    const file = await readBytes(name, fixture(name), [{ key: 'Net', type: 'float' }]);
    assert.match(file.text, /\n\| Milk, fresh \| 1.2 \| 2024-07-08 \|$/);
    assert.deepEqual(
      file.chunks.map((chunk) => chunk.metadata['Net']?.val),
      ['2.5', '3', '1.2'],
    );
  });
}

const TEXTS = 'handbook code german japanese arabic greek-russian quotes prices levels prose'.split(' ');

for (const name of TEXTS.flatMap((text) => [`${text}.odt`, `${text}.epub`])) {
  test(`${name} gives all words and headings of its Markdown source`, async () => {
    const [file, source] = await Promise.all(
      [name, name.replace(/\w+$/, 'md')].map((each) => readBytes(each, fixture(each))),
    );
    const headings = (text: string) =>
      text
        .match(/^#+ .*$/gm)!
        .filter((line) => !/Staff handbook|lighthouse/.test(line) && line !== `# ${name.replace('.epub', '')}`);
    assert.ok(tokenF1(file!.text, source!.text) >= 0.92, `${tokenF1(file!.text, source!.text)}`);
    // The title of an OpenDocument text is above its headings.
    const isBelowTitle = /\.odt$/.test(name) && /^# .*(?:Staff handbook|lighthouse)/m.test(file!.text);
    const marked = headings(source!.text).map((line) => (isBelowTitle ? `#${line}` : line));
    assert.deepEqual(headings(file!.text), marked);
    assert.equal(chunkMismatches(file!.text, file!.chunks), 0);
  });
}

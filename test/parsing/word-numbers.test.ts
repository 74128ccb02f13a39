/** Tests of whole Word files whose paragraphs are counted: their text, and answers from it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { openExtractive } from '../../src/answers/extractive/extractive.ts';
import { makeDocx } from '../support/files/make-files.ts';
import { readBytes } from '../support/files/process-bytes.ts';

const MATH = 'http://schemas.openxmlformats.org/officeDocument/2006/math';
const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
const item = (inside: string) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="9"/></w:numPr></w:pPr>${inside}</w:p>`;

/** Returns the text of a Word file with one list. `level` is the way of counting. */
async function textOf(level: string, ...items: string[]): Promise<string> {
  const parts = unzipSync(makeDocx({ blocks: [{ paragraph: 'HERE' }] }));
  const change = (name: string, from: string | RegExp, to: string) => {
    parts[name] = strToU8(new TextDecoder().decode(parts[name]).replace(from, to));
  };
  change('word/document.xml', '<w:document', `<w:document xmlns:m="${MATH}" xmlns:v="urn:schemas-microsoft-com:vml"`);
  change('word/document.xml', /<w:p>(?:(?!<w:p>).)*HERE.*?<\/w:p>/, items.map(item).join(''));
  change(
    'word/numbering.xml',
    '<w:num ',
    `<w:abstractNum w:abstractNumId="9"><w:lvl w:ilvl="0">${level}</w:lvl></w:abstractNum><w:num w:numId="9"><w:abstractNumId w:val="9"/></w:num><w:num `,
  );
  return (await readBytes('a.docx', zipSync(parts))).text;
}

const counted = (format: string, pattern: string, start = '1') =>
  `<w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${pattern}"/>`;
const LETTERS = counted('lowerLetter', '(%1)');

const model = openExtractive(32_768);

async function ask(question: string, content: string): Promise<string> {
  const chunk = { number: 1, name: 'a.docx', headingPath: [], context: null, content, score: 9, language: 'en' };
  const asked = {
    messages: [],
    question,
    standalone: question,
    chunks: [chunk],
    corrections: new Map(),
    citation: true,
  };
  let text = '';
  for await (const event of model.stream(asked, new AbortController().signal)) {
    if (event.type === 'text') text += event.delta;
    else if (event.type !== 'finish') text += event.text;
  }
  return text;
}

const RULES = ['The tenant pays the rent', 'The landlord repairs the roof', 'Pets are allowed in the house'];
const WAYS: readonly (readonly [format: string, pattern: string, second: string, question?: string])[] = [
  ['decimal', '%1.', '2.'],
  ['lowerLetter', '(%1)', '(b)'],
  ['decimal', '1.%1', '* 1.2', 'What does section 1.2 say?'],
  ['upperRoman', 'Article %1', '* Article II'],
  ['upperLetter', '%1.', '* B.'],
  ['lowerRoman', '%1.', 'ii.'],
  ['decimal', '§ %1', '* § 2', 'What does § 2 say?'],
];
for (const [format, pattern, second, question] of WAYS) {
  test(`the items of a Word file that are counted as ${second} are items for answers, too`, async () => {
    const text = await textOf(counted(format, pattern), ...RULES.map(run));
    assert.equal(text.split('\n')[1], `${second} ${RULES[1]}`);
    const first = text.split('\n')[0]!;
    assert.equal((await ask('Who pays the rent?', text)).split('\n')[0], first);
    if (question) assert.equal((await ask(question, text)).split('\n')[0], `${second} ${RULES[1]}`);
  });
}

test('items of a Word file without letters, and with a box before their text, have their numbers', async () => {
  const formula = `<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>`;
  assert.equal(await textOf(LETTERS, run('first'), formula, run('third')), '(a) first\n(b) $x=1$\n(c) third');
  const symbol = '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>';
  assert.equal(await textOf(LETTERS, symbol, run('b')), '(a) ✓\n(b) b');
  const box = `<w:r><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:pPr></w:pPr>${run('box')}</w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
  for (const inside of [box, box.replace('<w:pPr></w:pPr>', '')])
    assert.equal(await textOf(LETTERS, inside + run('after box'), run('second')), '(a) after box\n\nbox\n\n(b) second');
});

test('an item of a Word file whose mark was deleted or moved away goes on in the next one, with one number', async () => {
  for (const mark of ['<w:del w:id="1"/>', '<w:moveFrom w:id="1"/>']) {
    const keeps = `<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="9"/></w:numPr><w:rPr>${mark}</w:rPr></w:pPr>`;
    const opened = `</w:p><w:p>${keeps}${run('keeps ')}`.replace(/ <\/w:t>/, '</w:t><w:tab/>');
    const text = await textOf(counted('decimal', '%1.'), run('A') + opened, run('joined'), run('next'));
    assert.equal(text.replace(/\s+joined/, ' joined'), '1. A\n2. keeps joined\n3. next');
  }
});

test('an item of a Word file with an empty label has no number', async () => {
  assert.equal(await textOf(counted('decimal', ''), run('A'), run('B')), '- A\n- B');
});

test('a Word file that is too long for a tree keeps the labels of its items', async () => {
  // Words that repeat would look like an archive that expands too far.
  const words = Array.from({ length: 600_000 }, (_, i) => ((i * 2_654_435_761) % 2 ** 32).toString(36)).join(' ');
  const text = await textOf(LETTERS, run('first'), run('second'), run(`long ${words}`));
  assert.match(text, /^\(a\) first\n\n\(b\) second\n\n\(c\) long /);
});

test('a text box in a Word file takes no text of other alternatives', async () => {
  const names = [
    'mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
    'wps="urn:wps"',
    'w16se="urn:w16se"',
  ];
  const given = names.map((name) => `xmlns:${name}`).join(' ');
  const choice = (name: string, inside: string) => `<mc:Choice Requires="${name}">${inside}</mc:Choice>`;
  const all = (inside: string, older: string) =>
    `<mc:AlternateContent ${given}>${inside}<mc:Fallback>${older}</mc:Fallback></mc:AlternateContent>`;
  const smile = all(choice('w16se', '<w16se:symEx/>'), '<w:t>SMILE</w:t>');
  const box = all(choice('wps', '<wps:txbx/><wps:txbx> </wps:txbx><w:t>one</w:t>') + choice('x', '<w:t>two</w:t>'), '');
  assert.equal(
    await textOf(LETTERS, `${run('Mood ')}<w:r>${smile}</w:r>`, `<w:r>${smile}</w:r>`, `<w:r>${box}</w:r>`),
    '(a) Mood SMILE\n(b) SMILE\n(c) one',
  );
});

test('a label of a Word file may have any sign, and its first number may be damaged', async () => {
  const level = counted('decimal', 'R&amp;D&#10;&#10;&lt;%1&gt;', 'first');
  assert.equal(await textOf(level, run('a'), run('b')), '* R&D <1> a\n* R&D <2> b');
});

/** Annotations on pages of a PDF: links, comments, form fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkFile } from '../../src/files/chunk/chunker.ts';
import { MEMBER_DEPTH_MAX, sendMembers } from '../../src/files/detect/members.ts';
import { parsePdf } from '../../src/files/formats/pdf/pdf.ts';
import { fixture } from '../support/files/fixtures.ts';
import { makePdf, type PdfOptions } from '../support/files/make-files.ts';
import { makeScriptPdf } from '../support/files/make-script-pdf.ts';
import { processBytes } from '../support/files/process-bytes.ts';

async function read(options: PdfOptions) {
  const parsed = await parsePdf(makePdf(options), {});
  return { ...parsed, chunks: chunkFile(parsed), links: parsed.blocks.flatMap((block) => block.links ?? []) };
}

const LINES = ['# Report', 'See the annual report of 2023 for all figures.', 'Name:', 'Signed in the office.'];
/** Lines start 770 points above the bottom, 16 points apart, in Helvetica of 11 points. */
const area = (line: number, left: number, right: number) =>
  `/Rect [${left} ${770 - 16 * line - 3} ${right} ${770 - 16 * line + 9}]`;
const link = (place: string, uri: string) =>
  `<< /Type /Annot /Subtype /Link ${place} /A << /S /URI /URI (${uri}) >> >>`;
test('links of a PDF are returned with the words that they cover, page by page', async () => {
  const annotations = [
    link(area(1, 112, 182), 'https://example.org/annual?y=1'),
    link(area(3, 136, 162), 'https://example.org/office'),
    link(area(1, 72, 90), 'javascript:alert(1)'),
    link('/Rect [500 20 520 30]', 'https://example.org/logo'),
  ];
  const { links, chunks, text } = await read({ pages: [LINES], annotations });
  assert.deepEqual(
    links.map(({ text: words, url, at }) => [words, url, text.slice(at, at + words.length)]),
    [
      ['annual report', 'https://example.org/annual?y=1', 'annual report'],
      ['office', 'https://example.org/office', 'office'],
      ['', 'https://example.org/logo', ''],
    ],
  );
  assert.doesNotMatch(text, /example\.org|javascript/);
  assert.match(chunks[0]!.context!, /^Links: annual report <https:\/\/example\.org\/annual\?y=1>; office/);
});

test('comments of a PDF follow the text of their page with their author, and hidden comments are ignored', async () => {
  const note = (subtype: string, rest: string) => `<< /Type /Annot /Subtype /${subtype} /Rect [10 10 20 20] ${rest} >>`;
  const annotations = [
    note('Text', '/Contents (Please check this.) /T (Ann)'),
    note('Highlight', '/Contents (\\376\\377\\000O\\000l\\000\\351)'),
    note('Underline', '/Contents ()'),
    note('Text', '/Contents (not to be seen) /F 2'),
    note('Popup', '/Contents (the window of a note)'),
  ];
  const { text, blocks } = await read({ pages: [LINES, ['Second page.']], annotations });
  assert.match(text, /office\.\n\n\[comment by Ann\] Please check this\.\n\n\[comment\] Olé\n\nSecond page\.$/);
  assert.deepEqual(
    blocks.slice(-3).map(({ pages }) => pages),
    [
      [1, 1],
      [1, 1],
      [2, 2],
    ],
  );
});

test('a form value of a PDF follows its label, or has the name of its field if there is no label', async () => {
  const field = (rest: string, place: string) => `<< /Type /Annot /Subtype /Widget ${rest} ${place} >>`;
  const fields = [
    field('/FT /Tx /T (name) /V (Bo Example)', area(2, 110, 250)),
    field('/FT /Tx /T (city) /V (Delft)', '/Rect [400 20 460 30]'),
    field('/FT /Tx /T (empty)', area(3, 200, 250)),
    field('/FT /Btn /T (signed) /V /Yes /AS /Yes /AP << /N << /Yes 7 0 R >> >>', area(3, 185, 195)),
  ];
  const { text, links } = await read({
    pages: [LINES],
    annotations: [link(area(1, 112, 182), 'https://example.org/annual')],
    fields,
  });
  assert.match(text, /Name: Bo Example\b/);
  assert.match(text, /office\. ☒\n\ncity: Delft$/);
  assert.deepEqual(
    links.map(({ text: words }) => words),
    ['annual report'],
  );
});

test('values of a PDF form stand behind the label above them, and ticks before the word behind their box', async () => {
  const word = (x: number, y: number, text: string) => `BT /F1 10 Tf ${x} ${y} Td (${text}) Tj ET`;
  const field = (name: string, value: string, left: number, bottom: number, right: number) =>
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /V (${value}) /Rect [${left} ${bottom} ${right} ${bottom + 12}] >>`;
  const box = (left: number, bottom: number, state: string) =>
    `<< /Type /Annot /Subtype /Widget /FT /Btn /T (b${left}) /AS /${state} /AP << /N << /Yes 7 0 R >> >> /Rect [${left} ${bottom} ${left + 10} ${bottom + 10}] >>`;
  const { text } = await read({
    pages: [[]],
    drawing: [
      ...[word(72, 700, 'Name of the patient'), word(300, 700, 'Date of birth')],
      ...[word(72, 660, 'Reason:'), word(134, 660, 'illness'), word(214, 660, 'journey'), word(72, 630, 'Number')],
    ].join('\n'),
    fields: [
      ...[field('a', 'Bo Example', 72, 684, 280), field('b', '04', 300, 684, 318), field('c', '1971', 340, 684, 380)],
      ...[box(120, 659, 'Off'), box(200, 659, 'Yes')],
      ...[field('d', '12', 120, 628, 150), field('e', '34', 160, 628, 190)],
    ],
  });
  assert.match(text, /^Name of the patient Bo Example\s+Date of birth 04 1971\s/);
  assert.match(text, /Reason:\s+illness\s+☒ journey\s+Number 12 34$/);
});

test('attached and pinned files of a PDF become members, and too deeply nested files are skipped', async () => {
  const file = (name: string) => `/FS << /Type /Filespec /F (${name}) /EF << /F 8 0 R >> >>`;
  const bytes = makePdf({
    pages: [LINES],
    annotations: [`<< /Type /Annot /Subtype /FileAttachment /Rect [10 10 20 20] ${file('pinned.csv')} >>`],
    attachments: [
      { name: 'birds.csv', content: 'bird,count\nheron,3\n' },
      { name: 'C:\\letters\\note.txt', content: 'Dear Ann' },
      { name: 'empty.txt', content: '' },
    ],
  });
  const members: string[] = [];
  const sink = async ({ name, bytes: content }: { name: string; bytes: Uint8Array }) =>
    void members.push(`${name}: ${Buffer.from(content)}`);
  const outcome = await processBytes('a.pdf', bytes, [], sink);
  assert.deepEqual(members, [
    'birds.csv: bird,count\nheron,3\n',
    'note.txt: Dear Ann',
    'pinned.csv: bird,count\nheron,3\n',
  ]);
  assert.ok(outcome.ok);
  assert.match(outcome.file.text, /office\.\n\nAttachments:\n- birds\.csv\n- note\.txt\n- pinned\.csv$/);
  assert.deepEqual(outcome.file.warnings, ['1 attachment was left out: empty, damaged, too large or too many.']);

  const parsed = await parsePdf(bytes, {});
  const warnings = await sendMembers(parsed.members!, MEMBER_DEPTH_MAX, sink, {}, false);
  assert.equal(members.length, 3, 'there are no other members');
  assert.match(warnings[0]!, /up to 3 levels/);
});

test('an Arabic PDF of LibreOffice is read in the order of its document', async () => {
  const { text } = await parsePdf(fixture('arabic.pdf'), {});
  const document = [
    'خلال الأسبوع',
    'استخدم برنامج Microsoft Windows Server 2019 (الإصدار الأول) لفتح الملف config-file.txt في المجلد',
    'ثم أرسل رسالة إلى info@example.com خلال يومين.',
    'السلام عليكم: الاسم أحمد (مدير) والرقم 12-05-2024 والنسبة 15% والسعر 1,250.50 درهم.',
    'هل تريد الاتصال؟ نعم، اضغط على Ctrl+C أو على زر OK.',
  ];
  for (const part of document) assert.ok(text.includes(part), `${part}\n${text}`);
});

/** Words whose letters are spaced out by 2 points; each last letter is written by a command of its own, as text recognition does. */
const spacedOut = (y: number, ...words: [x: number, word: string][]) =>
  words.flatMap(([x, word]) => {
    const width = word.slice(0, -1).length * (COURIER_POINTS + 2);
    return [
      `BT /F1 10 Tf 2 Tc ${x} ${y} Td (${word.slice(0, -1)}) Tj ET`,
      `BT /F1 10 Tf 2 Tc ${x + width} ${y} Td (${word.slice(-1)}) Tj ET`,
    ];
  });
const COURIER_POINTS = 6;

test('a last letter that is as far away as the other letters of its word belongs to the word', async () => {
  assert.equal(
    await readCourier(spacedOut(700, [72, 'China'], [124, 'Ocean'], [176, 'Shipping'])),
    'China Ocean Shipping',
  );
});

test('an accent that TeX draws over a letter becomes part of it, and an accent beside a letter stays', async () => {
  const accent = { diaeresis: '\\250', acute: '\\264', caret: '^', grave: '`' };
  const drawing = [
    `BT /F1 10 Tf 72 700 Td [(f${accent.diaeresis}) 600 (ur nat${accent.diaeresis}) 600 (urliche caf) (e) 600 (${accent.acute})] TJ ET`,
    `BT /F1 10 Tf 72 680 Td 2 Ts (${accent.diaeresis}) Tj 0 Ts [600 (Ol x${accent.caret}2 ${accent.grave}e${accent.grave})] TJ ET`,
  ];
  assert.equal(await readCourier(drawing), 'für natürliche café Öl x^2 `e`');
});

test('letters of program code that LaTeX moves apart are words', async () => {
  const code = Array.from('filter', (letter) => `(${letter}) -160`).join(' ');
  const { text } = await read({ pages: [[]], drawing: `BT /F1 10 Tf 72 700 Td [${code} -500 (by) -500 (x)] TJ ET` });
  assert.equal(text, 'filter by x');
});

const HARBOUR = [
  'The ships of the harbour are not the only ones',
  'that we have seen, and it was a good day for them.',
];

test('a page whose font does not say what it shows has a warning without OCR, and is read from its picture with OCR', async () => {
  const codeOf = (character: string) => 96 + ((character.charCodeAt(0) * 7) % 26);
  const { warnings } = await parsePdf(makeScriptPdf({ pages: [HARBOUR], codeOf }), {});
  assert.match(warnings.join(), /^1 of 1 pages has words that are wrong: .* PINAKES_OCR=tesseract/);
  const row = ['5', '1', '1', '1', '1', '1', '0', '0', '9', '9', '95', 'Harbour'].join('\t');
  const read = await parsePdf(makeScriptPdf({ pages: [HARBOUR], codeOf }), { ocr: async () => row });
  assert.deepEqual([read.text, read.warnings], ['Harbour', []]);
});

test('exponents and marks of notes in a PDF are not part of the number or word before them', async () => {
  const raised = (text: string) => `6 Ts /F1 7 Tf (${text}) Tj 0 Ts /F1 11 Tf`;
  const drawing = [
    `BT /F1 11 Tf 72 700 Td (There are 10) Tj ${raised('23')} ( particles in the jar) Tj ${raised('1')} (, on the 1) Tj`,
    `${raised('st')} ( of May. It costs 19,) Tj ${raised('99')} ( EUR and has 5 inch) Tj ${raised('2')} ( in 2019.) Tj ${raised('12')} ET`,
  ];
  const { text } = await read({ pages: [[]], drawing: drawing.join('\n') });
  assert.equal(
    text,
    'There are 10^23 particles in the jar^1, on the 1st of May. It costs 19,99 EUR and has 5 inch^2 in 2019.[^12]',
  );
});

/** Returns the text of a page with these operators, set in a font whose characters have one width. */
async function readCourier(drawing: readonly string[]): Promise<string> {
  const pdf = Buffer.from(makePdf({ pages: [[]], drawing: drawing.join('\n') }))
    .toString('latin1')
    .replaceAll('/BaseFont /Helvetica ', '/BaseFont /Courier ');
  return (await parsePdf(Buffer.from(pdf, 'latin1'), {})).text;
}

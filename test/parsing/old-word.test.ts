/** Tests with Word files up to 2003 that are read without LibreOffice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import iconv from 'iconv-lite';
import { readOldWord } from '../../src/files/formats/office/old-word-text.ts';
import { fixture } from '../support/files/fixtures.ts';
import { makeCompound } from '../support/files/make-compound.ts';
import { failureOf, processBytes, readBytes } from '../support/files/process-bytes.ts';

test('without LibreOffice a document of 97 to 2003 has its headings, paragraphs, tables and notes', async () => {
  const outcome = await processBytes('office.doc', fixture('office.doc'));
  assert.ok(outcome.ok);
  const { fileType, text, warnings } = outcome.file;
  assert.equal(fileType, 'docx');
  assert.deepEqual(text.split('\n\n').slice(-4), [
    '## Contacts',
    '| Team | Contact | Phone |\n| --- | --- | --- |\n| Sales | Bo | 12 |\n| Lab | Cy | 34 |',
    'See the intranet for details.',
    'Agreed with the works council in 2023.',
  ]);
  assert.match(warnings[0]!, /read without LibreOffice: bullets and numbers that Word adds are missing/);
});

/** Returns office.doc with other properties of the characters in its table, or of all characters in a style. */
function documentWith(property: readonly number[], inStyle = false): Buffer {
  const bytes = Buffer.from(fixture('office.doc'));
  const size = Buffer.from([0x43, 0x4a, 0x18, 0]);
  bytes.set(property, inStyle ? bytes.indexOf(size) : bytes.lastIndexOf(size));
  return bytes;
}

test('text of a document of 97 to 2003 that is deleted or hidden stays out, and letter spacing does not matter', async () => {
  const whole = (await readBytes('a.doc', fixture('office.doc'))).text;
  const table = /\n\n\| Team[\s\S]* 34 \|/;
  assert.match(whole, table);
  for (const sign of [0x00, 0x3c])
    assert.equal((await readBytes('a.doc', documentWith([sign, 0x08, 1]))).text, whole.replace(table, ''));
  for (const property of [
    [0x40, 0x88, 1, 0],
    [0x60, 0x4a, 1, 0],
  ])
    assert.equal((await readBytes('a.doc', documentWith(property))).text, whole);
  assert.equal((await failureOf('a.doc', documentWith([0x3c, 0x08, 1], true))).title, 'Document needs LibreOffice');
});

test('a number of a document of 97 to 2003 that has the bytes of hidden text in a style hides nothing', async () => {
  const bytes = Buffer.from(fixture('office.doc'));
  // Where the fonts are, whose names have no meaning here.
  bytes.set([0x3c, 8, 1, 0], bytes.indexOf(Buffer.from('Times New Roman', 'utf16le')));
  assert.match((await readBytes('a.doc', bytes)).text, /Contacts/);
});

test('optional hyphens, and the codes of fields, are no text of a document of 97 to 2003', async () => {
  const bytes = Buffer.from(fixture('office.doc'));
  const at = bytes.indexOf(Buffer.from('Ask early', 'utf16le'));
  bytes.write('As\x1fk\x1eit', at, 'utf16le');
  const next = bytes.indexOf(Buffer.from('Ask in writing', 'utf16le'));
  bytes.write('\x13REF A\x14in\x15 w', next, 'utf16le');
  assert.match((await readBytes('a.doc', bytes)).text, /\n\nAsk-itly\n\nin wng\n\n/);
});

/** Returns a document of Word 6 or 95 with the letters, of which some are hidden. */
function documentOf(letters: Uint8Array, hidden?: readonly [from: number, to: number]): Uint8Array {
  const main = Buffer.alloc(1_024 + Math.max(letters.length, 3_584));
  main.writeUInt16LE(0xa5dc);
  for (const [at, value] of [
    [0x18, 1_024],
    [0x1c, 1_024 + letters.length],
    [0x34, letters.length],
    [0xbc, 4],
    [0xc4, 4],
  ] as const)
    main.writeUInt32LE(value, at);
  main.set(letters, 1_024);
  if (hidden) {
    // A page of properties with one run, whose list hides it.
    for (const [at, value] of [
      [0xb8, 0x180],
      [0xbc, 10],
      [0x188, 1],
      [512, 1_024 + hidden[0]],
      [516, 1_024 + hidden[1]],
      [520, 100],
    ] as const)
      main.writeUInt32LE(value, at);
    main.set([2, 0x5c, 1], 512 + 200);
    main[1_023] = 1;
  }
  return makeCompound({ WordDocument: main });
}

test('a document of Word 6 or 95 is read in its encoding', async () => {
  const words = 'Компания предлагает со склада в Москве следующий ассортимент настоящих молдавских вин\r';
  const letters = Uint8Array.from(words, (sign) =>
    sign > 'я' || sign < 'А' ? sign.charCodeAt(0) : sign.charCodeAt(0) - 0x350,
  );
  assert.equal((await readBytes('a.doc', documentOf(letters))).text, words.trim());
});

test('hidden text of a document of Word 6 or 95 stays out where letters have two bytes', async () => {
  const [before, hidden, after] = ['この文書は先週公開されたものです。', '秘密の文章。', 'これで終わりです。'];
  const whole = iconv.encode(`${before}${hidden}${after}\r次の段落もあります。\r`, 'shift_jis');
  const from = iconv.encode(before, 'shift_jis').length;
  const to = from + iconv.encode(hidden, 'shift_jis').length;
  const read = async (bytes: Uint8Array) => (await readBytes('a.doc', bytes)).text;
  assert.equal(await read(documentOf(whole)), `${before}${hidden}${after}\n\n次の段落もあります。`);
  assert.equal(await read(documentOf(whole, [from, to])), `${before}${after}\n\n次の段落もあります。`);
});

test('a document of 97 to 2003 with overlapping runs of properties is damaged, and takes no long work', async () => {
  const bytes = Buffer.from(fixture('office.doc'));
  const page = bytes.lastIndexOf(Buffer.from([0x43, 0x4a, 0x18, 0])) & ~511;
  for (let run = 0; run < 32; run += 1) bytes.writeUInt32LE(run % 2 ? 16_000 : 0, page + run * 4);
  assert.equal((await failureOf('a.doc', bytes)).title, 'Damaged document');
});

test('many open fields of a document of 97 to 2003 take no long work', () => {
  const count = 100_000;
  const started = performance.now();
  for (const [fields, words] of [
    ['\x13\x14'.repeat(count) + 'a'.repeat(count), 'a'.repeat(count)],
    [`\x13 PAGE ${'a\x14'.repeat(count)}\x15 b`, `${'#'.repeat(count)} b`],
    ['\x13IF \x13PAGE\x14 1\x15\x14yes\x15', '#yes'],
  ] as const)
    assert.equal(readOldWord(documentOf(Buffer.from(fields)), '#').body[0]?.text, words);
  assert.ok(performance.now() - started < 30_000);
});

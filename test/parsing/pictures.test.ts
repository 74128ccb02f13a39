/** Pictures, scanned PDFs and old Office files, with and without tesseract and LibreOffice. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { read as readWorkbook, write as writeWorkbook } from '@e965/xlsx';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { loadToolConfig } from '../../src/config.ts';
import { detectFileType } from '../../src/files/detect/file-types.ts';
import { newWorkbook } from '../../src/files/formats/office/old-workbook.ts';
import { ocrPages } from '../../src/files/formats/pdf/ocr-text.ts';
import { processFile } from '../../src/files/sandbox/process-file.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { openToolRunner } from '../../src/files/sandbox/tool-runner.ts';
import { fixture } from '../support/files/fixtures.ts';
import { makeCompound } from '../support/files/make-compound.ts';
import { failureOf, processBytes } from '../support/files/process-bytes.ts';
import { sandboxOf } from '../support/files/sandboxes.ts';
import { openRandom, TEST_SEED } from '../support/random.ts';

const sandbox = sandboxOf();
const tools = openToolRunner(loadToolConfig({ ...process.env, PINAKES_OCR: 'tesseract' }), sandbox);
const there = await tools.available();
const needs = (tool: 'ocr' | 'office') => ({
  skip: there.includes(tool) ? false : `${tool === 'ocr' ? 'tesseract' : 'LibreOffice'} is not installed`,
});
const pool = openProcessPool({ children: 1, sandbox, tools });
after(() => pool.close());

async function read(name: string) {
  return readPath(name, fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)));
}

async function readPath(name: string, path: string) {
  const request = { path, name, size: statSync(path).size, chunkMetadataKeys: [], inspect: Number.POSITIVE_INFINITY };
  const outcome = await pool.process(request, new AbortController().signal);
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.failure.message);
  const { text, inspected, warnings, fileType } = outcome.file;
  return { fileType, text, warnings, pages: inspected!.blocks.map((block) => block.pages?.[0]) };
}

const FIRST =
  'Rules of the reading room\n\nThe reading room is open on weekdays from nine to six. Coats and bags stay in the lockers by the ' +
  'entrance, and pencils are the only writing tools allowed near the manuscripts.\n\nVisitors register once a year at the desk. ' +
  'The card costs 12 euros and is valid in every branch of the library.';
const SECOND =
  'Copies and photographs\n\nPhotographs without flash are permitted for private study. Copies of bound volumes are made by the ' +
  'staff, who decide whether the binding can bear it.';

test('OCR reads the words of a picture', needs('ocr'), async () => {
  const { text, fileType, warnings } = await read('scan.png');
  assert.deepEqual([text, fileType, warnings], [FIRST, 'unknown', []]);
});

test('OCR reads a picture that is turned', needs('ocr'), async (t) => {
  const { output } = spawnSync('tesseract', ['--list-langs'], { encoding: 'utf8' });
  if (!/^osd$/m.test(output.join('\n'))) return t.skip('tesseract has no data for it (osd)');
  assert.equal((await read('scan-turned.png')).text, FIRST);
});

for (const name of ['scan.tiff', 'scan.pdf']) {
  test(`OCR of ${name} keeps page numbers`, needs('ocr'), async () => {
    const { text, pages, warnings } = await read(name);
    assert.deepEqual([text, warnings], [`${FIRST}\n\n${SECOND}`, []]);
    assert.deepEqual(pages, [1, 1, 1, 2, 2]);
  });
}

test('an old Office file gives the same text as a new one', needs('office'), async () => {
  const [old, current] = await Promise.all([read('office.doc'), read('office.odt')]);
  assert.equal(old.fileType, 'docx');
  // LibreOffice writes the second item as the first one of another list, and Word would number it so.
  const text = old.text.replace('1. Then the office', '2. Then the office');
  assert.deepEqual(text.split('\n\n').slice(-5), current.text.split('\n\n').slice(-5));
  const [sheet, newer] = await Promise.all([read('office.xls'), read('office.xlsx')]);
  assert.equal(sheet.text, newer.text);
  assert.match((await read('word-2003.xml')).text, /Herons\n\nThey nest high\.$/);
});

test('an old presentation gives the same text as a new one', needs('office'), async (t) => {
  // The file is compressed: LibreOffice writes half a megabyte, mostly empty.
  const folder = mkdtempSync(join(tmpdir(), 'pinakes-ppt-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a'), gunzipSync(fixture('slides.ppt.gz')));
  const [old, current] = await Promise.all([readPath('slides.ppt', join(folder, 'a')), read('slides.pptx')]);
  assert.deepEqual(old, current);
});

test('without OCR the error of a picture or a scanned PDF says how it could be read', async () => {
  const picture = await failureOf('scan.png', fixture('scan.png'));
  assert.equal(picture.title, 'Pictures are not read');
  assert.match(picture.message, /PINAKES_OCR=tesseract/);
  const pdf = await failureOf('scan.pdf', fixture('scan.pdf'));
  assert.equal(pdf.title, 'Nothing to read in this file');
  assert.match(pdf.message, /^The PDF has no text layer: its pages are pictures\..*PINAKES_OCR=tesseract/);
});

test('without LibreOffice a workbook of 97 to 2003, or a binary one, gives the same text as a new one', async () => {
  const { text } = await read('office.xlsx');
  for (const [name, bytes] of [
    ['office.xls', fixture('office.xls')],
    ['office.xlsb', binaryWorkbook()],
  ] as const) {
    const outcome = await processBytes(name, bytes);
    assert.ok(outcome.ok);
    assert.deepEqual([outcome.file.fileType, outcome.file.text], ['xlsx', text], name);
  }
});

test('an old workbook without a date has no date', async () => {
  const outcome = await processBytes('office.xls', fixture('office.xls'));
  assert.deepEqual(outcome.ok && outcome.file.metadata, {});
});

test('a binary workbook that names more cells than it has is read; one with a cell too far away is over a limit', async () => {
  const parts = unzipSync(binaryWorkbook());
  const withRecords = (change: (sheet: Buffer, type: number, start: number) => void) => {
    const sheet = Buffer.from(parts['xl/worksheets/sheet1.bin']!);
    for (const { type, start } of binaryRecords(sheet)) change(sheet, type, start);
    return zipSync({ ...parts, 'xl/worksheets/sheet1.bin': sheet });
  };
  const large = withRecords((sheet, type, start) => {
    if (type !== DIMENSION) return;
    sheet.writeUInt32LE(ROWS_MAX - 1, start + 4);
    sheet.writeUInt32LE(COLUMNS_MAX - 1, start + 12);
  });
  const outcome = await processBytes('a.xlsb', large);
  assert.match(outcome.ok ? outcome.file.text : '', /Milk, fresh/);
  const far = withRecords((sheet, type, start) => {
    if (type === ROW_HEADER) sheet.writeUInt32LE(ROWS_MAX - 1, start);
    if (type === TEXT_CELL) sheet.writeUInt32LE(COLUMNS_MAX - 1, start);
  });
  assert.equal((await failureOf('a.xlsb', far)).title, 'File is over a limit');
});

const [ROWS_MAX, COLUMNS_MAX] = [1_048_576, 16_384];
const [ROW_HEADER, TEXT_CELL, DIMENSION] = [0, 6, 148];

/** Yields the records of a part of a binary workbook. Type and length have 7 bits in each byte. */
function* binaryRecords(part: Buffer): Generator<{ type: number; start: number }> {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = part[at++]!;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < part.length) {
    const type = number();
    const length = number();
    yield { type, start: at };
    at += length;
  }
}

function binaryWorkbook(): Uint8Array {
  return writeWorkbook(readWorkbook(fixture('office.xls'), { cellNF: true }), { type: 'buffer', bookType: 'xlsb' });
}

test('a damaged xlsb file fails at once, wherever its bytes are damaged', () => {
  const good = Buffer.from(binaryWorkbook());
  assert.ok(newWorkbook(good).length > 0);
  const random = openRandom(TEST_SEED);
  let failed = 0;
  for (let i = 0; i < 200; i += 1) {
    const bytes = Buffer.from(good);
    // Without a check of the parts, some of these take many seconds, and one ends the process.
    for (let k = 0; k < 3; k += 1) bytes[random.integer(0, good.length - 1)]! ^= random.integer(1, 255);
    const begun = process.cpuUsage();
    try {
      newWorkbook(bytes);
    } catch (error) {
      assert.equal((error as Error).name, 'FileError');
      failed += 1;
    }
    assert.ok(process.cpuUsage(begun).user < 3_000_000, `damage ${i}`);
  }
  assert.ok(failed > 100, `${failed}`);
});

test('a damaged Office file of 97 to 2003 is a failure that says so', async () => {
  for (const [name, title, mark] of [
    ['office.doc', 'Damaged document', [0xec, 0xa5]],
    ['office.xls', 'Damaged workbook', [0x09, 0x08, 0x10, 0x00]],
    ['slides.ppt.gz', 'Damaged presentation', [0x14, 0, 0, 0, 0x5f, 0xc0, 0x91, 0xe3]],
  ] as const) {
    const bytes = Buffer.from(name.endsWith('.gz') ? gunzipSync(fixture(name)) : fixture(name));
    const head = bytes.indexOf(Buffer.from(mark));
    bytes.fill(0x55, head + (name.endsWith('.gz') ? 8 : 24), head + 600);
    assert.equal((await failureOf(name, bytes)).title, title);
  }
});

test('without LibreOffice a presentation of 97 to 2003 has titles, texts and notes of its slides', async () => {
  const outcome = await processBytes('slides.ppt', gunzipSync(fixture('slides.ppt.gz')));
  assert.ok(outcome.ok);
  const { fileType, text, warnings } = outcome.file;
  assert.equal(fileType, 'pptx');
  assert.deepEqual(text.split('\n\n'), [
    '## Quarterly review',
    'Ann Example',
    '## Results',
    'Sales grew by 12 percent\nCosts fell\nenergy\nrent',
    '> Notes: Thank the team before the next slide.',
    ...['## Regions', 'Region', 'Sales', 'North', '120', 'South', '80'],
    ...['## Two columns', 'Left side with plans', 'Right side with risks'],
  ]);
  assert.deepEqual(warnings, ['The file was read without LibreOffice: its lists and tables are paragraphs.']);
});

test('a slide of a presentation of 97 to 2003 whose title is empty has no heading', async () => {
  const bytes = Buffer.from(gunzipSync(fixture('slides.ppt.gz')));
  const title = Buffer.from('Results', bytes.includes(Buffer.from('Results', 'utf16le')) ? 'utf16le' : 'latin1');
  for (let at = bytes.indexOf(title); at >= 0; at = bytes.indexOf(title, at + 1))
    bytes.fill(title.length > 7 ? ' \0' : ' ', at, at + title.length);
  const outcome = await processBytes('slides.ppt', bytes);
  assert.deepEqual(outcome.ok && outcome.file.text.split('\n\n').slice(0, 3), [
    '## Quarterly review',
    'Ann Example',
    'Sales grew by 12 percent\nCosts fell\nenergy\nrent',
  ]);
});

test('hidden slides of a presentation of 97 to 2003 are left out', async () => {
  const bytes = Buffer.from(gunzipSync(fixture('slides.ppt.gz')));
  const settings = bytes.indexOf(Buffer.from([0xf9, 0x03, 16, 0, 0, 0]));
  bytes[settings + 16]! |= 4;
  const outcome = await processBytes('slides.ppt', bytes);
  assert.ok(outcome.ok);
  assert.equal(outcome.file.text.includes('Quarterly review'), false);
  assert.equal(outcome.file.warnings[0], '1 hidden slide was left out.');
});

test('an old Office file with a password is reported as encrypted', async () => {
  const bytes = Buffer.from(fixture('office.doc'));
  const at = bytes.indexOf(Buffer.from([0xec, 0xa5]));
  bytes[at + 11]! |= 1;
  assert.equal((await failureOf('a.doc', bytes)).title, 'Encrypted file');
});

test('files inside an archive that need a missing program are skipped', async () => {
  const zip = zipSync({ 'a.png': fixture('scan.png'), 'b.doc': fixture('office.doc'), 'c.txt': strToU8('words') });
  const names: string[] = [];
  const outcome = await processBytes('a.zip', zip, [], async ({ name }) => void names.push(name));
  assert.ok(outcome.ok);
  assert.deepEqual(names, ['b.doc', 'c.txt']);
  assert.match(outcome.file.warnings[0]!, /^1 file inside/);
});

test('a presentation of 97 to 2003 with slides that overlap is damaged, and takes no long work', async () => {
  const record = (type: number, content: Buffer, flags = 0) => {
    const head = Buffer.alloc(8);
    head.writeUInt16LE(flags);
    head.writeUInt16LE(type, 2);
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const numbers = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const slides = 600;
  // Each slide begins a record later than the one before and reaches to the end.
  const ends = Array.from({ length: slides }, (_, i) => {
    const head = Buffer.alloc(8);
    head.writeUInt16LE(0xf);
    head.writeUInt32LE((slides - i - 1) * 8, 4);
    return head;
  });
  const listed = Array.from({ length: slides }, (_, i) => record(0x03f3, numbers(i + 2, 0, 0, i, 0)));
  const body = Buffer.concat(ends);
  const document = record(0x03e8, record(0x0ff0, Buffer.concat(listed), 0xf), 0xf);
  const places = [body.length, ...ends.map((_, i) => i * 8)];
  const directory = record(0x1772, numbers((places.length << 20) | 1, ...places));
  const edit = record(0x0ff5, numbers(0, 0, 0, body.length + document.length, 1, 0, 0));
  const bytes = makeCompound({
    'Current User': numbers(0, 0, 0, 0, body.length + document.length + directory.length),
    'PowerPoint Document': Buffer.concat([body, document, directory, edit]),
  });
  const { title } = await failureOf('a.ppt', bytes);
  assert.equal(title, 'Damaged presentation');
});

test('a picture without words is a failure if it was uploaded, and none if it was inside another file', async () => {
  const empty = 'level\tpage_num\n1\t1\t0\t0\t0\t0\t0\t0\t40\t40\t-1\t\n';
  const bytes = fixture('scan.png');
  const outcomeAt = (depth: number) =>
    processFile({ name: 'logo.png', size: bytes.length, chunkMetadataKeys: [], depth }, bytes, undefined, undefined, {
      ocr: async () => empty,
    });
  const uploaded = await outcomeAt(0);
  assert.equal(uploaded.ok ? '' : uploaded.failure.message, 'No words were found in the picture.');
  const inside = await outcomeAt(1);
  assert.ok(inside.ok);
  assert.deepEqual([inside.file.chunks, inside.file.warnings], [[], ['No words were found in the picture.']]);
});

test('pictures are detected by their first bytes', async () => {
  const heads = [
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff\xe0',
    'GIF89a',
    'II*\0',
    'MM\0*',
    'RIFFabcdWEBPVP8 ',
    'BMabcd\0\0\0\0abcd\x28\0\0\0',
  ];
  for (const head of heads) {
    assert.equal(await detectFileType(Buffer.from(`${head}\x01\0\0\0\0\0`, 'latin1'), 'a.txt'), 'picture', head);
  }
  assert.equal(await detectFileType(Buffer.from('BMW makes cars, and MM* is not TIFF.'), 'a.txt'), 'txt');
});

test('words with low OCR confidence are dropped, and hyphenated words are marked', () => {
  const row = (...cells: (string | number)[]) => cells.join('\t');
  const word = (paragraph: number, line: number, confidence: number, text: string, page = 1) =>
    row(5, page, 1, paragraph, line, 1, 0, 0, 0, 0, confidence, text);
  const table = [
    row(
      'level',
      'page_num',
      'block_num',
      'par_num',
      'line_num',
      'word_num',
      'left',
      'top',
      'width',
      'height',
      'conf',
      'text',
    ),
    row(1, 1, 0, 0, 0, 0, 0, 0, 10, 10, -1, ''),
    word(1, 1, 96, 'The'),
    word(1, 1, 91, 'manu-'),
    word(1, 2, 95, 'script'),
    word(1, 2, 12, '~|'),
    word(2, 1, 40, 'wl'),
    word(2, 1, 33, 'ij'),
    word(3, 1, 90, '図書'),
    word(3, 1, 90, '館'),
    row(1, 2, 0, 0, 0, 0, 0, 0, 10, 10, -1, ''),
    row(1, 3, 0, 0, 0, 0, 0, 0, 10, 10, -1, ''),
    word(1, 1, 90, 'End', 3),
  ].join('\n');
  assert.deepEqual(
    ocrPages(table).map(({ lines }) => lines.map((line) => line.text)),
    [['The manu\ufffe', 'script', '図書館'], [], ['End']],
  );
});

test('a picture whose marks cannot be read as words has no text, and a reason', async () => {
  const word = (page: number, confidence: number, text: string) =>
    `5\t${page}\t1\t1\t1\t1\t0\t0\t0\t0\t${confidence}\t${text}`;
  const noise = [word(1, 71, 'ay}'), word(1, 55, '03'), word(1, 12, 'Buryiom'), word(1, 40, 'skep')];
  const outcomeOf = (rows: readonly string[]) => {
    const bytes = fixture('scan.png');
    const request = { name: 'photo.png', size: bytes.length, chunkMetadataKeys: [], depth: 0 };
    return processFile(request, bytes, undefined, undefined, { ocr: async () => rows.join('\n') });
  };
  const alone = await outcomeOf(noise);
  const reason = 'The words are blurred, turned or handwritten, or it is a drawing.';
  assert.equal(alone.ok ? '' : alone.failure.message, `The picture could not be read. ${reason}`);
  const pages = await outcomeOf([...noise, word(2, 90, 'End')]);
  assert.ok(pages.ok);
  assert.deepEqual(pages.file.warnings, [`1 of 2 pages could not be read. ${reason}`]);
  assert.deepEqual(
    pages.file.chunks.map(({ content }) => content),
    ['End'],
  );
});

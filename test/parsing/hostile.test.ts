/** Small equivalents of hostile files. Each of them gives text, or a message that a person understands. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { makeDocx, makePdf } from '../support/files/make-files.ts';
import { endedCleanly, failureOf, processBytes, readBytes } from '../support/files/process-bytes.ts';

const DOCX = makeDocx({ blocks: [{ paragraph: 'canary' }] });

function withPart(name: string, data: string | Uint8Array): Uint8Array {
  return zipSync({ ...unzipSync(DOCX), [name]: typeof data === 'string' ? strToU8(data) : data });
}

test('a Word file with a zip bomb is refused, unless nothing reads the bomb', async () => {
  const bomb = new Uint8Array(20 * 1024 * 1024);
  for (const name of ['word/document.xml', 'word/styles.xml', 'docProps/core.xml'])
    assert.match((await failureOf('a.docx', withPart(name, bomb))).message, /expands/, name);
  assert.equal((await readBytes('a.docx', withPart('word/bomb.xml', bomb))).text, 'canary');
});

test('Word files that declare entities, and XML whose entities become long, are refused', async () => {
  const doctype = '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>';
  assert.match((await failureOf('a.docx', withPart('word/document.xml', `${doctype}<x>&b;</x>`))).message, /entities/);
  const bomb = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
  const deep = `<!DOCTYPE x [<!ENTITY e0 "lol">${bomb}]>`;
  assert.match((await failureOf('a.xml', `<?xml version="1.0"?>${deep}<x>&e20;</x>`)).message, /entities/);
  const wide = `<!DOCTYPE svg [<!ENTITY a "${'lol'.repeat(1000)}">]><svg><text>${'&a;'.repeat(10_000)}</text></svg>`;
  assert.match((await failureOf('a.svg', wide)).message, /entities/);
});

test('a zip entry with a path that leads out of the archive is ignored', async () => {
  assert.equal((await readBytes('a.docx', withPart('../../evil.txt', 'evil'))).text, 'canary');
});

test('truncated Word and PDF files are reported as damaged', async () => {
  const pdf = makePdf({ pages: [['text']] });
  for (const share of [0.1, 0.5, 0.9]) {
    const docx = await failureOf('a.docx', DOCX.subarray(0, DOCX.length * share));
    assert.equal(docx.retryable, false);
    const outcome = await processBytes('a.pdf', pdf.subarray(0, pdf.length * share));
    assert.ok(outcome.ok || outcome.failure.title === 'Damaged PDF');
  }
});

test('a PDF whose page tree refers to itself is processed to an end', async () => {
  const pdf =
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj\ntrailer<</Root 1 0 R>>';
  const outcome = await processBytes('a.pdf', pdf);
  assert.ok(!outcome.ok || outcome.file.chunks.length === 0);
});

test('deep and repetitive Markdown is read in linear time', async () => {
  for (const source of [
    '> '.repeat(20_000),
    '**a '.repeat(50_000),
    '['.repeat(50_000),
    '<!--'.repeat(50_000),
    '`'.repeat(50_000),
  ]) {
    assert.ok(endedCleanly(await processBytes('a.md', source)));
  }
});

test('HTML with many unfinished tags is read in linear time', async () => {
  for (const source of [
    '<div '.repeat(100_000),
    '<script'.repeat(100_000),
    '<a href="'.repeat(100_000),
    '<!--'.repeat(100_000),
    '<p>'.repeat(50_000),
  ]) {
    assert.ok(endedCleanly(await processBytes('a.html', `<html>${source}`)));
  }
});

test('NUL and broken UTF-8 in a text are replaced, and combining and direction marks are kept', async () => {
  assert.equal((await readBytes('a.txt', Buffer.from('a\0b with some words'))).text, 'a\ufffdb with some words');
  assert.ok((await readBytes('a.txt', Buffer.from([0x61, 0xff, 0xfe, 0x62]))).text.isWellFormed());
  assert.ok((await readBytes('a.txt', `Z${'\u0301'.repeat(20_000)}`)).chunks.length > 1);
  assert.equal((await readBytes('a.txt', 'a\u202eb')).text, 'a\u202eb');
});

test('a table with tens of thousands of columns gives chunks of bounded size', async () => {
  const columns = Array.from({ length: 20_000 }, (_, i) => `c${i}`).join(',');
  const file = await readBytes('a.csv', `${columns}\n${columns}\n`);
  assert.ok(file.chunks.every((chunk) => chunk.content.length < 8000 && (chunk.context ?? '').length <= 4500));
});

test('a formula in a CSV cell stays text', async () => {
  assert.match(
    (await readBytes('a.csv', 'name,v\n"=HYPERLINK(""http://x"",""y"")",1\n')).text,
    /=HYPERLINK\("http:\/\/x","y"\)/,
  );
});

test('messages about damaged files contain no path of this machine', async () => {
  for (const [name, bytes] of [
    ['a.docx', withPart('word/document.xml', '<not closed')],
    ['a.xlsx', zipSync({ 'xl/workbook.xml': strToU8('<broken') })],
  ] as const) {
    const failure = await failureOf(name, bytes);
    assert.doesNotMatch(failure.message, /\/|node_modules/, name);
  }
});

/** Tests of Word files with references to what is not there: their text is never lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { makeDocx } from '../support/files/make-files.ts';
import { failureOf, readBytes } from '../support/files/process-bytes.ts';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const ITEM = '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="9"/></w:numPr></w:pPr>';

/** Reads a Word file with a heading and `inside`. `list` replaces its ways of counting. */
function read(inside: string, list = '') {
  const parts = unzipSync(makeDocx({ blocks: [{ heading: 'Rules', level: 1 }, { paragraph: 'HERE' }] }));
  const document = new TextDecoder().decode(parts['word/document.xml']);
  parts['word/document.xml'] = strToU8(document.replace(/<w:p>(?:(?!<w:p>).)*HERE.*?<\/w:p>/, inside));
  if (list !== '') parts['word/numbering.xml'] = strToU8(`<w:numbering ${W}>${list}</w:numbering>`);
  return readBytes('a.docx', zipSync(parts));
}

test('a list whose style is missing is read, and so is a reference to a missing note', async () => {
  const list = '<w:abstractNum w:abstractNumId="9"><w:numStyleLink w:val="Gone"/></w:abstractNum>';
  const listed = await read(
    `${ITEM}<w:r><w:t>Pets &amp; guests</w:t></w:r></w:p>`,
    `${list}<w:num w:numId="9"><w:abstractNumId w:val="9"/></w:num>`,
  );
  assert.equal(listed.text, '# Rules\n\nPets & guests');
  assert.deepEqual(listed.warnings, []);
  const noted = await read('<w:p><w:r><w:t>Noise</w:t></w:r><w:r><w:footnoteReference w:id="77"/></w:r></w:p>');
  assert.equal(noted.text, '# Rules\n\nNoise');
  assert.deepEqual(noted.warnings, []);
});

test('a list without a way of counting is read as paragraphs', async () => {
  const broken = '<w:num w:numId="9"/>';
  const { text, warnings } = await read(
    `${ITEM}<w:r><w:t>Pets &amp; guests</w:t><w:tab/><w:t>yes</w:t></w:r></w:p>`,
    broken,
  );
  assert.equal(text, '# Rules\n\nPets & guests yes');
  assert.deepEqual(warnings, []);
});

test('a Word file without a body is damaged', async () => {
  const parts = { ...unzipSync(makeDocx({ blocks: [] })), 'word/document.xml': strToU8(`<w:document ${W}/>`) };
  assert.equal((await failureOf('a.docx', zipSync(parts))).message, 'The file has no content.');
});

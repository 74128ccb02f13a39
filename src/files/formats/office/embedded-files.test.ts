import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { makeCompound } from '../../../../test/support/files/make-compound.ts';
import { embeddedFiles } from './embedded-files.ts';
import { openPackage } from './zip-package.ts';

/** Returns a file in the form in which Windows embeds it. */
function native(label: string, content: string): Uint8Array {
  const text = (value: string) => [...Buffer.from(`${value}\0`, 'latin1')];
  const number = (value: number) => [...new Uint8Array(new Uint32Array([value]).buffer)];
  const path = text('C:\\Temp\\x.txt');
  const rest = [2, 0, ...text(label), ...text(label), 0, 0, 3, 0, ...number(path.length), ...path];
  return Uint8Array.from([...number(0), ...rest, ...number(content.length), ...Buffer.from(content, 'latin1')]);
}

const found = (files: Record<string, Uint8Array>) =>
  [...embeddedFiles(openPackage(zipSync(files)))].map(({ name, bytes }) => [name, Buffer.from(bytes()).toString()]);

test('files embedded in an Office file become files inside, without the workbooks of its charts', () => {
  const links = '<Relationships><Relationship Id="r" Target="../embeddings/Sheet1.xlsx"/></Relationships>';
  const files = {
    'ppt/charts/chart1.xml': strToU8('<c/>'),
    'ppt/charts/_rels/chart1.xml.rels': strToU8(links),
    'ppt/embeddings/Sheet1.xlsx': strToU8('behind a chart'),
    'ppt/embeddings/Report.docx': strToU8('a report'),
    'ppt/media/image1.png': strToU8('a picture'),
  };
  assert.deepEqual(found(files), [['Report.docx', 'a report']]);
});

test('embedded objects with files or old Office documents are files inside; formulas and damaged objects are not', () => {
  const packed = native('C:\\docs\\notes.txt', 'Dear Ann');
  assert.deepEqual(
    found({
      'word/embeddings/oleObject1.bin': makeCompound({ '\u0001Ole10Native': packed }),
      'word/embeddings/oleObject2.bin': makeCompound({ Package: strToU8('a workbook') }),
      'word/embeddings/oleObject3.bin': makeCompound({ 'Equation Native': strToU8('E = mc2') }),
      'word/embeddings/oleObject4.bin': makeCompound({ '\u0001Ole10Native': packed.subarray(0, 30) }),
      'word/embeddings/oleObject5.bin': makeCompound({ '\u0001Ole10Native': packed.subarray(0, packed.length - 1) }),
      'word/embeddings/oleObject6.bin': makeCompound({ x: strToU8('y') }).subarray(0, 600),
    }),
    [
      ['notes.txt', 'Dear Ann'],
      ['oleObject2.bin', 'a workbook'],
    ],
  );
  const old = makeCompound({ WordDocument: strToU8('old') });
  const [[name] = []] = found({ 'xl/embeddings/oleObject1.bin': old });
  assert.equal(name, 'oleObject1.bin');
});

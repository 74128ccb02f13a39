import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { embeddedFiles } from './embedded-files.ts';
import { openPackage } from './zip-package.ts';

const SECTOR = 512;
const [END, NOTHING] = [0xfffffffe, 0xffffffff];

/** Returns a compound file with one stream. */
function compound(name: string, data: Uint8Array): Uint8Array {
  const sectors = Math.ceil(data.length / SECTOR);
  const bytes = new Uint8Array((3 + sectors) * SECTOR);
  const view = new DataView(bytes.buffer);
  const words = (at: number, ...values: number[]) =>
    values.forEach((value, i) => void view.setUint32(at + i * 4, value, true));
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  words(30, 9 | (6 << 16));
  words(44, 1, 1, 0, 0, END, 0, END, 0);
  bytes.fill(0xff, 76, SECTOR);
  words(76, 0);
  const chain = Array.from({ length: sectors }, (_, i) => (i === sectors - 1 ? END : 3 + i));
  words(SECTOR, 0xfffffffd, END, ...chain);
  const entry = (index: number, title: string, kind: number, child: number, start: number, size: number) => {
    const at = 2 * SECTOR + index * 128;
    bytes.set(Buffer.from(title, 'utf16le'), at);
    view.setUint16(at + 64, (title.length + 1) * 2, true);
    view.setUint8(at + 66, kind);
    words(at + 68, NOTHING, NOTHING, child);
    words(at + 116, start, size);
  };
  entry(0, 'Root Entry', 5, 1, END, 0);
  entry(1, name, 2, NOTHING, 2, data.length);
  bytes.set(data, 3 * SECTOR);
  return bytes;
}

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
      'word/embeddings/oleObject1.bin': compound('\u0001Ole10Native', packed),
      'word/embeddings/oleObject2.bin': compound('Package', strToU8('a workbook')),
      'word/embeddings/oleObject3.bin': compound('Equation Native', strToU8('E = mc2')),
      'word/embeddings/oleObject4.bin': compound('\u0001Ole10Native', packed.subarray(0, 30)),
      'word/embeddings/oleObject5.bin': compound('\u0001Ole10Native', packed.subarray(0, packed.length - 1)),
      'word/embeddings/oleObject6.bin': compound('x', strToU8('y')).subarray(0, 600),
    }),
    [
      ['notes.txt', 'Dear Ann'],
      ['oleObject2.bin', 'a workbook'],
    ],
  );
  const old = compound('WordDocument', strToU8('old'));
  const [[name] = []] = found({ 'xl/embeddings/oleObject1.bin': old });
  assert.equal(name, 'oleObject1.bin');
});

import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { EXPANSION_RATIO_MAX, readZipDirectory, readZipEntry, ZIP_ENTRIES_MAX } from './zip.ts';

const TEXT = strToU8('some text that is worth packing, some text that is worth packing');

test('the entries of a zip archive are listed and inflated', () => {
  const bytes = zipSync({ 'a.txt': TEXT, 'b/c.txt': [TEXT, { level: 0 }] });
  const entries = readZipDirectory(bytes);
  assert.deepEqual(
    entries.map(({ name }) => name),
    ['a.txt', 'b/c.txt'],
  );
  for (const entry of entries) assert.deepEqual(Buffer.from(readZipEntry(bytes, entry)), Buffer.from(TEXT));
});

test('an empty zip entry is empty, also if its deflated data has no bytes', () => {
  const entry = { name: 'a', dataStart: 0, compressedSize: 0, expandedSize: 0 };
  const [listed] = readZipDirectory(zipSync({ a: TEXT }));
  assert.equal(readZipEntry(new Uint8Array(0), { ...listed!, ...entry }).length, 0);
  const lost = { ...listed!, ...entry, expandedSize: 5 };
  assert.throws(() => readZipEntry(new Uint8Array(0), lost), /not a complete ZIP/);
});

test('a zip entry that expands too far is refused if it is read', () => {
  const bytes = zipSync({ 'bomb.xml': new Uint8Array(17 * 1024 * 1024) });
  const [bomb] = readZipDirectory(bytes);
  assert.throws(() => readZipEntry(bytes, bomb!), new RegExp(`more than ${EXPANSION_RATIO_MAX} times`));
});

test('a zip entry of a few MiB may expand by any factor: sheets with much of the same do', () => {
  const sheet = '<c r="A1"><v>0</v></c>'.repeat(500_000);
  const bytes = zipSync({ 'sheet.xml': strToU8(sheet) });
  assert.ok(bytes.length * EXPANSION_RATIO_MAX < sheet.length);
  const [entry] = readZipDirectory(bytes);
  assert.equal(readZipEntry(bytes, entry!, sheet.length).length, sheet.length);
  assert.throws(() => readZipEntry(bytes, entry!, sheet.length - 1), /expands to more/);
});

test('a zip bomb with a wrong size in its directory is refused while it inflates', () => {
  const bytes = zipSync({ 'bomb.xml': new Uint8Array(17 * 1024 * 1024) });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = Buffer.from(bytes).indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  view.setUint32(directory + 24, 1000, true);
  const [entry] = readZipDirectory(bytes);
  assert.throws(() => readZipEntry(bytes, entry!), /more than 100 times/);
});

test('a zip archive with too many entries is refused', () => {
  const files = Object.fromEntries(Array.from({ length: ZIP_ENTRIES_MAX + 1 }, (_, i) => [`${i}`, new Uint8Array(0)]));
  assert.throws(() => readZipDirectory(zipSync(files, { level: 0 })), /entries/);
});

test('a zip archive truncated at any length is reported as damaged', () => {
  const bytes = zipSync({ 'a.txt': TEXT, 'b.txt': TEXT });
  for (let length = 0; length < bytes.length; length += 1) {
    assert.throws(() => readZipDirectory(bytes.subarray(0, length)), /ZIP archive/, `length ${length}`);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCompound } from '../../../test/support/files/make-compound.ts';
import { openCompoundFile } from './compound-file.ts';

const SECTOR = 512;
const END = 0xfffffffe;

/** Returns a file of `sectors` sectors with one stream over all that the tables leave. `next` is the sector after a sector. */
function fileOf(sectors: number, first: number, next: (sector: number) => number): Buffer {
  const bytes = Buffer.alloc((1 + sectors) * SECTOR);
  const tables = Math.ceil((sectors * 4) / SECTOR);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  for (const [at, value] of [
    [24, 0x0003_003e],
    [28, 0x0009_fffe],
    [32, 6],
    [44, tables],
    [48, tables],
    [56, 4_096],
    [60, END],
    [68, END],
  ] as const)
    bytes.writeUInt32LE(value, at);
  bytes.fill(0xff, 76, SECTOR);
  for (let i = 0; i < tables; i += 1) bytes.writeUInt32LE(i, 76 + i * 4);
  for (let i = 0; i < sectors; i += 1)
    bytes.writeUInt32LE(i < tables ? 0xfffffffd : i === tables ? END : next(i), SECTOR + i * 4);
  const entry = (at: number, name: string, kind: number, child: number, start: number, size: number) => {
    bytes.write(name, at, 'utf16le');
    bytes.writeUInt16LE((name.length + 1) * 2, at + 64);
    bytes.writeUInt8(kind, at + 66);
    for (const [i, value] of [0xffffffff, 0xffffffff, child].entries()) bytes.writeUInt32LE(value, at + 68 + i * 4);
    bytes.writeUInt32LE(start, at + 116);
    bytes.writeUInt32LE(size, at + 120);
  };
  entry((1 + tables) * SECTOR, 'Root Entry', 5, 1, END, 0);
  entry((1 + tables) * SECTOR + 128, 'Words', 2, 0xffffffff, first, (sectors - tables - 1) * SECTOR);
  for (let i = tables + 1; i < sectors; i += 1) bytes.writeUInt32LE(i, (1 + i) * SECTOR);
  return bytes;
}

test('small and large streams of a compound file are read', () => {
  const streams = { Small: Buffer.from('few'), Large: Buffer.alloc(10_000, 'many'), Empty: Buffer.alloc(0) };
  const file = openCompoundFile(makeCompound(streams));
  for (const [name, bytes] of Object.entries(streams)) assert.deepEqual(Buffer.from(file.read(name)!), bytes);
  assert.equal(file.read('None'), undefined);
});

test('streams that share bytes are read only as far as they are together no larger than the file', () => {
  const names = ['One', 'Two', 'Three'];
  const bytes = Buffer.from(makeCompound(Object.fromEntries(names.map((name) => [name, Buffer.alloc(10_000, name)]))));
  const places = names.map((name) => bytes.indexOf(Buffer.from(name, 'utf16le')));
  const half = Math.floor(bytes.length / 2);
  for (const place of places) {
    bytes.writeUInt32LE(bytes.readUInt32LE(places[0]! + 116), place + 116);
    bytes.writeUInt32LE(half, place + 120);
  }
  const file = openCompoundFile(bytes);
  for (const name of ['One', 'One', 'Two', 'Two']) assert.ok(file.read(name)!.length >= 10_000);
  assert.throws(() => file.read('Three'), /not complete/);
});

test('a stream whose sectors are in reverse order, and one in a circle, take linear time', () => {
  const sectors = 4_096;
  const started = performance.now();
  const reversed = openCompoundFile(fileOf(sectors, sectors - 1, (i) => (i === 33 ? END : i - 1))).read('Words')!;
  assert.equal(reversed.length, (sectors - 33) * SECTOR);
  assert.deepEqual([reversed.at(0), reversed.at(1)], [0xff, 0x0f]);
  assert.equal(Buffer.from(reversed).readUInt32LE(reversed.length - SECTOR), 33);
  const circle = openCompoundFile(fileOf(sectors, 100, () => 100)).read('Words')!;
  assert.ok(circle.length <= sectors * SECTOR);
  assert.ok(performance.now() - started < 5_000);
});

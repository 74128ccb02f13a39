/** Makes compound files (OLE2), the container of Outlook messages. */

const SECTOR = 512;
const [END, NOTHING] = [0xfffffffe, 0xffffffff];

/** Returns a compound file with the streams, all at the top, of at most 60 sectors together. */
export function makeCompound(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const entries = Object.entries(streams);
  const directorySectors = Math.ceil((entries.length + 1) / 4);
  const sizes = entries.map(([, data]) => Math.max(Math.ceil(data.length / SECTOR), 1));
  const sectors = 1 + directorySectors + sizes.reduce((sum, size) => sum + size, 0);
  const bytes = new Uint8Array((1 + sectors) * SECTOR);
  const view = new DataView(bytes.buffer);
  const words = (at: number, ...values: number[]) =>
    values.forEach((value, i) => void view.setUint32(at + i * 4, value, true));
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  words(30, 9 | (6 << 16));
  words(44, 1, 1, 0, 0, END, 0, END, 0);
  bytes.fill(0xff, 76, SECTOR);
  words(76, 0);
  const chain = (first: number, length: number) =>
    Array.from({ length }, (_, i) => (i === length - 1 ? END : first + i + 1));
  const table = [0xfffffffd, ...chain(1, directorySectors)];
  const entry = (index: number, title: string, kind: number, links: number[], start: number, size: number) => {
    const at = 2 * SECTOR + index * 128;
    bytes.set(Buffer.from(title, 'utf16le'), at);
    view.setUint16(at + 64, (title.length + 1) * 2, true);
    view.setUint8(at + 66, kind);
    words(at + 68, ...links);
    words(at + 116, start, size);
  };
  entry(0, 'Root Entry', 5, [NOTHING, NOTHING, 1], END, 0);
  for (const [i, [name, data]] of entries.entries()) {
    const next = i + 1 < entries.length ? i + 2 : NOTHING;
    entry(i + 1, name, 2, [NOTHING, next, NOTHING], table.length, data.length);
    bytes.set(data, (1 + table.length) * SECTOR);
    table.push(...chain(table.length, sizes[i]!));
  }
  words(SECTOR, ...table);
  return bytes;
}

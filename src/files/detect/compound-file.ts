/** Reads compound files (OLE2), the container of old Office formats and of Outlook messages. */
import { badFile } from '../failure.ts';

const MAGIC = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const END_OF_CHAIN = 0xfffffffe;
const NOTHING = 0xffffffff;
/** Maximum number of directory entries that are read. */
const ENTRIES_MAX = 100_000;
const STREAM_BYTES_MAX = 64 * 1024 * 1024;

export interface CompoundFile {
  /** Paths of all streams, with `/` between the storages. */
  paths: readonly string[];
  /**
   * Returns the bytes of a stream, or undefined for an unknown path. @throws FileError if the stream is damaged or too large, or if the
   * streams that were read are together larger than the file: they share bytes then.
   */
  read(path: string): Uint8Array | undefined;
}

interface Entry {
  start: number;
  size: number;
}

export function isCompoundFile(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/** Opens a compound file. @throws FileError for a damaged file. */
export function openCompoundFile(bytes: Uint8Array): CompoundFile {
  if (bytes.length < HEADER_BYTES) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectorBytes = 1 << Math.min(view.getUint16(30, true), 16);
  const miniBytes = 1 << Math.min(view.getUint16(32, true), 16);
  const miniLimit = view.getUint32(56, true);
  const sector = (index: number): Uint8Array => {
    const start = (index + 1) * sectorBytes;
    if (start >= bytes.length) throw damaged();
    return bytes.subarray(start, start + sectorBytes);
  };
  const table = allocationTable(view, sectorBytes, sector);
  const chain = (first: number, size: number) => join(chainOf(first, table, size, sectorBytes), size, sector);
  const { root, entries } = readDirectory(
    join(
      chainOf(view.getUint32(48, true), table, ENTRIES_MAX * ENTRY_BYTES, sectorBytes),
      ENTRIES_MAX * ENTRY_BYTES,
      sector,
    ),
  );
  const miniTable = words(chain(view.getUint32(60, true), view.getUint32(64, true) * sectorBytes));
  const mini = root ? chain(root.start, root.size) : new Uint8Array();
  const opened = new Set<Entry>();
  let unread = bytes.length;
  return {
    paths: [...entries.keys()],
    read(path) {
      const entry = entries.get(path);
      if (!entry) return undefined;
      const more = opened.has(entry) ? 0 : entry.size;
      if (entry.size > STREAM_BYTES_MAX || more > unread) throw damaged();
      opened.add(entry);
      unread -= more;
      if (entry.size >= miniLimit) return chain(entry.start, entry.size);
      const piece = (index: number) => mini.subarray(index * miniBytes, (index + 1) * miniBytes);
      return join(chainOf(entry.start, miniTable, entry.size, miniBytes), entry.size, piece);
    },
  };
}

/** Reads the table that holds, for each sector, the number of the next sector. */
function allocationTable(view: DataView, sectorBytes: number, sector: (index: number) => Uint8Array): Uint32Array {
  const sectorsMax = Math.ceil(view.byteLength / sectorBytes);
  const list: number[] = [];
  for (let i = 0; i < 109; i += 1) list.push(view.getUint32(76 + i * 4, true));
  const perSector = sectorBytes / 4 - 1;
  let next = view.getUint32(68, true);
  for (let count = 0; next < END_OF_CHAIN && count <= sectorsMax; count += 1) {
    const more = words(sector(next));
    for (let i = 0; i < perSector; i += 1) list.push(more[i] ?? NOTHING);
    next = more[perSector] ?? NOTHING;
  }
  const used = list.filter((index) => index < END_OF_CHAIN).slice(0, sectorsMax);
  const table = new Uint32Array(used.length * (sectorBytes / 4)).fill(NOTHING);
  for (const [i, index] of used.entries()) table.set(words(sector(index)), i * (sectorBytes / 4));
  // A circular chain then takes no more than the file.
  return table.subarray(0, sectorsMax);
}

/** Returns the numbers of the sectors of a stream of `size` bytes. The length is bounded, so a circular chain ends. */
function chainOf(first: number, table: Uint32Array, size: number, sectorBytes: number): number[] {
  const chain: number[] = [];
  const most = Math.min(Math.ceil(size / sectorBytes), table.length + 1);
  for (let next = first; next < END_OF_CHAIN && chain.length < most; next = table[next] ?? NOTHING) chain.push(next);
  return chain;
}

function join(chain: readonly number[], size: number, sector: (index: number) => Uint8Array): Uint8Array {
  const parts = chain.map(sector);
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.subarray(0, size);
}

/** Reads the streams of the directory. The entries of each storage form a binary tree. */
function readDirectory(data: Uint8Array): { root: Entry | undefined; entries: Map<string, Entry> } {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const count = Math.min(Math.floor(data.length / ENTRY_BYTES), ENTRIES_MAX);
  const entries = new Map<string, Entry>();
  const seen = new Set<number>();
  const rootChild = count > 0 ? view.getUint32(76, true) : NOTHING;
  const stack: { index: number; folder: string }[] = [{ index: rootChild, folder: '' }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { index, folder } = next;
    if (index >= count || seen.has(index)) continue;
    seen.add(index);
    const at = index * ENTRY_BYTES;
    const nameBytes = Math.max(0, Math.min(view.getUint16(at + 64, true), 64) - 2);
    const path = folder + new TextDecoder('utf-16le').decode(data.subarray(at, at + nameBytes));
    if (view.getUint8(at + 66) === 2) entries.set(path, entryAt(view, at));
    stack.push({ index: view.getUint32(at + 68, true), folder }, { index: view.getUint32(at + 72, true), folder });
    stack.push({ index: view.getUint32(at + 76, true), folder: `${path}/` });
  }
  return { root: count > 0 ? entryAt(view, 0) : undefined, entries };
}

function entryAt(view: DataView, at: number): Entry {
  return { start: view.getUint32(at + 116, true), size: view.getUint32(at + 120, true) };
}

function words(data: Uint8Array): Uint32Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return Uint32Array.from({ length: Math.floor(data.length / 4) }, (_, i) => view.getUint32(i * 4, true));
}

function damaged() {
  return badFile('parse', 'Damaged file', 'The file is not complete.');
}

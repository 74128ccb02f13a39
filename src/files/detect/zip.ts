/** Reads zip archives within limits of expansion. The directory is checked first, then every inflated byte is counted. */
import { inflateRawSync } from 'node:zlib';
import { badFile, type FileError, overLimit } from '../failure.ts';
import { type RawName, zipEntryNames, zipExtraField } from './zip-names.ts';

/** Maximum expanded size of all entries. */
export const EXPANDED_BYTES_MAX = 256 * 1024 * 1024;
/** Maximum ratio of expanded to compressed size, for an entry that expands to more than RATIO_FREE_BYTES. */
export const EXPANSION_RATIO_MAX = 100;
export const ZIP_ENTRIES_MAX = 10_000;
const STORED = 0;
const DEFLATED = 8;
const UINT32_MAX = 0xffffffff;
const ZIP64_FIELD = 0x0001;
const ZIP64_LOCATOR_BYTES = 20;
/** Entries up to this expanded size may have any ratio: sheets with much of the same have more than the maximum, and do no harm. */
const RATIO_FREE_BYTES = 16 * 1024 * 1024;

interface ZipEntry {
  name: string;
  method: number;
  encrypted: boolean;
  /** Checksum of the expanded bytes. Not checked: many files whose checksum is wrong can be read. */
  crc32: number;
  compressedSize: number;
  expandedSize: number;
  dataStart: number;
}

/**
 * Returns the entries of the central directory.
 *
 * @throws FileError for a damaged archive, and if the declared sizes exceed a limit.
 */
export function readZipDirectory(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { count, start } = directory(view);
  if (count > ZIP_ENTRIES_MAX) throw overLimit(`The archive has ${count} entries; the limit is ${ZIP_ENTRIES_MAX}.`);
  const entries: Omit<ZipEntry, 'name'>[] = [];
  const names: RawName[] = [];
  let at = start;
  let total = 0;
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw damaged();
    const nameLength = view.getUint16(at + 28, true);
    const nameEnd = at + 46 + nameLength;
    const extra = bytes.subarray(nameEnd, nameEnd + view.getUint16(at + 30, true));
    const entry = readEntry(view, bytes, at, extra);
    total += entry.expandedSize;
    if (total > EXPANDED_BYTES_MAX) throw tooLarge();
    entries.push(entry);
    names.push({ bytes: bytes.subarray(at + 46, nameEnd), extra });
    at = nameEnd + extra.length + view.getUint16(at + 32, true);
  }
  const decoded = zipEntryNames(names);
  return entries.map((entry, i) => ({ name: decoded[i]!, ...entry }));
}

/** Inflates one entry up to its limits: the sizes in the directory may be wrong. */
export function readZipEntry(bytes: Uint8Array, entry: ZipEntry, bytesMax = EXPANDED_BYTES_MAX): Uint8Array {
  const data = bytes.subarray(entry.dataStart, entry.dataStart + entry.compressedSize);
  if (data.length < entry.compressedSize) throw damaged();
  if (entry.method === STORED || entry.expandedSize + data.length === 0) return data;
  if (!isReadableEntry(entry)) throw unreadable();
  const harmlessMax = Math.max(RATIO_FREE_BYTES, entry.compressedSize * EXPANSION_RATIO_MAX);
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, Math.min(bytesMax, harmlessMax)) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw damaged();
    throw bytesMax < harmlessMax ? tooLarge() : overRatio(entry);
  }
}

/** True if the entry is deflated or stored, the two methods that can be read. */
export function isReadableEntry({ method }: ZipEntry): boolean {
  return method === STORED || method === DEFLATED;
}

export function unreadable(): FileError {
  return badFile('parse', 'Unsupported compression', 'The archive uses a compression that cannot be read.');
}

function readEntry(view: DataView, bytes: Uint8Array, at: number, extra: Uint8Array): Omit<ZipEntry, 'name'> {
  const [expandedSize, compressedSize, header] = largeNumbers(
    extra,
    [at + 24, at + 20, at + 42].map((offset) => view.getUint32(offset, true)),
  ) as [number, number, number];
  if (header + 30 > bytes.length || view.getUint32(header, true) !== 0x04034b50) throw damaged();
  return {
    method: view.getUint16(at + 10, true),
    encrypted: (view.getUint16(at + 8, true) & 1) === 1,
    crc32: view.getUint32(at + 16, true),
    compressedSize,
    expandedSize,
    dataStart: header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true),
  };
}

/** Returns the numbers with those over 32 bits read from the zip64 extra field, which has them in the same order. */
function largeNumbers(extra: Uint8Array, numbers: readonly number[]): number[] {
  const field = zipExtraField(extra, ZIP64_FIELD);
  if (!field) return [...numbers];
  const view = new DataView(field.buffer, field.byteOffset, field.byteLength);
  let at = 0;
  return numbers.map((number) => {
    if (number !== UINT32_MAX || at + 8 > field.length) return number;
    at += 8;
    return Number(view.getBigUint64(at - 8, true));
  });
}

/** Returns the number of entries in the directory and its offset. */
function directory(view: DataView): { count: number; start: number } {
  const end = endRecord(view);
  const [count, start] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)];
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (locator < 0 || view.getUint32(locator, true) !== 0x07064b50) return { count, start };
  const large = Number(view.getBigUint64(locator + 8, true));
  if (large + 56 > view.byteLength || view.getUint32(large, true) !== 0x06064b50) throw damaged();
  return { count: Number(view.getBigUint64(large + 32, true)), start: Number(view.getBigUint64(large + 48, true)) };
}

/** Returns the offset of the end-of-directory record. A comment of up to 64 KiB may follow the record. */
function endRecord(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let at = view.byteLength - 22; at >= lowest; at -= 1) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  throw damaged();
}

/** Returns the entries whose declared sizes are within the ratio. @throws FileError if none of the entries is. */
export function harmlessEntries(entries: readonly ZipEntry[]): ZipEntry[] {
  const harmless = entries.filter((entry) => !expandsTooFar(entry, entry.expandedSize));
  if (harmless.length === 0 && entries.length > 0) throw overRatio(entries[0]!);
  return harmless;
}

function expandsTooFar({ compressedSize }: ZipEntry, expanded: number): boolean {
  return expanded > RATIO_FREE_BYTES && expanded > compressedSize * EXPANSION_RATIO_MAX;
}

function overRatio({ name }: ZipEntry): FileError {
  return overLimit(
    `The entry ${JSON.stringify(name.slice(0, 100))} expands to more than ${EXPANSION_RATIO_MAX} times its size.`,
  );
}

function tooLarge() {
  return overLimit(`The archive expands to more than ${EXPANDED_BYTES_MAX / 1024 / 1024} MiB.`);
}

function damaged() {
  return badFile('parse', 'Damaged archive', 'The file is not a complete ZIP archive.');
}

/** Converts Excel workbooks of 97 to 2003 (xls) and in the binary format (xlsb) to xlsx. Charts and shapes are lost. */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { crc32 } from 'node:zlib';
import type { WorkBook, WorkSheet } from '@e965/xlsx';
import { type Zippable, zipSync } from 'fflate';
import { EXPANDED_BYTES_MAX, readZipDirectory, readZipEntry } from '../../detect/zip.ts';
import { badFile, type FileError, overLimit } from '../../failure.ts';

/** The build of the library that has the tables of all code pages. */
const { read, utils, write } = createRequire(import.meta.url)('@e965/xlsx') as typeof import('@e965/xlsx');

/** Maximum cells of a sheet between its first and its last cell, with the empty ones. */
const SHEET_CELLS_MAX = 20_000_000;
/** First byte of an xlsb file, which is a zip archive; xls files are not. */
const ZIP_START = 0x50;
/** A missing date reads as the beginning of the format's calendar. */
const YEAR_NONE = 1601;

/** Returns the workbook as xlsx. @throws FileError for a damaged workbook, or one with a sheet over SHEET_CELLS_MAX. */
export function newWorkbook(bytes: Uint8Array): Uint8Array {
  const sound = bytes[0] === ZIP_START ? soundParts(bytes) : bytes;
  const book = orDamaged(() => read(Buffer.from(sound), { cellNF: true }));
  for (const sheet of Object.values(book.Sheets)) boundRange(sheet);
  dropMissingDates(book);
  return orDamaged(() => write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array);
}

/**
 * Returns an uncompressed archive of the parts of an xlsb file. For some damaged parts the library takes a minute, or ends the process:
 * their checksums are wrong.
 */
function soundParts(bytes: Uint8Array): Uint8Array {
  const parts: Zippable = {};
  let left = EXPANDED_BYTES_MAX;
  for (const entry of readZipDirectory(bytes)) {
    const data = readZipEntry(bytes, entry, left);
    if (crc32(data) !== entry.crc32) throw damagedWorkbook();
    left -= data.length;
    parts[entry.name] = data;
  }
  return zipSync(parts, { level: 0 });
}

function damagedWorkbook(): FileError {
  return badFile('parse', 'Damaged workbook', 'The file is not a complete Excel workbook.');
}

function orDamaged<T>(convert: () => T): T {
  try {
    return convert();
  } catch (cause) {
    throw Object.assign(damagedWorkbook(), { cause });
  }
}

/** Sets the range of a sheet to that of its cells: the range that a file names may be much larger. @throws FileError over the limit. */
function boundRange(sheet: WorkSheet): void {
  const cells = Object.keys(sheet).flatMap((name) => (name.startsWith('!') ? [] : utils.decode_cell(name)));
  if (cells.length === 0) return void delete sheet['!ref'];
  const end = cells.reduce((far, { r, c }) => ({ r: Math.max(far.r, r), c: Math.max(far.c, c) }));
  if ((end.r + 1) * (end.c + 1) > SHEET_CELLS_MAX)
    throw overLimit(`Sheets of xls and xlsb files are read up to ${SHEET_CELLS_MAX} cells, with the empty ones.`);
  sheet['!ref'] = utils.encode_range({ r: 0, c: 0 }, end);
}

function dropMissingDates({ Props }: WorkBook): void {
  for (const name of ['CreatedDate', 'ModifiedDate'] as const) {
    const date = Props?.[name];
    if (date && new Date(date).getUTCFullYear() <= YEAR_NONE) delete Props[name];
  }
}

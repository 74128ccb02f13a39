/** Converts Word, Excel and PowerPoint files of 97 to 2003 to the new formats: with LibreOffice, and workbooks also without it. */

import { openCompoundFile } from '../../detect/compound-file.ts';
import type { OldOfficeType } from '../../detect/file-types.ts';
import { badFile } from '../../failure.ts';
import type { OfficeFormat, Tools } from '../../tools.ts';
import { newWorkbook } from './old-workbook.ts';

export const NEW_FORMAT: Record<OldOfficeType, OfficeFormat> = { doc: 'docx', xls: 'xlsx', ppt: 'pptx' };
/** The record that says that a workbook is encrypted is among this many records at the start. */
const WORKBOOK_RECORDS_MAX = 20;
const FILE_PASS = 0x002f;
const WORD_FLAGS_OFFSET = 10;
const WORD_ENCRYPTED = 0x0100;

/**
 * Returns the file in its new format; undefined for a document or a presentation without LibreOffice.
 *
 * @throws FileError for a file with a password, or if converting fails.
 */
export async function convertOldOffice(
  type: OldOfficeType,
  bytes: Uint8Array,
  { office }: Tools,
): Promise<Uint8Array | undefined> {
  if (isEncrypted(type, bytes)) throw badFile('parse', 'Encrypted file', 'The file is protected by a password.');
  if (office) return office(NEW_FORMAT[type]);
  if (type === 'xls') return newWorkbook(bytes);
  return undefined;
}

function isEncrypted(type: OldOfficeType, bytes: Uint8Array): boolean {
  const file = openCompoundFile(bytes);
  if (type === 'ppt') return file.paths.includes('EncryptedSummary');
  if (type === 'doc') {
    const flags = viewOf(file.read('WordDocument'))?.getUint16(WORD_FLAGS_OFFSET, true) ?? 0;
    return (flags & WORD_ENCRYPTED) !== 0;
  }
  const book = viewOf(file.read('Workbook') ?? file.read('Book'));
  let at = 0;
  for (let count = 0; book && count < WORKBOOK_RECORDS_MAX && at + 4 <= book.byteLength; count += 1) {
    if (book.getUint16(at, true) === FILE_PASS) return true;
    at += 4 + book.getUint16(at + 2, true);
  }
  return false;
}

/** Returns a view of a stream, or undefined if the stream is missing or too short. */
function viewOf(stream: Uint8Array | undefined): DataView | undefined {
  if (!stream || stream.length < WORD_FLAGS_OFFSET + 2) return undefined;
  return new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
}

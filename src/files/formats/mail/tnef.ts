/** Reads the files in `winmail.dat` (TNEF), into which Outlook and Exchange put the attachments of a mail. */
import { Buffer } from 'node:buffer';
import { codePageEncoding } from '../../detect/code-pages.ts';
import { decodeText } from '../../detect/decode.ts';
import { MEMBERS_MAX } from '../../detect/members.ts';
import type { FileMember } from '../../parsed.ts';

const SIGNATURE = 0x223e9f78;
const FIRST_ATTRIBUTE = 6;
/** Numbers of attributes. `BEGIN` stands before those of each file. */
const CODE_PAGE = 0x69007;
const BEGIN = 0x69002;
const TITLE = 0x18010;
const DATA = 0x6800f;
const PROPERTIES = 0x69005;
/** The numbers of the long name among the properties of a file. */
const LONG_NAME = 0x3707001e;
const LONG_NAME_WIDE = 0x3707001f;

/** Returns the files in an attachment, and the attachment itself if it is no TNEF or not all of it can be read. */
export function tnefFiles(attachment: FileMember): FileMember[] {
  const bytes = attachment.bytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < FIRST_ATTRIBUTE || view.getUint32(0, true) !== SIGNATURE) return [attachment];
  const files = new Set<FileMember>();
  let file: FileMember | undefined;
  let begun = 0;
  let codePage: string | undefined;
  for (let at = FIRST_ATTRIBUTE; at + 9 <= bytes.length && files.size < MEMBERS_MAX; ) {
    const [id, size] = [view.getUint32(at + 1, true), view.getUint32(at + 5, true)];
    const data = bytes.subarray(at + 9, at + 9 + size);
    if (id === BEGIN) {
      begun += 1;
      file = { name: 'attachment', bytes: () => new Uint8Array() };
    } else if (id === CODE_PAGE && data.length >= 4) codePage = codePageEncoding(view.getUint32(at + 9, true));
    else if (id === TITLE && file) file.name = shortName(data, codePage);
    else if (id === PROPERTIES && file) file.name = longName(data, codePage) ?? file.name;
    else if (id === DATA && file && size > 0 && data.length === size) {
      file.bytes = () => data;
      files.add(file);
    }
    // A checksum of two bytes follows.
    at += 9 + size + 2;
  }
  return begun > 0 && begun === files.size && begun < MEMBERS_MAX ? [...files] : [...files, attachment];
}

/** Returns the name that stands behind the number of its property, a count and its length. */
function longName(data: Uint8Array, codePage: string | undefined): string | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at + 12 <= data.length; at += 4) {
    const id = view.getUint32(at, true);
    const text = data.subarray(at + 12, at + 12 + view.getUint32(at + 8, true));
    if (id === LONG_NAME_WIDE) return Buffer.from(text).toString('utf16le');
    if (id === LONG_NAME) return shortName(text, codePage);
  }
  return undefined;
}

function shortName(text: Uint8Array, codePage: string | undefined): string {
  return decodeText(text.subarray(0, text.findLastIndex((byte) => byte !== 0) + 1), codePage).text;
}

/** Parses Outlook messages (msg): headers, body, and attachments as files inside. */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { codePageEncoding } from '../../detect/code-pages.ts';
import { type CompoundFile, openCompoundFile } from '../../detect/compound-file.ts';
import { decodeText } from '../../detect/decode.ts';
import { badFile } from '../../failure.ts';
import type { FileMember, ParsedFile } from '../../parsed.ts';
import { mailFile, writeMail } from './mail-text.ts';

const { CFB } = createRequire(import.meta.url)('@e965/xlsx') as typeof import('@e965/xlsx');

/** Numbers of properties. */
const SUBJECT = '0037';
const SENDER_NAME = '0C1A';
const SENDER_ADDRESS = '5D01';
const SENDER_ADDRESS_OLD = '0C1F';
const TO = '0E04';
const CC = '0E03';
const BODY = '1000';
const HTML = '1013';
const MESSAGE_ID = '1035';
const LONG_NAME = '3707';
const SHORT_NAME = '3704';
/** Numbers of the code pages of the 8-bit strings and of the HTML. */
const MESSAGE_CODE_PAGE = 0x3ffd;
const INTERNET_CODE_PAGE = 0x3fde;
const LONG = 0x0003;
/** Numbers of the times of sending and delivery, which are in a table of fixed values. */
const TIMES = [0x0039, 0x0e06];
const FILE_TIME = 0x0040;
/** Milliseconds from 1601 to 1970. */
const FILE_TIME_EPOCH_MS = 11_644_473_600_000n;
const TOP_HEADER_BYTES = 32;
const INNER_HEADER_BYTES = 24;
const TABLE = '__properties_version1.0';
/** Matches the data of an attachment, and the table of an attached message. */
const ATTACHED =
  /^(__attach_version1\.0_#[0-9A-F]{8}\/)__substg1\.0_(?:37010102|3701000D\/(__properties_version1\.0))$/;

/** Parses a message. @throws FileError for a damaged file. */
export function parseMsg(bytes: Uint8Array): ParsedFile {
  const file = openCompoundFile(bytes);
  const codePage = encodingOf(file, MESSAGE_CODE_PAGE) ?? encodingOf(file, INTERNET_CODE_PAGE);
  const text = (property: string, folder = '') => textProperty(file, `${folder}__substg1.0_${property}`, codePage);
  if (!file.paths.some((path) => path.startsWith(TABLE))) {
    throw badFile('parse', 'Damaged message', 'The file is no Outlook message.');
  }
  const address = text(SENDER_ADDRESS) || text(SENDER_ADDRESS_OLD);
  const from =
    address.includes('@') && address !== text(SENDER_NAME) ? `${text(SENDER_NAME)} <${address}>` : text(SENDER_NAME);
  const date = sentAt(file);
  const html = file.read(`__substg1.0_${HTML}0102`);
  const attached = attachments(file, text);
  const written = writeMail({
    from,
    to: text(TO),
    cc: text(CC),
    subject: text(SUBJECT),
    sent: date,
    text: text(BODY),
    html: html ? decodeText(html, encodingOf(file, INTERNET_CODE_PAGE)).text : text(HTML) || undefined,
    attachments: attached.map(({ name }) => name),
  });
  const facts = { author: from, recipients: text(TO), created: date, message_id: text(MESSAGE_ID) };
  return mailFile(written, { title: text(SUBJECT) || undefined, ...facts }, attached);
}

/** Returns the attachments. An attached message is a folder of streams instead of one. */
function attachments(file: CompoundFile, text: (property: string, folder: string) => string): FileMember[] {
  return file.paths.flatMap((path) => {
    const [, folder, table] = ATTACHED.exec(path) ?? [];
    if (folder === undefined) return [];
    const message = path.slice(0, -TABLE.length);
    if (table) return [{ name: `${text(SUBJECT, message) || 'mail'}.msg`, bytes: () => messageFile(file, message) }];
    const name = text(LONG_NAME, folder) || text(SHORT_NAME, folder) || 'unnamed';
    return [{ name, bytes: () => file.read(path) ?? new Uint8Array() }];
  });
}

/** Returns an attached message as a file of its own. The table of fixed values has a longer header there. @throws FileError if damaged. */
function messageFile(file: CompoundFile, folder: string): Uint8Array {
  const message = CFB.utils.cfb_new();
  for (const path of file.paths.filter((each) => each.startsWith(folder))) {
    const [name, data] = [path.slice(folder.length), file.read(path) ?? new Uint8Array()];
    const isTable = name === TABLE && data.length >= INNER_HEADER_BYTES;
    const parts = [data.subarray(0, INNER_HEADER_BYTES), Buffer.alloc(TOP_HEADER_BYTES - INNER_HEADER_BYTES)];
    CFB.utils.cfb_add(message, name, isTable ? Buffer.concat([...parts, data.subarray(INNER_HEADER_BYTES)]) : data);
  }
  return CFB.write(message, { type: 'buffer' }) as Uint8Array;
}

/** Returns a property as text. 8-bit strings are decoded by their content and the code page of the message. */
function textProperty(file: CompoundFile, path: string, codePage: string | undefined): string {
  const wide = file.read(`${path}001F`);
  const narrow = wide ? undefined : file.read(`${path}001E`);
  if (wide) return Buffer.from(wide).toString('utf16le').replace(/\0+$/, '').trim();
  if (!narrow) return '';
  // The closing NUL would make a short string look like UTF-16.
  return decodeText(narrow.subarray(0, narrow.findLastIndex((byte) => byte !== 0) + 1), codePage).text.trim();
}

function sentAt(file: CompoundFile): string | undefined {
  for (const property of TIMES) {
    for (const value of fixedValues(file, property, FILE_TIME)) {
      const date = new Date(Number(value / 10_000n - FILE_TIME_EPOCH_MS));
      if (!Number.isNaN(date.getTime())) return date.toISOString();
    }
  }
  return undefined;
}

function encodingOf(file: CompoundFile, property: number): string | undefined {
  const [value] = fixedValues(file, property, LONG);
  return value === undefined ? undefined : codePageEncoding(Number(BigInt.asUintN(32, value)));
}

/** Returns the values of a property of the message in its table of fixed values. */
function fixedValues(file: CompoundFile, property: number, type: number): bigint[] {
  const table = file.read(TABLE) ?? new Uint8Array();
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const values: bigint[] = [];
  for (let at = TOP_HEADER_BYTES; at + 16 <= table.length; at += 16) {
    if (view.getUint16(at, true) === type && view.getUint16(at + 2, true) === property)
      values.push(view.getBigUint64(at + 8, true));
  }
  return values;
}

/** Reads the file inside a signed file (CMS, PKCS #7: `p7m`), as Italian invoices and signed mails are sent. Signatures are not checked. */
import { Buffer } from 'node:buffer';
import { badFile, overLimit } from '../../failure.ts';

/** Maximum depth of values within values. */
const DEPTH_MAX = 16;
/** Maximum number of values side by side. Programs that write a file in parts write 1,000 bytes or more at once. */
const VALUES_MAX = 200_000;
const OCTETS = 0x04;
const OCTETS_IN_PARTS = 0x24;
const UNKNOWN_LENGTH = 0x80;

/** A value in the Basic Encoding Rules of ASN.1, and the place behind it. */
interface Value {
  tag: number;
  body: Uint8Array;
  end: number;
}

/** Returns the file inside. Its bytes may be in Base64. @throws FileError for a damaged file, and for a signature alone. */
export function signedContent(file: Uint8Array): Uint8Array {
  const lines = Buffer.from(file.buffer, file.byteOffset, file.length).toString('latin1');
  const bytes = file[0] === 0x30 ? file : Buffer.from(lines.replace(/-----[^\n]*/g, ''), 'base64');
  const [, signed] = valuesIn(readValue(bytes, 0).body);
  const [, , info] = valuesIn(valuesIn(signed?.body)[0]?.body);
  const [, content] = valuesIn(info?.body);
  if (!content)
    throw badFile('parse', 'Nothing to read in this file', 'The file is a signature: what it signs is another file.');
  return Buffer.concat(valuesIn(content.body).flatMap((value) => octetsOf(value)));
}

function octetsOf({ tag, body }: Value, depth = 0): Uint8Array[] {
  if (tag === OCTETS) return [body];
  if (tag !== OCTETS_IN_PARTS || depth > DEPTH_MAX) throw damaged();
  return valuesIn(body).flatMap((part) => octetsOf(part, depth + 1));
}

function valuesIn(body: Uint8Array = new Uint8Array()): Value[] {
  const values: Value[] = [];
  for (let at = 0; at < body.length; at = values.at(-1)!.end)
    if (values.push(readValue(body, at)) > VALUES_MAX)
      throw overLimit(`Signed files are read up to ${VALUES_MAX} parts.`);
  return values;
}

function readValue(bytes: Uint8Array, start: number, depth = 0): Value {
  const [tag, length] = bytes.subarray(start, start + 2);
  if (tag === undefined || length === undefined || depth > DEPTH_MAX) throw damaged();
  let at = start + 2;
  if (length === UNKNOWN_LENGTH) {
    // Two zeros end the value.
    while (bytes[at] !== 0 || bytes[at + 1] !== 0) at = readValue(bytes, at, depth + 1).end;
    return { tag, body: bytes.subarray(start + 2, at), end: at + 2 };
  }
  let size = length;
  if (length > UNKNOWN_LENGTH) {
    const digits = bytes.subarray(at, at + length - UNKNOWN_LENGTH);
    size = digits.reduce((sum, byte) => sum * 256 + byte, 0);
    at += digits.length;
  }
  if (at + size > bytes.length) throw damaged();
  return { tag, body: bytes.subarray(at, at + size), end: at + size };
}

function damaged() {
  return badFile('parse', 'Damaged file', 'The signed file is not complete.');
}

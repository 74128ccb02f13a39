import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { detectFileType } from '../../detect/file-types.ts';
import { parseFile } from '../parse-file.ts';
import { signedContent } from './signed.ts';

const SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex');
const DATA = Buffer.from('06092a864886f70d010701', 'hex');
const VERSION = Buffer.from('020101', 'hex');

/** Returns a value with its length in two digits. */
function value(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, 0x82, body.length >> 8, body.length & 255]), body]);
}

/** Returns a value whose end is marked by zeros, as programs write it that stream. */
function open(tag: number, ...parts: Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.from([0, 0])]);
}

function signed(write: typeof value, ...content: Uint8Array[]): Buffer {
  const inside = write(0x30, DATA, ...(content.length > 0 ? [write(0xa0, ...content)] : []));
  return write(0x30, SIGNED_DATA, write(0xa0, write(0x30, VERSION, value(0x31), inside, value(0x31))));
}

const invoice = Buffer.from('<Invoice><Sum currency="EUR">12.50</Sum><Payee>Ann</Payee></Invoice>');
const request = (name: string) => ({ path: '', name, size: 1, chunkMetadataKeys: [] });

test('the file inside a signed file is read like the file itself, also in parts and in Base64', async () => {
  const whole = signed(value, value(0x04, invoice));
  const parts = signed(open, open(0x24, value(0x04, invoice.subarray(0, 20)), value(0x04, invoice.subarray(20))));
  const lines = whole.toString('base64').replace(/(.{64})/g, '$1\n');
  const texts = [Buffer.from(lines), Buffer.from(`-----BEGIN PKCS7-----\n${lines}\n-----END PKCS7-----\n`)];
  for (const file of [whole, parts, ...texts]) {
    assert.equal(await detectFileType(file, 'a.xml.p7m'), 'signed');
    const { text, fileType } = await parseFile('signed', file, request('a.xml.p7m'));
    assert.equal(fileType, 'xml');
    assert.equal(text, 'Sum: 12.50 (currency: EUR)\nPayee: Ann');
  }
});

test('the part of a signed mail is read as a mail', async () => {
  const part = Buffer.from('Content-Type: text/plain\r\n\r\nThe fine is 50 EUR.\r\n');
  const { text, fileType } = await parseFile('signed', signed(value, value(0x04, part)), request('smime.p7m'));
  assert.equal(fileType, 'eml');
  assert.match(text, /The fine is 50 EUR\./);
});

test('a file that is signed twice has the inner file as a member', async () => {
  const twice = signed(value, value(0x04, signed(value, value(0x04, invoice))));
  const { members = [] } = await parseFile('signed', twice, request('a.xml.p7m.p7m'));
  assert.deepEqual(
    [...members].map(({ name }) => name),
    ['a.xml.p7m'],
  );
});

test('parts that are nested deeply or very many fail before the stack or the memory is full', () => {
  const long = (tag: number, ...inner: Uint8Array[]) => {
    const body = Buffer.concat(inner);
    const head = Buffer.from([tag, 0x84, 0, 0, 0, 0]);
    head.writeUInt32BE(body.length, 2);
    return Buffer.concat([head, body]);
  };
  const heads = Array.from({ length: 15_000 }, (_, i) => [0x24, 0x82, (i * 4) >> 8, (i * 4) & 255]).reverse();
  assert.throws(() => signedContent(signed(value, Buffer.from(heads.flat()))), /not complete/);
  assert.throws(() => signedContent(Buffer.alloc(400_000, Buffer.from([0x30, 0x80]))), /not complete/);
  const parts = long(0x24, Buffer.alloc(3 * 200_001, Buffer.from([0x04, 1, 0x41])));
  assert.throws(() => signedContent(signed(long, parts)), /up to 200000 parts/);
});

test('a signature alone, a damaged file and an encrypted file fail with their reason', async () => {
  const whole = signed(value, value(0x04, invoice));
  assert.throws(() => signedContent(signed(value)), /what it signs is another file/);
  assert.throws(() => signedContent(whole.subarray(0, -9)), /not complete/);
  const encrypted = Buffer.from(whole.toString('latin1').replace('\x01\x07\x02', '\x01\x07\x03'), 'latin1');
  for (const [file, name] of [
    [encrypted, 'a.p7m'],
    [whole, 'a.p7s'],
  ] as const)
    await assert.rejects(detectFileType(file, name), /PKCS #7.*save what is inside/);
});

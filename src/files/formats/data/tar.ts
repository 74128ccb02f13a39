/** Reads tar archives: ustar, with the long names of GNU and pax. Links and devices are skipped. */
import { Buffer } from 'node:buffer';
import { badFile } from '../../failure.ts';
import type { FileMember } from '../../parsed.ts';

export const BLOCK_BYTES = 512;

/** Returns the files of an archive. @throws FileError for a truncated archive. */
export function readTar(bytes: Uint8Array): FileMember[] {
  const members: FileMember[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK_BYTES <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) break;
    const size = sizeOf(header);
    const start = at + BLOCK_BYTES;
    if (size === undefined || start + size > bytes.length) throw damaged();
    const data = bytes.subarray(start, start + size);
    const type = String.fromCharCode(header[156]!);
    if (type === 'L') longName = text(data);
    else if (type === 'x') longName = paxPath(data) ?? longName;
    else {
      if (type === '0' || type === '\0' || type === '7')
        members.push({ name: longName ?? nameOf(header), bytes: () => data });
      longName = undefined;
    }
    at = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return members;
}

export function nameOf(header: Uint8Array): string {
  const prefix = text(header.subarray(345, 500));
  const name = text(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Returns the size in octal digits, or undefined for binary numbers: only files over every limit have them. */
export function sizeOf(header: Uint8Array): number | undefined {
  const digits = text(header.subarray(124, 136)).trim();
  return /^[0-7]{1,11}$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

export function paxPath(data: Uint8Array): string | undefined {
  return /(?:^|\n)\d{1,10} path=([^\n]*)\n/.exec(text(data))?.[1];
}

/** Returns the text up to the first NUL. */
function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

function damaged() {
  return badFile('parse', 'Damaged archive', 'The file is not a complete tar archive.');
}

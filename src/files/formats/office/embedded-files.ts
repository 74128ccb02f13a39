/** Finds the files that are embedded in an Office file as objects. */

import { isCompoundFile, openCompoundFile } from '../../detect/compound-file.ts';
import { MEMBERS_MAX } from '../../detect/members.ts';
import { FileError } from '../../failure.ts';
import type { FileMember } from '../../parsed.ts';
import { relations } from './office-xml.ts';
import type { ZipPackage } from './zip-package.ts';

const EMBEDDED = /^(?:word|ppt|xl)\/embeddings\/([^/]+)$/;
const CHART_LINKS = /^(.+\/charts\/)_rels\/([^/]+)\.rels$/;
/** Streams that contain a whole file, and streams of old Office documents. */
const WHOLE = ['Package', 'CONTENTS'];
const DOCUMENTS = ['WordDocument', 'Workbook', 'Book', 'PowerPoint Document'];
const NATIVE = '\u0001Ole10Native';

/**
 * Yields the embedded files, without those of hidden slides or sheets, and without the workbooks of charts: the text of a chart has
 * their values.
 */
export function* embeddedFiles(parts: ZipPackage, hidden: readonly string[] = []): Iterable<FileMember> {
  const found = parts.names.filter((name) => EMBEDDED.test(name));
  if (found.length === 0) return;
  const charts = parts.names.flatMap((name) => CHART_LINKS.exec(name)?.slice(1).join('') ?? []).slice(0, MEMBERS_MAX);
  const leftOut = new Set([...charts, ...hidden].flatMap((part) => linkedFrom(parts, part)));
  for (const part of found.filter((name) => !leftOut.has(name)).slice(0, MEMBERS_MAX)) {
    const file = fileIn(parts, part);
    if (file) yield file;
  }
}

function linkedFrom(parts: ZipPackage, part: string): string[] {
  return unlessBroken(() => [...relations(parts, part).values()]) ?? [];
}

/** Returns an embedded file, or undefined if the object is no file. A file that cannot be read has no bytes and is skipped. */
function fileIn(parts: ZipPackage, part: string): FileMember | undefined {
  const name = EMBEDDED.exec(part)![1]!;
  const whole = unlessBroken(() => parts.bytes(part)) ?? new Uint8Array();
  if (!isCompoundFile(whole)) return { name, bytes: () => whole };
  return unlessBroken(() => objectIn(whole, name));
}

/** Returns undefined if `read` fails: a damaged object must not fail the file around it. */
function unlessBroken<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function objectIn(bytes: Uint8Array, name: string): FileMember | undefined {
  const { paths, read } = openCompoundFile(bytes);
  const native = read(NATIVE);
  if (native) return nativeFile(native);
  const whole = WHOLE.map(read).find((stream) => stream !== undefined);
  if (whole) return { name, bytes: () => whole };
  return DOCUMENTS.some((stream) => paths.includes(stream)) ? { name, bytes: () => bytes } : undefined;
}

/** Reads the form in which Windows embeds any file: size, kind, label, path, kind, source path, size and bytes. */
function nativeFile(data: Uint8Array): FileMember | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const text = new TextDecoder('windows-1252');
  const behindText = (from: number): number => data.indexOf(0, from) + 1;
  const label = behindText(6);
  const kind = behindText(label);
  // A text has no end.
  if (label === 0 || kind === 0 || kind + 8 > data.length) return undefined;
  const size = kind + 8 + view.getUint32(kind + 4, true);
  if (size + 4 > data.length) return undefined;
  const from = size + 4;
  const to = from + view.getUint32(size, true);
  if (to > data.length) return undefined;
  return {
    name:
      text
        .decode(data.subarray(6, label - 1))
        .split(/[/\\]/)
        .at(-1) || 'object',
    bytes: () => data.subarray(from, to),
  };
}

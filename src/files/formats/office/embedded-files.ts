/** Files that were put into an Office file as objects, of which it shows a picture only. */

import { isCompoundFile, openCompoundFile } from '../../detect/compound-file.ts';
import { MEMBERS_MAX } from '../../detect/members.ts';
import { FileError } from '../../failure.ts';
import type { FileMember } from '../../parsed.ts';
import { relations } from './office-xml.ts';
import type { ZipPackage } from './zip-package.ts';

const EMBEDDED = /^(?:word|ppt|xl)\/embeddings\/([^/]+)$/;
const CHART_LINKS = /^(.+\/charts\/)_rels\/([^/]+)\.rels$/;
/** Streams of an object that are a whole file, and of one that is an old document itself. */
const WHOLE = ['Package', 'CONTENTS'];
const DOCUMENTS = ['WordDocument', 'Workbook', 'Book', 'PowerPoint Document'];
const NATIVE = '\u0001Ole10Native';

/** Workbooks behind charts are none: the charts say what they show. */
export function* embeddedFiles(parts: ZipPackage): Iterable<FileMember> {
  const found = parts.names.filter((name) => EMBEDDED.test(name));
  if (found.length === 0) return;
  const charts = parts.names.flatMap((name) => CHART_LINKS.exec(name)?.slice(1).join('') ?? []).slice(0, MEMBERS_MAX);
  const behindCharts = new Set(charts.flatMap((chart) => linkedFrom(parts, chart)));
  for (const part of found.filter((name) => !behindCharts.has(name)).slice(0, MEMBERS_MAX)) {
    const file = fileIn(parts, part);
    if (file) yield file;
  }
}

function linkedFrom(parts: ZipPackage, part: string): string[] {
  return unlessBroken(() => [...relations(parts, part).values()]) ?? [];
}

/** One that is damaged or too large is left out by having no bytes; what is no file at all is undefined. */
function fileIn(parts: ZipPackage, part: string): FileMember | undefined {
  const name = EMBEDDED.exec(part)![1]!;
  const whole = unlessBroken(() => parts.bytes(part)) ?? new Uint8Array();
  if (!isCompoundFile(whole)) return { name, bytes: () => whole };
  return unlessBroken(() => objectIn(whole, name));
}

/** The text of the file is there whatever is wrong with what was put into it. */
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

/** Size, kind, label, path, kind, path where it was taken from, size and bytes: as Windows packs any file. */
function nativeFile(data: Uint8Array): FileMember | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const text = new TextDecoder('windows-1252');
  const behindText = (from: number): number => data.indexOf(0, from) + 1;
  const label = behindText(6);
  const kind = behindText(label);
  // No text ended.
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

/** Reads the parts of a zipped format (Office, OpenDocument, EPUB) within the limits of zip.ts. */
import { decodeText } from '../../detect/decode.ts';
import { EXPANDED_BYTES_MAX, readZipDirectory, readZipEntry } from '../../detect/zip.ts';
import { badFile, overLimit } from '../../failure.ts';

export interface ZipPackage {
  names: readonly string[];
  has(name: string): boolean;
  /** Returns the text of a part, or "" for a missing part. @throws FileError over a limit, and for XML that declares entities. */
  text(name: string): string;
  /** Returns the bytes of a part, empty for a missing part. @throws FileError over a limit. */
  bytes(name: string): Uint8Array;
}

/** Maximum size of one part, which becomes a tree of many times its size. */
const PART_BYTES_MAX = 128 * 1024 * 1024;
/** Entities are searched in this many UTF-16 units at the start. */
const PROLOG_UNITS = 64 * 1024;

/** Opens a package. @throws FileError for a damaged archive. */
export function openPackage(bytes: Uint8Array): ZipPackage {
  const entries = new Map(readZipDirectory(bytes).map((entry) => [entry.name, entry]));
  let left = EXPANDED_BYTES_MAX;
  const read = (name: string) => {
    const entry = entries.get(name);
    if (!entry) return new Uint8Array();
    if (left <= 0) throw overLimit('The parts of the file expand to too much text.');
    const data = readZipEntry(bytes, entry, Math.min(left, PART_BYTES_MAX));
    left -= data.length;
    return data;
  };
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    bytes: read,
    text(name) {
      const data = read(name);
      if (data.length === 0) return '';
      const { text } = decodeText(data);
      if (/<!ENTITY\s/i.test(text.slice(0, PROLOG_UNITS))) {
        throw badFile('parse', 'Forbidden XML', 'The file declares XML entities, which are not expanded.');
      }
      return text;
    },
  };
}

/** Returns the name of the part that `target` means in a part of `folder`, which ends with a slash or is empty. */
export function resolvePart(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const path: string[] = [];
  for (const step of `${folder}${target}`.split('/')) {
    if (step === '..') path.pop();
    else if (step !== '.') path.push(step);
  }
  return path.join('/');
}

/** Returns the folder of a part, with its slash. */
export function folderOf(part: string): string {
  return part.slice(0, part.lastIndexOf('/') + 1);
}

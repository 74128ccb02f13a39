/** Opens compound files (OLE2), the container of old Office formats and of Outlook messages. */
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { lazy } from '../../util/lazy.ts';
import { badFile } from '../failure.ts';

const MAGIC = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const STREAM_BYTES_MAX = 64 * 1024 * 1024;
/** The kind of an entry of the directory that is a stream. */
const STREAM = 2;

/** The part of the library that the file needs: each folder and stream, and their paths in the same order. */
interface Library {
  CFB: {
    read(bytes: Buffer, options: { type: 'buffer' }): { FileIndex: Entry[]; FullPaths: string[] };
  };
}

interface Entry {
  type: number;
  /** Absent if the stream is empty. */
  content?: Uint8Array;
}

const library = lazy(() => createRequire(import.meta.url)('@e965/xlsx') as Library);

export interface CompoundFile {
  /** Paths of all streams, with `/` between the storages. */
  paths: readonly string[];
  /** Returns the bytes of a stream, or undefined for an unknown path. @throws FileError if the stream is too large. */
  read(path: string): Uint8Array | undefined;
}

export function isCompoundFile(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/** Opens a compound file. @throws FileError for a damaged file. */
export function openCompoundFile(bytes: Uint8Array): CompoundFile {
  const streams = new Map<string, Uint8Array>();
  try {
    const { FileIndex, FullPaths } = library().CFB.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
      type: 'buffer',
    });
    // The first part of a path is the name of the root.
    for (const [index, { type, content }] of FileIndex.entries())
      if (type === STREAM) streams.set(FullPaths[index]!.replace(/^[^/]*\//, ''), content ?? new Uint8Array());
  } catch (cause) {
    throw Object.assign(damaged(), { cause });
  }
  return {
    paths: [...streams.keys()],
    read(path) {
      const stream = streams.get(path);
      if (stream && stream.length > STREAM_BYTES_MAX) throw damaged();
      return stream;
    },
  };
}

function damaged() {
  return badFile('parse', 'Damaged file', 'The file is not complete.');
}

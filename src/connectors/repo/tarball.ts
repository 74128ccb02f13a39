/** The files of a repository's tarball as they stream by, one in memory at a time. */
import { Buffer } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../errors.ts';
import { BLOCK_BYTES, nameOf, paxPath, sizeOf } from '../../files/formats/data/tar.ts';

/** Of the unpacked archive: the largest repositories that GitHub keeps have about that much in one commit. */
export const EXPANDED_BYTES_MAX = 16 * 1024 * 1024 * 1024;
/** Headers for a path, which git limits to 4,096 bytes. */
const EXTENSION_BYTES_MAX = 64 * 1024;

interface TarballFile {
  /** Without the folder that is above everything. */
  path: string;
  bytes: Buffer;
}

/**
 * Only the files that `wanted` names; the others are passed over.
 *
 * @throws ServiceError upstream_failed for an archive that is damaged, cut off or over the limit.
 */
export async function* tarballFiles(
  gzipped: AsyncIterable<Uint8Array>,
  wanted: (path: string, size: number) => boolean,
): AsyncGenerator<TarballFile> {
  const unpacked = createGunzip();
  // Its errors come out of the reading side.
  pipeline(Readable.from(gzipped), unpacked, () => {});
  const reader = new ByteReader(unpacked);
  let longName: string | undefined;
  try {
    for (;;) {
      const header = await reader.take(BLOCK_BYTES);
      if (header.every((byte) => byte === 0)) return;
      const size = sizeOf(header);
      if (size === undefined) throw damaged();
      const padding = (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
      const type = String.fromCharCode(header[156]!);
      if (type === 'x' || type === 'L') {
        if (size > EXTENSION_BYTES_MAX) throw damaged();
        const data = await reader.take(size);
        longName = (type === 'x' ? paxPath(data) : data.toString('utf8').replace(/\0.*$/s, '')) ?? longName;
        await reader.skip(padding);
        continue;
      }
      const name = longName ?? nameOf(header);
      longName = undefined;
      const path = name.slice(name.indexOf('/') + 1);
      if ((type === '0' || type === '\0') && wanted(path, size)) {
        yield { path, bytes: await reader.take(size) };
        await reader.skip(padding);
      } else await reader.skip(size + padding);
    }
  } catch (error) {
    // Of zlib: neither the client nor this file threw it.
    if (error instanceof Error && 'code' in error && /^(?:Z_|ERR_STREAM)/.test(String(error.code)))
      throw damaged(error);
    throw error;
  } finally {
    unpacked.destroy();
  }
}

class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = Buffer.alloc(0);
  #read = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    await this.#advance(length, (piece) => pieces.push(piece));
    return Buffer.concat(pieces, length);
  }

  async skip(length: number): Promise<void> {
    await this.#advance(length, () => {});
  }

  async #advance(length: number, use: (piece: Uint8Array) => void): Promise<void> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done) throw damaged();
        this.#rest = next.value;
        this.#read += next.value.length;
        if (this.#read > EXPANDED_BYTES_MAX) throw damaged();
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      use(piece);
    }
  }
}

function damaged(cause?: unknown): ServiceError {
  return new ServiceError('upstream_failed', 'The archive of the repository is damaged or incomplete.', { cause });
}

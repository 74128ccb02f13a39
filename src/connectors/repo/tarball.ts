/** Reads the files of a repository's tarball as a stream, with one file in memory at a time. */
import { Buffer } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../errors.ts';
import { BLOCK_BYTES, nameOf, paxPath, sizeOf } from '../../files/formats/data/tar.ts';

/** Bytes of the unpacked archive: the largest repositories of GitHub have about this many in one commit. */
const EXPANDED_BYTES_MAX = 16 * 1024 * 1024 * 1024;
/** Bytes of an extension header with a path, which git limits to 4,096 bytes. */
const EXTENSION_BYTES_MAX = 64 * 1024;

interface TarballFile {
  /** Path without the top folder. */
  path: string;
  bytes: Buffer;
}

/**
 * Yields the files that `accepts` selects and skips the others.
 *
 * @throws ServiceError upstream_failed for an archive that is damaged, truncated or over the limit.
 */
export async function* tarballFiles(
  gzipped: AsyncIterable<Uint8Array>,
  accepts: (path: string, size: number) => boolean,
): AsyncGenerator<TarballFile> {
  const unpacked = createGunzip();
  // The reading side reports errors of this pipeline.
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
      if ((type === '0' || type === '\0') && accepts(path, size)) {
        yield { path, bytes: await reader.take(size) };
        await reader.skip(padding);
      } else await reader.skip(size + padding);
    }
  } catch (error) {
    // These codes are errors of zlib, not of the client or of this module.
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
    for (let remaining = length; remaining > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done) throw damaged();
        this.#rest = next.value;
        this.#read += next.value.length;
        if (this.#read > EXPANDED_BYTES_MAX) throw damaged();
      }
      const piece = this.#rest.subarray(0, remaining);
      this.#rest = this.#rest.subarray(piece.length);
      remaining -= piece.length;
      use(piece);
    }
  }
}

function damaged(cause?: unknown): ServiceError {
  return new ServiceError('upstream_failed', 'The archive of the repository is damaged or incomplete.', { cause });
}

/** The blob-store port: raw files, content-addressed per tenant by SHA-256 (hex). */
import type { Readable } from 'node:stream';

/** A file received but not yet part of the store: `commit` makes it durable, `discard` removes it. */
export interface StagedBlob {
  tenantId: string;
  hash: string;
  size: number;
  /** Adapter's own handle. */
  handle: string;
}

export interface BlobStore {
  /** Streams `body` to staging, hashing it; memory stays bounded. Rejects (and leaves nothing) when the stream fails. */
  stage(tenantId: string, body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StagedBlob>;
  /** Durable on return: file synced, renamed, directories synced. An equal blob in place is as good as the new one. */
  commit(blobs: readonly StagedBlob[]): Promise<void>;
  discard(blobs: readonly StagedBlob[]): Promise<void>;
  /** Calls `use` with a path on this machine that stays readable until it settles. @throws ServiceError not_found. */
  withLocalFile<T>(tenantId: string, hash: string, use: (path: string) => Promise<T>): Promise<T>;
  /** @throws ServiceError not_found. `start` and `end` are inclusive byte positions. */
  read(tenantId: string, hash: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Removing what is not there is no error. */
  delete(tenantId: string, hash: string): Promise<void>;
  /** Every stored blob, for the orphan check. */
  list(): AsyncIterable<{ tenantId: string; hash: string; size: number; modifiedAt: Date }>;
  /** Removes staged files older than an hour, which a crash left behind. Also done on open. */
  removeLeftovers(): Promise<number>;
  /** Throws when the store cannot be written (disk full, permissions): for /readyz and doctor. */
  check(): Promise<void>;
}

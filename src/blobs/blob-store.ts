/** The blob-store port: raw files, content-addressed per tenant by SHA-256 (hex). */
import type { Readable } from 'node:stream';

/** A received file that is not yet part of the store. `commit` makes it durable, `discard` deletes it. */
export interface StagedBlob {
  tenantId: string;
  hash: string;
  size: number;
  /** The adapter's handle. */
  handle: string;
}

export interface BlobStore {
  /** Streams `body` to staging and hashes it, with bounded memory. Rejects and leaves no file when the stream fails. */
  stage(tenantId: string, body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StagedBlob>;
  /** Makes the blobs durable: syncs the files, renames them, syncs the directories. May replace a stored blob by its equal. */
  commit(blobs: readonly StagedBlob[]): Promise<void>;
  discard(blobs: readonly StagedBlob[]): Promise<void>;
  /** Returns the path of a staged file on this machine. */
  stagedPath(blob: StagedBlob): string;
  /** Returns the path of a blob on this machine. It does not check that the file exists. */
  localPath(tenantId: string, hash: string): string;
  /** Returns the bytes. `start` and `end` are inclusive byte positions. @throws ServiceError not_found. */
  read(tenantId: string, hash: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Deletes a blob. A missing blob is no error. */
  delete(tenantId: string, hash: string): Promise<void>;
  /** Lists every stored blob, for the orphan check. */
  list(): AsyncIterable<{ tenantId: string; hash: string; size: number; modifiedAt: Date }>;
  /** Deletes all blobs of a tenant that was deleted. */
  deleteTenant(tenantId: string): Promise<void>;
  /** Deletes staged files older than an hour, which a crash left behind. Returns their number. Opening the store does it too. */
  removeLeftovers(): Promise<number>;
  /** Checks for /readyz and doctor that the store can be written. @throws Error when the disk is full or rights are missing. */
  check(): Promise<void>;
}

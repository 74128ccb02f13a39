/** Runs bytes through the whole processing of a file, in this process. */
import type { ChunkMetadataKey, FileFailure } from '../../../src/corpus/values.ts';
import type { MemberSink } from '../../../src/files/detect/members.ts';
import type { ProcessedFile, ProcessOutcome } from '../../../src/files/parsed.ts';
import { processFile } from '../../../src/files/sandbox/process-file.ts';

export async function processBytes(
  name: string,
  bytes: Uint8Array | string,
  chunkMetadataKeys: ChunkMetadataKey[] = [],
  members?: MemberSink,
): Promise<ProcessOutcome> {
  const given = Buffer.from(bytes);
  return processFile({ name, size: bytes.length, chunkMetadataKeys }, given, undefined, members);
}

export async function readBytes(
  name: string,
  bytes: Uint8Array | string,
  keys: ChunkMetadataKey[] = [],
): Promise<ProcessedFile> {
  const outcome = await processBytes(name, bytes, keys);
  if (!outcome.ok) throw new Error(`${name}: ${outcome.failure.message}`);
  return outcome.file;
}

export async function failureOf(name: string, bytes: Uint8Array | string): Promise<FileFailure> {
  const outcome = await processBytes(name, bytes);
  if (outcome.ok) throw new Error(`${name} was read, but should not be`);
  return outcome.failure;
}

/** Returns whether a file was read to its end. A file without words counts as read, too. */
export function endedCleanly(outcome: ProcessOutcome): boolean {
  return outcome.ok || outcome.failure.title === 'Nothing to read in this file';
}

/** Receives the multipart body of an upload: files to staging one after another, fields checked as they come. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { BlobStore, StagedBlob } from '../../blobs/blob-store.ts';
import { invalidRequest } from '../../errors.ts';
import { checkText, parseJson } from '../../http/body.ts';
import { type Part, readParts } from '../../http/multipart.ts';
import { codePointLength, NAME_LENGTH_MAX } from '../../http/schemas.ts';
import type { ChunkMetadataKey } from '../../ingest/parsed.ts';
import { displayName } from './file-name.ts';

/** 500 MB: the whole request body. */
export const UPLOAD_BYTES_MAX = 524_288_000;
export const FILES_MAX = 2_000;
export const CHUNK_METADATA_KEYS_MAX = 100;
const KEY_LENGTH_MAX = 256;
const FIELD_BYTES_MAX = 64 * 1024;
/** Years 1 to 9999, in milliseconds. */
const LAST_MODIFIED_MIN = -62_135_596_800_000;
const LAST_MODIFIED_MAX = 253_402_300_799_999;

export interface ReceivedFile {
  name: string;
  staged: StagedBlob;
  lastModified: Date;
}

export interface ReceivedUpload {
  name: string;
  chunkMetadataKeys: ChunkMetadataKey[];
  files: ReceivedFile[];
}

interface Draft {
  name: string | undefined;
  chunkMetadataKeys: ChunkMetadataKey[] | undefined;
  files: { name: string; staged: StagedBlob }[];
  lastModified: Date[];
}

/**
 * Fields may come in any order, before or after the files. When it rejects, nothing is left in staging.
 *
 * @throws ServiceError invalid_request (malformed, unknown field, wrong counts), too_large from `body`, overloaded (disk full).
 */
export async function receiveUpload(
  blobs: BlobStore,
  tenantId: string,
  body: AsyncIterable<Buffer>,
  boundary: string,
  signal: AbortSignal,
): Promise<ReceivedUpload> {
  const draft: Draft = { name: undefined, chunkMetadataKeys: undefined, files: [], lastModified: [] };
  try {
    for await (const part of readParts(body, boundary)) {
      signal.throwIfAborted();
      await receivePart(blobs, tenantId, draft, part, signal);
    }
    return complete(draft);
  } catch (error) {
    await blobs.discard(draft.files.map((file) => file.staged));
    throw error;
  }
}

async function receivePart(
  blobs: BlobStore,
  tenantId: string,
  draft: Draft,
  part: Part,
  signal: AbortSignal,
): Promise<void> {
  if (part.name === 'files') {
    if (part.fileName === null) throw invalidRequest('Each part "files" must be a file with a file name.');
    if (draft.files.length === FILES_MAX) throw invalidRequest(`An upload holds at most ${FILES_MAX} files.`);
    draft.files.push({ name: displayName(part.fileName), staged: await blobs.stage(tenantId, part.body, signal) });
    return;
  }
  if (part.name === 'last_modified') {
    if (draft.lastModified.length === FILES_MAX)
      throw invalidRequest(`last_modified holds at most ${FILES_MAX} elements.`);
    draft.lastModified.push(parseLastModified(await readField(part)));
  } else if (part.name === 'name') {
    if (draft.name !== undefined) throw invalidRequest('The field "name" is given twice.');
    draft.name = parseName(await readField(part));
  } else if (part.name === 'chunk_metadata_keys') {
    if (draft.chunkMetadataKeys) throw invalidRequest('The field "chunk_metadata_keys" is given twice.');
    draft.chunkMetadataKeys = parseChunkMetadataKeys(await readField(part));
  } else {
    throw invalidRequest(`Unknown field ${JSON.stringify(part.name.slice(0, NAME_LENGTH_MAX))} in the upload.`);
  }
}

function complete(draft: Draft): ReceivedUpload {
  const { files, lastModified } = draft;
  if (files.length === 0) throw invalidRequest('The field "files" is missing: an upload needs at least one file.');
  if (lastModified.length !== files.length) {
    throw invalidRequest(
      `last_modified must have as many elements as files: ${files.length} files, ${lastModified.length} times.`,
    );
  }
  return {
    name: draft.name ?? defaultName(files.map((file) => file.name)),
    chunkMetadataKeys: draft.chunkMetadataKeys ?? [],
    files: files.map((file, i) => ({ ...file, lastModified: lastModified[i]! })),
  };
}

/** An upload without a name is called after its first file. */
function defaultName(fileNames: readonly string[]): string {
  const more = fileNames.length > 1 ? ` and ${fileNames.length - 1} more` : '';
  return [...fileNames[0]!].slice(0, NAME_LENGTH_MAX - more.length).join('') + more;
}

async function readField(part: Part): Promise<Buffer> {
  if (part.fileName !== null) throw invalidRequest(`The field ${JSON.stringify(part.name)} must not be a file.`);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of part.body) {
    bytes += piece.length;
    if (bytes > FIELD_BYTES_MAX) throw invalidRequest(`The field ${JSON.stringify(part.name)} is too long.`);
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

function parseName(bytes: Buffer): string {
  const name = decode(bytes, 'name');
  const length = codePointLength(name);
  if (length < 1 || length > NAME_LENGTH_MAX) {
    throw invalidRequest(`The field "name" must have 1 to ${NAME_LENGTH_MAX} characters, not ${length}.`);
  }
  return name;
}

function parseLastModified(bytes: Buffer): Date {
  const digits = decode(bytes, 'last_modified').trim();
  const time = /^-?\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
  if (!(time >= LAST_MODIFIED_MIN && time <= LAST_MODIFIED_MAX)) {
    throw invalidRequest('Each last_modified must be a whole number: Unix milliseconds.');
  }
  return new Date(time);
}

const chunkMetadataKeysSchema = z
  .array(
    z.strictObject({
      key: z.string().refine((key) => key !== '' && codePointLength(key) <= KEY_LENGTH_MAX),
      type: z.enum(['string', 'integer', 'float', 'date', 'datetime']),
    }),
  )
  .max(CHUNK_METADATA_KEYS_MAX);

function parseChunkMetadataKeys(bytes: Buffer): ChunkMetadataKey[] {
  const result = chunkMetadataKeysSchema.safeParse(jsonOrNothing(bytes));
  if (!result.success) {
    const at = result.error.issues[0]?.path.join('/') ?? '';
    throw invalidRequest(
      `chunk_metadata_keys must be a JSON array of at most ${CHUNK_METADATA_KEYS_MAX} objects {"key": 1 to ${KEY_LENGTH_MAX} characters, ` +
        `"type": string, integer, float, date or datetime}; the problem is at "/${at}".`,
    );
  }
  const keys = result.data.map(({ key }) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) throw invalidRequest(`chunk_metadata_keys names ${JSON.stringify(twice)} twice.`);
  return result.data;
}

/** Undefined for what is no JSON: it fits no schema, whose message names the field. */
function jsonOrNothing(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}

function decode(bytes: Buffer, field: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidRequest(`The field "${field}" is not valid UTF-8.`);
  }
  checkText(text, `The field "${field}"`);
  return text;
}

/** What was uploaded, independent of the boundary and of how it arrived: for Idempotency-Key. */
export function uploadDigest(upload: ReceivedUpload): Buffer {
  const files = upload.files.map((file) => [file.name, file.staged.hash, file.lastModified.getTime()]);
  return createHash('sha256')
    .update(JSON.stringify([upload.name, upload.chunkMetadataKeys, files]))
    .digest();
}

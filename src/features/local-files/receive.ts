/** Receives the multipart body of an upload: writes files to staging one after the other, and checks fields when they arrive. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { BlobStore, StagedBlob } from '../../blobs/blob-store.ts';
import type { ChunkMetadataKey } from '../../corpus/values.ts';
import { invalidRequest } from '../../errors.ts';
import { checkText, parseJson } from '../../http/body/body.ts';
import { type Part, readParts } from '../../http/body/multipart.ts';
import { NAME_LENGTH_MAX } from '../../http/schemas.ts';
import { codePointLength } from '../../util/code-points.ts';
import { countOf } from '../../util/count-of.ts';
import { openGate } from '../../util/pool.ts';
import { displayName } from './file-name.ts';
import { cleanPath } from './file-path.ts';
import type { Move } from './plan-changes.ts';

/** 500 MB, for the whole request body. */
export const UPLOAD_BYTES_MAX = 524_288_000;
export const FILES_MAX = 2_000;
/** With more, one round of the event loop takes apart a piece of each upload: 10 ms for 64 uploads, before each statement of a search. */
const PIECES_AT_ONCE = 4;
const CHUNK_METADATA_KEYS_MAX = 100;
const KEY_LENGTH_MAX = 256;
const FIELD_BYTES_MAX = 64 * 1024;
const MOVES_BYTES_MAX = 16 * 1024 * 1024;
/** 1980. An earlier time is probably in seconds, or a placeholder. */
export const LAST_MODIFIED_MIN = Date.UTC(1980);
/** Year 9999. */
const LAST_MODIFIED_MAX = 253_402_300_799_999;

export interface ReceivedFile {
  name: string;
  /** Identifies the file within its group. */
  path: string;
  staged: StagedBlob;
  /** Null when the client sent no time. */
  lastModified: Date | null;
}

export interface ReceivedUpload {
  name: string;
  /** The upload is refused if another group has the name. */
  uniqueName: boolean;
  chunkMetadataKeys: ChunkMetadataKey[];
  files: ReceivedFile[];
}

/** A received request that changes the files of a group. */
export interface ReceivedChange {
  mode: 'merge' | 'mirror';
  files: ReceivedFile[];
  moves: Move[];
}

interface Draft {
  files: { name: string; staged: StagedBlob }[];
  paths: string[];
  lastModified: Date[];
  // Fields that may come at most once.
  name?: string;
  uniqueName?: boolean;
  chunkMetadataKeys?: ChunkMetadataKey[];
  mode?: 'merge' | 'mirror';
  moves?: Move[];
}

/** Reads a field into the draft. */
type Field = (draft: Draft, part: Part) => Promise<void>;

const UPLOAD_FIELDS: Record<string, Field> = {
  name: once('name', async (part) => parseName(await readField(part))),
  unique_name: once('uniqueName', async (part) => parseFlag(await readField(part), 'unique_name')),
  chunk_metadata_keys: once('chunkMetadataKeys', async (part) => parseChunkMetadataKeys(await readField(part))),
};

const CHANGE_FIELDS: Record<string, Field> = {
  mode: once('mode', async (part) => parseMode(await readField(part))),
  moves: once('moves', async (part) => parseMoves(await readField(part, MOVES_BYTES_MAX))),
};

function once<K extends 'name' | 'uniqueName' | 'chunkMetadataKeys' | 'mode' | 'moves'>(
  key: K,
  read: (part: Part) => Promise<NonNullable<Draft[K]>>,
): Field {
  return async (draft, part) => {
    if (draft[key] !== undefined) throw invalidRequest(`The field "${part.name}" is given twice.`);
    (draft as Partial<Record<K, Draft[K]>>)[key] = await read(part);
  };
}

/** A multipart body, and the store of its files. */
export interface MultipartRequest {
  blobs: BlobStore;
  tenantId: string;
  body: AsyncIterable<Buffer>;
  boundary: string;
  signal: AbortSignal;
}

/**
 * Receives the files of a new group. If it rejects, staging holds none of its files.
 *
 * @throws ServiceError invalid_request (malformed body, unknown field, wrong counts), too_large from `body`, overloaded (disk full).
 */
export function receiveUpload(request: MultipartRequest): Promise<ReceivedUpload> {
  return receive(request, UPLOAD_FIELDS, (draft) => {
    if (draft.files.length === 0)
      throw invalidRequest('The field "files" is missing: an upload needs at least one file.');
    const files = completeFiles(draft);
    return {
      name: draft.name ?? defaultName(files.map((file) => file.name)),
      uniqueName: draft.uniqueName ?? false,
      chunkMetadataKeys: draft.chunkMetadataKeys ?? [],
      files,
    };
  });
}

/** Receives changes to the files of a group. If it rejects, staging holds none of its files. @throws as `receiveUpload`. */
export function receiveChange(request: MultipartRequest): Promise<ReceivedChange> {
  return receive(request, CHANGE_FIELDS, (draft) => {
    const { mode = 'merge', moves = [] } = draft;
    if (draft.files.length === 0 && (mode === 'mirror' || moves.length === 0))
      throw invalidRequest('The field "files" is missing: a change needs at least one file or one move.');
    const files = completeFiles(draft);
    const paths = files.map(({ path }) => path);
    refuseDuplicates('paths', paths);
    return { mode, files, moves };
  });
}

/** Reads all parts. Fields may come in any order, before or after the files. */
async function receive<T>(
  { blobs, tenantId, body, boundary, signal }: MultipartRequest,
  fields: Record<string, Field>,
  complete: (draft: Draft) => T,
): Promise<T> {
  const draft: Draft = { files: [], paths: [], lastModified: [] };
  try {
    for await (const part of readParts(inTurn(body, tenantId), boundary)) {
      signal.throwIfAborted();
      if (part.name === 'files') await receiveFile(blobs, tenantId, draft, part, signal);
      else if (part.name === 'paths')
        addElement(draft.paths, 'paths', cleanPath(decode(await readField(part), 'paths')));
      else if (part.name === 'last_modified')
        addElement(draft.lastModified, 'last_modified', parseLastModified(await readField(part)));
      else if (Object.hasOwn(fields, part.name)) await fields[part.name]!(draft, part);
      else throw invalidRequest(`Unknown field ${JSON.stringify(part.name.slice(0, NAME_LENGTH_MAX))} in the upload.`);
    }
    return complete(draft);
  } catch (error) {
    await blobs.discard(draft.files.map((file) => file.staged));
    throw error;
  }
}

/** Pieces of uploads that are taken apart, hashed and written at the same time. Further ones wait, and tenants take turns. */
const pieces = openGate(PIECES_AT_ONCE);

async function* inTurn(body: AsyncIterable<Buffer>, tenantId: string): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    const leave = await pieces.enter({ owner: tenantId });
    try {
      yield piece;
    } finally {
      leave();
    }
  }
}

async function receiveFile(
  blobs: BlobStore,
  tenantId: string,
  draft: Draft,
  part: Part,
  signal: AbortSignal,
): Promise<void> {
  if (part.fileName === null) throw invalidRequest('Each part "files" must be a file with a file name.');
  if (draft.files.length === FILES_MAX) throw invalidRequest(`An upload holds at most ${FILES_MAX} files.`);
  draft.files.push({ name: displayName(part.fileName), staged: await blobs.stage(tenantId, part.body, signal) });
}

function addElement<T>(elements: T[], field: string, element: T): void {
  if (elements.length === FILES_MAX) throw invalidRequest(`${field} holds at most ${FILES_MAX} elements.`);
  elements.push(element);
}

function completeFiles({ files, paths, lastModified }: Draft): ReceivedFile[] {
  checkCount('last_modified', 'time', files.length, lastModified.length);
  checkCount('paths', 'path', files.length, paths.length);
  return files.map((file, i) => ({
    ...file,
    path: paths[i] ?? file.name,
    lastModified: lastModified[i] ?? null,
  }));
}

/** Checks that a field has one element per file, or none. */
function checkCount(field: string, noun: string, files: number, elements: number): void {
  if (elements === 0 || elements === files) return;
  throw invalidRequest(
    `${field} must have as many elements as files: ${countOf(files, 'file')}, ${countOf(elements, noun)}.`,
  );
}

function refuseDuplicates(field: string, paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    if (seen.has(path)) throw invalidRequest(`${field} names ${JSON.stringify(path)} twice.`);
    seen.add(path);
  }
}

/** Returns the name of an upload that has none: the name of its first file. */
function defaultName(fileNames: readonly string[]): string {
  const more = fileNames.length > 1 ? ` and ${fileNames.length - 1} more` : '';
  return [...fileNames[0]!].slice(0, NAME_LENGTH_MAX - more.length).join('') + more;
}

async function readField(part: Part, bytesMax = FIELD_BYTES_MAX): Promise<Buffer> {
  if (part.fileName !== null) throw invalidRequest(`The field ${JSON.stringify(part.name)} must not be a file.`);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of part.body) {
    bytes += piece.length;
    if (bytes > bytesMax) throw invalidRequest(`The field ${JSON.stringify(part.name)} is too long.`);
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

function parseFlag(bytes: Buffer, field: string): boolean {
  const flag = decode(bytes, field);
  if (flag !== 'true' && flag !== 'false') throw invalidRequest(`The field "${field}" must be true or false.`);
  return flag === 'true';
}

function parseLastModified(bytes: Buffer): Date {
  const digits = decode(bytes, 'last_modified').trim();
  const time = /^-?\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
  if (Number.isNaN(time) || time > LAST_MODIFIED_MAX)
    throw invalidRequest('Each last_modified must be a whole number: Unix milliseconds.');
  if (time < LAST_MODIFIED_MIN) {
    throw invalidRequest(
      `last_modified ${time} is before 1980. It must be in milliseconds, not seconds: ${LAST_MODIFIED_MIN} or more.`,
    );
  }
  return new Date(time);
}

function parseMode(bytes: Buffer): 'merge' | 'mirror' {
  const mode = decode(bytes, 'mode');
  if (mode !== 'merge' && mode !== 'mirror') throw invalidRequest('The field "mode" must be merge or mirror.');
  return mode;
}

const movesSchema = z.array(z.strictObject({ from: z.string(), to: z.string() })).max(FILES_MAX);

function parseMoves(bytes: Buffer): Move[] {
  const result = movesSchema.safeParse(jsonOrUndefined(bytes));
  if (!result.success)
    throw invalidRequest(`moves must be a JSON array of at most ${FILES_MAX} objects {"from": path, "to": path}.`);
  const moves = result.data.map(({ from, to }) => ({ from: cleanPath(from), to: cleanPath(to) }));
  for (const end of ['from', 'to'] as const) {
    const paths = moves.map((move) => move[end]);
    refuseDuplicates('moves', paths);
  }
  return moves;
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
  const result = chunkMetadataKeysSchema.safeParse(jsonOrUndefined(bytes));
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

/** Returns undefined for invalid JSON. No schema accepts undefined, and the message of the schema names the field. */
function jsonOrUndefined(bytes: Buffer): unknown {
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

/** Returns the digest of an upload for Idempotency-Key. It does not depend on the boundary or on the order of the fields. */
export function uploadDigest(upload: ReceivedUpload): Buffer {
  const flags = upload.uniqueName ? ['unique_name'] : [];
  return digestOf([upload.name, upload.chunkMetadataKeys, upload.files.map(fileDigest), ...flags]);
}

/** Returns the digest of a change, as `uploadDigest` does for an upload. */
export function changeDigest(change: ReceivedChange): Buffer {
  return digestOf([change.mode, change.moves, change.files.map(fileDigest)]);
}

/** Returns the digested facts of a file. A path that equals the name is left out. */
function fileDigest({ name, path, staged, lastModified }: ReceivedFile): unknown[] {
  return [name, staged.hash, lastModified?.getTime() ?? null, ...(path === name ? [] : [path])];
}

function digestOf(request: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(request)).digest();
}

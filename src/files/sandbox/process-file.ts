/** Processes one file from bytes to chunks: detect, decode, parse, cut, analyze. Runs in a child process. */

import type { ChunkDraft, FileFailure } from '../../corpus/values.ts';
import { chunkTerms, otherNames } from '../../text/chunk-terms.ts';
import { codePointLength } from '../../util/code-points.ts';
import { blocksOf } from '../blocks-of.ts';
import { boundedHeading, type ChunkCut, chunkFile } from '../chunk/chunker.ts';
import { detectFileType } from '../detect/file-types.ts';
import { type MemberSink, sendMembers } from '../detect/members.ts';
import { badFile, emptyFile, FileError, overLimit } from '../failure.ts';
import { languageOf } from '../file-language.ts';
import { parseFile } from '../formats/parse-file.ts';
import type { PageTask } from '../page-task.ts';
import {
  FILE_BYTES_MAX,
  type FileRequest,
  type ParsedFile,
  type ProcessedFile,
  type ProcessOutcome,
} from '../parsed.ts';
import { tablesOf } from '../table-places.ts';
import { NO_TOOLS, type Tools } from '../tools.ts';

/** Chunks per call of the sink. Parts keep both processes from holding all terms of a large file twice. */
const CHUNKS_PER_PART = 256;

/** Receives the chunks of a file part by part, in order. */
type ChunkSink = (chunks: ChunkDraft[]) => Promise<void>;

/**
 * Processes one file. Every error becomes a failure; the promise never rejects.
 *
 * If there is a sink, it receives the chunks of a long file while they are made, and the outcome contains only the remaining
 * chunks. Files inside go to `memberSink`; without it they are dropped.
 */
export async function processFile(
  request: FileRequest,
  bytes: Uint8Array,
  sink?: ChunkSink,
  memberSink?: MemberSink,
  tools: Tools = NO_TOOLS,
): Promise<ProcessOutcome> {
  let stage: FileFailure['stage'] = 'detect';
  try {
    if (request.size > FILE_BYTES_MAX) throw overLimit('The file is too large to be read.', 'detect');
    const fileType = await detectFileType(bytes, request.name);
    stage = 'parse';
    if (request.pages) return { ok: true, file: await viewOf(fileType, bytes, request.pages) };
    // Loaded only for files with rules: these modules would be half of the start of a child process.
    const rules = request.redaction && (await import('./redact-parsed.ts'));
    const names = tools.names ?? null;
    const read = await parseFile(fileType, bytes, request, tools);
    if (request.rest) return { ok: true, file: await sendRest(read, request, tools, memberSink) };
    const parsed = rules ? await rules.redactParsed(read, request.redaction, names) : read;
    if (request.blocks) return { ok: true, file: { ...nothing(fileType), blocks: blocksOf(parsed, request.blocks) } };
    // A rule may block the file for a row of the rest.
    if (rules && request.redaction && read.rest)
      for await (const _ of rules.redactRest(read, request.redaction, names));
    let members = 0;
    if (parsed.members && memberSink) {
      const isArchive = parsed.fileType === 'unknown';
      const counted: MemberSink = async (member) => {
        members += 1;
        await memberSink(member);
      };
      parsed.warnings.push(...(await sendMembers(parsed.members, request.depth ?? 0, counted, tools, isArchive)));
    }
    stage = 'chunk';
    const cuts = chunkFile(parsed);
    // Logos are in most mails. Without OCR they are left out; with OCR they must not be failures.
    const isLogo = fileType === 'picture' && (request.depth ?? 0) > 0;
    if (cuts.length === 0 && members === 0 && !isLogo && !parsed.leadsAway) throw nothingToFind(parsed);
    const redact = async (text: string) => (rules ? rules.redactName(text, request.redaction, names) : text);
    const place = { name: await redact(request.name), path: await redact(request.folderPath ?? '') };
    const file = await toProcessed(parsed, place, cuts, sink);
    return {
      ok: true,
      file: request.inspect === undefined ? file : { ...file, inspected: inspectedOf(parsed, request.inspect) },
    };
  } catch (error) {
    return { ok: false, failure: failureOf(error, stage) };
  }
}

/** Answers a question about the pages of a file. */
async function viewOf(fileType: string, bytes: Uint8Array, task: PageTask): Promise<ProcessedFile> {
  if (fileType !== 'pdf') throw badFile('parse', 'No pages', 'Only PDF files have pages that can be shown.');
  const { viewPages } = await import('../formats/pdf/pages/page-view.ts');
  return { ...nothing(fileType), pages: await viewPages(bytes, task) };
}

/** Sends the lines of the rows that are not in the text. */
async function sendRest(
  read: ParsedFile,
  { redaction }: FileRequest,
  tools: Tools,
  sink: MemberSink | undefined,
): Promise<ProcessedFile> {
  const pieces = redaction
    ? (await import('./redact-parsed.ts')).redactRest(read, redaction, tools.names ?? null)
    : (read.rest ?? []);
  let index = 0;
  for await (const piece of pieces) await sink?.({ index: index++, name: '', bytes: Buffer.from(piece) });
  return nothing(read.fileType);
}

function nothing(fileType: string): ProcessedFile {
  return { fileType, text: '', textLength: 0, language: null, metadata: {}, chunks: [], tables: [], warnings: [] };
}

function inspectedOf(
  { title, blocks, leftOut = [] }: ParsedFile,
  max: number,
): NonNullable<ProcessedFile['inspected']> {
  return { title, blocks: blocks.slice(0, max), blocksTotal: blocks.length, leftOut: leftOut.slice(0, max) };
}

/** Returns an error that says why a file has no words that a search could find. */
function nothingToFind(parsed: ParsedFile): FileError {
  const what = parsed.fileType === 'unknown' ? 'files' : 'words';
  const reasons = parsed.warnings.length > 0 ? parsed.warnings : [`The file was read, but there are no ${what} in it.`];
  return emptyFile('parse', 'Nothing to read in this file', reasons.join(' '));
}

async function toProcessed(
  parsed: ParsedFile,
  { name, path }: { name: string; path: string },
  cuts: readonly ChunkCut[],
  sink: ChunkSink | undefined,
): Promise<ProcessedFile> {
  const language = languageOf(parsed);
  const title = boundedHeading(parsed.title ?? name);
  const names = otherNames(title, name, parsed.metadata['aliases']?.val, path);
  const isCode = parsed.fileType === 'code';
  let chunks: ChunkDraft[] = [];
  for (const [ordinal, cut] of cuts.entries()) {
    if (sink && chunks.length >= CHUNKS_PER_PART) {
      await sink(chunks);
      chunks = [];
    }
    const terms = chunkTerms(cut, title, language, isCode, ordinal === 0 ? names : []);
    chunks.push({ ...cut, terms });
  }
  return {
    fileType: parsed.fileType,
    text: parsed.text,
    textLength: codePointLength(parsed.text),
    language,
    metadata: language === null ? parsed.metadata : { language: { val: language, type: 'string' }, ...parsed.metadata },
    chunks,
    tables: tablesOf(parsed),
    warnings: parsed.warnings,
  };
}

/** Returns the failure that tells people about a thrown error. */
function failureOf(error: unknown, stage: FileFailure['stage']): FileFailure {
  if (error instanceof FileError) return error.failure;
  if (error instanceof RangeError && /call stack/i.test(error.message)) {
    return badFile(stage, 'File is nested too deeply', 'The structure of the file is nested too deeply to be read.')
      .failure;
  }
  return badFile(stage, 'File cannot be read', `The file is damaged or not what its name says (${messageOf(error)}).`)
    .failure;
}

const MESSAGE_UNITS_MAX = 200;

/** Returns the first line of a library's message without paths and control characters. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text
    .split('\n', 1)[0]!
    .replace(/(file:\/\/)?(\/[\w.@+-]+){2,}/g, '…')
    .replace(/\p{Cc}/gu, ' ');
  return line.slice(0, MESSAGE_UNITS_MAX).toWellFormed() || 'unknown error';
}

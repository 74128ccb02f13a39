/**
 * Entry point of a child process: answers each request frame with an outcome frame, in order, over file descriptor 3.
 * It has no environment, no rights to write files or start processes, and ends with its parent. The bytes of a file come through the
 * descriptor, too, because the process sees no stored file.
 */
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { ChunkDraft, FileFailure } from '../../corpus/values.ts';
import type { MemberSink } from '../detect/members.ts';
import { correctTextDecoder } from '../detect/text-decoder.ts';
import { FileError } from '../failure.ts';
import type { Block, FileRequest, ProcessOutcome } from '../parsed.ts';
import type { ServiceCall, ToolAnswer, ToolCall, Tools } from '../tools.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import { processFile } from './process-file.ts';

/**
 * A part of a file of `size` bytes, the last part with the file's request, the failure of a file that cannot be read, or the answer of a
 * program of the system for the current file.
 */
export type ChildRequest =
  | { id: number; size: number; bytes: Uint8Array; request?: FileRequest }
  | { id: number; failure: FileFailure }
  | { id: number; answer: ToolAnswer };

/** A part of a file inside the current file. The part with `last` completes it. */
export interface MemberPart {
  index: number;
  name: string;
  bytes: Uint8Array;
  last: boolean;
}

/**
 * One of: the child has loaded its modules and begins to read, some chunks, some blocks, a part of a file inside, a call of a program,
 * or the outcome with the remaining chunks.
 */
export type ChildReply =
  | { ready: true }
  | { id: number; chunks: ChunkDraft[] }
  | { id: number; blocks: Block[] }
  | { id: number; member: MemberPart }
  | { id: number; call: ToolCall | ServiceCall }
  | { id: number; outcome: ProcessOutcome };

/** An answer of a program is the largest message. */
const REQUEST_BYTES_MAX = 80 * 1024 * 1024;
const MEMBER_PART_BYTES = 1024 * 1024;
const BLOCKS_PER_PART = 2_000;
const CHANNEL_FD = 3;

// Also for the libraries that read mails.
globalThis.TextDecoder = correctTextDecoder(TextDecoder);
serve(new Socket({ fd: CHANNEL_FD, readable: true, writable: true }));

function serve(channel: Socket): void {
  let tail: Promise<void> = Promise.resolve();
  /** Waits until the parent has read the reply, because an unread backlog counts as memory of this process. */
  const send = async (reply: ChildReply) => {
    if (!channel.write(encodeFrame(reply))) await once(channel, 'drain');
  };
  let answered: (answer: ToolAnswer) => void = () => undefined;
  const call = async (id: number, call: ToolCall | ServiceCall): Promise<ToolAnswer> => {
    const { promise, resolve } = Promise.withResolvers<ToolAnswer>();
    answered = resolve;
    await send({ id, call });
    return promise;
  };
  const ask = async (id: number, tool: ToolCall | ServiceCall): Promise<Uint8Array> => {
    const answer = await call(id, tool);
    if (!answer.ok) throw new FileError(answer.failure);
    return answer.bytes;
  };
  const files = new Map<number, IncomingFile>();
  const reader = new FrameReader((value) => {
    const message = value as ChildRequest;
    if ('failure' in message) {
      const { id, failure } = message;
      files.delete(id);
      tail = tail.then(() => send({ id, outcome: { ok: false, failure } }));
      return;
    }
    if ('answer' in message) {
      answered(message.answer);
      return;
    }
    const { id, size, bytes, request } = message;
    const file = withPart(files.get(id), size, bytes);
    if (!request) {
      files.set(id, file);
      return;
    }
    files.delete(id);
    const { whole, length } = file;
    const tools: Tools = {};
    if (request.tools?.includes('ocr')) {
      tools.ocr = async (image) => new TextDecoder().decode(await ask(id, { tool: 'ocr', image }));
    }
    if (request.tools?.includes('office')) tools.office = (to) => ask(id, { tool: 'office', to });
    tools.names = async (text, entities) =>
      JSON.parse(new TextDecoder().decode(await ask(id, { tool: 'names', text, entities })));
    if (request.groupPath !== undefined) {
      tools.include = async (path) => {
        const answer = await call(id, { tool: 'include', path });
        return answer.ok ? answer.bytes : answer.failure.message;
      };
    }
    tail = tail.then(async () => {
      const sendMember: MemberSink = async ({ bytes, ...member }) => {
        for (let from = 0; from < bytes.length; from += MEMBER_PART_BYTES) {
          const part = bytes.slice(from, from + MEMBER_PART_BYTES);
          await send({ id, member: { ...member, bytes: part, last: from + MEMBER_PART_BYTES >= bytes.length } });
        }
      };
      const bytes = whole.subarray(0, length);
      const outcome = await processFile(request, bytes, (chunks) => send({ id, chunks }), sendMember, tools);
      const blocks = (outcome.ok && outcome.file.inspected?.blocks) || [];
      while (blocks.length > 0) await send({ id, blocks: blocks.splice(0, BLOCKS_PER_PART) });
      await send({ id, outcome });
    });
  }, REQUEST_BYTES_MAX);
  void send({ ready: true });
  channel.on('data', (part: Buffer) => reader.push(part));
  channel.on('end', () => process.exit(0));
  channel.on('error', () => process.exit(0));
}

interface IncomingFile {
  whole: Uint8Array;
  length: number;
}

/** Adds a part. A file of one part is not copied. */
function withPart(file: IncomingFile | undefined, size: number, bytes: Uint8Array): IncomingFile {
  if (!file && bytes.length === size) return { whole: bytes, length: size };
  const { whole, length } = file ?? { whole: new Uint8Array(size), length: 0 };
  whole.set(bytes, length);
  return { whole, length: length + bytes.length };
}

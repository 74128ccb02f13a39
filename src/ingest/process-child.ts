/**
 * Entry point of a child process: answers each request frame with an outcome frame, in order, over file descriptor 3.
 * It has no environment, no rights to write files or start processes, and ends with its parent.
 */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { encodeFrame, FrameReader } from './frames.ts';
import type { MemberSink } from './members.ts';
import type { ChunkDraft, ProcessOutcome, ProcessRequest } from './parsed.ts';
import { processFile } from './process-file.ts';

/** What the parent sends and gets back. */
export interface ChildRequest {
  id: number;
  request: ProcessRequest;
}

/** A piece of a file inside the file; the last one completes it. */
export interface MemberPart {
  index: number;
  name: string;
  bytes: Uint8Array;
  last: boolean;
}

/** Some chunks of a file, a piece of a file inside it, or its outcome with the rest of the chunks. */
export type ChildReply =
  | { id: number; chunks: ChunkDraft[] }
  | { id: number; member: MemberPart }
  | { id: number; outcome: ProcessOutcome };

const REQUEST_BYTES_MAX = 1024 * 1024;
const MEMBER_PART_BYTES = 1024 * 1024;
const CHANNEL_FD = 3;

serve(new Socket({ fd: CHANNEL_FD, readable: true, writable: true }));

function serve(channel: Socket): void {
  let tail: Promise<void> = Promise.resolve();
  /** Waits until the parent has read: an unread backlog would count as this process's memory. */
  const send = async (reply: ChildReply) => {
    if (!channel.write(encodeFrame(reply))) await once(channel, 'drain');
  };
  const reader = new FrameReader((value) => {
    const { id, request } = value as ChildRequest;
    tail = tail.then(async () => {
      const sendMember: MemberSink = async ({ bytes, ...member }) => {
        for (let from = 0; from < bytes.length; from += MEMBER_PART_BYTES) {
          const part = bytes.slice(from, from + MEMBER_PART_BYTES);
          await send({ id, member: { ...member, bytes: part, last: from + MEMBER_PART_BYTES >= bytes.length } });
        }
      };
      await send({ id, outcome: await processFile(request, (chunks) => send({ id, chunks }), sendMember) });
    });
  }, REQUEST_BYTES_MAX);
  channel.on('data', (part: Buffer) => reader.push(part));
  channel.on('end', () => process.exit(0));
  channel.on('error', () => process.exit(0));
}

/**
 * Entry point of a child process: answers each request frame with an outcome frame, in order, over file descriptor 3.
 * It has no environment, no rights to write files or start processes, and ends with its parent.
 */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { encodeFrame, FrameReader } from './frames.ts';
import type { ChunkDraft, ProcessOutcome, ProcessRequest } from './parsed.ts';
import { processFile } from './process-file.ts';

/** What the parent sends and gets back. */
export interface ChildRequest {
  id: number;
  request: ProcessRequest;
}

/** Either some chunks of a file, or its outcome with the rest of them. */
export type ChildReply = { id: number; chunks: ChunkDraft[] } | { id: number; outcome: ProcessOutcome };

const REQUEST_BYTES_MAX = 1024 * 1024;
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
      await send({ id, outcome: await processFile(request, (chunks) => send({ id, chunks })) });
    });
  }, REQUEST_BYTES_MAX);
  channel.on('data', (part: Buffer) => reader.push(part));
  channel.on('end', () => process.exit(0));
  channel.on('error', () => process.exit(0));
}

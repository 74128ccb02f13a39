/**
 * Entry point of a child process: answers each request frame with an outcome frame, in order, over file descriptor 3.
 * It has no environment, no rights to write files or start processes, and ends with its parent.
 */
import { Socket } from 'node:net';
import { encodeFrame, FrameReader } from './frames.ts';
import type { ProcessOutcome, ProcessRequest } from './parsed.ts';
import { processFile } from './process-file.ts';

/** What the parent sends and gets back. */
export interface ChildRequest {
  id: number;
  request: ProcessRequest;
}

export interface ChildReply {
  id: number;
  outcome: ProcessOutcome;
}

const REQUEST_BYTES_MAX = 1024 * 1024;
const CHANNEL_FD = 3;

serve(new Socket({ fd: CHANNEL_FD, readable: true, writable: true }));

function serve(channel: Socket): void {
  let tail: Promise<void> = Promise.resolve();
  const reader = new FrameReader((value) => {
    const { id, request } = value as ChildRequest;
    tail = tail.then(async () => {
      channel.write(encodeFrame({ id, outcome: await processFile(request) } satisfies ChildReply));
    });
  }, REQUEST_BYTES_MAX);
  channel.on('data', (part: Buffer) => reader.push(part));
  channel.on('end', () => process.exit(0));
  channel.on('error', () => process.exit(0));
}

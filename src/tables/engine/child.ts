/**
 * Entry point of a process of the table engine: answers each request with a reply, one at a time, over file descriptor 3. The engine may
 * write to the standard output, so that is not used.
 */
import { Socket } from 'node:net';
import { encodeFrame, FrameReader } from '../../files/sandbox/frames.ts';
import { QueryFailure } from './failures.ts';
import { readAllowedFunctions } from './gate.ts';
import type { QueryReply, QueryRequest } from './protocol.ts';
import { closeEngine, type OpenEngine, openEngine, runQuery } from './run-query.ts';

const CHANNEL_FD = 3;
const REQUEST_BYTES_MAX = 64 * 1024 * 1024;

const memoryMib = Number(process.argv[2]);
const allowed = readAllowedFunctions();
const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
/** The instance of the next statement: it is opened while the process has nothing else to do. */
let next: Promise<OpenEngine> = openEngine(memoryMib);
let tail: Promise<void> = Promise.resolve();

const reader = new FrameReader((value) => {
  tail = tail.then(() => answer(value as QueryRequest));
}, REQUEST_BYTES_MAX);
channel.on('data', (part: Buffer) => reader.push(part));
channel.on('end', () => process.exit(0));
channel.on('error', () => process.exit(0));
await next;
send({ ready: true });

async function answer(request: QueryRequest): Promise<void> {
  const engine = await next;
  try {
    const result = await runQuery(engine, request, allowed);
    send({ id: request.id, ok: true, result });
  } catch (error) {
    const { error: failed } =
      error instanceof QueryFailure ? error : new QueryFailure({ kind: 'broken', message: String(error) });
    send({ id: request.id, ok: false, error: failed });
  }
  closeEngine(engine);
  next = openEngine(memoryMib);
}

function send(reply: QueryReply): void {
  channel.write(encodeFrame(reply));
}

/** A process of the table engine for tests of its pool. It answers each statement with the number of statements that it was given. */
import { Socket } from 'node:net';
import { encodeFrame, FrameReader } from '../../../src/files/sandbox/frames.ts';
import type { QueryReply, QueryRequest } from '../../../src/tables/engine/protocol.ts';

const channel = new Socket({ fd: 3, readable: true, writable: true });
let count = 0;
const send = (reply: QueryReply) => channel.write(encodeFrame(reply));

const reader = new FrameReader((value) => {
  const { id } = value as QueryRequest;
  count += 1;
  const result = { columns: [], rows: [[count]], truncated: false, elapsedMs: 0, trace: { kind: 'none' as const } };
  send({ id, ok: true, result });
}, 1024 * 1024);
channel.on('data', (part: Buffer) => reader.push(part));
channel.on('end', () => process.exit(0));
send({ ready: true });

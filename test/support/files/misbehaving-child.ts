/** A child process for tests of the pool. The name of a file selects the misbehaviour. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { ProcessedFile } from '../../../src/files/parsed.ts';
import { encodeFrame, FrameReader } from '../../../src/files/sandbox/frames.ts';
import type { ChildRequest } from '../../../src/files/sandbox/process-child.ts';

const channel = new Socket({ fd: 3, readable: true, writable: true });
let count = 0;

const ACTIONS: Record<string, () => void> = {
  loop: () => {
    for (;;) count += 0;
  },
  // Without computing, as a process that other programs keep from the processor.
  nap: () => sleepFor(1_500),
  hang: () => sleepFor(Number.POSITIVE_INFINITY),
  buffers: () => {
    const kept: Buffer[] = [];
    for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  heap: () => {
    const kept: number[][] = [];
    for (;;) kept.push(new Array<number>(1_000_000).fill(0.5));
  },
  crash: () => process.abort(),
  'crash-unless-first': () => {
    if (count > 1) process.abort();
  },
  garbage: () => channel.write(Buffer.from([0, 0, 0, 4, 1, 2, 3, 4])),
  flood: () => {
    const piece = Buffer.alloc(1024 * 1024, 0x7f);
    const more = () => {
      while (channel.write(piece)) {
        // Until the channel is full.
      }
      channel.once('drain', more);
    };
    more();
  },
};

const reader = new FrameReader(
  (value) => {
    const message = value as ChildRequest;
    if (!('request' in message) || !message.request) return;
    const { id, request } = message;
    count += 1;
    ACTIONS[request.name]?.();
    const text = request.name === 'rights' ? JSON.stringify(rights(request.url ?? '')) : `file ${count}`;
    const file: ProcessedFile = {
      fileType: 'txt',
      text,
      textLength: text.length,
      language: null,
      metadata: {},
      chunks: [],
      warnings: [],
      tables: [],
    };
    channel.write(encodeFrame({ id, outcome: { ok: true, file } }));
  },
  2 * 1024 * 1024,
);
channel.write(encodeFrame({ ready: true }));
channel.on('data', (part: Buffer) => reader.push(part));
channel.on('end', () => process.exit(0));

function sleepFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function rights(path: string) {
  return {
    // bubblewrap sets PWD to the root folder.
    environment: Object.keys(process.env).filter((name) => name !== 'PWD'),
    read: codeOf(() => readFileSync(path)),
    write: codeOf(() => writeFileSync(`${path}.new`, 'x')),
    spawn: codeOf(() => spawn(process.execPath, ['--version'])),
  };
}

function codeOf(action: () => unknown): string {
  try {
    action();
    return 'allowed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

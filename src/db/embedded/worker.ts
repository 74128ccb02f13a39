/** The worker thread that runs the engine: protocol bytes in, protocol bytes out, in order of arrival. */
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { folderOfThread } from '../../util/work/work-time.ts';
import { buffersMb, memoryBytes, tablesBytes } from './buffers.ts';
import { DurableFs } from './durable-fs.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './protocol.ts';
import { readReply, simpleQuery } from './wire.ts';

/**
 * PGlite's start parameters, but with fsync (PGlite passes `-F`) and with memory for one session. The engine touches all of its
 * shared memory at the start, so all buffers are resident memory.
 */
const startParams = (buffersMb: number): string[] => [
  '--single',
  '-O',
  '-j',
  ...settings({
    search_path: 'public',
    exit_on_error: 'false',
    log_checkpoints: 'false',
    max_worker_processes: '0',
    max_parallel_workers: '0',
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    io_method: 'sync',
    fsync: 'on',
    wal_sync_method: 'fsync',
    shared_buffers: `${buffersMb}MB`,
    wal_buffers: '4MB',
    max_connections: '5',
    work_mem: '8MB',
    maintenance_work_mem: '32MB',
    // Dynamic shared memory is taken from this part of the shared memory first. Other dynamic shared memory is never freed, because munmap
    // does nothing in PGlite. Searches keep the terms of the write buffer of a BM25 index there, until the buffer is written out. 4 MB are
    // too few for one index; 8 MB were enough for 40.
    min_dynamic_shared_memory: '8MB',
    'pg_textsearch.allow_rls': 'on',
    // A write buffer of 192 kB per BM25 index. The insert that fills the buffer writes it out while everybody waits (0.025 s). A
    // larger buffer takes longer, also in searches, which read all of it. A smaller one makes more segments (../text-segments.ts).
    'pg_textsearch.memtable_pages_threshold': '24',
    'pg_textsearch.memory_limit': '64MB',
  }),
];

function settings(values: Record<string, string>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

const port = parentPort;
if (!port) throw new Error('the database worker runs in a worker thread only');

const send = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

async function open(options: WorkerOptions): Promise<PGlite> {
  const files = new DurableFs(options.dataDir);
  const engine = await PGlite.create({
    fs: files,
    extensions: { vector, pg_textsearch },
    startParams: startParams(buffersMb(tablesBytes(options.dataDir), memoryBytes())),
    pgliteWasmModule: options.code,
    initDbStartParams: ['-c', 'shared_buffers=4MB'],
  });
  await assertCommitFsyncs(engine, files);
  return engine;
}

async function handle(engine: PGlite, message: ToWorker): Promise<void> {
  if (message.kind === 'close') {
    await engine.close();
    send({ kind: 'reply', id: message.id, bytes: new Uint8Array(0), ms: 0 });
    port?.close();
    return;
  }
  const begun = performance.now();
  const bytes = await run(engine, message.bytes);
  send({ kind: 'reply', id: message.id, bytes, ms: performance.now() - begun }, [bytes.buffer]);
}

async function run(engine: PGlite, request: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const onRawData = (chunk: Uint8Array): void => void chunks.push(chunk.slice());
  await engine.execProtocolRawStream(request, { syncToFs: false, onRawData });
  if (chunks.length === 1) return chunks[0] as Uint8Array<ArrayBuffer>;
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** @throws Error when a commit is not synced to disk: the start is refused, because rows could be lost later. */
async function assertCommitFsyncs(engine: PGlite, files: DurableFs): Promise<void> {
  const before = files.fsyncCount;
  const reply = readReply(await run(engine, simpleQuery(`select pg_logical_emit_message(true, 'pinakes', 'start')`)));
  if (reply.error) throw reply.error;
  if (files.fsyncCount === before) throw new Error('the embedded database does not fsync its commits');
}

const opening = open(workerData as WorkerOptions);
let queue: Promise<unknown> = opening.then(
  () => send({ kind: 'ready', folder: folderOfThread() }),
  (error: unknown) => send({ kind: 'refused', message: error instanceof Error ? error.message : String(error) }),
);
// The listener also keeps the thread alive while the engine compiles. An error of the engine ends the thread, because the engine's memory
// may be in any state. The main thread then starts another.
port.on('message', (message: ToWorker) => {
  queue = queue.then(async () => handle(await opening, message));
});

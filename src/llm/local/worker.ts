/**
 * The thread of one local model. Parts of texts run one by one. Between two parts, queries go before passages, and abandoned
 * requests are dropped.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { folderOfThread } from '../../util/work/work-time.ts';
import type { EmbeddingUse } from '../models.ts';
import type { LocalModel } from './model.ts';
import { openPairRuntime, type PairTokens } from './pairs.ts';
import { joinParts } from './pooling.ts';
import type { FromModel, ModelText, ToModel } from './protocol.ts';
import { openLocalRuntime } from './runtime.ts';

/** What runs in this thread: an embedding model, or a model for pairs. */
interface Runtime {
  /** Returns the tokens of a text, in parts if it is longer than the model reads. */
  tokenize(text: ModelText, use: EmbeddingUse): Tokens[];
  run(part: Tokens): Promise<Float32Array>;
}

type Tokens = readonly number[] | PairTokens;

interface Task {
  /** The number of parts of each text. */
  counts: number[];
  /** The parts of all texts, in order. */
  parts: Tokens[];
  /** One for each part that has run. */
  vectors: Float32Array[];
}

const port = parentPort!;
const send = (message: FromModel): void => port.postMessage(message);
/** Waiting requests in order of arrival, by use. */
const waiting = { query: new Map<number, Task>(), passage: new Map<number, Task>() };
let running = false;
let ending = false;

send({ kind: 'started', folder: folderOfThread() });
try {
  const model = workerData as LocalModel;
  const runtime = (await (model.isPairModel ? openPairRuntime(model) : openLocalRuntime(model))) as Runtime;
  // Messages that arrived in the meantime were queued.
  port.on('message', (message: ToModel) => receive(runtime, message));
} catch (error) {
  send({ kind: 'refused', message: text(error) });
}

function receive(runtime: Runtime, message: ToModel): void {
  if (message.kind === 'forget') {
    waiting.query.delete(message.id);
    waiting.passage.delete(message.id);
    return;
  }
  if (message.kind === 'end') {
    ending = true;
    for (const tasks of Object.values(waiting)) tasks.clear();
    if (!running) process.exit();
    return;
  }
  const { id, texts, use } = message;
  try {
    const tokenized = texts.map((one) => runtime.tokenize(one, use));
    waiting[use].set(id, { counts: tokenized.map(({ length }) => length), parts: tokenized.flat(), vectors: [] });
    if (!running) void work(runtime);
  } catch (error) {
    send({ kind: 'failed', id, message: text(error) });
  }
}

async function work(runtime: Runtime): Promise<void> {
  running = true;
  for (;;) {
    // New messages are received here.
    await turn();
    const [next] = waiting.query.size > 0 ? waiting.query : waiting.passage;
    if (!next) break;
    const [id, task] = next;
    const done = await step(runtime, task).catch((error) => error as Error);
    if (done === false) continue;
    waiting.query.delete(id);
    waiting.passage.delete(id);
    if (done === true) send({ kind: 'vectors', id, vectors: vectorsOf(task) });
    else send({ kind: 'failed', id, message: text(done) });
  }
  running = false;
  if (ending) process.exit();
}

/** Runs the next part of a task. Returns true when it was the last part. */
async function step(runtime: Runtime, { parts, vectors }: Task): Promise<boolean> {
  vectors.push(await runtime.run(parts[vectors.length]!));
  return vectors.length === parts.length;
}

/** Returns one vector per text. */
function vectorsOf({ counts, parts, vectors }: Task): Float32Array[] {
  const lengths = parts.map(lengthOf);
  let end = 0;
  return counts.map((count) => {
    const start = end;
    end += count;
    return joinParts(vectors.slice(start, end), lengths.slice(start, end));
  });
}

function lengthOf(part: Tokens): number {
  return ('ids' in part ? part.ids : part).length;
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

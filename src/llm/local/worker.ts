/**
 * The thread of one local model. Texts run in small groups. Between two groups, queries go before passages, and abandoned
 * requests are dropped.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { EmbeddingUse } from '../models.ts';
import type { LocalModel } from './model.ts';
import { openPairRuntime, type PairTokens } from './pairs.ts';
import { planRuns } from './pooling.ts';
import type { FromModel, ModelText, ToModel } from './protocol.ts';
import { openLocalRuntime } from './runtime.ts';

/** Maximum tokens of one run, with padding. A query waits for one run. Larger runs are not faster on one core. */
const RUN_TOKENS_MAX = 256;

/** What runs in this thread: an embedding model, or a model for pairs. */
interface Runtime {
  tokenize(text: ModelText, use: EmbeddingUse): Tokens;
  run(texts: readonly Tokens[]): Promise<Float32Array[]>;
}

type Tokens = readonly number[] | PairTokens;

interface Task {
  tokens: Tokens[];
  vectors: Float32Array[];
  runs: number[][];
}

const port = parentPort!;
const send = (message: FromModel): void => port.postMessage(message);
/** Waiting requests in order of arrival, by use. */
const waiting = { query: new Map<number, Task>(), passage: new Map<number, Task>() };
let running = false;

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
  const { id, texts, use } = message;
  try {
    const tokens = texts.map((one) => runtime.tokenize(one, use));
    const runs = planRuns(
      tokens.map((one) => ('ids' in one ? one.ids : one).length),
      RUN_TOKENS_MAX,
    );
    waiting[use].set(id, { tokens, vectors: [], runs });
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
    if (done === true) send({ kind: 'vectors', id, vectors: task.vectors });
    else send({ kind: 'failed', id, message: text(done) });
  }
  running = false;
}

/** Runs the next group of a task. Returns true when it was the last group. */
async function step(runtime: Runtime, task: Task): Promise<boolean> {
  const run = task.runs.shift();
  if (run) {
    const vectors = await runtime.run(run.map((i) => task.tokens[i]!));
    for (const [k, i] of run.entries()) task.vectors[i] = vectors[k]!;
  }
  return task.runs.length === 0;
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The thread of one local embedding model. Texts run a few at a time: between two runs a query goes before passages, and what
 * nobody waits for any more is dropped.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { LocalModel } from './model.ts';
import { planRuns } from './pooling.ts';
import type { FromModel, ToModel } from './protocol.ts';
import { type LocalRuntime, openLocalRuntime } from './runtime.ts';

/** Tokens of one run, with the padding: what a query waits for. On one core, more take as long as one after the other. */
const RUN_TOKENS_MAX = 256;

interface Task {
  tokens: number[][];
  vectors: Float32Array[];
  runs: number[][];
}

const port = parentPort!;
const say = (message: FromModel): void => port.postMessage(message);
/** In order of arrival, each kind apart. */
const waiting = { query: new Map<number, Task>(), passage: new Map<number, Task>() };
let running = false;

try {
  const runtime = await openLocalRuntime(workerData as LocalModel);
  // Texts that came meanwhile have waited.
  port.on('message', (message: ToModel) => receive(runtime, message));
} catch (error) {
  say({ kind: 'refused', message: text(error) });
}

function receive(runtime: LocalRuntime, message: ToModel): void {
  if (message.kind === 'forget') {
    waiting.query.delete(message.id);
    waiting.passage.delete(message.id);
    return;
  }
  const { id, texts, use } = message;
  try {
    const tokens = texts.map((one) => runtime.tokenize(one, use));
    const runs = planRuns(
      tokens.map((ids) => ids.length),
      RUN_TOKENS_MAX,
    );
    waiting[use].set(id, { tokens, vectors: [], runs });
    if (!running) void work(runtime);
  } catch (error) {
    say({ kind: 'failed', id, message: text(error) });
  }
}

async function work(runtime: LocalRuntime): Promise<void> {
  running = true;
  for (;;) {
    // Messages come in here.
    await turn();
    const [next] = waiting.query.size > 0 ? waiting.query : waiting.passage;
    if (!next) break;
    const [id, task] = next;
    const done = await step(runtime, task).catch((error) => error as Error);
    if (done === false) continue;
    waiting.query.delete(id);
    waiting.passage.delete(id);
    if (done === true) say({ kind: 'vectors', id, vectors: task.vectors });
    else say({ kind: 'failed', id, message: text(done) });
  }
  running = false;
}

/** True when it was the last run. */
async function step(runtime: LocalRuntime, task: Task): Promise<boolean> {
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

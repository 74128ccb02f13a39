/**
 * Works on a claimed run: steps in which a model calls tools, then one call without tools that answers from what they found. A step is
 * stored before its events are given out, so a run that lost its worker goes on after its last complete step.
 */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../db/database.ts';
import { ServiceError } from '../../errors.ts';
import { standaloneJsonSchema } from '../../http/openapi/openapi.ts';
import type { Exchange } from '../../http/tools/exchange.ts';
import type { Json, Tool } from '../../http/tools/tool.ts';
import type { ChatModel, OnUsage, StepMessage, StepTurn, ToolSpec, Usage } from '../../llm/models.ts';
import type { Warning } from '../../retrieval/types.ts';
import { endingOf, openAnswerModel } from './answer-model.ts';
import { type CallView, modelResult, restoreCalls, runCalls, type Seen } from './calls.ts';
import type { Answered, Asking, Evidence, Host } from './host.ts';
import { fenced, instructions, opening } from './prompt.ts';
import {
  type AgentRun,
  addStep,
  endRun,
  endSteps,
  listSteps,
  type RunEnd,
  type RunFinish,
  type Step,
} from './store.ts';

/** Time that is kept for the answer: this, or a quarter of the whole time if that is less. */
const ANSWER_RESERVE_MS = 20_000;
const RESERVED_SHARE = 0.25;
/** Time of a statement that runs again for the answer. */
const STATEMENT_MS_MAX = 5_000;
/** Maximum time of one step of the model. */
const STEP_TIMEOUT_MS = 60_000;
const STEP_TOKENS_MAX = 2_048;
/** Steps in a row that find nothing new, after which the model is not asked again. */
const FRUITLESS_STEPS_MAX = 2;
/** Maximum chunks from which the answer is made. */
const EVIDENCE_MAX = 30;
const QUERY_UNITS_MAX = 2_000;

/** Another worker has claimed the run, or it was ended from outside. */
export class RunLost extends Error {}

export interface Work {
  run: AgentRun;
  caller: Caller;
  asking: Asking;
  exchange: Exchange;
  signal: AbortSignal;
}

/** What happens in a run, in its order. */
export type Happening =
  | { type: 'step'; step: Step; views: CallView[] }
  | { type: 'text'; delta: string }
  | { type: 'answer'; answered: Answered };

interface State {
  messages: StepMessage[];
  steps: { step: Step; views: CallView[] }[];
  seen: Seen & { isWhole: boolean };
  usage: Usage;
  fruitless: number;
  warnings: Warning[];
  /** By `performance.now`. */
  deadline: number;
}

/** Yields what happens, and returns how the run ended, which is stored. @throws RunLost; what ends a run without an answer. */
export async function* work(host: Host, given: Work): AsyncGenerator<Happening, RunEnd> {
  const { deps } = host;
  const { run, caller, asking } = given;
  const tools = host.tools.filter(({ name }) => run.request.tools.includes(name));
  const chatModel = deps.chatModel.of?.(caller.tenantId, caller.keyFamilyId) ?? deps.chatModel;
  const nonce = randomBytes(9).toString('base64url');
  const state = await begin(host, given, tools, nonce);
  const onUsage: OnUsage = (usage) => {
    deps.usage.add(caller, usage);
    add(state.usage, usage);
  };
  const takeStep = (turn: StepTurn, usage: Usage) => makeStep(host, given, tools, nonce, state, turn, usage);

  const specs = tools.map(toSpec);
  let why: RunFinish | undefined = run.gatheredAs ?? undefined;
  while (why === undefined) {
    why = limitReached(run, state);
    if (why !== undefined) break;
    const before = { ...state.usage };
    const turn = await askModel(host, given, { chatModel, specs, nonce, state, onUsage });
    why = turn === null ? limitReached(run, state) : undefined;
    if (turn === null || turn.calls.length === 0) break;
    yield* takeStep(turn, since(before, state.usage));
  }
  // A model that called no tool, or none that worked, gets what a plain search finds.
  if (!hasResult(state) && tools.some(({ name }) => name === 'search')) {
    const input = { query: asking.question.forModel.slice(0, QUERY_UNITS_MAX).toWellFormed() };
    const call = { id: '', name: 'search', input };
    yield* takeStep({ calls: [call], isCut: false }, { inputTokens: 0, outputTokens: 0 });
  }
  why ??= 'stop';
  const ended = why;
  if (!(await deps.db.transaction(caller.tenantId, (tx) => endSteps(tx, run, ended)))) throw new RunLost();
  return yield* answerFrom(host, given, { chatModel, state, onUsage, why });
}

function hasResult({ steps }: State): boolean {
  return steps.some(({ step }) => step.calls.some(({ kept }) => kept !== null));
}

/** Returns the state after the steps that are stored. */
async function begin(host: Host, work: Work, tools: readonly Tool[], nonce: string) {
  const { run, caller, asking, exchange } = work;
  const { clock, db } = host.deps;
  const leftMs = run.startedAt!.getTime() + run.request.maxSeconds * 1000 - clock.now().getTime();
  const state: State = {
    messages: opening(asking.history, asking.question.forModel),
    steps: [],
    seen: { asked: new Set(), ids: new Set(), isWhole: true },
    usage: { inputTokens: 0, outputTokens: 0 },
    fruitless: 0,
    warnings: [],
    deadline: performance.now() + leftMs,
  };
  for (const step of await db.transaction(caller.tenantId, (tx) => listSteps(tx, run.id))) {
    const views = await restoreCalls(tools, step.calls, state.seen, exchange);
    await remember(host, work, tools, nonce, state, step, views);
    add(state.usage, step.usage);
  }
  return state;
}

function limitReached({ request }: AgentRun, state: State): RunFinish | undefined {
  const { inputTokens, outputTokens } = state.usage;
  if (state.fruitless >= FRUITLESS_STEPS_MAX) return 'stop';
  if (state.steps.length >= request.maxSteps) return 'max_steps';
  if (performance.now() >= state.deadline - reserveMs(request.maxSeconds)) return 'max_seconds';
  if (inputTokens + outputTokens >= request.maxTokens * (1 - RESERVED_SHARE)) return 'max_tokens';
  return undefined;
}

function reserveMs(maxSeconds: number): number {
  return Math.min(ANSWER_RESERVE_MS, maxSeconds * 1000 * RESERVED_SHARE);
}

/** Returns what the model calls next; null if it failed, which a warning says. */
async function askModel(
  { deps }: Host,
  { run, caller, signal }: Work,
  call: { chatModel: ChatModel; specs: ToolSpec[]; nonce: string; state: State; onUsage: OnUsage },
): Promise<StepTurn | null> {
  const { chatModel, specs, nonce, state, onUsage } = call;
  const leftMs = state.deadline - reserveMs(run.request.maxSeconds) - performance.now();
  try {
    await deps.usage.assertBudget(caller);
    return await chatModel.step!(
      {
        system: instructions(nonce),
        messages: state.messages,
        tools: specs,
        outputTokensMax: STEP_TOKENS_MAX,
        timeoutMs: Math.max(1, Math.min(STEP_TIMEOUT_MS, leftMs)),
        onUsage,
      },
      AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)))]),
    );
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: error, runId: run.id }, 'a step of an agent run failed');
    const message = error instanceof ServiceError ? error.message : 'The chat model did not answer in time.';
    state.warnings.push({ type: 'step_failed', message });
    return null;
  }
}

/** Runs the calls of a step, stores the step, and yields it. */
async function* makeStep(
  host: Host,
  work: Work,
  tools: readonly Tool[],
  nonce: string,
  state: State,
  turn: StepTurn,
  usage: Usage,
): AsyncGenerator<Happening> {
  const { deps } = host;
  const { run, caller, exchange, signal } = work;
  const leftMs = Math.max(1_000, state.deadline - performance.now());
  const limit = AbortSignal.timeout(Math.ceil(leftMs));
  const bounded = { ...exchange, signal: AbortSignal.any([signal, limit]) };
  const views = await runCalls(deps, tools, turn, state.seen, bounded);
  signal.throwIfAborted();
  const step: Step = { number: state.steps.length + 1, calls: views.map(({ call }) => call), usage };
  deps.crash.reach('agent.called');
  const now = deps.clock.now();
  const isMine = await deps.db.transaction(caller.tenantId, (tx) => addStep(tx, run, step, now));
  if (!isMine) throw new RunLost();
  deps.crash.reach('agent.stepped');
  await remember(host, work, tools, nonce, state, step, views);
  await exchange.rights.confirm();
  yield { type: 'step', step, views };
}

/** Warnings that the embedding model was missing in a search. They are those of the run, too. */
const LEXICAL: ReadonlySet<string> = new Set(['embedding_failed', 'no_vectors']);

/** Adds the warnings of a step that its searches were lexical. */
function addWarnings(warnings: Warning[], views: readonly CallView[]): void {
  const made = views.flatMap(({ result }) => (result as { warnings?: Warning[] } | null)?.warnings ?? []);
  for (const warning of made) {
    if (LEXICAL.has(warning.type) && !warnings.some(({ type }) => type === warning.type)) warnings.push(warning);
  }
}

/** Adds a step to the conversation with the model, and holds what it found. */
async function remember(
  { deps }: Host,
  { caller, asking }: Pick<Work, 'caller' | 'asking'>,
  tools: readonly Tool[],
  nonce: string,
  state: State,
  step: Step,
  views: CallView[],
): Promise<void> {
  const calls = views.map(({ call, showsArguments }) => ({
    id: call.id,
    name: call.tool,
    input: (showsArguments && call.args) || {},
  }));
  const results: { id: string; name: string; text: string }[] = [];
  for (const view of views) {
    const text = fenced(await modelResult(deps, caller.tenantId, tools, view, asking.redactor), nonce);
    results.push({ id: view.call.id, name: view.call.tool, text });
  }
  state.messages.push({ role: 'calls', calls }, { role: 'results', results });
  state.steps.push({ step, views });
  addWarnings(state.warnings, views);
  state.fruitless = step.calls.some(({ kept }) => (kept?.found ?? 0) > 0) ? 0 : state.fruitless + 1;
  await asking.hold(evidenceOf(state).map(({ id }) => id));
}

/**
 * Returns the chunks that the calls found: first the best of each call, then the second of each, and so on, so that no part of a
 * question takes all places.
 */
function evidenceOf({ steps }: Pick<State, 'steps'>): Evidence[] {
  const lists = steps.flatMap(({ step }) => step.calls.flatMap(({ kept }) => kept ?? []));
  const scores = new Map<string, number>();
  const longest = Math.max(0, ...lists.map(({ chunkIds }) => chunkIds.length));
  for (let rank = 0; rank < longest; rank++) {
    for (const { chunkIds, shares } of lists) {
      const id = chunkIds[rank];
      if (id !== undefined) scores.set(id, Math.max(scores.get(id) ?? 0, shares?.[rank] ?? 0.5));
    }
  }
  return [...scores].slice(0, EVIDENCE_MAX).map(([id, score]) => ({ id, score }));
}

/** Returns the last statement with an aggregate, whose result no row holds; undefined if there is none or no time is left for it. */
function aggregateOf({ steps }: Pick<State, 'steps'>, timeoutMs: number): Parameters<Asking['answer']>[1]['statement'] {
  if (timeoutMs < 1) return undefined;
  const views = steps.flatMap((step) => step.views);
  const last = views.findLast(
    ({ call, result }) => call.tool === 'query_table' && typeof result?.['witness_count'] === 'number',
  );
  const { sql, tables } = (last?.call.args ?? {}) as { sql?: string; tables?: string[] };
  return sql === undefined ? undefined : { sql, ...(tables && { tables }), timeoutMs };
}

/** What an answer says of the end of its run. */
type Ending = Pick<Answered, 'finishReason' | 'unsupported' | 'warnings'>;

/** Answers from the evidence, and stores the turn together with the end of the run. */
async function* answerFrom(
  { deps }: Host,
  { run, caller, asking, signal }: Work,
  call: { chatModel: ChatModel; state: State; onUsage: OnUsage; why: RunFinish },
): AsyncGenerator<Happening, RunEnd> {
  const { chatModel, state, onUsage, why } = call;
  const isAffordable = await deps.usage.assertBudget(caller).then(
    () => true,
    () => false,
  );
  const leftMs = isAffordable ? state.deadline - performance.now() : 0;
  // The answer path counts the tokens in the ledger itself.
  const counting: ChatModel = {
    ...chatModel,
    stream: (request, inner) => chatModel.stream({ ...request, onUsage }, inner),
  };
  const statement = aggregateOf(state, Math.round(Math.min(STATEMENT_MS_MAX, leftMs / 4)));
  const model = openAnswerModel(deps, counting, leftMs - (statement?.timeoutMs ?? 0), state.warnings);
  const endOf = (isStored: boolean, answered: Ending, more = {}): RunEnd => ({
    status: 'success',
    finishReason: answered.finishReason === 'no_answer' ? 'no_answer' : why,
    isStored,
    outcome: {
      usage: state.usage,
      warnings: [...state.warnings, ...answered.warnings, ...endingOf(answered.finishReason)],
      ...(answered.unsupported.length > 0 ? { unsupported: answered.unsupported } : {}),
      ...more,
    },
  });
  const end = async (tx: Tx, how: RunEnd): Promise<void> => {
    if (!(await endRun(tx, run, how, deps.clock.now()))) throw new RunLost();
  };
  const alongside = async (tx: Tx, answered: Ending): Promise<void> => {
    deps.crash.reach('agent.answered');
    await end(tx, endOf(true, answered));
  };
  const stream = asking.answer(evidenceOf(state), { chatModel: model, statement, alongside }, signal);
  let answered: Answered;
  try {
    let step = await stream.next();
    for (; !step.done; step = await stream.next()) yield { type: 'text', delta: step.value };
    answered = step.value;
  } finally {
    await stream.return(undefined as never);
  }
  const isNoAnswer = answered.finishReason === 'no_answer';
  const how = endOf(answered.isStored, answered, isNoAnswer ? { noAnswer: answered.text } : {});
  if (!answered.isStored) await deps.db.transaction(caller.tenantId, (tx) => end(tx, how));
  deps.crash.reach('agent.ended');
  yield { type: 'answer', answered };
  return how;
}

function toSpec({ name, description, input }: Tool): ToolSpec {
  return { name, description, inputSchema: standaloneJsonSchema(input, 'input') as Json };
}

function add(sum: Usage, { inputTokens, outputTokens }: Usage): void {
  sum.inputTokens += inputTokens;
  sum.outputTokens += outputTokens;
}

function since(before: Usage, now: Usage): Usage {
  return {
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
  };
}

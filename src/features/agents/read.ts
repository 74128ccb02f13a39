/** Reads a run as its caller may see it now: its steps, its answer, and its events. */
import { setTimeout as pause } from 'node:timers/promises';
import { openAccess, type Principal } from '../../access/access.ts';
import { listMessages, ownerOf } from '../../corpus/conversation-store.ts';
import { notFound } from '../../errors.ts';
import type { Exchange } from '../../http/tools/exchange.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { withRedactor } from '../../redaction/redactors.ts';
import { type CallView, readerWarnings, restoreCalls } from './calls.ts';
import {
  answerEvents,
  brokenEvent,
  type NumberedEvent,
  numberAfter,
  type ShownAnswer,
  startEvent,
  stepEvents,
  textStart,
} from './events.ts';
import type { Host } from './host.ts';
import { type AgentRun, findRun, listSteps, type RunEnd, type Step } from './store.ts';

/** How often a stream of events looks for a further step. */
const INTERVAL_MS = 500;
/** Events that were read longer ago are read again before the next one is sent: the reader may have lost rights meanwhile. */
const FRESH_MS = 750;
/** Stands in place of a text that the caller may not see. */
const REMOVED = '[removed]';

/** Who reads a run. */
export interface Reader {
  exchange: Exchange;
  principal: Principal | null;
}

export interface RunView {
  run: AgentRun;
  steps: { step: Step; views: CallView[] }[];
  answer: ShownAnswer | null;
  redactor: Redactor | null;
  /** Whether the reader can read all results of the steps. */
  isWhole: boolean;
}

/** Returns the run with its steps. @throws ServiceError not_found */
export async function readRun(host: Host, reader: Reader, id: string): Promise<RunView> {
  const { run, steps, redactor } = await findParts(host, reader, id);
  const seen = { asked: new Set<string>(), ids: new Set<string>(), isWhole: true };
  const views: RunView['steps'] = [];
  for (const step of steps)
    views.push({ step, views: await restoreCalls(host.tools, step.calls, seen, reader.exchange) });
  const answer = run.status === 'success' ? await readAnswer(host, reader, run, redactor) : null;
  return { run, steps: views, answer, redactor, isWhole: seen.isWhole };
}

async function findParts({ deps }: Host, { exchange, principal }: Reader, id: string) {
  const { caller } = exchange;
  return withRedactor(deps, caller.tenantId, async (tx) => {
    const run = await findRun(tx, id, ownerOf(caller, principal));
    if (run === undefined) throw notFound();
    // The steps of a run that goes on are read after it: they may be more than the run knows, never fewer.
    return { run, steps: await listSteps(tx, id) };
  });
}

/** Returns the answer as the caller may see it; null if the conversation does not have it any more. */
async function readAnswer(
  { deps, redactMessage }: Host,
  { exchange, principal }: Reader,
  { conversationId, assistantMessageId, isStored, outcome }: AgentRun,
  redactor: Redactor | null,
): Promise<ShownAnswer | null> {
  if (!isStored) return outcome?.noAnswer === undefined ? null : { text: outcome.noAnswer, citations: [] };
  const { caller } = exchange;
  const [message] = await deps.db.transaction(caller.tenantId, async (tx) => {
    const access = await openAccess(tx, caller, principal);
    return listMessages(tx, conversationId, access, assistantMessageId);
  });
  if (message === undefined) return null;
  const { content, citations } = await redactMessage(redactor, message);
  return { text: content, citations };
}

/** Yields the events of a run after number `after`, until the run has ended. */
export async function* followRun(host: Host, reader: Reader, id: string, after: number): AsyncGenerator<NumberedEvent> {
  const { signal } = reader.exchange;
  let seen = { asked: new Set<string>(), ids: new Set<string>(), isWhole: true };
  const known: Step[] = [];
  const isNew = ({ number }: NumberedEvent): boolean => number !== null && number > after;
  for (let isFirst = true; ; isFirst = false) {
    const { run, steps, redactor } = await findParts(host, reader, id);
    if (isFirst && isNew(startEvent(run))) yield startEvent(run);
    for (const step of steps.slice(known.length)) {
      const before = seen;
      const read = async (now: Redactor | null): Promise<NumberedEvent[]> => {
        seen = { ...before, asked: new Set(before.asked), ids: new Set(before.ids) };
        const views = await restoreCalls(host.tools, step.calls, seen, reader.exchange);
        return (await stepEvents(step, views, now, numberAfter(known))).filter(isNew);
      };
      yield* freshly(host, reader, id, redactor, read);
      known.push(step);
    }
    if (run.status !== 'queued' && run.status !== 'running') {
      const read = async (now: Redactor | null): Promise<NumberedEvent[]> =>
        (await lastEvents(host, reader, run, now, numberAfter(known), seen.isWhole)).filter(isNew);
      yield* freshly(host, reader, id, redactor, read);
      return;
    }
    await pause(INTERVAL_MS, undefined, { signal });
  }
}

/** Yields events one after the other. If the reader takes them slowly, they are read again. @throws ServiceError not_found */
async function* freshly(
  host: Host,
  reader: Reader,
  id: string,
  redactor: Redactor | null,
  read: (redactor: Redactor | null) => Promise<NumberedEvent[]>,
): AsyncGenerator<NumberedEvent> {
  let events = await read(redactor);
  let readAt = performance.now();
  for (let at = 0; at < events.length; at += 1) {
    if (performance.now() - readAt > FRESH_MS) {
      events = await read((await findParts(host, reader, id)).redactor);
      readAt = performance.now();
    }
    yield events[at]!;
  }
}

async function lastEvents(
  host: Host,
  reader: Reader,
  run: AgentRun,
  redactor: Redactor | null,
  first: number,
  isWhole: boolean,
): Promise<NumberedEvent[]> {
  const ended = run as unknown as RunEnd;
  const warnings = await readerWarnings(redactor, ended.outcome.warnings, isWhole);
  const end = { ...ended, outcome: { ...ended.outcome, warnings } };
  if (run.status !== 'success') return [brokenEvent(run, end, first)];
  const answer = (await readAnswer(host, reader, run, redactor)) ?? { text: REMOVED, citations: [] };
  const { assistantMessageId: messageId } = run;
  const content = { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: answer.text || REMOVED };
  return [textStart(run, first), { number: first + 1, event: content }, ...answerEvents(run, end, answer, first)];
}

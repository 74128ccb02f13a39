/** Lists an origin and fetches the contents that the listing did not contain, like the service, into memory. */
import { Buffer } from 'node:buffer';
import type {
  Change,
  Connector,
  Fetched,
  OriginItem,
  OriginProblem,
  StoredVersion,
} from '../../../src/connectors/connector.ts';
import { OriginError } from '../../../src/connectors/connector.ts';
import type { Opaque, Origin, OriginKind } from '../../../src/corpus/origin.ts';
import { ServiceError } from '../../../src/errors.ts';

/** Facts about stored items, by origin id. */
export type Memory = Map<string, StoredVersion>;

export interface Reading {
  /** Origin id -> text of new and changed items. */
  stored: Record<string, string>;
  unchanged: string[];
  /** Origin id -> reason. */
  skipped: Record<string, string>;
  /** Origin id -> problem. */
  failed: Record<string, string>;
  gone: string[];
  items: Map<string, OriginItem>;
  /** The cursor at the end of the listing; undefined if there was no end. */
  full: boolean | undefined;
  cursor: Opaque | null;
  notice?: OriginProblem | undefined;
}

export interface ReadOptions {
  memory?: Memory;
  cursor?: Opaque | null;
  resume?: Opaque | null;
  credential?: string | null;
  signal?: AbortSignal;
}

export async function readOrigin<Kind extends OriginKind>(
  connector: Connector<Kind>,
  origin: Extract<Origin, { kind: Kind }>,
  options: ReadOptions = {},
): Promise<Reading> {
  const { memory = new Map(), cursor = null, resume = null, credential = null } = options;
  const { signal = new AbortController().signal } = options;
  const reading: Reading = {
    stored: {},
    unchanged: [],
    skipped: {},
    failed: {},
    gone: [],
    items: new Map(),
    full: undefined,
    cursor: null,
  };
  const findStored = async (id: string) => memory.get(id);
  const listStored = async () => [...memory.keys()];
  const request = { cursor, resume, findStored, listStored, signal };
  for await (const change of connector.list(origin, credential, request)) {
    if (change.kind === 'present') {
      reading.items.set(change.item.originId, change.item);
      const known = memory.get(change.item.originId);
      const fetching = change.content
        ? Promise.resolve({ kind: 'content' as const, content: change.content })
        : connector.fetch(origin, credential, change.item, known, signal);
      await take(reading, memory, change.item, fetching);
    } else note(reading, memory, change);
  }
  return reading;
}

function note(reading: Reading, memory: Memory, change: Exclude<Change, { kind: 'present' }>): void {
  if (change.kind === 'unchanged') reading.unchanged.push(change.originId);
  if (change.kind === 'gone') reading.gone.push(change.originId);
  if (change.kind === 'skipped') reading.skipped[change.originId] = change.reason;
  if (change.kind === 'failed') reading.failed[change.originId] = `${change.problem.title}: ${change.problem.message}`;
  if (change.kind === 'gone' || change.kind === 'skipped') memory.delete(change.originId);
  if (change.kind === 'end')
    Object.assign(reading, { full: change.full, cursor: change.cursor, notice: change.notice });
}

async function take(reading: Reading, memory: Memory, item: OriginItem, fetching: Promise<Fetched>): Promise<void> {
  try {
    const fetched = await fetching;
    if (fetched.kind === 'skipped') note(reading, memory, { ...item, ...fetched });
    if (fetched.kind === 'unchanged' || fetched.kind === 'gone')
      note(reading, memory, { kind: fetched.kind, originId: item.originId });
    if (fetched.kind !== 'content') return;
    reading.stored[item.originId] = Buffer.concat(await Array.fromAsync(fetched.content.body)).toString();
    const changes = fetched.content.changes ?? {};
    reading.items.set(item.originId, { ...item, ...changes });
    memory.set(item.originId, {
      revision: changes.revision === undefined ? item.revision : changes.revision,
      state: fetched.content.state ?? null,
    });
  } catch (error) {
    reading.failed[item.originId] = (error as Error).message;
  }
}

/** Returns the title and the message that a person reads; an error of the service has its code as title. */
export async function problemOf(promise: Promise<unknown>): Promise<OriginError['problem']> {
  const outcome = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (outcome instanceof OriginError) return outcome.problem;
  if (outcome instanceof ServiceError) return { title: outcome.code, message: outcome.message, retryable: true };
  throw new Error('no error that a person could read', { cause: outcome });
}

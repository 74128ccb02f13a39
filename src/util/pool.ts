import { abortReason } from './abort.ts';

/** Runs `work` for every item, at most `limit` at once. Rejects with the first failure after all running work has settled. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failure: { reason: unknown } | undefined;
  async function lane(): Promise<void> {
    while (next < items.length && !failure) {
      const item = items[next++] as T;
      try {
        await work(item);
      } catch (reason) {
        failure ??= { reason };
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failure) throw failure.reason;
}

/** Whose work waits. Owners take turns, and within an owner its parts: tenants, and within a tenant the families of its keys. */
export interface Whose {
  owner?: string | undefined;
  part?: string | undefined;
}

/** Runs work, at most a number of pieces at once. When all places are taken, owners and their parts take turns. */
export interface Gate {
  /** @throws the signal's reason when it aborts before the work begins. */
  <T>(work: () => Promise<T>, whose?: Whose, signal?: AbortSignal): Promise<T>;
  /**
   * Waits for a place and takes it. Returns the function that frees the place.
   *
   * @throws the signal's reason when it aborts before.
   */
  enter(whose: Whose, signal?: AbortSignal): Promise<() => void>;
}

export function openGate(places: number): Gate {
  const waiting = openFairQueue<{ start(): void; hasLeft: boolean }>();
  let free = places;
  const next = (): void => {
    let one = waiting.shift();
    while (one?.hasLeft) one = waiting.shift();
    if (one) one.start();
    else free += 1;
  };
  /** Returns the function that frees a place, once. */
  const leaving = (): (() => void) => {
    let isInside = true;
    return () => {
      if (isInside) next();
      isInside = false;
    };
  };
  const enter: Gate['enter'] = ({ owner = '', part }, signal) => {
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    if (free > 0) {
      free -= 1;
      return Promise.resolve(leaving());
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        one.hasLeft = true;
        reject(abortReason(signal!));
      };
      const one = {
        hasLeft: false,
        start() {
          signal?.removeEventListener('abort', leave);
          resolve(leaving());
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(owner, one, part);
    });
  };
  const run = async <T>(work: () => Promise<T>, whose: Whose = {}, signal?: AbortSignal): Promise<T> => {
    const leave = await enter(whose, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return Object.assign(run, { enter });
}

/**
 * A queue in which owners take turns, and within an owner its parts: the items of each part keep their order, and nobody waits for all
 * items of another.
 */
export interface FairQueue<T> {
  push(owner: string, item: T, part?: string): void;
  /** Removes and returns the next item of the owner whose turn it is; undefined if the queue is empty. */
  shift(): T | undefined;
  /** Returns the next item without removing it. */
  peek(): T | undefined;
  readonly length: number;
}

export function openFairQueue<T>(): FairQueue<T> {
  /** The items by owner and part, both in the order of turns. */
  const items = new Map<string, Map<string, T[]>>();
  let length = 0;
  /** Whose item was removed last. Others that came since then go first. */
  let last: { owner: string; part: string } | undefined;
  const settle = (): void => {
    if (!last) return;
    moveToEnd(items, last.owner);
    moveToEnd(items.get(last.owner), last.part);
    last = undefined;
  };
  return {
    push(owner, item, part = '') {
      const parts = items.get(owner) ?? new Map<string, T[]>();
      items.set(owner, parts);
      const own = parts.get(part);
      if (own) own.push(item);
      else parts.set(part, [item]);
      length += 1;
    },
    shift() {
      settle();
      const [first] = items;
      if (!first) return undefined;
      const [owner, parts] = first;
      const [part, own] = parts.entries().next().value!;
      const item = own.shift();
      if (own.length === 0) parts.delete(part);
      if (parts.size === 0) items.delete(owner);
      last = { owner, part };
      length -= 1;
      return item;
    },
    peek() {
      settle();
      const [parts] = items.values();
      const [own] = parts?.values() ?? [];
      return own?.[0];
    },
    get length() {
      return length;
    },
  };
}

function moveToEnd<V>(entries: Map<string, V> | undefined, key: string): void {
  const value = entries?.get(key);
  if (value === undefined) return;
  entries!.delete(key);
  entries!.set(key, value);
}

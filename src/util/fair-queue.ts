/** A queue in which owners take turns: each owner's items keep their order, and no owner waits for all items of another. */
export interface FairQueue<T> {
  push(owner: string, item: T): void;
  /** Removes and returns the next item of the owner whose turn it is; undefined if the queue is empty. */
  shift(): T | undefined;
  readonly length: number;
}

export function openFairQueue<T>(): FairQueue<T> {
  /** The items by owner, in the order of turns. */
  const items = new Map<string, T[]>();
  let length = 0;
  return {
    push(owner, item) {
      const own = items.get(owner);
      if (own) own.push(item);
      else items.set(owner, [item]);
      length += 1;
    },
    shift() {
      const [first] = items;
      if (!first) return undefined;
      const [owner, own] = first;
      items.delete(owner);
      const item = own.shift();
      if (own.length > 0) items.set(owner, own);
      length -= 1;
      return item;
    },
    get length() {
      return length;
    },
  };
}

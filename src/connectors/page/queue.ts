/**
 * The nodes that a walk still has to visit, and the place where a walk that was cut off goes on.
 *
 * The place is the node to visit next, with the nodes around it. The next attempt lists only these, and leaves out what their lists have
 * before the place. It is short for trees of any size. If a part of it has moved meanwhile, everything around it is visited again.
 */
import type { Node } from './nodes.ts';

interface Waiting {
  node: Node;
  /** Keys of the nodes around it, from the root. */
  around: readonly string[];
}

export class Queue {
  readonly #waiting: Waiting[] = [];
  readonly #place: ReadonlySet<string>;
  /** Keys of the node that is visited and of the nodes around it, from the root. */
  #visited: readonly string[] = [];

  /** @param place where a walk that was cut off goes on; empty: the walk begins. */
  constructor(place: readonly string[]) {
    this.#place = new Set(place);
  }

  /** Returns the node to visit next. What is added then counts as inside it. */
  next(): Node | undefined {
    const next = this.#waiting.pop();
    if (next !== undefined) this.#visited = placeOf(next);
    return next?.node;
  }

  /** Adds nodes in their order: the first node and everything below it is visited before the second. */
  add(nodes: readonly Node[]): void {
    const first = nodes.findIndex((node) => this.#place.has(keyOf(node)));
    const left = nodes.slice(Math.max(first, 0)).toReversed();
    for (const node of left) this.#waiting.push({ node, around: this.#visited });
  }

  /** Returns the place to go on at; undefined if no node is left. */
  place(): string[] | undefined {
    const next = this.#waiting.at(-1);
    return next && placeOf(next);
  }
}

function placeOf({ node, around }: Waiting): string[] {
  return [...around, keyOf(node)];
}

/** A data source has several nodes, one for each list of its rows. */
function keyOf(node: Node): string {
  return node.kind === 'rows' ? `${node.id} ${node.since ?? ''} ${node.cursor ?? ''}` : node.id;
}

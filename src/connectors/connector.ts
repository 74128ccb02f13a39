/**
 * The port of every origin that is kept in step: Drive folders, page workspaces, repositories, web sites.
 *
 * A connector says what is there (`list`) and brings bytes (`fetch`). It keeps nothing between calls and writes nothing: what
 * is new, changed or gone is decided by `ingest/origins/run-connector.ts` from revisions, and remembered by it. All its requests go
 * through `net/http-client.ts`.
 */
import type { Opaque, Origin, OriginKind } from '../corpus/origin.ts';
import type { TypedMetadata } from '../corpus/values.ts';

/** One thing at the origin that becomes one source. */
export interface OriginItem {
  /** Names it for ever, also when it is moved or renamed; unique within the origin. */
  originId: string;
  /** As people know it, with an ending where it is a file. */
  name: string;
  /** Where people open it. */
  url: string | null;
  /** Equal revisions mean equal bytes: the item is neither fetched nor parsed again. Null: fetch, then compare the bytes. */
  revision: string | null;
  /** Last modification at the origin; null where it is not known. */
  modifiedAt: Date | null;
  /** Origin records of the source: path, author, … They may change while `revision` does not (a move, a new name). */
  metadata: TypedMetadata;
  /** What `fetch` needs. */
  locator: Opaque;
}

/** What was stored for an item at the last run. */
export interface KnownItem {
  revision: string | null;
  /** As `Content.state` of the fetch that was stored. */
  state: Opaque | null;
}

export interface Content {
  body: AsyncIterable<Uint8Array>;
  /** Kept with the source and given back as `KnownItem.state`: validators, links of a page. At most 64 KiB of JSON. */
  state?: Opaque;
  /** Members of the item that only the fetch could tell. */
  changes?: Partial<Pick<OriginItem, 'name' | 'url' | 'revision' | 'modifiedAt' | 'metadata'>>;
}

/** For the person who reads the run: `title` is a short sentence, `message` says what to do. */
export interface OriginProblem {
  title: string;
  message: string;
  retryable: boolean;
}

export type Fetched =
  | { kind: 'content'; content: Content }
  /** What is stored is still right (304). */
  | { kind: 'unchanged' }
  /** Nothing to index, by rule (binary, noindex, too large): counted as skipped; what was stored before is removed. */
  | { kind: 'skipped'; reason: string }
  /** It went away between list and fetch. */
  | { kind: 'gone' };

export type Change =
  /** It is there. `content`: listing brought the bytes already; `fetch` is not called. */
  | { kind: 'present'; item: OriginItem; content?: Content }
  /** Incremental listings only: it is gone, or no longer part of the origin. */
  | { kind: 'gone'; originId: string }
  /** It is there and the same as what is stored: for connectors that know it before they can name a revision. */
  | { kind: 'unchanged'; originId: string }
  /** There, but not to be indexed, by rule. What was stored before is removed. */
  | { kind: 'skipped'; originId: string; name: string; reason: string }
  /** There, but not readable now: the run shows it, what was stored before stays. */
  | { kind: 'failed'; originId: string; name: string; problem: OriginProblem }
  /** How many items the listing knows of and has not named yet, for the run's progress. The last word holds. */
  | { kind: 'outlook'; waiting: number }
  /** Everything before it was said. A run that was cut off goes on from here: `list` gets it as `resume`. */
  | { kind: 'checkpoint'; resume: Opaque }
  /**
   * Last of every listing that saw everything it set out to see; without it the run fails and nothing is deleted. `full`: what
   * was not named in this listing is gone. `cursor`: where the next run begins, null for a full listing again.
   */
  | { kind: 'end'; full: boolean; cursor: Opaque | null };

export interface ListRequest {
  /** From the `end` of the last successful run of the same origin; null for a full listing. */
  cursor: Opaque | null;
  /** From the last `checkpoint` of this run, when it was cut off. */
  resume: Opaque | null;
  /** What is stored for an item, for conditional requests. */
  known(originId: string): Promise<KnownItem | undefined>;
  signal: AbortSignal;
}

export interface Connector<Kind extends OriginKind = OriginKind> {
  readonly kind: Kind;
  /**
   * @throws OriginError; ServiceError upstream_failed, upstream_timeout.
   */
  list(origin: Extract<Origin, { kind: Kind }>, credential: string | null, request: ListRequest): AsyncIterable<Change>;
  /** @throws as `list`; an error of a single item is a `retryable` or lasting failure of that item alone. */
  fetch(
    origin: Extract<Origin, { kind: Kind }>,
    credential: string | null,
    item: OriginItem,
    known: KnownItem | undefined,
    signal: AbortSignal,
  ): Promise<Fetched>;
  /** Reads what a caller sent, without asking the origin. @throws ServiceError invalid_request for what can never work. */
  check(origin: Extract<Origin, { kind: Kind }>, credential: string | null): void;
}

/** The origin refused, or answered with something that makes no sense. Ends the run as `failure`; nothing is deleted. */
export class OriginError extends Error {
  override readonly name = 'OriginError';
  readonly problem: OriginProblem;
  /** The cursor is too old: list once more without it. */
  readonly cursorExpired: boolean;

  constructor(problem: OriginProblem, options: { cause?: unknown; cursorExpired?: boolean } = {}) {
    super(`${problem.title}: ${problem.message}`, { cause: options.cause });
    this.problem = problem;
    this.cursorExpired = options.cursorExpired ?? false;
  }
}

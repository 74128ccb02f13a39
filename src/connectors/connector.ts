/**
 * The port of every origin that sources follow: Drive folders, page workspaces, repositories, web sites, databases.
 *
 * A connector lists the items of an origin (`list`) and fetches their bytes (`fetch`). It keeps no state between calls and
 * writes nothing. `ingest/origins/run-connector.ts` compares revisions to decide which items are new, changed or gone, and
 * stores the results. All requests of a connector go through `net/http-client.ts`.
 */
import type { Opaque, Origin, OriginKind } from '../corpus/origin.ts';
import type { TypedMetadata } from '../corpus/values.ts';
import { ServiceError } from '../errors.ts';

/** One thing at the origin that becomes one source. */
export interface OriginItem {
  /** Identifies the item for ever, also after a move or rename. Unique within the origin. */
  originId: string;
  /** The name that people see, with an ending if the item is a file. */
  name: string;
  /** The address where people open the item. */
  url: string | null;
  /**
   * Equal revisions mean equal bytes: the item is neither fetched nor parsed again. Null: the item is fetched and its bytes are
   * compared.
   */
  revision: string | null;
  /** Last modification at the origin; null if unknown. */
  modifiedAt: Date | null;
  /** Origin metadata of the source, such as path and author. A move or rename changes it without changing `revision`. */
  metadata: TypedMetadata;
  /** Values that `fetch` needs. */
  locator: Opaque;
}

/** The version of an item that an earlier run stored. */
export interface StoredVersion {
  revision: string | null;
  /** The `Content.state` of the fetch that was stored. */
  state: Opaque | null;
}

export interface Content {
  body: AsyncIterable<Uint8Array>;
  /**
   * Stored with the source and passed back as `StoredVersion.state`, for example validators or links of a page. At most 64 KiB
   * of JSON.
   */
  state?: Opaque;
  /** Members of the item that only the fetch could determine. */
  changes?: Partial<Pick<OriginItem, 'name' | 'url' | 'revision' | 'modifiedAt' | 'metadata'>>;
}

/** A problem, described for the person who reads the run: `title` is a short sentence, `message` says what to do. */
export interface OriginProblem {
  title: string;
  message: string;
  retryable: boolean;
}

export type Fetched =
  | { kind: 'content'; content: Content }
  /** The stored version is still current (status 304). */
  | { kind: 'unchanged' }
  /** A rule excludes the item (binary, noindex, too large). The item counts as skipped, and its stored version is removed. */
  | { kind: 'skipped'; reason: string }
  /** The item disappeared between list and fetch. */
  | { kind: 'gone' };

export type Change =
  /** The item exists. With `content` the listing already brought the bytes, and `fetch` is not called. */
  | { kind: 'present'; item: OriginItem; content?: Content }
  /** Only in incremental listings, and for items that a full listing asked for: the item is gone, or no longer part of the origin. */
  | { kind: 'gone'; originId: string }
  /**
   * These items have other ids now. Their sources get the new ids and stay; the listing reports the items afterwards. Their bytes are
   * fetched again and compared.
   */
  | { kind: 'moved'; moves: readonly { from: string; to: string }[] }
  /** The item exists and equals the stored version. For connectors that detect this before they know a revision. */
  | { kind: 'unchanged'; originId: string }
  /** The item exists, but a rule excludes it. Its stored version is removed. */
  | { kind: 'skipped'; originId: string; name: string; reason: string }
  /** The item exists, but cannot be read now. The run reports it, and its stored version stays. */
  | { kind: 'failed'; originId: string; name: string; problem: OriginProblem }
  /** Number of items that the listing knows and has not reported yet, for the run's progress. The last value counts. */
  | { kind: 'outlook'; waiting: number }
  /** All items before this point were reported. An interrupted run continues here: `list` receives `resume`. */
  | { kind: 'checkpoint'; resume: Opaque }
  /**
   * As a checkpoint, for a listing that knows too much to write it down again and again: `readSteps` returns all steps of the run. It is
   * stored with the next items, so a listing may report one after each item.
   */
  | { kind: 'step'; step: Opaque }
  /**
   * The last change of a complete listing; without it the run fails and nothing is deleted. `full`: items that this listing did
   * not report are gone. `cursor`: where the next run starts; null for another full listing. `notice`: what a person should know of a
   * run that succeeded.
   */
  | { kind: 'end'; full: boolean; cursor: Opaque | null; notice?: OriginProblem };

export interface ListRequest {
  /** From the `end` of the last successful run of the same origin; null for a full listing. */
  cursor: Opaque | null;
  /** From the last `checkpoint` of this run, when it was cut off. */
  resume: Opaque | null;
  /** Returns the stored version of an item, for conditional requests. Calls at the same moment cost one statement. */
  findStored(originId: string): Promise<StoredVersion | undefined>;
  /** Returns the ids of all stored items, for connectors that ask for items which the listing did not reach. */
  listStored?(): Promise<string[]>;
  /** Returns the ids of the stored items that this run has not reported yet, also not before it was cut off. */
  listUnreported?(): Promise<string[]>;
  /** Returns the steps that this run reported before it was cut off, in their order, in blocks. */
  readSteps?(): AsyncIterable<readonly Opaque[]>;
  /** Returns the stored items that have one of these revisions, for connectors that report `moved`. */
  findRevisions?(revisions: readonly string[]): Promise<{ originId: string; revision: string }[]>;
  signal: AbortSignal;
}

export interface Connector<Kind extends OriginKind = OriginKind> {
  readonly kind: Kind;
  /** Lists the items of the origin. @throws OriginError; ServiceError upstream_failed, upstream_timeout. */
  list(origin: Extract<Origin, { kind: Kind }>, credential: string | null, request: ListRequest): AsyncIterable<Change>;
  /** Fetches one item. @throws the same errors as `list`; an error fails only this item. */
  fetch(
    origin: Extract<Origin, { kind: Kind }>,
    credential: string | null,
    item: OriginItem,
    stored: StoredVersion | undefined,
    signal: AbortSignal,
  ): Promise<Fetched>;
  /**
   * Checks the settings that a caller sent, without a request to the origin. @throws ServiceError invalid_request for settings
   * that can never work.
   */
  check(origin: Extract<Origin, { kind: Kind }>, credential: string | null): void;
  /**
   * Returns a cursor whose run reports these items again; their listing or fetch failed. The caller names at most 1,000 items. Null: the
   * next run must start where this one started. Absent: as null.
   */
  withFailed?(cursor: Opaque, originIds: readonly string[]): Opaque | null;
  /** Returns the account that the credential names, without a request. Absent: credentials of this kind name none. */
  account?(credential: string): string | null;
}

/** The origin refused a request or sent an unusable response. The run ends as `failure` and deletes nothing. */
export class OriginError extends Error {
  override readonly name = 'OriginError';
  readonly problem: OriginProblem;
  /** The cursor has expired: the caller must list again without it. */
  readonly cursorExpired: boolean;

  constructor(problem: OriginProblem, options: { cause?: unknown; cursorExpired?: boolean } = {}) {
    super(`${problem.title}: ${problem.message}`, { cause: options.cause });
    this.problem = problem;
    this.cursorExpired = options.cursorExpired ?? false;
  }
}

/** Parses a stored setting or secret again, because it may have been replaced since its check. @throws OriginError with the title. */
export function parseStored<Parsed>(title: string, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new OriginError({ title, message: error.message, retryable: false });
  }
}

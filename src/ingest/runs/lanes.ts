/** Processes claimed files, several at once, and keeps their results until the caller stores them. */

import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { isPending } from '../../corpus/source-lookup.ts';
import type { FileFailure } from '../../corpus/values.ts';
import type { ProcessOutcome } from '../../files/parsed.ts';
import { type ActiveRun, checkFence, RunLost } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { ClaimedSource } from './claimed-source.ts';
import { openIncludes } from './includes.ts';
import { failedRows, type SourceRows, type StagedMember, toRows } from './rows.ts';

/** No further file starts while the unstored results weigh more than this: memory stays bounded. */
const WAITING_WEIGHT_MAX = 8_000_000;
/** Tries of a file whose failure is retryable, and the pauses between the tries. */
const TRIES_MAX = 3;
const RETRY_PAUSES_MS = [1_000, 4_000];

export interface Lanes {
  add(sources: readonly ClaimedSource[]): void;
  /** Records a claimed file as failed without processing it. */
  refuse(source: ClaimedSource, failure: FileFailure): void;
  /** Returns the number of files that wait for a lane. */
  queued(): number;
  /** Returns the number of files that are queued, in a lane, or waiting for another try. */
  unfinished(): number;
  /** Results that the caller has not removed yet, oldest first. The caller removes them from the front. */
  readonly finished: { rows: SourceRows; at: number }[];
  /** Resolves when a file finishes, after `ms`, or when the signal aborts. */
  nextChange(ms: number): Promise<void>;
  /** Starts queued files. Call this method after removing results. */
  pump(): void;
  /** Returns the ids of sources that were added and are not finished. */
  unfinishedIds(): string[];
  /** Resolves when no file is in a lane. The signal must be aborted before the call. */
  settle(): Promise<void>;
}

/** Opens lanes. @param width maximum number of files that are processed at once. */
export function openLanes(deps: IngestDeps, active: ActiveRun, width: number, signal: AbortSignal): Lanes {
  const queue: { source: ClaimedSource; tries: number }[] = [];
  const unfinished = new Set<string>();
  const running = new Set<Promise<void>>();
  const finished: Lanes['finished'] = [];
  let wake = (): void => undefined;
  signal.addEventListener('abort', () => wake(), { once: true });

  function pump(): void {
    while (running.size < width && queue.length > 0 && !signal.aborted) {
      if (finished.reduce((sum, { rows }) => sum + rows.weight, 0) > WAITING_WEIGHT_MAX) return;
      const { source, tries } = queue.shift()!;
      const lane = runFile(source, tries).finally(() => {
        running.delete(lane);
        pump();
        wake();
      });
      running.add(lane);
    }
  }

  async function runFile(source: ClaimedSource, tries: number): Promise<void> {
    const members: StagedMember[] = [];
    const includes = new Map<string, string | null>();
    const startedAt = performance.now();
    const outcome = await processOne(deps, active, source, { members, includes }, signal);
    const readMs = Math.round(performance.now() - startedAt);
    // The message of a large file took a turn of the event loop to decode. Its rows, which take as long, get another turn.
    await turn();
    if (!outcome?.ok || signal.aborted) await deps.blobs.discard(members.map(({ staged }) => staged));
    if (!outcome || signal.aborted) return;
    const pause = RETRY_PAUSES_MS[tries];
    if (!outcome.ok && outcome.failure.retryable && tries + 1 < TRIES_MAX && pause !== undefined) {
      setTimeout(() => {
        queue.push({ source, tries: tries + 1 });
        pump();
      }, pause);
      return;
    }
    finish(source, { ...toRows(source, outcome, members, includes), readMs });
  }

  function finish(source: ClaimedSource, rows: SourceRows): void {
    unfinished.delete(source.id);
    finished.push({ rows, at: performance.now() });
  }

  return {
    add(sources) {
      for (const source of sources) {
        unfinished.add(source.id);
        queue.push({ source, tries: 0 });
      }
      pump();
    },
    refuse: (source, failure) => finish(source, failedRows(source, failure)),
    queued: () => queue.length,
    unfinished: () => unfinished.size,
    finished,
    nextChange: (ms) => {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    pump,
    unfinishedIds: () => [...unfinished],
    settle: async () => {
      await Promise.all(running);
    },
  };
}

/** Processes one file. Returns undefined when the signal aborted. An error that the file did not cause counts as retryable. */
async function processOne(
  deps: IngestDeps,
  active: ActiveRun,
  source: ClaimedSource,
  { members, includes }: { members: StagedMember[]; includes: Map<string, string | null> },
  signal: AbortSignal,
): Promise<ProcessOutcome | undefined> {
  const { name, fileSize: size, memberDepth: depth } = source;
  const redaction = source.ingestRules && { redaction: source.ingestRules };
  const origin = {
    ...(source.groupPath !== null && { groupPath: source.groupPath }),
    ...(source.folderPath !== null && { folderPath: source.folderPath }),
    ...(source.url && { url: source.url }),
    ...(source.charset && { charset: source.charset }),
  };
  try {
    const path = deps.blobs.localPath(active.tenantId, source.blobHash);
    const outcome = await deps.processor.process(
      { path, name, size, chunkMetadataKeys: active.chunkMetadataKeys, depth, ...origin, ...redaction },
      signal,
      async (member) => {
        const staged = await deps.blobs.stage(active.tenantId, Readable.from([member.bytes]));
        const before = members[member.index];
        members[member.index] = { name: member.name, staged };
        // The processor started the file again.
        if (before) await deps.blobs.discard([before.staged]);
      },
      { owner: active.tenantId, part: active.groupId },
      openIncludes(deps, active, source, includes),
    );
    if (!outcome.ok && outcome.failure.isMissing && !(await wasDeleted(deps, active, source)))
      deps.log.error({ sourceId: source.id }, 'a stored file is missing');
    return outcome;
  } catch (error) {
    if (signal.aborted) return undefined;
    deps.log.error({ err: error, sourceId: source.id }, 'a file could not be processed');
    return { ok: false, failure: UNEXPECTED };
  }
}

/**
 * Returns whether the file was deleted while it waited for a lane. This is no error: the transaction that stores the outcome
 * drops it.
 */
async function wasDeleted(deps: IngestDeps, active: ActiveRun, source: ClaimedSource): Promise<boolean> {
  try {
    return await deps.db.transaction(active.tenantId, async (tx) => {
      await checkFence(tx, active);
      return !(await isPending(tx, source.id));
    });
  } catch (error) {
    return error instanceof RunLost;
  }
}

const UNEXPECTED: FileFailure = {
  stage: 'parse',
  title: 'The file could not be processed',
  message: 'An internal error occurred. The log of the service says more.',
  retryable: true,
};

/** Receives the bytes of items from their origin into the staging area. An item that fails does not fail the others. */
import type { StagedBlob } from '../../blobs/blob-store.ts';
import type { Connector, Content, OriginItem } from '../../connectors/connector.ts';
import type { Opaque, Origin } from '../../corpus/origin.ts';
import type { StoredItem } from '../../corpus/origin-store.ts';
import { ServiceError } from '../../errors.ts';
import { overLimit } from '../../files/failure.ts';
import { FILE_BYTES_MAX } from '../../files/parsed.ts';
import { unlessAborted } from '../../util/abort.ts';
import type { ActiveRun } from '../fence.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { cleanItem, cleanReason, cleanState, type Received } from './decide.ts';
import { fetchFailure, UNEXPECTED } from './problems.ts';

/** Characters of JSON of the state that a connector keeps for an item until the next run. */
const STATE_LENGTH_MAX = 64 * 1024;

/** An origin that a run reads, with everything that requests to the origin need. */
export interface OpenOrigin {
  active: ActiveRun;
  connector: Connector;
  origin: Origin;
  /** Must never be logged. */
  credential: string | null;
  /** Called after each transaction that stored items. */
  onStored?: () => void;
}

/**
 * Fetches one item. `item` must be the connector's own, uncleaned item. @throws errors that are not the item's fault;
 * the signal's reason.
 */
export async function fetchItem(
  deps: IngestDeps,
  { active, connector, origin, credential }: OpenOrigin,
  item: OriginItem,
  stored: StoredItem | undefined,
  signal: AbortSignal,
): Promise<Received> {
  const clean = cleanItem(item);
  const { originId } = clean;
  const storedVersion = stored && { revision: stored.revision, state: stored.state };
  try {
    const fetched = await unlessAborted(connector.fetch(origin, credential, item, storedVersion, signal), signal);
    if (fetched.kind === 'content') return await receive(deps, active, item, fetched.content, signal);
    if (fetched.kind === 'unchanged') return { kind: 'same', originId, item: clean };
    if (fetched.kind === 'skipped')
      return { kind: 'skipped', originId, name: clean.name, reason: cleanReason(fetched.reason) };
    return { kind: 'gone', originId };
  } catch (error) {
    return failed(deps, active, clean, error, signal);
  }
}

/** Receives the bytes that came with the listing. @throws the same errors as `fetchItem`. */
export async function receiveContent(
  deps: IngestDeps,
  active: ActiveRun,
  item: OriginItem,
  content: Content,
  signal: AbortSignal,
): Promise<Received> {
  try {
    return await receive(deps, active, item, content, signal);
  } catch (error) {
    return failed(deps, active, cleanItem(item), error, signal);
  }
}

async function receive(
  deps: IngestDeps,
  { tenantId }: ActiveRun,
  item: OriginItem,
  content: Content,
  signal: AbortSignal,
): Promise<Received> {
  const bytes: StagedBlob = await deps.blobs.stage(tenantId, atMost(content.body, FILE_BYTES_MAX), signal);
  try {
    return {
      kind: 'fetched',
      item: cleanItem({ ...item, ...content.changes, originId: item.originId }),
      bytes,
      state: content.state === undefined ? null : checkedState(content.state),
    };
  } catch (error) {
    await deps.blobs.discard([bytes]);
    throw error;
  }
}

function checkedState(state: Opaque): Opaque {
  const clean = cleanState(state);
  if (JSON.stringify(clean).length > STATE_LENGTH_MAX) throw new Error('the state of an item is too long');
  return clean;
}

async function* atMost(body: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let left = bytesMax;
  for await (const bytes of body) {
    left -= bytes.length;
    if (left < 0) throw overLimit(`The file has more than ${bytesMax / 1024 / 1024} MiB.`, 'fetch');
    yield bytes;
  }
}

function failed(
  deps: IngestDeps,
  { runId }: ActiveRun,
  { originId, name }: OriginItem,
  error: unknown,
  signal: AbortSignal,
): Received {
  signal.throwIfAborted();
  const failure = fetchFailure(error);
  if (failure) {
    deps.log.info({ err: error, runId }, 'an item of an origin could not be fetched');
    return { kind: 'failed', originId, name, failure };
  }
  // The item did not cause this error, for example a full disk. The job retries the run.
  if (error instanceof ServiceError) throw error;
  deps.log.error({ err: error, runId }, 'an item of an origin could not be fetched');
  return { kind: 'failed', originId, name, failure: UNEXPECTED };
}

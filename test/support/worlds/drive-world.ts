/** A Drive connector on a fake Drive, and the items that a service would have stored. */

import type {
  Change,
  Connector,
  Content,
  Fetched,
  OriginItem,
  StoredVersion,
} from '../../../src/connectors/connector.ts';
import { openDriveConnector } from '../../../src/connectors/drive/connector.ts';
import type { Opaque } from '../../../src/corpus/origin.ts';
import { type HttpClient, openHttpClient } from '../../../src/net/http-client.ts';
import { type FakeDrive, type FakeDriveOptions, openFakeDrive } from '../fakes/drive.ts';

const RETRY_BASE_MS = 1;
export const HOUR_MS = 3_600_000;

export interface Listing {
  present: OriginItem[];
  gone: string[];
  skipped: { originId: string; name: string; reason: string }[];
  failed: { originId: string; name: string; title: string }[];
  checkpoints: Opaque[];
  /** Undefined if the listing was incomplete. */
  end: { full: boolean; cursor: Opaque | null } | undefined;
}

export interface DriveWorld extends AsyncDisposable {
  fake: FakeDrive;
  http: HttpClient;
  connector: Connector<'drive'>;
  /** Stored items: originId -> item. */
  stored: Map<string, { item: OriginItem; known: StoredVersion; text: string }>;
  setNow(now: Date): void;
  /** Timeout of every request in milliseconds; null uses the timeout of the connector. */
  setTimeoutMs(timeoutMs: number | null): void;
  list(cursor?: Opaque | null, resume?: Opaque | null, folderUrl?: string): Promise<Listing>;
  /** Returns all changes in the order of the listing. */
  changes(cursor?: Opaque | null, resume?: Opaque | null, folderUrl?: string): AsyncIterable<Change>;
  fetch(item: OriginItem): Promise<Fetched>;
  /** Executes a whole run: lists, fetches new and changed items, removes deleted items. Returns these actions. */
  run(cursor?: Opaque | null, folderUrl?: string): Promise<{ listing: Listing; fetched: string[]; removed: string[] }>;
}

export async function openDriveWorld(
  options: FakeDriveOptions & { readsPictures?: boolean } = {},
): Promise<DriveWorld> {
  let now = new Date();
  let timeoutMs: number | null = null;
  const fake = await openFakeDrive({ now: () => now, ...options });
  const client = openHttpClient({ allow: [] });
  const http: HttpClient = {
    ...client,
    request: (url, request) => client.request(url, timeoutMs === null ? request : { ...request, timeoutMs }),
  };
  const connector = openDriveConnector({
    http,
    baseUrl: fake.url,
    clock: { now: () => now },
    readsPictures: options.readsPictures ?? false,
    retryBaseMs: RETRY_BASE_MS,
  });
  const stored: DriveWorld['stored'] = new Map();
  const signal = new AbortController().signal;
  const origin = (folderUrl = fake.state.root) => ({ kind: 'drive' as const, folderUrl });
  const world: DriveWorld = {
    fake,
    http,
    connector,
    stored,
    setNow(to) {
      now = to;
    },
    setTimeoutMs(to) {
      timeoutMs = to;
    },
    changes(cursor = null, resume = null, folderUrl = undefined) {
      const findStored = async (id: string) => stored.get(id)?.known;
      const reported = new Set<string>();
      const listUnreported = async () => [...stored.keys()].filter((id) => !reported.has(id));
      const request = { cursor, resume, findStored, listUnreported, signal };
      return noted(connector.list(origin(folderUrl), fake.key, request), reported);
    },
    async list(cursor, resume, folderUrl) {
      const listing = emptyListing();
      for await (const change of world.changes(cursor, resume, folderUrl)) note(listing, change);
      return listing;
    },
    fetch: (item) => connector.fetch(origin(), fake.key, item, stored.get(item.originId)?.known, signal),
    async run(cursor, folderUrl) {
      const listing = await world.list(cursor, null, folderUrl);
      const fetched: string[] = [];
      for (const item of listing.present) if (await store(world, item)) fetched.push(item.originId);
      const named = new Set([...listing.present, ...listing.failed].map(({ originId }) => originId));
      const removed = [...stored.keys()].filter(
        (id) =>
          listing.gone.includes(id) ||
          listing.skipped.some(({ originId }) => originId === id) ||
          (listing.end?.full === true && !named.has(id)),
      );
      for (const id of removed) stored.delete(id);
      return { listing, fetched, removed };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await fake.close();
    },
  };
  return world;
}

async function* noted(changes: AsyncIterable<Change>, reported: Set<string>): AsyncGenerator<Change> {
  for await (const change of changes) {
    if (change.kind === 'present') reported.add(change.item.originId);
    if ('originId' in change) reported.add(change.originId);
    yield change;
  }
}

/** Returns true if bytes were transferred. */
async function store(world: DriveWorld, item: OriginItem): Promise<boolean> {
  const before = world.stored.get(item.originId);
  if (before && item.revision !== null && before.known.revision === item.revision) {
    world.stored.set(item.originId, { ...before, item });
    return false;
  }
  const answer = await world.fetch(item);
  if (answer.kind !== 'content') {
    world.stored.delete(item.originId);
    return true;
  }
  const { content } = answer;
  const known = { revision: content.changes?.revision ?? item.revision, state: content.state ?? null };
  world.stored.set(item.originId, { item: { ...item, ...content.changes }, known, text: await textOf(content) });
  return true;
}

export async function textOf(content: Content): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content.body)).toString('utf8');
}

function emptyListing(): Listing {
  return { present: [], gone: [], skipped: [], failed: [], checkpoints: [], end: undefined };
}

function note(listing: Listing, change: Change): void {
  if (listing.end) throw new Error('something came after the end');
  if (change.kind === 'present') listing.present.push(change.item);
  else if (change.kind === 'gone') listing.gone.push(change.originId);
  else if (change.kind === 'skipped')
    listing.skipped.push({ originId: change.originId, name: change.name, reason: change.reason });
  else if (change.kind === 'failed')
    listing.failed.push({ originId: change.originId, name: change.name, title: change.problem.title });
  else if (change.kind === 'checkpoint') listing.checkpoints.push(JSON.parse(JSON.stringify(change.resume)));
  else if (change.kind === 'end')
    listing.end = { full: change.full, cursor: JSON.parse(JSON.stringify(change.cursor)) };
}

/** path -> originId. */
export function pathsIn(listing: Listing): Record<string, string> {
  return Object.fromEntries(listing.present.map((item) => [item.metadata['path']?.val ?? '', item.originId]));
}

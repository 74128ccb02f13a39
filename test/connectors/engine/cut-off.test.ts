/**
 * Runs that are cut off in the middle of a listing, while the origin changes and fails: nothing is removed that the origin still has, and
 * after the next complete run the sources are those of the origin.
 */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { Connector } from '../../../src/connectors/connector.ts';
import { openDriveConnector } from '../../../src/connectors/drive/connector.ts';
import { openPageConnector } from '../../../src/connectors/page/connector.ts';
import type { Origin } from '../../../src/corpus/origin.ts';
import { sql } from '../../../src/db/sql.ts';
import type { Overrides } from '../../../src/deps.ts';
import { openHttpClient } from '../../../src/net/http-client.ts';
import { type DriveFault, openFakeDrive } from '../../support/fakes/drive.ts';
import { type Fault, openFakeNotion } from '../../support/fakes/notion.ts';
import { paragraph } from '../../support/fakes/notion-world.ts';
import { type ConnectorWorld, openConnectorWorld } from '../../support/worlds/connector-world.ts';

const HOUR_MS = 3_600_000;

type Weather = 'fair' | 'failing' | 'busy' | 'empty';

/** An origin of two parts, which are listed one after the other. */
interface TwoParts {
  connector: Pick<Connector, 'kind'>;
  origin: Origin;
  credential: string;
  parts: { first: string; second: string };
  /** More items than the connector lists between two checkpoints. */
  items: number;
  /** Changes the origin so that the next run lists all of it. */
  change(): void;
  add(part: string, name: string): string;
  move(id: string, part: string): void;
  rename(id: string, name: string): void;
  remove(id: string): void;
  /** Returns the names of the items with their paths. */
  contents(): string[];
  /** Calls `act` once before the second part is listed. From then on its lists are answered as `weather` says. */
  beforeSecond(act: () => void, weather?: Weather): void;
  close(): Promise<void>;
}

async function driveParts(): Promise<TwoParts> {
  const fake = await openFakeDrive({ pageSizeMax: 100 });
  const { state } = fake;
  const http = openHttpClient({ allow: [] });
  const clock = { now: () => new Date() };
  const [first, middle] = [state.addFolder(state.root, 'First'), state.addFolder(state.root, 'Middle')];
  const second = state.addFolder(middle, 'Second');
  const paths = new Map([
    [first, 'First'],
    [second, 'Middle/Second'],
  ]);
  const faults: Record<Exclude<Weather, 'fair'>, DriveFault> = {
    failing: { status: 500 },
    busy: { status: 429, reason: 'rateLimitExceeded', retryAfter: '0' },
    empty: { status: 200, body: '{"files":[]}' },
  };
  return {
    connector: openDriveConnector({ http, baseUrl: fake.url, clock, readsPictures: false, retryBaseMs: 1 }),
    origin: { kind: 'drive', folderUrl: state.root },
    credential: fake.key,
    parts: { first, second },
    items: 210,
    change: () => void state.addFolder(state.root, 'Another'),
    add: (part, name) => state.addFile(part, `${name}.txt`, `The words of ${name}.`),
    move: (id, part) => state.move(id, part),
    rename: (id, name) => state.rename(id, `${name}.txt`),
    remove: (id) => state.trash(id),
    contents: () =>
      [...state.files.values()].flatMap(({ name, parents, trashed }) => {
        const path = paths.get(parents[0]!);
        return path === undefined || trashed ? [] : [`${path}/${name}`];
      }),
    beforeSecond(act, weather = 'fair') {
      let isDone = false;
      fake.heal();
      const fault = weather === 'fair' ? { status: 500 } : faults[weather];
      fake.fail('list', fault, weather === 'busy' ? 2 : Number.POSITIVE_INFINITY, (url) => {
        if (!url.searchParams.get('q')?.includes(second)) return false;
        if (!isDone) act();
        isDone = true;
        return weather !== 'fair';
      });
    },
    async close() {
      await http.close();
      await fake.close();
    },
  };
}

async function pageParts(): Promise<TwoParts> {
  let waitedMs = 0;
  const fake = await openFakeNotion({ now: () => new Date(Date.now() - HOUR_MS) });
  const { world } = fake;
  const http = openHttpClient({ allow: ['127.0.0.1'] });
  const connector = openPageConnector({
    http,
    baseUrl: fake.url,
    clock: { now: () => new Date(Date.now() + waitedMs) },
    async sleep(ms, signal) {
      signal.throwIfAborted();
      waitedMs += Math.ceil(ms);
    },
  });
  const root = world.addPage('Root');
  const [first, second] = [world.addPage('First', [], root), world.addPage('Second', [], root)];
  const items = new Map<string, { name: string; part: string }>();
  const pathOf = (part: string) => (part === first ? 'Root / First' : 'Root / Second');
  const faults: Record<Exclude<Weather, 'fair'>, Fault> = {
    failing: { status: 500 },
    busy: { status: 429, headers: { 'retry-after': '1' } },
    empty: 'empty',
  };
  return {
    connector,
    origin: { kind: 'page', pageId: root },
    credential: fake.token,
    parts: { first, second },
    items: 60,
    change() {},
    add(part, name) {
      const id = world.addPage(name, [paragraph(`The words of ${name}.`)], part);
      items.set(id, { name, part });
      return id;
    },
    move(id, part) {
      world.move(id, part);
      items.get(id)!.part = part;
    },
    rename(id, name) {
      world.rename(id, name);
      items.get(id)!.name = name;
    },
    remove(id) {
      world.trash(id);
      items.delete(id);
    },
    contents: () => [
      ' Root.md',
      'Root First.md',
      'Root Second.md',
      ...[...items.values()].map(({ name, part }) => `${pathOf(part)} ${name}.md`),
    ],
    beforeSecond(act, weather = 'fair') {
      let isDone = false;
      let refused = 0;
      fake.faults(({ path }) => {
        if (path !== `/v1/blocks/${second}/children`) return undefined;
        if (!isDone) act();
        isDone = true;
        if (weather === 'fair' || (weather === 'busy' && ++refused > 2)) return undefined;
        return faults[weather];
      });
    },
    async close() {
      await http.close();
      await fake.close();
    },
  };
}

let world: ConnectorWorld;
let origin: TwoParts;
let groupId: string;

afterEach(async () => {
  await world.close();
  await origin.close();
});

async function open(openParts: () => Promise<TwoParts>): Promise<void> {
  origin = await openParts();
  const connectors = { [origin.connector.kind]: origin.connector } as unknown as NonNullable<Overrides['connectors']>;
  world = await openConnectorWorld({ connectors });
  groupId = await world.makeGroup({ origin: origin.origin, secret: origin.credential });
}

/** Returns the ids of the sources by the ids of their items. */
async function sourceIds(): Promise<Map<string, string>> {
  const rows = await world.service.deps.db.query<{ originId: string; sourceId: string }>(
    world.service.tenantId,
    sql`select o.origin_id, s.id as source_id from source_origin o join source s on s.id = o.source_id and s.deleted_at is null
      where o.source_group_id = ${groupId}`,
  );
  return new Map(rows.map(({ originId, sourceId }) => [originId, sourceId]));
}

async function storedContents(): Promise<string[]> {
  const rows = await world.service.deps.db.query<{ name: string; path: string | null }>(
    world.service.tenantId,
    sql`select s.name, o.metadata -> 'path' ->> 'val' as path
      from source_origin o join source s on s.id = o.source_id and s.deleted_at is null where o.source_group_id = ${groupId}`,
  );
  return rows.map(({ name, path }) => (origin.origin.kind === 'drive' ? (path ?? '') : `${path ?? ''} ${name}`)).sort();
}

/** Lists until the second part comes, and stops there like a process that is killed. */
async function cutOff(runId: string): Promise<void> {
  const cut = new AbortController();
  origin.beforeSecond(() => cut.abort(new Error('cut off')));
  await assert.rejects(world.work(runId, cut.signal, false), /cut off/);
}

for (const [name, openParts] of [
  ['a Drive folder', driveParts],
  ['a page workspace', pageParts],
] as const)
  describe(`a run of ${name} that is cut off`, () => {
    for (const weather of ['fair', 'failing', 'busy', 'empty'] as const)
      test(`and goes on while the origin is ${weather}`, async () => {
        await open(openParts);
        const { first, second } = origin.parts;
        const early = Array.from({ length: origin.items }, (_, i) => origin.add(first, `early ${i}`));
        const late = Array.from({ length: 8 }, (_, i) => origin.add(second, `late ${i}`));
        assert.equal((await world.run(groupId)).status, 'success');
        assert.deepEqual(await storedContents(), origin.contents().sort());
        const before = await sourceIds();

        origin.change();
        origin.remove(early[0]!);
        origin.add(first, 'new');
        const runId = await world.queueRun(groupId);
        await cutOff(runId);
        origin.move(late[0]!, first);
        origin.move(early[1]!, second);
        origin.rename(late[1]!, 'other name');
        origin.remove(late[2]!);
        origin.remove(early[2]!);
        origin.add(first, 'newer');
        origin.beforeSecond(() => origin.move(late[3]!, first), weather);
        await world.work(runId);
        const after = await sourceIds();
        const removed = [...before.keys()].filter((id) => !after.has(id));
        const isGone = new Set([early[0], early[2], late[2]]);
        assert.deepEqual(
          removed.filter((id) => !isGone.has(id)),
          [],
          'no item is removed that the origin still has',
        );

        origin.beforeSecond(() => {});
        assert.equal((await world.run(groupId)).status, 'success');
        assert.deepEqual(await storedContents(), origin.contents().sort());
        const last = await sourceIds();
        const kept = [...before].filter(([id]) => !isGone.has(id));
        assert.deepEqual(
          kept,
          kept.map(([id]) => [id, last.get(id)]),
        );
        await world.assertSound();
      });
  });

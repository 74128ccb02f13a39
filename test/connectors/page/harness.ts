/** Runs the page connector against the fake workspace, and stores what a run would store. */
import type { Change, OriginItem, StoredVersion } from '../../../src/connectors/connector.ts';
import { openPageConnector } from '../../../src/connectors/page/connector.ts';
import type { Opaque } from '../../../src/corpus/origin.ts';
import { type HttpClient, openHttpClient } from '../../../src/net/http-client.ts';
import { type FakeNotion, type FakeNotionOptions, openFakeNotion } from '../../support/fakes/notion.ts';

export interface Stored extends StoredVersion {
  item: OriginItem;
  text: string;
}

export interface Run {
  /** The outcome of each item. */
  outcome: Map<string, string>;
  changes: Change[];
  /** Contents from the listing or from a fetch. */
  bodies: number;
}

export interface PageHarness {
  fake: FakeNotion;
  http: HttpClient;
  connector: ReturnType<typeof openPageConnector>;
  stored: Map<string, Stored>;
  /** The clock of connector and workspace; waiting advances it. */
  advance(ms: number): void;
  time(): number;
  /** Waits of the connector, in milliseconds. */
  waits: number[];
  /** @param options.goesOn this is the last run, which was cut off. */
  run(pageId: string, options?: { credential?: string; goesOn?: boolean }): Promise<Run>;
  /** Returns the text of the source with this name. */
  textOf(name: string): string | undefined;
  close(): Promise<void>;
}

export interface HarnessOptions extends FakeNotionOptions {
  timeoutMs?: number;
  /** Private hosts that tenants may use. */
  allow?: readonly string[];
}

export async function openPageHarness(options: HarnessOptions = {}): Promise<PageHarness> {
  let time = Date.parse('2026-03-02T10:00:20Z');
  const now = () => new Date(time);
  const fake = await openFakeNotion({ now, ...options });
  const http = openHttpClient({ allow: options.allow ?? ['127.0.0.1'] });
  const waits: number[] = [];
  const connector = openPageConnector({
    http,
    baseUrl: fake.url,
    clock: { now },
    timeoutMs: options.timeoutMs ?? 5_000,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      time += Math.ceil(ms);
    },
  });
  const stored = new Map<string, Stored>();
  let cursor: Opaque | null = null;
  let resume: Opaque | null = null;
  let named = new Set<string>();

  async function run(pageId: string, given: { credential?: string; goesOn?: boolean } = {}): Promise<Run> {
    const origin = { kind: 'page' as const, pageId };
    const { signal } = new AbortController();
    const credential = given.credential ?? fake.token;
    const result: Run = { outcome: new Map(), changes: [], bodies: 0 };
    if (!given.goesOn) {
      resume = null;
      named = new Set();
    }
    const request = {
      cursor,
      resume,
      findStored: async (id: string) => stored.get(id),
      listStored: async () => [...stored.keys()],
      listUnreported: async () => [...stored.keys()].filter((id) => !named.has(id)),
      signal,
    };
    for await (const change of connector.list(origin, credential, request)) {
      result.changes.push(change);
      if ('originId' in change) named.add(change.originId);
      if (change.kind === 'present') {
        named.add(change.item.originId);
        await keep(change, result);
      } else if (change.kind === 'gone') {
        stored.delete(change.originId);
        result.outcome.set(change.originId, 'deleted');
      } else if (change.kind === 'checkpoint') {
        resume = change.resume;
      } else if (change.kind === 'failed' || change.kind === 'skipped') {
        result.outcome.set(change.originId, change.kind);
      } else if (change.kind === 'end') {
        const failed = [...result.outcome].flatMap(([id, outcome]) => (outcome === 'failed' ? [id] : []));
        cursor = change.cursor && failed.length > 0 ? connector.withFailed!(change.cursor, failed) : change.cursor;
        for (const id of change.full ? stored.keys() : [])
          if (!named.has(id)) {
            stored.delete(id);
            result.outcome.set(id, 'deleted');
          }
      }
    }
    return result;

    async function keep(change: Extract<Change, { kind: 'present' }>, { outcome }: Run): Promise<void> {
      const { item } = change;
      const before = stored.get(item.originId);
      if (!change.content && before && item.revision !== null && before.revision === item.revision) {
        stored.set(item.originId, { ...before, item });
        outcome.set(item.originId, 'unchanged');
        return;
      }
      const fetched = change.content
        ? { kind: 'content' as const, content: change.content }
        : await connector.fetch(origin, credential, item, before, signal);
      result.bodies += 1;
      if (fetched.kind !== 'content') {
        outcome.set(item.originId, fetched.kind);
        return;
      }
      const text = Buffer.concat(await Array.fromAsync(fetched.content.body)).toString('utf8');
      const whole = { ...item, ...fetched.content.changes };
      stored.set(item.originId, { item: whole, revision: whole.revision, state: fetched.content.state ?? null, text });
      outcome.set(item.originId, before === undefined ? 'added' : before.text === text ? 'same' : 'updated');
    }
  }

  return {
    fake,
    http,
    connector,
    stored,
    advance(ms) {
      time += ms;
    },
    time: () => time,
    waits,
    run,
    textOf: (name) => [...stored.values()].find(({ item }) => item.name === name)?.text,
    async close() {
      await http.close();
      await fake.close();
    },
  };
}
